import { flake, flax, IdError, sno } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import { flakeId, flaxId, idColumn, seedIds, snoId } from '@snoflax/drizzle/pg-core'
import { snoId as sqliteSnoId } from '@snoflax/drizzle/sqlite-core'
import { uidLocal } from '@snoflax/families'
import { mysql, type OpenDatabase, pglite, sqlite } from '@snoflax/test'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import { drizzle as overMysql2 } from 'drizzle-orm/mysql2'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { integer as sqliteInteger, sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import { seed } from 'drizzle-seed'
import { expect, onTestFinished, test } from 'vitest'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'

const jobIds = flake.generator({ datacenter: 1, worker: 2 })
const people = pgTable('people', {
  id: flaxId().primaryKey(),
  name: text().notNull(),
  bossId: flaxId.ref('boss_id').references((): never => people.id as never),
  traceId: snoId.plain('trace_id'),
  past: flaxId.plain().array().notNull(),
})
const jobs = pgTable('jobs', {
  id: flakeId({ generator: jobIds, storage: 'bigint' }).primaryKey(),
  personId: flaxId
    .ref('person_id')
    .notNull()
    .references(() => people.id),
  readId: idColumn.plain('read_id', uidLocal).notNull(),
  n: integer().notNull(),
})

/** A client of a database that has the tables. */
async function clientOf(
  kind: { open(): Promise<unknown> },
  statements: Promise<string[]>,
): Promise<{ client: never }> {
  const database = (await kind.open()) as OpenDatabase
  onTestFinished(() => database.close())
  for (const statement of await statements) await database.query(statement)
  const { connection, pool } = database as unknown as Record<'connection' | 'pool', never>
  return { client: pool ?? connection }
}

test('seedIds seeds ids, arrays, references and a table that references itself in PostgreSQL', async () => {
  const db = overPglite(await clientOf(pglite, postgresStatements({ people, jobs })))
  const generators = { readId: uidLocal.generator() }
  for (const version of ['1', '2'] as const) {
    await db.delete(jobs)
    await db.delete(people)
    await seed(db, { people, jobs }, { count: 20, seed: 7, version }).refine((functions) => ({
      people: { columns: seedIds(people, functions), with: { jobs: 2 } },
      jobs: { columns: seedIds(jobs, functions, generators) },
    }))
    const seeded = await db.select().from(people)
    expect(seeded).toHaveLength(20)
    for (const { id, bossId, traceId, past } of seeded) {
      expect(flax.is(id) && sno.is(traceId) && past.length === 2 && past.every(flax.is)).toBe(true)
      expect(seeded.map((one) => one.id)).toContain(bossId)
    }
    const work = await db.select().from(jobs)
    expect(work).toHaveLength(40)
    for (const { id, readId } of work) expect(flake.is(id) && uidLocal.is(readId)).toBe(true)
  }
})

test('seedIds seeds BLOBs in SQLite', async () => {
  const orders = sqliteTable('orders', {
    id: sqliteSnoId({ storage: 'binary' }).primaryKey(),
    next: sqliteSnoId.ref().references((): never => orders.id as never),
    note: sqliteText().notNull(),
    n: sqliteInteger().notNull(),
  })
  const db = overBetterSqlite3(await clientOf(sqlite, sqliteStatements({ orders })))
  await seed(db, { orders }, { count: 30 }).refine((functions) => ({
    orders: { columns: seedIds(orders, functions) },
  }))
  const rows = await db.select().from(orders)
  expect(rows).toHaveLength(30)
  expect(rows.every(({ id, next }) => sno.is(id) && rows.some((row) => row.id === next))).toBe(true)
})

test.runIf(mysql.selected())('seedIds seeds MariaDB or MySQL', async () => {
  const orders = mysqlTable('orders', {
    id: mysqlFlaxId({ storage: 'binary' }).primaryKey(),
    note: varchar({ length: 40 }).notNull(),
    n: int().notNull(),
  })
  const lines = mysqlTable('order_lines', {
    id: mysqlFlaxId().primaryKey(),
    orderId: mysqlFlaxId
      .ref('order_id')
      .notNull()
      .references(() => orders.id),
  })
  const db = overMysql2(await clientOf(mysql, mysqlStatements({ orders, lines })))
  await seed(db, { orders, lines }, { count: 15 }).refine((functions) => ({
    orders: { columns: seedIds(orders, functions) },
    lines: { columns: seedIds(lines, functions) },
  }))
  expect((await db.select().from(orders)).filter(({ id }) => flax.is(id))).toHaveLength(15)
  expect((await db.select().from(lines)).filter(({ orderId }) => flax.is(orderId))).toHaveLength(15)
})

test('seedIds needs a generator if the family has none, and refuses one of another family', () => {
  const functions = { default: (parameters: object) => parameters }
  expect(() => seedIds(jobs, functions)).toThrow(
    expect.objectContaining({
      code: 'GENERATOR_REQUIRED',
      path: 'jobs.read_id',
      message: expect.stringContaining('pass seedIds(table, functions, { readId: uidLocal.generator('),
    }),
  )
  expect(() => seedIds(jobs, functions, { readId: jobIds })).toThrow(IdError)
})
