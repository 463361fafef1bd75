import { inspect } from 'node:util'
import { flake, flax, IdError, type IdErrorCode, prefixed, registry, sno, storageFor } from '@snoflax/core'
import { storedReader } from '@snoflax/core/adapter'
import { uid, uidLocal } from '@snoflax/families'
import createError, { isHttpError } from 'http-errors'
import { describe, expect, test } from 'vitest'
import { expectRefusal, thrownBy } from './refusal.js'

const FOREIGN_UUID = '019a3c5e-7f00-7abc-8def-0123456789ab'

describe('IdError', () => {
  const error = expectRefusal(() => sno.parse('BRPK4Q72XWF2M63L'), 'INVALID_CHARACTER')

  test('is an Error with a name, a code and details', () => {
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('IdError')
    expect(Object.prototype.toString.call(error)).toBe('[object Error]')
    expect(error.stack).toContain('sno')
    expect(error).toMatchObject({
      code: 'INVALID_CHARACTER',
      family: 'sno',
      value: 'BRPK4Q72XWF2M63L',
      position: 0,
      field: undefined,
      waitMs: undefined,
      path: undefined,
      statusCode: 400,
    })
    expect(error.cause).toBe(undefined)
    expect(error.message).toBe(
      'sno: "B" at position 0 of "BRPK4Q72XWF2M63L" is not one of 23456789abcdefghijklmnopqrstuvwx',
    )
  })

  test('is not an instance of a class that extends it', () => {
    class Refusal extends IdError {}
    expect(new IdError('INVALID_OPTION', 'no')).not.toBeInstanceOf(Refusal)
    expect(new Refusal('INVALID_OPTION', 'no')).toBeInstanceOf(IdError)
    expect(new Refusal('INVALID_OPTION', 'no')).toBeInstanceOf(Refusal)
  })

  test('has no other values as instances', () => {
    for (const other of [new Error('no'), { name: 'IdError' }, null, undefined, 'IdError']) {
      expect(other instanceof IdError).toBe(false)
    }
  })

  test('at() returns a copy with a path, and with the first error as its cause', () => {
    const placed = error.at('Order.id')
    expect(placed).toBeInstanceOf(IdError)
    expect(placed).not.toBe(error)
    expect(placed.message).toBe(`Order.id: ${error.message}`)
    expect(placed).toMatchObject({
      code: error.code,
      family: 'sno',
      value: error.value,
      position: 0,
      path: 'Order.id',
    })
    expect(placed.cause).toBe(error)
    expect(error.path).toBe(undefined)
  })

  test('at() keeps every detail', () => {
    const facts = { family: 'f', value: 1, field: 'g', position: 2, waitMs: 3 }
    expect(new IdError('CLOCK_MOVED_BACK', 'm', facts).at('p')).toMatchObject({ ...facts, path: 'p' })
  })

  test('has a cause only if one is passed', () => {
    const cause = new Error('first')
    expect(new IdError('INVALID_TIME', 'm', { cause }).cause).toBe(cause)
    expect('cause' in new IdError('INVALID_TIME', 'm')).toBe(false)
  })
})

describe('statusCode', () => {
  const uuids = storageFor(flax, 'postgres', { storage: 'uuid' })
  const storage = storageFor(flake, 'postgres')
  const bytes = storageFor(flax, 'sqlite', { storage: 'binary' })

  test.each<[string, () => unknown, IdErrorCode]>([
    ['a number', () => flax.parse(5), 'INVALID_TYPE'],
    ['a symbol', () => sno.parse(Symbol('id')), 'INVALID_TYPE'],
    ['a text of another length', () => flax.parse('x'), 'INVALID_LENGTH'],
    ['bytes of another length', () => flax.encode(new Uint8Array(3)), 'INVALID_LENGTH'],
    ['a foreign character', () => flake.parse('x'), 'INVALID_CHARACTER'],
    ['spare bits', () => uidLocal.parse('..........0'), 'NOT_CANONICAL'],
    ['a number of 65 bits', () => flake.parse('18446744073709551616'), 'FIELD_OUT_OF_RANGE'],
    ['a number to store', () => uuids.toDatabase(5), 'INVALID_TYPE'],
    ['a foreign uuid to store', () => uuids.toDatabase(FOREIGN_UUID), 'NOT_CANONICAL'],
    ['a foreign prefix', () => prefixed(flax, 'cus').parse(prefixed(flax, 'ord').min), 'WRONG_PREFIX'],
    ['no prefix', () => registry({ customer: prefixed(flax, 'cus') }).parse(flax.min), 'WRONG_PREFIX'],
  ])('is 400 for an id from outside: %s', (_, call, code) => {
    const error = expectRefusal(call, code, { statusCode: 400 })
    expect(error.at('Order.id')).toMatchObject({ statusCode: 400, path: 'Order.id' })
    for (const one of [error, error.at('Order.id')]) expect(isHttpError(one)).toBe(true)
  })

  test.each<[string, () => unknown, IdErrorCode]>([
    ['an option', () => sno.generator({ partition: 70_000 }), 'FIELD_OUT_OF_RANGE'],
    ['an option of another type', () => uid.generator({ node: {} as never }), 'INVALID_TYPE'],
    ['a field', () => sno.withMeta(sno.min, 256), 'FIELD_OUT_OF_RANGE'],
    ['fields', () => sno.pack(null as never), 'INVALID_TYPE'],
    ['a time of another type', () => flax.lowerBound('2026' as never), 'INVALID_TYPE'],
    ['an invalid time', () => flax.lowerBound(Number.NaN), 'INVALID_TIME'],
    ['a stored text', () => uuids.fromDatabase('x'), 'INVALID_LENGTH'],
    ['a stored uuid', () => uuids.fromDatabase(FOREIGN_UUID), 'INVALID_CHARACTER'],
    ['a stored number', () => storage.fromDatabase(-1n), 'FIELD_OUT_OF_RANGE'],
    ['a value that the column did not write', () => storedReader(bytes)(flax.min), 'NOT_CANONICAL'],
    ['a storage', () => storageFor(flax, 'sqlite', { storage: 'uuid' }), 'STORAGE_REFUSED'],
  ])('is undefined if the id is not from outside: %s', (_, call, code) => {
    const error = expectRefusal(call, code)
    for (const one of [error, error.at('Order.id')]) {
      expect(one.statusCode).toBe(undefined)
      expect('status' in one || 'expose' in one).toBe(false)
      expect(isHttpError(one)).toBe(false)
    }
  })

  test('can be set by http-errors, which keeps it', () => {
    const error = thrownBy(() => flax.parse('x')) as Error
    expect(createError(error)).toBe(error)
    expect(error).toMatchObject({ statusCode: 400, status: 400, expose: true })
  })
})

