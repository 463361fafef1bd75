import type { Time } from '@snoflax/core'
import { createdAt, createdBetween, idColumn, wasCreatedBetween } from '@snoflax/drizzle/pg-core'
import { type UidId, uid, uidLocal } from '@snoflax/families'
import { install } from '@snoflax/pg-sql'
import { type PgliteDatabase, pglite } from '@snoflax/test'
import { eq } from 'drizzle-orm'
import { pgTable } from 'drizzle-orm/pg-core'
import { type PgliteDatabase as Drizzle, drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStatements } from './generated-sql.js'

// The node stands before the low bits of the time, so a range of uids selects whole windows.

describe.each([['uuid'], ['text'], ['binary'], ['uuid8']] as const)('uid as %s', (storage) => {
  let now = 0
  const nodes = ['a', 'b'].map((node) => uid.generator({ node, clock: () => now }))
  const events = pgTable('events', {
    id: idColumn(uid).plain({ storage }).primaryKey(),
    local: idColumn(uidLocal)({ default: 'database' }),
  })
  const from = new Date('2026-11-01T10:00:00.000Z')
  const to = new Date('2026-11-01T10:00:01.000Z')
  const ids = [-70_000, -1, 0, 999, 1000, 70_000, 500_000].flatMap((offsetMs) => {
    now = from.getTime() + offsetMs
    return nodes.map((node) => node.generate())
  })
  let database: PgliteDatabase
  let db: Drizzle
  beforeAll(async () => {
    database = await pglite.open()
    await install(database.connection, { families: ['uid'] })
    for (const statement of await postgresStatements({ events })) await database.query(statement)
    db = drizzle({ client: database.connection })
    await db.insert(events).values(ids.map((id) => ({ id })))
  })
  afterAll(() => database.close())

  test('a range selects more rows, and both rechecks keep exactly those of the times', async () => {
    const rows = await db
      .select()
      .from(events)
      .where(createdBetween(events.id, from, to))
    const exact = rows.filter((row) => wasCreatedBetween(events.id, row.id, from, to))
    expect(exact).toHaveLength(4)
    expect(rows.length).toBeGreaterThan(4)
    const schema = 'snoflax'
    const rechecked = await db
      .select()
      .from(events)
      .where(createdBetween(events.id, from, to, { schema }))
    expect(rechecked.map(({ id }) => id).sort()).toEqual(exact.map(({ id }) => id).sort())
  })

  test.each<[string, Time, Time, number]>([
    ['open at its start', -Infinity, from, 4],
    ['from before all years', -1e300, from, 4],
    ['to a year of five digits', from, new Date('+012026-01-01'), 10],
    ['up to a fraction', from, to.getTime() + 0.5, 6],
    ['from a fraction', from.getTime() + 0.5, to, 2],
  ])('the recheck of a range %s is exact', async (_, start, end, count) => {
    const rows = await db
      .select()
      .from(events)
      .where(createdBetween(events.id, start, end, { schema: 'snoflax' }))
    const exact = ids.filter((id) => wasCreatedBetween(events.id, id, start, end))
    expect(exact).toHaveLength(count)
    expect(rows.map(({ id }) => id).sort()).toEqual(exact.sort())
  })

  test('the functions use the neighbourhood of the family', async () => {
    const wide = uid.withNeighbourhood(10)
    const sightings = pgTable('sightings', { id: idColumn(wide).plain({ storage }).primaryKey() })
    for (const statement of await postgresStatements({ sightings })) await database.query(statement)
    const generator = wide.generator({ node: 'a', clock: () => from.getTime() })
    const id = generator.generate()
    await db.insert(sightings).values({ id })
    const schema = 'snoflax'
    expect(
      await db
        .select({ at: createdAt(sightings.id, { schema }) })
        .from(sightings)
        .where(createdBetween(sightings.id, from, to, { schema })),
    ).toEqual([{ at: wide.time(id) }])
  })

  test('a default of the database is refused for another neighbourhood', () => {
    const define = () =>
      pgTable('t', { id: idColumn(uid.withNeighbourhood(10))({ default: 'database', storage }) })
    expect(define).toThrow(
      expect.objectContaining({
        name: 'IdError',
        code: 'INVALID_OPTION',
        field: 'neighbourhood',
        path: 't.id',
      }),
    )
    expect(define).toThrow('neighbourhood of 8, not 10')
  })

  test('the functions of uidLocal are found by their name uid_local', async () => {
    const [row] = await db
      .select({ local: events.local, at: createdAt(events.local, { schema: 'snoflax' }) })
      .from(events)
      .where(eq(events.id, ids[0] as UidId))
    expect(uidLocal.time(row?.local as never)).toEqual(row?.at)
  })
})
