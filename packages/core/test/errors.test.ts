import { flake, flax, IdError, type IdErrorCode, sno, uidLocal } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { page, section } from './documentation.js'
import { expectIdError, expectRefusal } from './refusal.js'

describe('IdError', () => {
  const error = expectIdError(() => sno.parse('BRPK4Q72XWF2M63L'), 'INVALID_CHARACTER')

  test('is an Error with a name, a code and the facts', () => {
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
    })
    expect(error.cause).toBe(undefined)
  })

  test('names family, value, place and rule', () => {
    expect(error.message).toBe(
      'sno: "B" at position 0 of "BRPK4Q72XWF2M63L" is none of 23456789abcdefghijklmnopqrstuvwx',
    )
  })

  test('at tells where the value sat, keeps the facts and has the first error as its cause', () => {
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

  test('at keeps every fact', () => {
    const facts = { family: 'f', value: 1, field: 'g', position: 2, waitMs: 3 }
    expect(new IdError('CLOCK_MOVED_BACK', 'm', facts).at('p')).toMatchObject({ ...facts, path: 'p' })
  })

  test('a cause is kept, and none is none', () => {
    const cause = new Error('first')
    expect(new IdError('INVALID_TIME', 'm', { cause }).cause).toBe(cause)
    expect('cause' in new IdError('INVALID_TIME', 'm')).toBe(false)
  })
})

describe('messages show values that are hard to print', () => {
  test('a foreign character is quoted', () => {
    const shown = (text: string) => expectIdError(() => flax.parse(text), 'INVALID_CHARACTER').message
    expect(shown('\0RdKJcxqVBiAiQr0')).toContain('"\\u0000" at position 0')
    expect(shown('0RdKJcxqVBiAiQr\n')).toContain('"\\n" at position 15')
    expect(shown('0RdKJcxqVBiAiQ\ud800r')).toContain('"\\ud800" at position 14')
    expect(shown('0RdKJcxqVBiAiQr"')).toContain('"\\"" at position 15')
  })

  test('long texts and bytes are cut', () => {
    const long = expectIdError(() => flax.parse('a'.repeat(1_000_000)), 'INVALID_LENGTH').message
    expect(long).toContain('1000000')
    expect(long).toContain('…')
    expect(long.length).toBeLessThan(200)
    const bytes = expectIdError(() => flax.encode(new Uint8Array(1000).fill(0xab)), 'INVALID_LENGTH').message
    expect(bytes).toContain('\\xabab')
    expect(bytes.length).toBeLessThan(200)
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
  ])('%o', (value, shown) => {
    expect(expectRefusal(() => flax.parse(value), 'TypeError').message).toBe(
      `flax: an id is a string, not ${shown}`,
    )
  })
})

describe('the page of the specification', () => {
  const codes = [...section(page('README'), 'Errors').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
    ([, code]) => code,
  )

  test('lists the codes that refusals of ids have', () => {
    const found: IdErrorCode[] = [
      expectIdError(() => flax.parse(''), 'INVALID_LENGTH').code,
      expectIdError(() => flake.parse('x'), 'INVALID_CHARACTER').code,
      expectIdError(() => uidLocal.parse('..........0'), 'NOT_CANONICAL').code,
      expectIdError(() => flake.parse('18446744073709551616'), 'FIELD_OUT_OF_RANGE').code,
    ]
    expect(codes).toEqual(expect.arrayContaining(found))
    expect(new Set(codes).size).toBe(codes.length)
  })
})
