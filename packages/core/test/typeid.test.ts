import { flax, isSameFamily, storageFor, typeid, uuid7 } from '@snoflax/core'
import { TypeID, typeid as theirs } from 'typeid-js'
import { v4, v7 } from 'uuid'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const userId = typeid('user')

describe('agrees with typeid-js', () => {
  test('on the ids of typeid-js', () => {
    for (let i = 0; i < 200; i++) {
      const id = theirs('user')
      expect(userId.toUuid(userId.parse(id.toString()))).toBe(id.toUUID())
      expect(userId.timeMs(userId.parse(id.toString()))).toBe(uuid7.timeMs(uuid7.parse(id.toUUID())))
    }
  })

  test('on our ids', () => {
    for (let i = 0; i < 200; i++) {
      const id = userId.generate()
      expect(TypeID.fromString(id, 'user').toUUID()).toBe(userId.toUuid(id))
      const uuid = v7()
      expect(userId.fromUuid(uuid.toUpperCase())).toBe(TypeID.fromUUID('user', uuid).toString())
    }
  })

  test('on UUIDs of other versions, if they are allowed', () => {
    const any = typeid('user', { uuids: 'any' })
    for (let i = 0; i < 200; i++) {
      const uuid = v4()
      expect(any.fromUuid(uuid)).toBe(TypeID.fromUUID('user', uuid).toString())
      expect(any.timeMs(any.fromUuid(uuid))).toBeNaN()
    }
    expect([userId.exactRange, any.exactRange]).toEqual([true, false])
    expect(userId.is(any.generate())).toBe(true)
  })
})

test('refuses UUIDs of other versions, and the message names the option', () => {
  const { message } = expectRefusal(() => userId.fromUuid(v4()), 'NOT_CANONICAL')
  expect(message).toContain("{ uuids: 'any' }")
  expectRefusal(() => userId.fromUuid('no'), 'INVALID_LENGTH')
  expectRefusal(() => userId.fromUuid(`${v7().slice(0, -1)}g`), 'INVALID_CHARACTER')
})

test('ids with different prefixes differ in type and value', () => {
  const orderId = typeid('order')
  const id = userId.generate()
  expectTypeOf(id).not.toEqualTypeOf(orderId.generate())
  // @ts-expect-error an id of another prefix
  expectRefusal(() => orderId.time(id), 'WRONG_PREFIX')
  expectRefusal(() => orderId.parse(id), 'WRONG_PREFIX')
  expect(id).toMatch(/^user_[0-7][0-9a-z]{25}$/)
})

test.each([
  '',
  'User',
  'user1',
  '_user',
  'user_',
  'ü',
  'a'.repeat(64),
  undefined,
  7,
  1n,
  Symbol('user'),
  'a b',
])('refuses the prefix %o', (prefix) => {
  expect(expectRefusal(() => typeid(prefix as string), 'INVALID_OPTION').field).toBe('prefix')
})

test('accepts prefixes of one letter, with _ inside, and of 63 letters', () => {
  for (const prefix of ['a', 'order__line', 'a'.repeat(63)]) {
    expect(typeid(prefix).generate().startsWith(`${prefix}_`)).toBe(true)
  }
})

test('refuses unknown options', () => {
  expectRefusal(() => typeid('user', { uuid: 'any' } as never), 'INVALID_OPTION')
  expectRefusal(() => typeid('user', { uuids: 'v4' } as never), 'INVALID_OPTION')
})

test('is stored as its text, or as a uuid if that is chosen', () => {
  const id = userId.generate()
  expect(storageFor(userId, 'postgres').toDatabase(id)).toBe(id)
  const storage = storageFor(userId, 'postgres', { storage: 'uuid' })
  expect([storage.name, storage.toDatabase(id)]).toEqual(['uuid', userId.toUuid(id)])
  expect(storage.fromDatabase(userId.toUuid(id))).toBe(id)
})

test('two families with one prefix are the same', () => {
  expect(isSameFamily(typeid('user'), userId)).toBe(true)
  expect(isSameFamily(typeid('order'), userId)).toBe(false)
  expect(isSameFamily(userId, flax)).toBe(false)
})
