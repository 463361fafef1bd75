import type { Database } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import { UsageError } from '../exit.js'
import { shownAddress } from '../live/address.js'
import type { LiveDatabase } from '../live/database.js'
import { quote } from '../live/mysql.js'
import { readDatabase } from '../live/open.js'
import type { Asked, InDatabase, Wanted } from './findings.js'
import { isGeneral, joined, type Stored, shapeOf } from './shapes.js'

/** What a column stores: shown, and by kind. */
interface InColumn {
  /** `users.id`, as the source names it. */
  readonly name: string
  /** `4,811 of 32 letters and digits, 12 cuid2` */
  readonly text: string
}

export interface Answer {
  readonly columns: readonly InColumn[]
  readonly byKey: ReadonlyMap<string, InDatabase>
  /** Keys that would be refused: described by `--accept`, and stored otherwise, or of no shape. */
  readonly refused: readonly string[]
}

/** A column of the database, with what stands before its table in SQL. */
interface InCatalog {
  readonly schema: string | null
  readonly table: string
  readonly column: string
}

interface Column extends Asked {
  readonly inSql: string
}

/** Asks a database which keys it stores, by one query a table. @throws {UsageError} if it can't be reached, or lacks a table or a column. */
export const askDatabase = (
  url: string,
  asked: readonly Asked[],
  wanted: Wanted,
  limit: number,
): Promise<Answer> =>
  readDatabase('adopt code', url, async (database) => {
    const tables = located(await catalogOf(database), asked, database.kind, url)
    const counts = new Map<string, Counted>()
    for (const [table, columns] of tables) await count(database, table, columns, counts, wanted, limit)
    return answered(asked, counts, limit)
  })

const MYSQL = `SELECT NULL AS \`schema\`, table_name AS \`table\`, column_name AS \`column\`
  FROM information_schema.columns WHERE table_schema = database()`

/** Columns of tables and views. */
const CATALOGS: Readonly<Record<Database, string>> = {
  postgres: `SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname, a.attnum`,
  sqlite: `SELECT NULL AS "schema", m.name AS "table", c.name AS "column"
    FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')`,
  mysql: MYSQL,
  mariadb: MYSQL,
}

async function catalogOf(database: LiveDatabase): Promise<readonly InCatalog[]> {
  // Of tables with one name, the application sees that in its search path.
  if (database.kind === 'postgres') await database.query('SET LOCAL search_path TO DEFAULT')
  return (await database.query(CATALOGS[database.kind])) as unknown as InCatalog[]
}

const isMysql = (kind: Database): boolean => kind === 'mysql' || kind === 'mariadb'

const snake = (text: string): string =>
  text.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()

/** The columns by their tables, in SQL. Creators and naming strategies may have added to a name, or changed its case. */
function located(
  catalog: readonly InCatalog[],
  asked: readonly Asked[],
  kind: Database,
  url: string,
): ReadonlyMap<string, readonly Column[]> {
  const tables = new Map<string, Map<string, Column>>()
  const quoted = isMysql(kind) ? quote : quoteName
  for (const one of asked) {
    const names = [one.table, snake(one.table)]
    const ways: ((name: string) => boolean)[] = [
      (name) => name === one.table,
      (name) => names.includes(name.toLowerCase()),
      (name) => names.some((own) => name.endsWith(`_${own}`)),
    ]
    const found = ways.map((way) => catalog.filter(({ table }) => way(table))).find((rows) => rows.length > 0)
    if (!found)
      throw new UsageError(
        `${shownAddress(url)} has no table ${one.table}, which stores ${one.name}; nothing was written`,
      )
    const row = [one.column, snake(one.column)].flatMap((name) =>
      found.filter(({ column }) => column === name),
    )[0]
    const [{ table, schema }] = found as [(typeof found)[0]]
    if (!row)
      throw new UsageError(
        `${shownAddress(url)}: ${table} has no column ${one.column}, which stores ${one.name}; nothing was written`,
      )
    const inSql = [row.schema ?? schema, row.table]
      .flatMap((part) => (part === null ? [] : quoted(part)))
      .join('.')
    const columns = tables.get(inSql) ?? new Map<string, Column>()
    tables.set(inSql, columns.set(`${one.name} ${row.column}`, { ...one, inSql: quoted(row.column) }))
  }
  return new Map([...tables].map(([table, columns]) => [table, [...columns.values()]]))
}