describe('toJSON', () => {
  test('contains code, message and details, but not value, stack or cause', () => {
    const cause = new Error('password')
    const facts = { family: 'sno', value: { password: 1 }, position: 3, path: 'Order.id', cause }
    expect(JSON.parse(JSON.stringify(new IdError('INVALID_CHARACTER', 'sno: wrong', facts)))).toEqual({
      name: 'IdError',
      code: 'INVALID_CHARACTER',
      message: 'sno: wrong',
      family: 'sno',
      position: 3,
      path: 'Order.id',
      statusCode: 400,
    })
  })

  test('never throws, whatever the value', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const throwing = {
      toJSON() {
        throw new Error('not this one')
      },
    }
    for (const value of [12n, cycle, throwing, Symbol('id'), [1n]]) {
      const error = expectRefusal(() => flax.parse(value), 'INVALID_TYPE')
      expect(JSON.parse(JSON.stringify({ error }))).toMatchObject({ error: { code: 'INVALID_TYPE' } })
    }
  })
})

describe('messages with values that are hard to print', () => {
  test('quote and escape a wrong character', () => {
    const shown = (text: string) => expectRefusal(() => flax.parse(text), 'INVALID_CHARACTER').message
    expect(shown('\0RdKJcxqVBiAiQr0')).toContain('"\\u0000" at position 0')
    expect(shown('0RdKJcxqVBiAiQr\n')).toContain('"\\n" at position 15')
    expect(shown('0RdKJcxqVBiAiQ\ud800r')).toContain('"\\ud800" at position 14')
    expect(shown('0RdKJcxqVBiAiQr"')).toContain('"\\"" at position 15')
  })

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    [12n, '12n'],
    [new Uint8Array([1, 255]), '\\x01ff'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), 'an invalid Date'],
    [Symbol('secret'), 'a symbol'],
    [() => 1, 'a function'],
    [[1, 2], 'an array'],
    [{ a: 1 }, 'an object'],
    [Object.create(null), 'an object'],
  ])('show %o', (value, shown) => {
    expect(expectRefusal(() => flax.parse(value), 'INVALID_TYPE').message).toBe(
      `flax: an id must be a string, not ${shown}`,
    )
  })
})

test('messages show values up to a length, and truncate longer ones', () => {
  const messageOf = (value: unknown) => (thrownBy(() => flax.parse(value)) as IdError).message
  expect(messageOf('x'.repeat(48))).toContain(`("${'x'.repeat(48)}")`)
  expect(messageOf('x'.repeat(49))).toContain(`("${'x'.repeat(48)}…")`)
  const shownBytes = (length: number) =>
    (thrownBy(() => flax.encode(new Uint8Array(length))) as IdError).message
  expect(shownBytes(24)).toContain(`(\\x${'00'.repeat(24)})`)
  expect(shownBytes(25)).toContain(`(\\x${'00'.repeat(24)}…)`)
  const boundOf = (timeMs: number) => (thrownBy(() => flax.lowerBound(timeMs)) as IdError).message
  expect(boundOf(8.64e15)).toContain('+275760-09-13T00:00:00.000Z is outside')
  expect(boundOf(8.64e15 + 1)).toContain('8640000000000001 is outside')
})

test('Node.js prints an error without the members of a refused object', () => {
  const refused = { generate: () => '', family: sno }
  const error = new IdError('INVALID_OPTION', 'not a generator', { value: refused })
  for (const one of [error, error.at('orders.id')]) {
    expect(one.value).toBe(refused)
    expect(inspect(one)).toContain('INVALID_OPTION')
    expect(inspect(one)).not.toMatch(/generate|layout/)
  }
  expect(inspect(new IdError('INVALID_TYPE', 'not an id', { value: 5 }))).toContain('value: 5')
})
