import {
  generateDrizzleJson,
  generateMigration,
  generateMySQLDrizzleJson,
  generateMySQLMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { is, Table } from 'drizzle-orm'
import { drizzle as overSqlite } from 'drizzle-orm/better-sqlite3'
import * as mysql from 'drizzle-orm/mysql-core'
import { drizzle as overMysql } from 'drizzle-orm/mysql2'
import { drizzle as overPostgres } from 'drizzle-orm/node-postgres'
import * as postgres from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** What drizzle-kit generates from a schema, or from none, to another. */
export async function migration(kind, from, to) {
  if (kind === 'sqlite')
    return generateSQLiteMigration(await generateSQLiteDrizzleJson(from), await generateSQLiteDrizzleJson(to))
  if (kind === 'mysql')
    return generateMySQLMigration(await generateMySQLDrizzleJson(from), await generateMySQLDrizzleJson(to))
  return generateMigration(generateDrizzleJson(from), generateDrizzleJson(to))
}

export function connect({ kind, connection, pool }, schema) {
  if (kind === 'sqlite') return overSqlite({ client: connection, schema })
  if (kind === 'mysql') return overMysql({ client: pool, schema, mode: 'default' })
  return kind === 'postgres' ? overPostgres({ client: pool, schema }) : overPglite({ client: connection, schema })
}

/** Tables, keys that refer to no other and that something generates, or that are alone, and columns of foreign keys, as Drizzle has them. */
export function counted(kind, schema) {
  const { getTableConfig } = { sqlite, mysql }[kind] ?? postgres
  const tables = Object.values(schema).filter((one) => is(one, Table)).map((table) => getTableConfig(table))
  const referring = new Set(tables.flatMap(({ name, foreignKeys }) => foreignKeys.flatMap((one) => one.reference().columns.map((column) => `${name}.${column.name}`))))
  const keys = tables.flatMap(({ name, columns, primaryKeys }) => {
    const parts = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
    return columns.filter((one) => (one.primary || (one.hasDefault && parts.has(one.name))) && !referring.has(`${name}.${one.name}`))
  })
  return { tables: tables.length, keys: keys.length, references: referring.size }
}
