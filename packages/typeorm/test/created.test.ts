import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { CreatedAt, createdAfter, createdBefore, createdBetween, IdColumn, keyset } from '@snoflax/typeorm'
import { Entity, In } from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock } from './open-data-source.js'
import { differing } from './sources.js'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 1, 12)
const day = (number: number) => new Date(NOON + number * DAY_MS)

describe.each(differing)('$name', ({ kind, family, generator, storage }) => {
  @Entity()
  class Event {
    @IdColumn(family, { generator, storage }) id!: string
    @IdColumn.plain(family, { storage, nullable: true }) causeId!: string | null
    @CreatedAt() readonly createdAt!: Date
    @CreatedAt('causeId') readonly causedAt!: Date | null
  }

  const world = openForBlock(kind, [Event])
  const events = () => world.dataSource.getRepository(Event)
  const ids = Array.from({ length: 10 }, (_, number) => family.lowerBound(day(number)))
  beforeAll(() => events().insert([...ids].reverse().map((id, i) => ({ id, causeId: i === 0 ? null : id }))))

  test('the start of a time range is included, its end is not', async () => {
    const ever = new Date('+275760-09-13')
    for (const [condition, from, to] of [
      [createdBetween(family, day(2), day(5)), 2, 5],
      [createdAfter(family, day(7)), 7, 10],
      [createdBefore(family, day(3)), 0, 3],
      [createdBefore(family, ever), 0, 10],
      [createdBetween(family, day(-99), ever), 0, 10],
      [createdAfter(family, ever), 10, 10],
    ] as const) {
      const found = (await events().findBy({ id: condition })).map(({ id }) => id).sort(family.compare)
      const exact = ids.slice(from, to)
      expect(family.exactRange ? found : found.filter((id) => exact.includes(id))).toEqual(exact)
    }
  })

  test('createdAt returns the time of the id, or of another id column', async () => {
    const event = await events().findOneByOrFail({ id: ids[4] as string })
    expect(event.createdAt).toEqual(family.time(ids[4] as string))
    expect(event.causedAt).toEqual(event.createdAt)
    expect((await events().findOneByOrFail({ id: ids[9] as string })).causedAt).toBeNull()
    expect(events().create().createdAt).toBeUndefined()
    expect(Object.keys(event)).not.toContain('createdAt')
  })

  test('keyset pages have each row once, in the order of creation, and respect conditions on the same id', async () => {
    const wanted = [...ids].sort(family.compare).filter((_, i) => i % 2 === 0)
    for (const order of ['asc', 'desc'] as const) {
      const where = [{ id: In(wanted.slice(0, 2)) }, { id: In(wanted.slice(2)) }]
      const first = await events().find(keyset<Event>({ order, take: 2, where, after: null }))
      expect(first).toHaveLength(2)
      const next = await events().find(keyset<Event>({ order, take: 9, where, after: first.at(-1)?.id }))
      const found = [...first, ...next].map(({ id }) => id)
      expect(found).toEqual(order === 'asc' ? wanted : [...wanted].reverse())
    }
    const exact = { id: wanted[3] as string }
    expect(await events().find(keyset<Event>({ take: 9, where: exact, after: wanted[2] }))).toHaveLength(1)
    expect(await events().find(keyset<Event>({ take: 9, where: exact, after: wanted[3] }))).toEqual([])
  })
})

test('a range that ends before it begins is refused, an invalid time, and another order', () => {
  expect(() => createdBetween(flax, day(2), day(1))).toThrow(/range/)
  expect(() => createdAfter(uid, new Date(Number.NaN))).toThrow(
    expect.objectContaining({ code: 'INVALID_TIME' }),
  )
  for (const order of ['DESC', null, 1])
    expect(() => keyset<{ id: FlaxId }>({ order: order as 'asc', take: 2 })).toThrow(
      expect.objectContaining({ name: 'IdError', code: 'INVALID_OPTION', field: 'order', value: order }),
    )
})

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
