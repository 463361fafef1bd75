import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { mysql, type OpenDatabase, pglite, postgres, sqlite } from '@snoflax/test'
import { type BetterSQLite3Database, drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import * as myCore from 'drizzle-orm/mysql-core'
import { drizzle as overMysql2 } from 'drizzle-orm/mysql2'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import * as pgCore from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import * as liteCore from 'drizzle-orm/sqlite-core'

/** Drizzle on a database, with the types of SQLite, since the calls are the same. */
export interface Dialect {
  readonly name: string
  open(): Promise<OpenDatabase>
  over(database: OpenDatabase, config?: object): BetterSQLite3Database
  readonly table: typeof liteCore.sqliteTable
  readonly core: typeof liteCore
  readonly ids: typeof lite
}

const LITE = { table: liteCore.sqliteTable, core: liteCore, ids: lite }
const PG = { table: pgCore.pgTable, core: pgCore, ids: pg }
const MY = { table: myCore.mysqlTable, core: { ...myCore, integer: myCore.int }, ids: my }

/** Those of the databases that this run has. */
export const dialects = [
  { kind: sqlite, connect: overBetterSqlite3, ...LITE },
  { kind: pglite, connect: overPglite, ...PG },
  { kind: postgres, connect: overNodePostgres, ...PG },
  { kind: mysql, connect: overMysql2, ...MY },
]
  .filter(({ kind }) => kind.selected())
  .map(({ kind, connect, ...dialect }) => ({
    ...dialect,
    name: kind.name,
    open: () => kind.open(),
    over: (database: OpenDatabase, config = {}) =>
      (connect as typeof overBetterSqlite3)({ client: clientOf(database), ...config }),
  })) as unknown as readonly Dialect[]

/** What Drizzle takes as `client`. */
export function clientOf(database: OpenDatabase): never {
  const { connection, pool } = database as unknown as Record<'connection' | 'pool', never>
  return pool ?? connection
}
