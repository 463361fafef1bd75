import {
  flake,
  flax,
  type IdErrorCode,
  type IdFamily,
  prefixed,
  sno,
  typeid,
  ulid,
  uuid7,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { checkCases } from './check-cases.js'
import { expectRefusal } from './refusal.js'
import { type FamilyCases, specification } from './sql-cases.js'

const FAMILIES = { flax, uuid7, typeid: typeid('user').base, ulid, sno, flake, uid, uidLocal }
type FamilyName = keyof typeof FAMILIES
type FlakeCases = Required<Pick<FamilyCases, 'hexForms' | 'hexRefused' | 'bigintRefused'>>

function variant(name: FamilyName, { epoch, neighbourhood }: FamilyCases['options'] = {}): IdFamily {
  if (epoch !== undefined) return flake.withEpoch(epoch)
  if (neighbourhood !== undefined) return uid.withNeighbourhood(neighbourhood)
  return FAMILIES[name] as unknown as IdFamily
}

describe.each(Object.keys(FAMILIES) as FamilyName[])('cases/%s.json', (name) => {
  const file = specification<FamilyCases>(`cases/${name}`)

  test('is for this family, and has cases of each kind', () => {
    expect(file.family).toBe(name)
    for (const key of ['valid', 'invalid', 'lowerBound', 'upperBound', 'range'] as const) {
      expect(file[key].length, key).toBeGreaterThan(0)
    }
  })

  checkCases(variant(name), file)
  describe.each(file.variants ?? [])('with $options', (cases) => {
    checkCases(variant(name, cases.options), cases)
  })
})

describe('cases/flake.json, other forms', () => {
  const { hexForms, hexRefused, bigintRefused } = specification<FlakeCases>('cases/flake')

  test.each(hexForms)('$hex is $text', ({ text, hex, accepted }) => {
    expect(flake.toHex(flake.parse(text))).toBe(hex)
    for (const form of accepted) expect(flake.fromHex(form)).toBe(text)
  })

  test.each(hexRefused)('fromHex refuses $input', ({ input, code, position }) => {
    const error = expectRefusal(() => flake.fromHex(input), code as IdErrorCode)
    if (position !== undefined) expect(error.position).toBe(position)
  })

  test.each(bigintRefused)('fromBigInt refuses $input', ({ input, code }) => {
    expectRefusal(() => flake.fromBigInt(BigInt(input)), code as IdErrorCode)
  })
})

describe('cases/prefixed.json', () => {
  interface Case {
    readonly name: string
    readonly base: FamilyName
    readonly prefix: string
  }
  const { valid, invalid, prefixes } = specification<{
    readonly valid: (Case & { readonly text: string; readonly timeMs: number })[]
    readonly invalid: (Case & {
      readonly input: string
      readonly code: IdErrorCode
      readonly position?: number
    })[]
    readonly prefixes: { readonly valid: string[]; readonly invalid: string[] }
  }>('cases/prefixed')

  test.each(valid)('is valid: $name', ({ base, prefix, text, timeMs }) => {
    const family = prefixed(FAMILIES[base] as unknown as IdFamily, prefix)
    expect(family.timeMs(family.parse(text))).toBe(timeMs)
  })

  test.each(invalid)('refuses: $name', ({ base, prefix, input, code, position }) => {
    const family = prefixed(FAMILIES[base] as unknown as IdFamily, prefix)
    const error = expectRefusal(() => family.parse(input), code)
    if (position !== undefined) expect(error.position).toBe(position)
  })

  test('has prefixes', () => {
    for (const prefix of prefixes.valid) expect(prefixed(flax, prefix).prefix).toBe(prefix)
    for (const prefix of prefixes.invalid) expectRefusal(() => prefixed(flax, prefix), 'INVALID_OPTION')
  })
})
