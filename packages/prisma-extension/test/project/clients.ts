import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type {
  MysqlDatabase,
  OpenDatabase,
  PgliteDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from '@snoflax/test'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { mysqlTables } from './mysql-tables.js'
import { schemaSql } from './push.js'
import { entry } from './version.js'

/** A client that no compiler knows: it is generated while the tests run. */
// biome-ignore lint/suspicious/noExplicitAny: types of generated clients are tested in generated-types.long.test.ts
export type AnyClient = any

export const { PrismaPg }: typeof import('@prisma/adapter-pg') = await import(entry('@prisma/adapter-pg'))
const forSqlite: typeof import('@prisma/adapter-better-sqlite3') & { readonly PrismaBetterSQLite3?: never } =
  await import(entry('@prisma/adapter-better-sqlite3'))
// Prisma 6 spells it otherwise.
const PrismaBetterSqlite3 = forSqlite.PrismaBetterSqlite3 ?? forSqlite.PrismaBetterSQLite3

/** Prisma's adapter for a database of the tests. */
export function adapterOf(database: OpenDatabase): SqlMigrationAwareDriverAdapterFactory {
  switch (database.kind) {
    case 'sqlite':
      return new PrismaBetterSqlite3({ url: `file:${(database as SqliteDatabase).file}` })
    case 'postgres':
      return new PrismaPg({ connectionString: (database as PostgresDatabase).url })
    case 'pglite':
      return new PrismaPGlite(
        (database as PgliteDatabase).connection,
      ) as unknown as SqlMigrationAwareDriverAdapterFactory
    case 'mysql':
      return new PrismaMariaDb(
        (database as MysqlDatabase).url.replace(/^mysql:/, 'mariadb:'),
      ) as unknown as SqlMigrationAwareDriverAdapterFactory
  }
}

/** Makes the schema of a generated project in an empty database. */
export async function pushSchema(folder: string, database: OpenDatabase): Promise<void> {
  if (database.kind === 'mysql') {
    for (const statement of await mysqlTables(folder)) await database.query(statement)
    return
  }
  const sql = await schemaSql(folder, adapterOf(database))
  if (database.kind === 'sqlite') (database as SqliteDatabase).connection.exec(sql)
  else if (database.kind === 'pglite') await (database as PgliteDatabase).connection.exec(sql)
  else await database.query(sql)
}

/** The generated client of a project, without any extension. */
export async function clientOf(
  folder: string,
  database: OpenDatabase,
  options: object = {},
): Promise<AnyClient> {
  // prisma-client writes TypeScript, prisma-client-js JavaScript.
  const isTypeScript = existsSync(join(folder, 'client/client.ts'))
  const { PrismaClient } = await import(join(folder, isTypeScript ? 'client/client.ts' : 'client/index.js'))
  // Prisma ends a transaction after 5 s, which a busy machine may need.
  const transactionOptions = { maxWait: 120_000, timeout: 120_000 }
  return new PrismaClient({ adapter: adapterOf(database), transactionOptions, ...options })
}

/** Runs what the generator wrote for a migration, where it did. */
export async function runCollations(folder: string, database: OpenDatabase): Promise<void> {
  const file = join(folder, 'snoflax/collation.sql')
  if (!existsSync(file)) return
  const sql = readFileSync(file, 'utf8')
  if (database.kind === 'pglite') await (database as PgliteDatabase).connection.exec(sql)
  else await database.query(sql)
}
