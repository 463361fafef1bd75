import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { uid } from '@snoflax/families'
import type { OpenDatabase } from '@snoflax/test'
import { CreatedAt, createdAfter, createdBefore, createdBetween, IdColumn, keyset } from '@snoflax/typeorm'
import { type DataSource, Entity, In } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { places } from './sources.js'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 1, 12)
const day = (number: number) => new Date(NOON + number * DAY_MS)

describe.each(places)('$name', ({ kind, family, generator, storage }) => {
  @Entity()
  class Event {
    @IdColumn(family, { generator, storage }) id!: string
    @IdColumn.plain(family, { storage, nullable: true }) causeId!: string | null
    @CreatedAt() readonly createdAt!: Date
    @CreatedAt('causeId') readonly causedAt!: Date | null
  }

  let database: OpenDatabase
  let dataSource: DataSource
  const ids = Array.from({ length: 10 }, (_, number) => family.lowerBound(day(number)))
  beforeAll(async () => {
    database = await kind.open()
    dataSource = await openDataSource(database, [Event])
    await dataSource
      .getRepository(Event)
      .insert([...ids].reverse().map((id, i) => ({ id, causeId: i === 0 ? null : id })))
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })
  const events = () => dataSource.getRepository(Event)
  const inTime = (found: readonly Event[], from: Date, to: Date) =>
    found
      .filter(({ id }) => family.timeMs(id) >= from.getTime() && family.timeMs(id) < to.getTime())
      .map(({ id }) => id)
      .sort(family.compare)

  test('the start of a time range is included, its end is not', async () => {
    const between = await events().findBy({ id: createdBetween(family, day(2), day(5)) })
    expect(inTime(between, day(2), day(5))).toEqual(ids.slice(2, 5))
    const after = await events().findBy({ id: createdAfter(family, day(7)) })
    expect(inTime(after, day(7), day(99))).toEqual(ids.slice(7))
    const before = await events().findBy({ id: createdBefore(family, day(3)) })
    expect(inTime(before, day(0), day(3))).toEqual(ids.slice(0, 3))
    const ever = new Date('+275760-09-13')
    expect(await events().countBy({ id: createdBefore(family, ever) })).toBe(ids.length)
    expect(await events().countBy({ id: createdBetween(family, day(-99), ever) })).toBe(ids.length)
    expect(await events().countBy({ id: createdAfter(family, ever) })).toBe(0)
    if (!family.exactRange) return
    expect([between.length, after.length, before.length]).toEqual([3, 3, 3])
  })

  test('the order of ids is that of creation', async () => {
    const found = await events().find({ order: { id: 'DESC' } })
    expect(found.map(({ id }) => id)).toEqual([...ids].sort(family.compare).reverse())
  })

  test('createdAt returns the time of the id, or of another id column', async () => {
    const event = await events().findOneByOrFail({ id: ids[4] as string })
    expect(event.createdAt).toEqual(family.time(ids[4] as string))
    expect(event.causedAt).toEqual(event.createdAt)
    expect((await events().findOneByOrFail({ id: ids[9] as string })).causedAt).toBeNull()
    expect(events().create().createdAt).toBeUndefined()
    expect(Object.keys(event)).not.toContain('createdAt')
  })

  test('keyset pages respect conditions on the same id', async () => {
    const wanted = [...ids].sort(family.compare).filter((_, i) => i % 2 === 0)
    const where = { id: In(wanted) }
    const first = await events().find(keyset<Event>({ take: 2, where }))
    const next = await events().find(keyset<Event>({ take: 9, where, after: first.at(-1)?.id }))
    expect([...first, ...next].map(({ id }) => id)).toEqual(wanted)
    const exact = { id: wanted[3] as string }
    expect(await events().find(keyset<Event>({ take: 9, where: exact, after: wanted[2] }))).toHaveLength(1)
    expect(await events().find(keyset<Event>({ take: 9, where: exact, after: wanted[3] }))).toEqual([])
  })

  test('keyset after null is the first page', async () => {
    const first = await events().find(keyset<Event>({ take: 2 }))
    expect(first).toHaveLength(2)
    expect(await events().find(keyset<Event>({ take: 2, after: null }))).toEqual(first)
  })
})

test('a range that ends before it begins is refused, and an invalid time', () => {
  expect(() => createdBetween(flax, day(2), day(1))).toThrow(/range/)
  expect(() => createdAfter(uid, new Date(Number.NaN))).toThrow(
    expect.objectContaining({ code: 'INVALID_TIME' }),
  )
})

test.each(['ASC', 'DESC', 'up', null, 1])(
  'keyset refuses an order that is neither asc nor desc: %s',
  (order) => {
    expect(() => keyset<{ id: FlaxId }>({ order: order as 'asc', take: 2 })).toThrow(
      expect.objectContaining({ name: 'IdError', code: 'INVALID_OPTION', field: 'order', value: order }),
    )
  },
)

test('@CreatedAt without an id column is an error', () => {
  class Wrong {
    id!: FlaxId
    readonly createdAt!: Date
  }
  CreatedAt()(Wrong.prototype, 'createdAt')
  expect(() => new Wrong().createdAt).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', path: 'Wrong.createdAt' }),
  )
})