/** What was counted in a column. */
interface Counted {
  rows: number
  isStopped: boolean
  readonly kinds: Map<string, { readonly stored: Stored; count: number }>
  /** Keys without a shape. */
  readonly odd: Map<string, number>
  /** Keys that the described pattern refuses. */
  readonly refused: Map<string, number>
}

const UUIDS = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

async function count(
  database: LiveDatabase,
  table: string,
  columns: readonly Column[],
  counts: Map<string, Counted>,
  { accept }: Wanted,
  limit: number,
): Promise<void> {
  const own = columns.map((column) => {
    const counted = counts.get(column.name) ?? {
      rows: 0,
      isStopped: false,
      kinds: new Map(),
      odd: new Map(),
      refused: new Map(),
    }
    counts.set(column.name, counted)
    const described = accept.get(column.key)
    const must = column.isUuid
      ? UUIDS
      : described === undefined
        ? undefined
        : new RegExp(`^(?:${described})$`)
    return { counted, must }
  })
  const text = isMysql(database.kind) ? 'CHAR' : 'TEXT'
  const list = columns.map(({ inSql }, at) => `CAST(${inSql} AS ${text}) AS c${at}`).join(', ')
  let rows = 0
  for await (const batch of database.batches(`SELECT ${list} FROM ${table} LIMIT ${limit + 1}`))
    for (const row of batch) {
      const isStopped = rows++ === limit
      for (const [at, { counted, must }] of own.entries()) {
        const value = row[`c${at}`] as string | null
        if (isStopped) counted.isStopped = true
        else if (value !== null) add(counted, value, must)
      }
    }
}

function add(counted: Counted, value: string, must: RegExp | undefined): void {
  counted.rows++
  const plus = (map: Map<string, number>): void => void map.set(value, (map.get(value) ?? 0) + 1)
  if (must && !must.test(value)) plus(counted.refused)
  const stored = shapeOf(value)
  const kind = stored && counted.kinds.get(stored.pattern)
  if (stored === undefined) plus(counted.odd)
  else if (kind) kind.count++
  else counted.kinds.set(stored.pattern, { stored, count: 1 })
}

/** More shapes than these are words, not keys of a kind. */
const MOST_KINDS = 12

function answered(asked: readonly Asked[], counts: ReadonlyMap<string, Counted>, limit: number): Answer {
  const [columns, refused]: [InColumn[], string[]] = [[], []]
  const byKey = new Map<string, { kinds: Stored[]; odd: number }>()
  for (const { name, key } of new Map(asked.map((one) => [one.name, one])).values()) {
    const { rows, isStopped, kinds, ...others } = counts.get(name) as Counted
    const shapes = joined([...kinds.values()].map(({ stored }) => stored))
    const numbers = shapes.map((shape) => {
      const whole = new RegExp(`^(?:${shape.pattern})$`)
      const own = [...kinds.values()].filter(
        ({ stored }) => stored.pattern === shape.pattern || (isGeneral(stored) && whole.test(stored.sample)),
      )
      return `${own.reduce((sum, one) => sum + one.count, 0).toLocaleString('en')} ${shape.kind}`
    })
    const odd = [...others.odd]
    const isWild = shapes.length > MOST_KINDS
    const text = [
      ...(isWild ? [`${rows.toLocaleString('en')} of ${shapes.length} shapes`] : numbers),
      ...(odd.length > 0 ? [`${odd.length} that fit nothing, such as ${shown(odd[0]?.[0] as string)}`] : []),
      ...(rows === 0 ? ['no rows'] : []),
    ].join(', ')
    columns.push({
      name,
      text: isStopped ? `${text}; stopped after ${limit.toLocaleString('en')} rows` : text,
    })
    const entry = byKey.get(key) ?? { kinds: [], odd: 0 }
    byKey.set(key, { kinds: [...entry.kinds, ...(isWild ? [] : shapes)], odd: entry.odd + odd.length })
    const wrong = [...(others.refused.size > 0 ? others.refused : others.odd)]
    const [first] = wrong
    if (first)
      refused.push(
        `${name} stores ${wrong.reduce((sum, [, one]) => sum + one, 0).toLocaleString('en')} keys that would be refused, such as ${shown(first[0])}`,
      )
  }
  return { columns, byKey, refused }
}

/** A value of a row: short, on one line. */
const shown = (value: string): string => JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}…` : value)
