import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flake } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { type Adoptable, describeOrm, differencesInMariadb } from '@snoflax/test/adoption'
import { pushSchema, pushSQLiteSchema } from 'drizzle-kit/api'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { migrate as migrateSqlite } from 'drizzle-orm/better-sqlite3/migrator'
import * as mysqlCore from 'drizzle-orm/mysql-core'
import { drizzle as overMysql2 } from 'drizzle-orm/mysql2'
import { migrate as migrateMysql } from 'drizzle-orm/mysql2/migrator'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator'
import * as pgCore from 'drizzle-orm/pg-core'
import * as sqliteCore from 'drizzle-orm/sqlite-core'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'

type Kind = Adoptable['kind']

/** What a schema.ts imports, and what it writes for a table, keys and foreign keys, and a time. */
const DIALECTS = {
  postgres: {
    statements: postgresStatements,
    names: { ...pgCore, ...pg },
    table: 'pgTable',
    counted: { key: "serial('id')", type: 'integer', more: '' },
    text: { key: "varchar('id', { length: 30 })", type: 'varchar', more: ', { length: 30 }' },
    uuid: { key: "uuid('id')", type: 'uuid', more: '' },
    time: "timestamp('at', { withTimezone: true })",
  },
  sqlite: {
    statements: sqliteStatements,
    names: { ...sqliteCore, ...lite },
    table: 'sqliteTable',
    counted: { key: "integer('id')", type: 'integer', more: '' },
    text: { key: "text('id', { length: 30 })", type: 'text', more: ', { length: 30 }' },
    uuid: { key: "text('id')", type: 'text', more: '' },
    time: "text('at')",
  },
  mysql: {
    statements: mysqlStatements,
    names: { ...mysqlCore, ...my },
    table: 'mysqlTable',
    counted: { key: "int('id').autoincrement()", type: 'int', more: '' },
    text: { key: "varchar('id', { length: 30 })", type: 'varchar', more: ', { length: 30 }' },
    uuid: { key: "char('id', { length: 36 })", type: 'char', more: ', { length: 36 }' },
    time: "datetime('at')",
  },
}

/** The generator that a schema.ts imports. */
const generator = flake.generator({ worker: 1 })

const tablesOf = (kind: Kind, source: string): Record<string, unknown> => {
  const { default: _, ...names } = { default: undefined, generator, ...DIALECTS[kind].names }
  return new Function(...Object.keys(names), source)(...Object.values(names))
}

/** What `drizzle-kit push` would run. It doesn't know MariaDB, whose tables it would empty at any time. */
async function changes(database: Adoptable, tables: Record<string, unknown>): Promise<string[]> {
  if (database.kind === 'mysql') return differencesInMariadb(database, await mysqlStatements(tables))
  const { statementsToExecute } = await (database.kind === 'postgres'
    ? pushSchema(tables, overNodePostgres(database.pool) as never, ['public'])
    : pushSQLiteSchema(tables, overBetterSqlite3(database.connection) as never))
  return statementsToExecute
}

let migrations = 0

/** A folder with one migration, later than all before it, as drizzle-kit writes it. */
function migrationFolder(kind: Kind, statements: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-migrations-'))
  mkdirSync(join(folder, 'meta'))
  const entry = { idx: 0, version: '7', when: ++migrations, tag: '0000_adopt', breakpoints: true }
  const journal = { version: '7', dialect: kind, entries: [entry] }
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal))
  const sql = statements.map((statement) => `${statement};`).join('\n--> statement-breakpoint\n')
  writeFileSync(join(folder, '0000_adopt.sql'), sql)
  return folder
}

async function migrateIn(database: Adoptable, statements: readonly string[]): Promise<void> {
  const migrationsFolder = migrationFolder(database.kind, statements)
  try {
    if (database.kind === 'postgres')
      await migratePostgres(overNodePostgres(database.pool), { migrationsFolder })
    else if (database.kind === 'mysql') await migrateMysql(overMysql2(database.pool), { migrationsFolder })
    else migrateSqlite(overBetterSqlite3(database.connection), { migrationsFolder })
  } finally {
    rmSync(migrationsFolder, { recursive: true, force: true })
  }
}

describeOrm({
  orm: 'drizzle',
  source(kind, oldKeys, lines) {
    const { table, time, ...old } = DIALECTS[kind]
    const counts = kind === 'sqlite' && oldKeys === 'counted' ? '{ autoIncrement: true }' : ''
    const { key, type, more } = old[oldKeys ?? 'text']
    const ifOld = (line: string) => (oldKeys === undefined ? '' : line)
    return `
const customer = ${table}('customer', {
  ${ifOld(`id: ${key}.primaryKey(${counts}),`)} ${lines('customer', 'id')}
  name: text('name').notNull(),
}, (t) => [${lines('customer')}])
const orders = ${table}('orders', {
  ${ifOld(`id: ${key}.primaryKey(${counts}),`)} ${lines('orders', 'id')}
  at: ${time}.notNull(),
  ${ifOld(`customerId: ${type}('customer_id'${more}).notNull().references(() => customer.id),`)} ${lines('orders', 'customer_id')}
  ${ifOld(`parentId: ${type}('parent_id'${more}).references(() => orders.id),`)} ${lines('orders', 'parent_id')}
  ${ifOld(`giftTo: ${type}('gift_to'${more}),`)} ${lines('orders', 'gift_to')}
}, (t) => [index('orders_customer').on(t.customerId), ${lines('orders')}])
return { customer, orders }`
  },
  async create(database, source) {
    const { kind } = database
    const statements = await DIALECTS[kind].statements(tablesOf(kind, source))
    for (const sql of statements) await database.query(sql)
  },
  async diff(database, source, config) {
    const statements = await changes(database, tablesOf(database.kind, source))
    // Its function takes no config.
    const [, prefix] = /^tablesFilter: \['!(\w+)\*'\],$/.exec(config.join()) ?? []
    return statements.filter((sql) => !prefix || !new RegExp(`^DROP TABLE ["\`]${prefix}`).test(sql))
  },
  async migrate(database, statements) {
    try {
      await migrateIn(database, statements)
    } catch (error) {
      // What the server said, not the statement.
      throw (error as Error).cause ?? error
    }
  },
  async baseline(database, statements) {
    const when = migrations + 1
    await database.query(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('adopt', ${when})`)
    await migrateIn(database, statements)
  },
})
