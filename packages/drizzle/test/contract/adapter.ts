import { flake, flax } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import type {
  MysqlDatabase,
  OpenDatabase,
  PgliteDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from '@snoflax/test'
import {
  type ContractAdapter,
  type ContractPaths,
  contestants,
  type RawSql,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { drizzle as overMysql2 } from 'drizzle-orm/mysql2'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { mysqlStatements, postgresStatements, sqliteStatements } from '../generated-sql.js'
import * as mysqlReads from './mysql-reads.js'
import * as mysqlWrites from './mysql-writes.js'
import * as reads from './reads.js'
import { mysqlSchema, postgresSchema, sqliteSchema } from './schema.js'
import type { Session } from './session.js'
import { isBefore1, related } from './version.js'
import * as writes from './writes.js'

/** Makes the schema as drizzle-kit would. */
export async function create(database: OpenDatabase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await database.query(statement)
}

async function openPostgres(database: PostgresDatabase, variant: Variant) {
  const schema = postgresSchema(variant)
  await install(database.pool)
  await create(database, await postgresStatements(schema))
  return { db: overNodePostgres({ client: database.pool, ...related(schema) }), schema, variant, database }
}

async function openPglite(database: PgliteDatabase, variant: Variant) {
  const schema = postgresSchema(variant)
  await install(database.connection)
  await create(database, await postgresStatements(schema))
  return { db: overPglite({ client: database.connection, ...related(schema) }), schema, variant, database }
}

async function openSqlite(database: SqliteDatabase, variant: Variant) {
  const schema = sqliteSchema(variant)
  await create(database, await sqliteStatements(schema))
  return {
    db: overBetterSqlite3({ client: database.connection, ...related(schema) }),
    schema,
    variant,
    database,
  }
}

// MariaDB has no lateral joins, which the mode "default" takes.
async function openMysql(database: MysqlDatabase, variant: Variant) {
  const schema = mysqlSchema(variant)
  await create(database, await mysqlStatements(schema))
  return {
    db: overMysql2({ client: database.pool, ...related(schema), mode: 'planetscale' }),
    schema,
    variant,
    database,
  }
}

const OPEN = {
  mysql: openMysql,
  postgres: openPostgres,
  pglite: openPglite,
  sqlite: openSqlite,
} as unknown as Record<OpenDatabase['kind'], (database: OpenDatabase, variant: Variant) => Promise<Session>>

// PGlite is PostgreSQL behind another driver: these two families have every form of value between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

const { 'update().where(eq())': update } = writes.updates
const { 'delete().where(inArray())': remove } = writes.deletes

/** The same reads, and the writes that MySQL has. */
const onMysql = {
  inserts: mysqlWrites.inserts,
  upserts: mysqlWrites.upserts,
  graphs: mysqlWrites.graphs,
  updates: { 'update().where(eq())': update },
  deletes: { 'delete().where(inArray())': remove },
  graph: {
    // Drizzle 1.0 has no way without lateral joins.
    ...(isBefore1 && mysqlReads.graph),
    'select() with left joins': reads.graph['select() with left joins'],
  },
}

const raw: RawSql<Session> = {
  async run({ db, database: { kind } }, strings, values) {
    // An array in a template is a list in brackets; a parameter is one value.
    const input = values.map((value) => (Array.isArray(value) ? sql.param(value) : value))
    const query = sql(strings as unknown as TemplateStringsArray, ...input)
    if (kind === 'sqlite') {
      const sqlite = db as unknown as Record<'all' | 'run', (query: SQL) => unknown>
      return /^\s*(?:SELECT|WITH)/.test(strings[0] ?? '') ? sqlite.all(query) : sqlite.run(query)
    }
    const result = (await db.execute(query)) as unknown
    return Array.isArray(result) ? result[0] : (result as { rows: unknown }).rows
  },
  column: ({ schema: { customers } }) => customers.id,
}

const adapter: ContractAdapter<Session> = {
  orm: 'Drizzle',
  raw,
  variants: {
    sqlite: variantsOf('sqlite'),
    pglite: variantsOf('pglite', { families }),
    postgres: variantsOf('postgres'),
    mysql: variantsOf('mysql'),
  },
  instead: { mysql: onMysql as unknown as ContractPaths<Session> },
  junction: { table: 'orders_to_tags', order: 'order_id', tag: 'tag_id' },
  open: (database, variant) => OPEN[database.kind](database, variant),
  close: async () => {},
  ...reads,
  ...writes,
}

export default adapter
