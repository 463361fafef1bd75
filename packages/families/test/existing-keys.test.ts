import { accepting, fixedId, flax, type IdFamily, storageFor, typeid, ulid, uuid7 } from '@snoflax/core'
import { discord, twitter } from '@snoflax/families'
import { expect, test } from 'vitest'

test('a column stays a uuid where all keys are UUIDs', () => {
  const both = accepting(uuid7, uuid7.withVersion4())
  const v4 = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
  const storage = storageFor(both, 'postgres')
  expect(storage).toMatchObject({ name: 'uuid', converts: false })
  expect(storage.toDatabase(v4)).toBe(v4)
  expect(storage.fromDatabase(v4)).toBe(v4)
  expect(() => both.time(v4 as never)).toThrow('which has no time')
  expect(storageFor(both, 'sqlite').name).toBe('text')
  expect(
    storageFor(
      accepting(uuid7, /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/),
      'postgres',
    ).name,
  ).toBe('text')
  expect(storageFor(accepting(flax, uuid7), 'postgres').name).toBe('text')
})

test.each<[name: string, family: IdFamily]>([
  ['uuid7', uuid7],
  ['uuid7 with version 4', uuid7.withVersion4()],
  ['ulid', ulid],
  ['typeid', typeid('user')],
  ['typeid of any UUID', typeid('user', { uuids: 'any' })],
  ['twitter', twitter],
  ['discord', discord],
])('fixedId of %s is a valid id of its time for each label', (_, family) => {
  const at = new Date('2026-11-01T12:00:00Z')
  const ids = Array.from({ length: 100 }, (_, n) => fixedId(family, `user-${n}`, { at }))
  expect(new Set(ids).size).toBeGreaterThanOrEqual(99)
  for (const id of ids) {
    expect(family.is(id)).toBe(true)
    expect(family.time(id)).toEqual(at)
  }
  expect(fixedId(family, 'user-1')).toBe(fixedId(family, 'user-1'))
})
