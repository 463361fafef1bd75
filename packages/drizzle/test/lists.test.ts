import { type FlaxId, flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { arrayContains, arrayOverlaps, sql } from 'drizzle-orm'
import { drizzle as drizzleNode } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { drizzle as drizzleJs } from 'drizzle-orm/postgres-js'
import postgresJs from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'

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

test.each(['node-postgres', 'postgres.js'])('binary ids in an array through %s', async (name) => {
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
})
