import { IdError, type IdErrorCode, type IdFamily, sno } from '@snoflax/core'
import { readings, refusals } from '@snoflax/core/inspect'
import { uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { ticket } from '../ticket.js'
import { anyText, FAMILIES, OURS, whole } from './families.js'

describe('refusals', () => {
  test('are those of every family without a reading, in order, and of no other', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = new Set(readings(text, FAMILIES).map(({ family }) => family))
        const refused = refusals(text, FAMILIES)
        expect(refused.map(({ family }) => family)).toEqual(FAMILIES.filter((family) => !read.has(family)))
        for (const { family, error } of refused) {
          expect(error).toBeInstanceOf(IdError)
          expect(error.message).toContain(family.name)
        }
      }),
    )
  })

  test('are for the form that the text looks like', () => {
    const formsOf = (text: string, families: readonly IdFamily[]) =>
      refusals(text, families).map(({ form }) => form)
    expect(formsOf('0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739', OURS)).toEqual(OURS.map(() => 'uuid8'))
    expect(formsOf('0d2fe7f497a54a46ae5be6cc0c0c0739', OURS)).toEqual(OURS.map(() => 'uuid8'))
    expect(formsOf("X'0d2fe7f4'", OURS)).toEqual(OURS.map(() => 'binary'))
    expect(formsOf('facade', OURS)).toEqual(OURS.map(() => 'text'))
    expect(formsOf('-1', OURS)).toEqual(['text', 'text', 'text', 'bigint', 'bigint'])
    expect(formsOf('-1', [ticket, whole])).toEqual(['bigint', 'text'])
  })

  const asUuid = { ...(sno as IdFamily), storages: ['uuid'] as const }

  test.each<[string, IdFamily, IdErrorCode, string]>([
    ['0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739', sno, 'NOT_CANONICAL', 'is not a UUIDv8 of this family'],
    ['0d2fe7f4-97a5-4a46-ae5b-e6cc0c0c0739', asUuid, 'INVALID_CHARACTER', 'at position 2'],
    ['\\x0102', sno, 'INVALID_LENGTH', 'sno: an id has 20 hex digits, not 4 ("\\\\x0102")'],
    ['0x010', sno, 'INVALID_LENGTH', 'sno: an id has 20 hex digits, not 3 ("0x010")'],
    ['\\x', sno, 'INVALID_LENGTH', 'not 0'],
    ['0x010g', sno, 'INVALID_LENGTH', 'sno: an id has 16 characters, not 6'],
    ['brpk4q72xwf2m63!', sno, 'INVALID_CHARACTER', 'position 15'],
    ['', sno, 'INVALID_LENGTH', 'not 0 ("")'],
    ['-1', uidLocal, 'FIELD_OUT_OF_RANGE', 'from 0 to 2^64 - 1, not -1'],
    ['18446744073709551616', uidLocal, 'FIELD_OUT_OF_RANGE', 'not 18446744073709551616'],
    ['368934881474191032320', uidLocal, 'INVALID_LENGTH', 'not 21'],
    ['007', uidLocal, 'INVALID_LENGTH', 'an id has 11 characters, not 3'],
  ])('say what is wrong with %s', (text, family, code, told) => {
    const [refusal] = refusals(text, [family])
    expect(refusal?.error.message).toContain(told)
    expect(refusal?.error.code).toBe(code)
    expect(refusal?.family).toBe(family)
  })

  test('truncate long texts', () => {
    for (const long of ['a', '9', 'z'].map((digit) => digit.repeat(100_000))) {
      for (const text of [long, `\\x${long}`]) {
        for (const { error } of refusals(text, FAMILIES)) expect(error.message.length).toBeLessThan(300)
      }
    }
  })

  test('are empty if the text can be read in another form than the one it looks like', () => {
    expect(refusals('4e6f2160a0ff9a0a1033', [sno])).toEqual([])
    expect(refusals('5828128208445124', [uidLocal, ticket])).toEqual([])
  })

  test('contain a family once', () => {
    expect(refusals('nope', [sno, sno])).toHaveLength(1)
    expect(refusals('nope', [])).toEqual([])
  })

  test('refuse what is not a string', () => {
    expectRefusal(() => refusals(5 as unknown as string, OURS), 'INVALID_TYPE')
  })
})
