import type { flax, IdErrorCode, IdFamily } from '@snoflax/core'
import { expect, test } from 'vitest'
import { bytesOf, hexOf } from './bytes.js'
import { expectRefusal } from './refusal.js'
import type { FamilyCases } from './sql-cases.js'

/** NaN and the infinities, which JSON has not, are spelt in the cases. */
const number = (value: unknown): number => (typeof value === 'string' ? Number(value) : (value as number))

/** Fields as the package has them: random parts are hex in the cases. */
function fieldsOf(input: unknown): unknown {
  return Object.fromEntries(
    Object.entries(input as object).map(([name, value]) => [
      name,
      name === 'random' || name === 'randomB' ? bytesOf(value as string) : number(value),
    ]),
  )
}

/** The operations that cases can name. Each is a public function of the same name. */
const OPERATIONS: Readonly<Record<string, (family: IdFamily, input: unknown) => unknown>> = {
  decode: (family, input) => family.decode(input as string),
  encode: (family, input) => family.encode(bytesOf(input as string)),
  pack: (family, input) => family.pack(fieldsOf(input)),
  lowerBound: (family, input) => family.lowerBound(number(input)),
  upperBound: (family, input) => family.upperBound(number(input)),
  range: (family, input) => {
    const { fromMs, toMs } = input as { fromMs: unknown; toMs: unknown }
    return family.range(number(fromMs), number(toMs))
  },
  generateAt: (family, input) => (family as typeof flax).generateAt(number(input)),
}

/** Tests the family, by its public functions, with all cases. */
export function checkCases(family: IdFamily, cases: FamilyCases): void {
  test.each(cases.valid)('is valid: $name', ({ text, hex, fields, timeMs }) => {
    expect(family.encode(bytesOf(hex))).toBe(text)
    expect(hexOf(family.decode(text))).toBe(hex)
    expect(family.parse(text)).toBe(text)
    expect(family.is(text)).toBe(true)
    expect(family.pattern.test(text)).toBe(true)
    expect(family.unpack(text)).toEqual(fieldsOf(fields))
    expect(family.pack(fieldsOf(fields))).toBe(text)
    expect(family.timeMs(text)).toBe(timeMs)
    expect(family.time(text)).toEqual(new Date(timeMs as number))
  })

  test.each(cases.invalid)('$operation refuses: $name', ({ operation, input, code: told, position }) => {
    const code = told as IdErrorCode
    const perform = OPERATIONS[operation]
    if (perform === undefined) expect.fail(`no operation ${operation}`)
    const error = expectRefusal(() => perform(family, input), code)
    expect(error.family).toBe(family.name)
    if (position !== undefined) expect(error.position).toBe(position)
    if (operation !== 'decode') return
    expectRefusal(() => family.parse(input), code)
    expect(family.is(input)).toBe(false)
  })

  for (const bound of ['lowerBound', 'upperBound'] as const) {
    test.each(cases[bound])(`${bound} of $timeMs`, ({ timeMs, hex, text }) => {
      expect(family[bound](number(timeMs))).toBe(text)
      expect(hexOf(family.decode(text))).toBe(hex)
    })
  }

  test.each(cases.range)('range from $fromMs to $toMs', ({ fromMs, toMs, gte, lt }) => {
    expect(family.range(number(fromMs), number(toMs))).toEqual({ gte, lt })
  })
}
