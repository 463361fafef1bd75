import { type UidId, uid, uidLocal } from '@snoflax/core'
import { createdAt, createdBetween, uidId, uidLocalId, wasCreatedBetween } from '@snoflax/drizzle/pg-core'
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
    id: uidId.plain({ storage }).primaryKey(),
    local: uidLocalId({ default: 'database' }),
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
    db = drizzle(database.connection)
    await db.insert(events).values(ids.map((id) => ({ id })))
  })
  afterAll(() => database.close())

  test('a range selects more, and both rechecks exactly what was asked for', async () => {
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

  test('the functions of a family whose name has two words', async () => {
    const [row] = await db
      .select({ local: events.local, at: createdAt(events.local, { schema: 'snoflax' }) })
      .from(events)
      .where(eq(events.id, ids[0] as UidId))
    expect(uidLocal.time(row?.local as never)).toEqual(row?.at)
  })
})
