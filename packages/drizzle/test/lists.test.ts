import { type FlaxId, flax } from '@snoflax/core'
import { flaxId, fromDatabase, parameter } from '@snoflax/drizzle/pg-core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { arrayContains, arrayOverlaps, type SQL, sql } from 'drizzle-orm'
import { drizzle as drizzleNode } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { drizzle as drizzleJs } from 'drizzle-orm/postgres-js'
import postgresJs from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'

const cells = flaxId.plain('table_of_ids', { storage: 'binary' })
const rows = cells.array()
const list = rows.array()

const lists = pgTable('lists', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  tags: flaxId.plain({ storage: 'binary' }).array(),
  // An array is a builder of its own in Drizzle 0.45; in 1.0 the column gets dimensions.
  grid: (rows as unknown) === cells ? (cells.array('[][]' as never) as never as typeof list) : list,
})
const [a, b] = [flax.generate(), flax.generate()] as const
const grid = [
  [a, b],
  [b, a],
]

let database: PostgresDatabase
const db = () => drizzleNode({ client: database.pool })
const found = async (where: SQL) => (await db().select().from(lists).where(where)).length

beforeAll(async () => {
  database = await postgres.open()
  await database.query('create table lists (id bytea primary key, tags bytea[], table_of_ids bytea[][])')
  await db()
    .insert(lists)
    .values({ tags: [a], grid })
})
afterAll(() => database?.close())

test('arrays of binary ids are written and read by node-postgres and postgres.js', async () => {
  const js = postgresJs(database.url)
  for (const run of [drizzleJs({ client: js }), db() as never as ReturnType<typeof drizzleJs>]) {
    const tags = [flax.generate(), flax.generate()] as [FlaxId, FlaxId]
    const [row] = await run.insert(lists).values({ tags }).returning()
    expect(row?.tags).toEqual(tags)
    for (const where of [
      arrayContains(lists.tags, [tags[0]]),
      arrayOverlaps(lists.tags, tags),
      sql`${parameter(lists.tags, tags[1])} = any(${lists.tags})`,
    ]) {
      expect(await run.select({ tags: lists.tags }).from(lists).where(where)).toEqual([{ tags }])
    }
    const next = [tags[1], tags[0]]
    const update = run.update(lists).set({ tags: next }).where(arrayContains(lists.tags, tags))
    expect(await update.returning({ tags: lists.tags })).toEqual([{ tags: next }])
  }
  await js.end()
})

test('arrays and arrays of arrays are stored, found by an element and read', async () => {
  const [row] = await db().select().from(lists)
  expect(row).toMatchObject({ tags: [a], grid })
  for (const { column, id } of [
    { column: lists.tags, id: a },
    { column: lists.grid, id: b },
  ]) {
    expect(await found(sql`${parameter(column, id as never)} = any(${sql.identifier(column.name)})`)).toBe(1)
    expect(fromDatabase(column, Buffer.from(flax.decode(id)))).toBe(id)
  }
  expect(await found(sql`array_position(${lists.tags}, ${parameter(lists.tags, a)}) = 1`)).toBe(1)
  const wrong = async () =>
    db()
      .insert(lists)
      .values({ grid: [[a, 'x' as FlaxId]] })
  await expect(wrong).rejects.toThrow('lists.table_of_ids: flax')
})
