import {
  defineFamily,
  flax,
  type Id,
  IdError,
  type IdFamily,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { type Alphabet, alphabet } from '@snoflax/core/define'
import { uid } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { expectRefusal } from '../refusal.js'

/** A family whose text is the hex of its bytes, as somebody may bring it along. */
function hexFamily(
  byteLength: number,
  storages: readonly StorageName[],
  more: { readonly alphabet?: Alphabet } = {},
): IdFamily<Id<'own'>, Uint8Array> {
  return defineFamily<Id<'own'>, Uint8Array>({
    ...more,
    name: 'own',
    layout: { fields: [{ name: 'time', bits: 8 * byteLength }], epochMs: 0, unitMs: 1 },
    byteLength,
    textLength: 2 * byteLength,
    pattern: new RegExp(`^[0-9a-f]{${2 * byteLength}}$`),
    storages,
    tag: 0,
    firstMs: 0,
    lastMs: 1,
    encode: (bytes) => hexOf(bytes) as Id<'own'>,
    decode: (text) => {
      if (text.length !== 2 * byteLength) throw new IdError('INVALID_LENGTH', 'own: too short or too long')
      if (/[^0-9a-f]/.test(text)) throw new IdError('INVALID_CHARACTER', 'own: no hex digit')
      return bytesOf(text)
    },
    pack: (bytes) => hexOf(bytes) as Id<'own'>,
    unpack: (id) => bytesOf(id),
    timeMs: () => 0,
    lowerBoundMs: () => '00'.repeat(byteLength) as Id<'own'>,
  })
}

const ALL: readonly StorageName[] = ['uuid', 'text', 'binary', 'uuid8', 'bigint']

describe('a family of your own', () => {
  test('of 16 bytes is stored as a uuid', () => {
    const storage = storageFor(hexFamily(16, ALL), 'postgres')
    const id = '0190a1b2c3d47e5f8a9b0c1d2e3f4a5b'
    const uuid = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
    expect(storage.name).toBe('uuid')
    expect(storage.toDatabase(id)).toBe(uuid)
    for (const form of [uuid, uuid.toUpperCase(), bytesOf(id), `\\x${id}`, id]) {
      expect(storage.fromDatabase(form)).toBe(id)
      expect(storage.toDatabase(form)).toBe(uuid)
    }
  })

  test('of up to 14 bytes can be a uuid8 with tag 0', () => {
    const storage = storageFor(hexFamily(14, ALL), 'postgres', { storage: 'uuid8' })
    const id = '0123456789abcdef0123456789ab'
    const uuid = '01234567-89ab-8cde-8f01-23456789ab00'
    expect(storage.toDatabase(id)).toBe(uuid)
    expect(storage.fromDatabase(uuid)).toBe(id)
    expectRefusal(() => storage.fromDatabase(uuid.replace(/00$/, '01')), 'NOT_CANONICAL')
  })

  test.each([
    [15, 'uuid8', '14 bytes'],
    [16, 'uuid8', '14 bytes'],
    [12, 'uuid', '16 characters or bytes'],
    [9, 'bigint', '9 bytes'],
  ] as const)('of %d bytes has no storage %s', (byteLength, storage, reason) => {
    const error = expectRefusal(
      () => storageFor(hexFamily(byteLength, ALL), 'postgres', { storage }),
      'STORAGE_REFUSED',
    )
    expect(error.message).toContain(reason)
  })

  describe('of 8 bytes, with ids of digits alone', () => {
    const asNumber: readonly StorageName[] = ['text', 'binary', 'uuid', 'bigint']

    test('is read and written if it does not store numbers', () => {
      for (const storage of ['text', 'binary', 'uuid'] as const) {
        const { toDatabase, fromDatabase } = storageFor(
          hexFamily(8, ['text', 'binary', 'uuid']),
          'postgres',
          {
            storage,
          },
        )
        for (const id of ['0000019412345678', '1234567890123456']) {
          expect(fromDatabase(id)).toBe(id)
          expect(fromDatabase(toDatabase(id))).toBe(id)
        }
      }
    })

    test('refuses numbers if it has no bigint storage', () => {
      const { toDatabase, fromDatabase } = storageFor(hexFamily(8, ['text', 'binary']), 'postgres')
      for (const convert of [toDatabase, fromDatabase]) {
        for (const number of [7, 7n]) expectRefusal(() => convert(number), 'INVALID_TYPE')
        expectRefusal(() => convert('7'), 'INVALID_LENGTH')
      }
    })

    test('with bigint storage, is refused if the text could be a number, which has no leading zeros', () => {
      // Methods for bigints, which flake has, change nothing.
      const family = Object.assign(hexFamily(8, asNumber), { toBigInt: BigInt, fromBigInt: String })
      const { toDatabase, fromDatabase } = storageFor(family, 'postgres', { storage: 'bigint' })
      for (const convert of [toDatabase, fromDatabase]) {
        expectRefusal(() => convert('1234567890123456'), 'NOT_CANONICAL')
      }
      expect(toDatabase('0000019412345678')).toBe(0x19412345678n)
      expect(fromDatabase('0000019412345678')).toBe('0000019412345678')
      expect(fromDatabase(String(0x19412345678n))).toBe('0000019412345678')
    })

    test('of 16 bytes is never read as a number', () => {
      const id = '12345678901234561234567890123456'
      expect(storageFor(hexFamily(16, ALL), 'postgres', { storage: 'text' }).fromDatabase(id)).toBe(id)
    })
  })

  test('that allows no storage of a database is refused there', () => {
    const error = expectRefusal(() => storageFor(hexFamily(16, ['uuid']), 'sqlite'), 'STORAGE_REFUSED')
    expect(error.message).toContain('own in sqlite')
    expect(error.message).not.toContain('undefined')
    expect(error.message).not.toMatch(/use $/)
  })
})

/** One character of a uuid's text replaced, by one that may be a digit of it or not. */
const changed = fc
  .tuple(fc.nat(35), fc.constantFrom(...'0123456789abcdefABCDEF-gG \u0130\u2165\uff10'))
  .map(([at, by]) => ({ at, by }))

const HEX = alphabet('0123456789abcdef')

test.each<[string, IdFamily]>([
  ['flax', flax],
  ['sno', sno],
  ['uid', uid],
  ['own', hexFamily(8, ['uuid'])],
  ['own, with its alphabet', hexFamily(8, ['uuid'], { alphabet: HEX })],
])('every uuid is read as the text of its bytes, or refused: %s', (_, family) => {
  const storage = storageFor(family, 'postgres', { storage: 'uuid' })
  const bytes = fc.uint8Array({ minLength: family.byteLength, maxLength: family.byteLength })
  fc.assert(
    fc.property(bytes, fc.array(changed, { maxLength: 2 }), (id, changes) => {
      const characters = [...(storage.toDatabase(family.encode(id)) as string)]
      for (const { at, by } of changes) characters[at] = by
      const uuid = characters.join('')
      const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)
      const text = Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('latin1')
      if (isUuid && family.pattern.test(text)) expect(storage.fromDatabase(uuid)).toBe(text)
      else expect(() => storage.fromDatabase(uuid)).toThrow(IdError)
    }),
    { numRuns: 2000 },
  )
})

