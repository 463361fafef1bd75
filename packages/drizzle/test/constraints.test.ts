import { flax, prefixed, sno } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { pglite, sqlite } from '@snoflax/test'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import * as core from 'drizzle-orm/pg-core'
import { type AnyPgColumn, pgTable } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { type AnySQLiteColumn, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, onTestFinished, test } from 'vitest'
import { isBefore1 } from './contract/version.js'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'

const id = flax.generate()
const bytes = Buffer.from(flax.decode(id)).toString('hex')
const cus = prefixed(flax, 'cus')

async function opened(schema: Record<string, unknown>) {
  const { connection, query, close } = await sqlite.open()
  onTestFinished(() => close())
  for (const statement of await sqliteStatements(schema)) await query(statement)
  return { connection, db: drizzle({ client: connection }) }
}

test('check: true in SQLite refuses values that are not ids of the storage', async () => {
  const rows = sqliteTable('rows', {
    id: lite.flaxId({ storage: 'binary', check: true }).primaryKey(),
    other: lite.snoId.plain({ check: true }),
    ref: lite.flaxId.ref('ref', (): AnySQLiteColumn => rows.id, { check: true }),
    job: lite.flakeId.plain({ storage: 'bigint', exactBigint: true, check: true }),
  })
  const { connection, db } = await opened({ rows })
  const row = db.insert(rows).values({}).returning().get()
  db.insert(rows)
    .values({ ref: row.id, other: '2222222222222222' as never, job: '4611686018427387905' as never })
    .run()
  const refused = [
    `insert into rows (id) values ('${id}')`,
    `insert into rows (id) values (null)`,
    `insert into rows (id) values (x'00')`,
    `insert into rows (id, other) values (x'${bytes}', 'short')`,
    `insert into rows (id, ref) values (x'${bytes}', '${row.id}')`,
    `insert into rows (id, job) values (x'${bytes}', 'x')`,
  ]
  for (const statement of refused) {
    expect(() => connection.exec(statement), statement).toThrow(/constraint failed/i)
  }
  expect(db.select({ id: rows.id }).from(rows).all()).toHaveLength(2)
})

test('check: true in PostgreSQL refuses what other programs write, by length and prefix', async () => {
  const rows = pgTable('rows', {
    id: pg.flaxId({ prefix: 'cus', check: true }).primaryKey(),
    bytes: pg.snoId.plain({ storage: 'binary', check: true }),
    uuid: pg.flaxId.plain({ storage: 'uuid', check: true }),
    own: pg.flaxId.ref('own_id', (): AnyPgColumn => rows.id, { check: true }),
  })
  const database = await pglite.open()
  for (const statement of await postgresStatements({ rows })) await database.query(statement)
  const [row] = await overPglite({ client: database.connection })
    .insert(rows)
    .values({ bytes: sno.generate(), uuid: flax.generate() })
    .returning()
  const given = cus.generate()
  for (const [column, value] of [
    ['id', `'${flax.generate()}'`],
    ['id', `'ord${given.slice(3)}'`],
    ['own_id', `'${given} '`],
    ['bytes', "'\\x00'"],
  ]) {
    const statement = `update rows set ${column} = ${value}`
    await expect(database.query(statement), statement).rejects.toThrow(/check constraint/)
  }
  await database.query(`update rows set own_id = '${row?.id}'`)
  await database.close()
})

test('check: true is written for MySQL', async () => {
  const rows = mysqlTable('rows', {
    id: my.flaxId({ prefix: 'cus', check: true }).primaryKey(),
    bytes: my.snoId.plain({ storage: 'binary', check: true }),
    job: my.flakeId.plain({ check: true }),
  })
  const [create] = await mysqlStatements({ rows })
  expect(create?.match(/CHECK\(.*\)/g)).toEqual([
    "CHECK(char_length(`id`) = 20 AND substr(`id`, 1, 4) = 'cus_')",
    'CHECK(length(`bytes`) = 10)',
  ])
})

test('check: true names a column as casing does', async () => {
  // From 1.0 on it is the table that says how its columns are named.
  const { snakeCase } = core as unknown as { snakeCase: { table: typeof pgTable } }
  const named = isBefore1 ? pgTable : snakeCase.table
  const rows = named('rows', { ownId: pg.flaxId({ storage: 'binary', check: true }).primaryKey() })
  const statements = await postgresStatements({ rows }, {}, 'snake_case')
  expect(statements.join('\n')).toContain('(length("own_id") = 12)')
})
