import { UsageError } from '../exit.js'
import {
  driver,
  isDatabaseError,
  messageAbout,
  openBy,
  pgClient,
  reach,
  shownAddress,
} from '../live/address.js'
import type { Asked, InDatabase, Wanted } from './findings.js'
import { joined, type Stored, shapeOf } from './shapes.js'

/** What a column stores: shown, and by kind. */
export interface InColumn {
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

/** A database that is only read. */
interface Reader {
  /** Columns of all tables, by the table's name, with what stands before it in SQL. */
  catalog(): Promise<
    readonly { readonly schema: string | null; readonly table: string; readonly column: string }[]
  >
  /** Values of columns as texts, row by row. */
  rows(table: string, columns: readonly string[], limit: number): AsyncIterable<readonly (string | null)[]>
  quote(name: string): string
  close(): Promise<void> | void
}

interface Column extends Asked {
  /** As the database names it. */
  readonly real: string
}

/** Asks a database which keys it stores, by one query a table. @throws {UsageError} if it can't be reached, or lacks a table or a column. */
export async function askDatabase(
  url: string,
  asked: readonly Asked[],
  wanted: Wanted,
  limit: number,
): Promise<Answer> {
  const reader = await openBy(url, { postgres: openPostgres, mysql: openMysql, sqlite: openSqlite })
  try {
    const tables = located(await reader.catalog(), asked, reader, url)
    const counts = new Map<string, Counted>()
    for (const [table, columns] of tables) await count(reader, table, columns, counts, wanted, limit)
    return answered(asked, counts, limit)
  } catch (error) {
    if (isDatabaseError(error)) throw new UsageError(`${shownAddress(url)}: ${messageAbout(url, error)}`)
    throw error
  } finally {
    await reader.close()
  }
}

const snake = (text: string): string =>
  text.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()

/** The columns by their tables, in SQL. Creators and naming strategies may have added to a name, or changed its case. */
function located(
  catalog: Awaited<ReturnType<Reader['catalog']>>,
  asked: readonly Asked[],
  reader: Reader,
  url: string,
): ReadonlyMap<string, readonly Column[]> {
  const tables = new Map<string, Map<string, Column>>()
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
      .flatMap((part) => (part === null ? [] : reader.quote(part)))
      .join('.')
    const columns = tables.get(inSql) ?? new Map<string, Column>()
    tables.set(inSql, columns.set(`${one.name} ${row.column}`, { ...one, real: row.column }))
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
  reader: Reader,
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
  let rows = 0
  for await (const row of reader.rows(
    table,
    columns.map(({ real }) => real),
    limit + 1,
  )) {
    if (rows === limit) {
      for (const { counted } of own) counted.isStopped = true
      break
    }
    rows++
    for (const [at, value] of row.entries()) {
      const { counted, must } = own[at] as (typeof own)[0]
      if (value !== null) add(counted, value, must)
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
        ({ stored }) =>
          stored.pattern === shape.pattern || (/ of /.test(stored.kind) && whole.test(stored.sample)),
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

const FETCHED = 5000

async function openPostgres(url: string): Promise<Reader> {
  const client = await pgClient(url, 'snoflax adopt code')
  await client.query('BEGIN READ ONLY')
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
  return {
    quote,
    catalog: async () => {
      const { rows } = await client.query(`
        SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
          AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname, a.attnum`)
      return rows
    },
    async *rows(table, columns, limit) {
      await client.query(
        `DECLARE snoflax_keys NO SCROLL CURSOR FOR SELECT ${columns.map((one) => `${quote(one)}::text`).join(', ')} FROM ${table} LIMIT ${limit}`,
      )
      try {
        for (;;) {
          const { rows } = await client.query({
            text: `FETCH ${FETCHED} FROM snoflax_keys`,
            rowMode: 'array',
          })
          yield* rows as (string | null)[][]
          if (rows.length < FETCHED) return
        }
      } finally {
        await client.query('CLOSE snoflax_keys').catch(() => {})
      }
    },
    close: () => client.end(),
  }
}

async function openMysql(url: string): Promise<Reader> {
  const mysql = await driver(() => import('mysql2'), 'mysql2')
  const connection = mysql.createConnection(url.replace(/^mariadb:/, 'mysql:'))
  connection.on('error', () => {})
  const promised = connection.promise()
  await reach(url, () => promised.connect())
  await promised.query('START TRANSACTION READ ONLY')
  const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``
  return {
    quote,
    catalog: async () => {
      const [rows] = await promised.query(
        'SELECT NULL AS `schema`, table_name AS `table`, column_name AS `column` FROM information_schema.columns WHERE table_schema = database()',
      )
      return rows as unknown as Awaited<ReturnType<Reader['catalog']>>
    },
    async *rows(table, columns, limit) {
      const sql = `SELECT ${columns.map((one) => `CAST(${quote(one)} AS CHAR)`).join(', ')} FROM ${table} LIMIT ${limit}`
      yield* connection.query({ sql, rowsAsArray: true }).stream() as AsyncIterable<string[]>
    },
    close: () => promised.end(),
  }
}

async function openSqlite(file: string): Promise<Reader> {
  const { default: Connection } = await driver(() => import('better-sqlite3'), 'better-sqlite3')
  const connection = new Connection(file, { readonly: true })
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
  return {
    quote,
    catalog: async () =>
      connection
        .prepare(
          `SELECT NULL AS "schema", m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')`,
        )
        .all() as Awaited<ReturnType<Reader['catalog']>>,
    async *rows(table, columns, limit) {
      const sql = `SELECT ${columns.map((one) => `CAST(${quote(one)} AS TEXT)`).join(', ')} FROM ${table} LIMIT ${limit}`
      yield* connection.prepare(sql).raw().iterate() as Iterable<string[]>
    },
    close: () => void connection.close(),
  }
}