test('a byte of a uuid, in either case, is read as the digit whose code it is, and nothing else is', () => {
  const { fromDatabase } = storageFor(flax, 'postgres', { storage: 'uuid' })
  const id = 'Kpcan0M1FakODT4k'
  const hex = Buffer.from(id).toString('hex')
  const readAt = (place: number, pair: string): unknown => {
    const digits = hex.slice(0, 2 * place) + pair + hex.slice(2 * place + 2)
    try {
      return fromDatabase(digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
    } catch (error) {
      return error instanceof IdError ? 'refused' : error
    }
  }
  const wrong: unknown[] = []
  for (let place = 0; place < 16; place++) {
    for (let code = 0; code < 256; code++) {
      const changed = id.slice(0, place) + String.fromCharCode(code) + id.slice(place + 1)
      const [high = '', low = ''] = code.toString(16).padStart(2, '0')
      for (const x of [high, high.toUpperCase()]) {
        for (const y of [low, low.toUpperCase()]) {
          if (readAt(place, x + y) !== (flax.is(changed) ? changed : 'refused')) wrong.push([place, x, y])
        }
      }
      if (!flax.is(changed)) continue
      // Characters that share their lowest 7 bits with a hex digit.
      for (let bit = 0x80; bit < 0x10000; bit *= 2) {
        const beyond = (digit: string): string => String.fromCharCode(digit.charCodeAt(0) + bit)
        if (readAt(place, beyond(high) + low) !== 'refused') wrong.push([place, beyond(high), low])
        if (readAt(place, high + beyond(low)) !== 'refused') wrong.push([place, high, beyond(low)])
      }
    }
  }
  expect(wrong).toEqual([])
})
