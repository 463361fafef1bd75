import type { Database } from '@snoflax/core'
import { quoteMysqlName, quoteName } from '@snoflax/core/adapter'
import type { LiveDatabase } from '../live/database.js'
import { readDatabase } from '../live/open.js'
import type { KeyPlan, Named, Plan } from './plan.js'

/** What a column stores, beside the definition of its key. */
export interface Stored {
  readonly name: string
  readonly rows: number
  /** Whether it has more rows than were read. */
  readonly isStopped: boolean
  /** Values that the definition doesn't take. */
  readonly others: number
  /** The first of them. */
  readonly example?: string
  /** Why nothing is known. */
  readonly unknown?: string
}

/** Compares the stored keys of a plan with their definitions. Only reads. @throws {UsageError} if it can't be reached. */
export const askDatabase = (url: string, plan: Plan, limit: number): Promise<ReadonlyMap<Named, Stored>> =>
  readDatabase('adopt code', url, async (database) => {
    const catalog = await catalogOf(database)
    const found = new Map<Named, Stored>()
    for (const key of plan.keys) found.set(key, await compare(database, catalog, key, key, limit))
    for (const one of plan.references) found.set(one, await compare(database, catalog, one, one.key, limit))
    return found
  })

/** A column of a table or a view. */
export interface InCatalog {
  readonly schema: string | null
  readonly table: string
  readonly column: string
  /** Whether row-level security hides rows of it. */
  readonly is_hidden: boolean
  /** Whether its table is found without its schema. */
  readonly is_visible: boolean
}

const MYSQL = `SELECT NULL AS \`schema\`, table_name AS \`table\`, column_name AS \`column\`, false AS is_hidden, true AS is_visible
  FROM information_schema.columns WHERE table_schema = database()`

const CATALOGS: Readonly<Record<Database, string>> = {
  postgres: `SELECT n.nspname AS schema, c.relname AS table, a.attname AS column, row_security_active(c.oid) AS is_hidden,
      pg_table_is_visible(c.oid) AS is_visible
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
      AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY is_visible DESC, n.nspname, a.attnum`,
  sqlite: `SELECT NULL AS "schema", m.name AS "table", c.name AS "column", false AS is_hidden, true AS is_visible
    FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')`,
  mysql: MYSQL,
  mariadb: MYSQL,
}

/** The columns of all tables and views, first those that the search path finds. */
export async function catalogOf(database: LiveDatabase): Promise<readonly InCatalog[]> {
  // Of tables with one name, the application sees that in its search path.
  if (database.kind === 'postgres') await database.query('SET LOCAL search_path TO DEFAULT')
  return (await database.query(CATALOGS[database.kind])) as unknown as InCatalog[]
}

const snake = (text: string): string =>
  text.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()

async function compare(
  database: LiveDatabase,
  catalog: readonly InCatalog[],
  one: Named,
  key: KeyPlan,
  limit: number,
): Promise<Stored> {
  const { table, column, name } = one
  const inTable = catalog.filter(
    (row) =>
      row.table === table.name &&
      (table.schema === undefined || row.schema === null || row.schema === table.schema),
  )
  // Of one schema, if the table names none.
  const own = inTable.filter(({ schema }) => schema === inTable[0]?.schema)
  // Drizzle's option `casing` is that of a client, which is not loaded.
  const row = [column.name, snake(column.name)].flatMap((wanted) =>
    own.filter((candidate) => candidate.column === wanted),
  )[0]
  const nothing = { name, rows: 0, isStopped: false, others: 0 }
  if (!row)
    return { ...nothing, unknown: `the database has no column ${column.name} in a table ${table.name}` }
  if (row.is_hidden)
    return { ...nothing, unknown: `row-level security hides rows of ${table.name} from this user` }
  const isMysql = database.kind === 'mysql' || database.kind === 'mariadb'
  const quoted = isMysql ? quoteMysqlName : quoteName
  const from = [row.schema, row.table].flatMap((part) => (part === null ? [] : quoted(part))).join('.')
  const whole = new RegExp(`^(?:${key.pattern})$`)
  const text = `CAST(${quoted(row.column)} AS ${isMysql ? 'CHAR' : 'TEXT'})`
  let [rows, others, example]: [number, number, string | undefined] = [0, 0, undefined]
  for await (const batch of database.batches(`SELECT ${text} AS id FROM ${from} LIMIT ${limit + 1}`))
    for (const { id } of batch) {
      rows++
      if (typeof id !== 'string' || whole.test(id) || rows > limit) continue
      others++
      example ??= id
    }
  const isStopped = rows > limit
  return {
    name,
    rows: Math.min(rows, limit),
    isStopped,
    others,
    ...(example !== undefined && { example: shown(example) }),
  }
}

/** A value of a row: short, on one line. */
const shown = (value: string): string => JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}…` : value)
