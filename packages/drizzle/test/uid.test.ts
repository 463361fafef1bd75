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

const IN_DATABASE = { schema: 'snoflax' }
const wide = uid.withNeighbourhood(10)

describe.each(['text', 'binary'] as const)('uid as %s', (storage) => {
  let now = 0
  const nodes = ['a', 'b'].map((node) => uid.generator({ node, clock: () => now }))
  const events = pgTable('events', {
    id: idColumn.plain(uid, { storage }).primaryKey(),
    local: idColumn(uidLocal, { default: 'database' }),
    wide: idColumn.plain(wide, { storage }),
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

  test.each<[string, Time, Time, number]>([
    ['of one second', from, to, 4],
    ['open at its start', -Infinity, from, 4],
    ['from before all years', -1e300, from, 4],
    ['to a year of five digits', from, new Date('+012026-01-01'), 10],
    ['up to a fraction', from, to.getTime() + 0.5, 6],
    ['from a fraction', from.getTime() + 0.5, to, 2],
  ])('a range %s selects more rows, and both rechecks are exact', async (_, start, end, count) => {
    const all = db.select().from(events)
    const more = await all.where(createdBetween(events.id, start, end))
    const exact = more.map(({ id }) => id).filter((id) => wasCreatedBetween(events.id, id, start, end))
    expect(exact).toHaveLength(count)
    if (start === from && end === to) expect(more.length).toBeGreaterThan(count)
    const rechecked = db
      .select()
      .from(events)
      .where(createdBetween(events.id, start, end, IN_DATABASE))
    expect((await rechecked).map(({ id }) => id).sort()).toEqual(exact.sort())
  })

  test('the functions use the neighbourhood of the family, and find uidLocal by its name uid_local', async () => {
    const id = wide.generator({ node: 'a', clock: () => from.getTime() }).generate()
    const [first] = ids as [UidId]
    await db.update(events).set({ wide: id }).where(eq(events.id, first))
    const at = { at: createdAt(events.wide, IN_DATABASE) }
    const where = createdBetween(events.wide, from, to, IN_DATABASE)
    expect(await db.select(at).from(events).where(where)).toEqual([{ at: wide.time(id) }])
    const local = { id: events.local, at: createdAt(events.local, IN_DATABASE) }
    const [row] = await db.select(local).from(events).where(eq(events.id, first))
    expect(uidLocal.time(row?.id as never)).toEqual(row?.at)
  })
})
