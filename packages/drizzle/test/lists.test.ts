import { type FlaxId, flax } from '@snoflax/core'
import { flaxId, fromDatabase, parameter, toDatabase } from '@snoflax/drizzle/pg-core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { arrayContains, arrayOverlaps, type SQL, sql } from 'drizzle-orm'
import { drizzle as drizzleNode } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { drizzle as drizzleJs } from 'drizzle-orm/postgres-js'
import postgresJs from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const people = pgTable('people', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  past: flaxId.plain({ storage: 'binary' }).array(),
})
let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await database.pool.query('create table people (id bytea primary key, past bytea[])')
})
afterAll(() => database?.close())

test.each(['node-postgres', 'postgres.js'])(
  'binary ids in an array are written and read by %s',
  async (name) => {
    const js = postgresJs(database.url)
    const db =
      name === 'postgres.js' ? drizzleJs({ client: js }) : (drizzleNode({ client: database.pool }) as never)
    const run = db as ReturnType<typeof drizzleJs>
    const past = [flax.generate(), flax.generate()] as [FlaxId, FlaxId]
    const [row] = await run.insert(people).values({ past }).returning()
    expect(row?.past).toEqual(past)
    expect(
      await run
        .select({ past: people.past })
        .from(people)
        .where(arrayContains(people.past, [past[0]])),
    ).toEqual([{ past }])
    expect(
      await run.select({ past: people.past }).from(people).where(arrayOverlaps(people.past, past)),
    ).toEqual([{ past }])
    expect(
      await run.select({ past: people.past }).from(people).where(sql`${past[1]} = any(${people.past})`),
    ).toEqual([{ past }])
    const next = [past[1], past[0]]
    expect(
      await run
        .update(people)
        .set({ past: next })
        .where(arrayContains(people.past, past))
        .returning({ past: people.past }),
    ).toEqual([{ past: next }])
    await js.end()
  },
)

const cells = flaxId.plain('table_of_ids', { storage: 'binary' })
const rows = cells.array()
const list = rows.array()

const lists = pgTable('lists', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  tags: flaxId.plain({ storage: 'binary' }).array(),
  // An array is a builder of its own in Drizzle 0.45; in 1.0 the column gets dimensions.
  grid: (rows as unknown) === cells ? (cells.array('[][]' as never) as never as typeof list) : list,
})

describe('columns of arrays, and of arrays of arrays', () => {
  const [a, b] = [flax.generate(), flax.generate()] as const
  const grid = [
    [a, b],
    [b, a],
  ]
  const db = () => drizzleNode({ client: database.pool })
  const found = async (where: SQL) => (await db().select({ id: lists.id }).from(lists).where(where)).length

  beforeAll(async () => {
    await database.pool.query(
      'create table lists (id bytea primary key, tags bytea[], table_of_ids bytea[][])',
    )
    await db()
      .insert(lists)
      .values({ tags: [a], grid })
  })

  test('are stored, found by an element and read', async () => {
    const [row] = await db().select().from(lists)
    expect(row).toMatchObject({ tags: [a], grid })
    for (const { column, id } of [
      { column: lists.tags, id: a },
      { column: lists.grid, id: b },
    ]) {
      expect(await found(sql`${id} = any(${column})`)).toBe(1)
      expect(await found(sql`${parameter(column, id as never)} = any(${sql.identifier(column.name)})`)).toBe(
        1,
      )
      expect(toDatabase(column, id as never)).toEqual(flax.decode(id))
      expect(fromDatabase(column, Buffer.from(flax.decode(id)))).toBe(id)
    }
    expect(await found(sql`array_position(${lists.tags}, ${parameter(lists.tags, a)}) = 1`)).toBe(1)
  })

  test.each([
    sql`select 1 from lists where tags @> array[${a}]`,
    sql`select 1 from lists where table_of_ids[1][2] = ${a}`,
    sql`select 1 from lists, unnest(tags) as tag where tag = ${a}`,
    sql`select 1 from lists, unnest(${lists.grid}) cell where cell = ${a}`,
    sql`select 1 from lists where ${a} in (select unnest(tags) from lists)`,
    sql`update lists set tags = array_append(tags, ${a})`,
    sql`update lists set tags[1] = ${a}`,
    sql.raw(`select 1 from lists where tags @> '{${a}}'`),
  ])('are not compared with an id in raw SQL (%#)', async (query) => {
    await expect(async () => db().execute(query)).rejects.toThrow('parameter(column, id)')
  })

  test('are compared with an id where the text names them', async () => {
    const { rows } = await db().execute(sql`select ${a} = any(tags) as has from lists`)
    expect(rows).toEqual([{ has: true }])
  })

  test('refuse a malformed id with the name of the column', async () => {
    await expect(
      db()
        .insert(lists)
        .values({ grid: [[a, 'x' as FlaxId]] }),
    ).rejects.toThrow('lists.table_of_ids: flax')
  })
})
