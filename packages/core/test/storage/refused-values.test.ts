import { flake, flax, sno, storageFor } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { ALLOWED_COMBINATIONS, open } from './families.js'

describe.each(ALLOWED_COMBINATIONS)('$name in $storage on $database', (combination) => {
  const { name, family } = combination
  const { toDatabase, fromDatabase } = open(combination)

  test.each([
    true,
    {},
    [],
    new Date(0),
    Symbol('id'),
    () => 1,
    [1, 2, 256],
    [1.5],
    ['1'],
    { type: 'Buffer', data: 'AAAA' },
    [...new Array<number>(11).fill(0), 2 ** 32],
    [...new Array<number>(11).fill(0), -(2 ** 32)],
    { type: 'Bytes', data: [1] },
    new Uint16Array(6),
  ])('%o has the wrong type', (value) => {
    const { message } = expectRefusal(() => toDatabase(value), 'INVALID_TYPE')
    expect(message).toContain(`${name}: an id must be a string, not `)
    const stored = expectRefusal(() => fromDatabase(value), 'INVALID_TYPE', { statusCode: undefined })
    expect(stored.message).toMatch(/: a stored id must be text(?: or bytes|, bytes or an integer), not /)
  })

  test("arrays, ArrayBuffers and Buffer's JSON are accepted for reading only", () => {
    for (const value of [[1, 2, 3], new ArrayBuffer(3), { type: 'Buffer', data: [1, 2, 3] }]) {
      expectRefusal(() => toDatabase(value), 'INVALID_TYPE')
      expectRefusal(() => fromDatabase(value), 'INVALID_LENGTH')
    }
  })

  test('text and bytes of other lengths, and what only looks like an id, are refused', () => {
    const bytes = family.decode(family.max)
    const values = [
      '',
      ' ',
      `${family.max} `,
      ` ${family.max}`,
      `${family.max}\n`,
      '\\x',
      '\\x0',
      `\\x${'0'.repeat(2 * family.byteLength + 1)}`,
      `\\x${'g'.repeat(2 * family.byteLength)}`,
      new Uint8Array(0),
      bytes.subarray(1),
      Uint8Array.of(...bytes, 0),
      '6f9619ff-8b86-d011-b42d-00c04fc964f',
      '{6f9619ff-8b86-d011-b42d-00c04fc964ff}',
      'undefined',
      'NaN',
      '1e10',
      '1.5',
    ]
    for (const value of values) {
      for (const convert of [toDatabase, fromDatabase]) {
        expect(() => convert(value), String(value)).toThrow(
          expect.objectContaining({ name: 'IdError', family: name }),
        )
      }
    }
  })
})

describe('numbers', () => {
  const flakes = storageFor(flake, 'postgres')
  const locals = storageFor(uidLocal, 'postgres')

  test('that lost digits are refused, not rounded', () => {
    for (const storage of [flakes, locals]) {
      for (const value of [2 ** 53, 2 ** 60, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -(2 ** 53)]) {
        const error = expectRefusal(() => storage.fromDatabase(value), 'FIELD_OUT_OF_RANGE')
        expect(error.value).toBe(value)
        expectRefusal(() => storage.toDatabase(value), 'FIELD_OUT_OF_RANGE')
      }
      expect(storage.fromDatabase(2 ** 53 - 1)).toBe(storage.fromDatabase(2n ** 53n - 1n))
    }
  })

  test('with leading zeros or in other spellings are refused', () => {
    for (const storage of [flakes, locals]) {
      for (const value of ['007', '00', '+7', '-0', '0x7', ' 7', '7 ', '7n', '1_000', '٧']) {
        expect(() => storage.fromDatabase(value), value).toThrow(expect.objectContaining({ name: 'IdError' }))
        expect(() => storage.toDatabase(value), value).toThrow(expect.objectContaining({ name: 'IdError' }))
      }
    }
  })

  test('are refused in families of other sizes than 8 bytes', () => {
    for (const family of [flax, sno, uid]) {
      const storage = storageFor(family as never, 'postgres')
      for (const value of [0, 7, 7n, 2n ** 80n]) {
        expectRefusal(() => storage.fromDatabase(value), 'INVALID_TYPE')
        expectRefusal(() => storage.toDatabase(value), 'INVALID_TYPE')
      }
    }
  })

  test('are refused as a uidLocal text, which could be meant', () => {
    for (const text of ['12345678903', '10000000003', '99999999993']) {
      const id = uidLocal.parse(text)
      for (const storage of ['text', 'bigint', 'binary'] as const) {
        const { toDatabase, fromDatabase } = storageFor(uidLocal, 'postgres', { storage })
        for (const convert of [toDatabase, fromDatabase]) {
          const error = expectRefusal(() => convert(text), 'NOT_CANONICAL')
          expect(error).toMatchObject({ family: 'uidLocal', value: text })
          expect(error.message).toContain('bigint or bytes')
        }
        expect(fromDatabase(uidLocal.decode(id))).toBe(id)
      }
    }
  })
})

test('a uidLocal text of digits with a leading zero is not a number, and is accepted', () => {
  for (const storage of ['text', 'bigint', 'binary'] as const) {
    const { toDatabase, fromDatabase } = storageFor(uidLocal, 'postgres', { storage })
    expect(fromDatabase('00000000007')).toBe('00000000007')
    expect(fromDatabase(toDatabase(uidLocal.decode('00000000007')))).toBe('00000000007')
  }
})

describe('uuids', () => {
  test('the form with ASCII characters is read for families of 16 characters only', () => {
    const uuid = '31313131-3131-3131-3131-313131313131'
    const bytes = new Uint8Array(16).fill(0x31)
    expect(storageFor(flax, 'postgres').fromDatabase(uuid)).toBe('1111111111111111')
    for (const family of [flake, uidLocal]) {
      for (const storage of ['uuid8', 'bigint', 'binary'] as const) {
        const { fromDatabase } = storageFor(family as never, 'postgres', { storage })
        expectRefusal(() => fromDatabase(uuid), 'NOT_CANONICAL')
        expectRefusal(() => fromDatabase(bytes), 'NOT_CANONICAL')
      }
    }
  })
})
