import { readFileSync } from 'node:fs'
import { type FlakeId, flake, flax, type IdErrorCode, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { bytesOf, hexOf } from './bytes.js'
import { expectRefusal } from './refusal.js'

interface Valid {
  readonly name: string
  readonly text: string
  readonly hex: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly timeMs: number
}

interface Invalid {
  readonly name: string
  readonly operation: string
  readonly input: unknown
  readonly code: IdErrorCode
  readonly position?: number
  readonly skip?: readonly string[]
}

interface Bound {
  readonly timeMs: number
  readonly hex: string
  readonly text: string
}

interface Range {
  readonly fromMs: number
  readonly toMs: number
  readonly gte: string
  readonly lt: string
}

interface Cases {
  readonly valid: readonly Valid[]
  readonly invalid: readonly Invalid[]
  readonly lowerBound: readonly Bound[]
  readonly upperBound: readonly Bound[]
  readonly range: readonly Range[]
}

interface Options {
  readonly epoch?: number
  readonly neighbourhood?: number
}

interface CaseFile extends Cases {
  readonly family: string
  readonly variants?: readonly (Cases & { readonly options: Options })[]
}

interface FlakeCaseFile extends CaseFile {
  readonly hexForms: readonly { text: FlakeId; hex: string; accepted: readonly string[] }[]
  readonly hexRefused: readonly { input: string; code: IdErrorCode; position?: number }[]
  readonly bigintRefused: readonly { input: string; code: IdErrorCode }[]
}

const FAMILIES = { flax, sno, flake, uid, uidLocal }
type FamilyName = keyof typeof FAMILIES

function read<File extends CaseFile = CaseFile>(name: string): File {
  return JSON.parse(
    readFileSync(new URL(`../../../spec/cases/${name}.json`, import.meta.url), 'utf8'),
  ) as File
}

function variant(name: FamilyName, { epoch, neighbourhood }: Options): IdFamily {
  if (epoch !== undefined) return flake.withEpoch(epoch)
  if (neighbourhood !== undefined) return uid.withNeighbourhood(neighbourhood)
  return FAMILIES[name]
}

/** NaN and the infinities, which JSON has not, are spelt in the cases. */
const number = (value: unknown): number => (typeof value === 'string' ? Number(value) : (value as number))

/** Fields as the package has them: the random part of flax is hex in the cases. */
function fieldsOf(input: unknown): unknown {
  return Object.fromEntries(
    Object.entries(input as object).map(([name, value]) => [
      name,
      name === 'random' ? bytesOf(value as string) : number(value),
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
  generateAt: (family, input) => (family as typeof flax | typeof sno).generateAt(number(input)),
}

function checkCases(family: IdFamily, cases: Cases): void {
  test.each(cases.valid)('is valid: $name', ({ text, hex, fields, timeMs }) => {
    expect(family.encode(bytesOf(hex))).toBe(text)
    expect(hexOf(family.decode(text))).toBe(hex)
    expect(family.parse(text)).toBe(text)
    expect(family.is(text)).toBe(true)
    expect(family.pattern.test(text)).toBe(true)
    expect(family.unpack(text)).toEqual(fieldsOf(fields))
    expect(family.pack(fieldsOf(fields))).toBe(text)
    expect(family.timeMs(text)).toBe(timeMs)
    expect(family.time(text)).toEqual(new Date(timeMs))
  })

  test.each(cases.invalid)('$operation refuses: $name', ({ operation, input, code, position }) => {
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
      expect(family[bound](timeMs)).toBe(text)
      expect(hexOf(family.decode(text))).toBe(hex)
    })
  }

  test.each(cases.range)('range from $fromMs to $toMs', ({ fromMs, toMs, gte, lt }) => {
    expect(family.range(fromMs, toMs)).toEqual({ gte, lt })
  })
}

describe.each(Object.keys(FAMILIES) as FamilyName[])('cases/%s.json', (name) => {
  const file = read(name)

  test('is about this family, and lists something of each sort', () => {
    expect(file.family).toBe(name)
    for (const key of ['valid', 'invalid', 'lowerBound', 'upperBound', 'range'] as const) {
      expect(file[key].length, key).toBeGreaterThan(0)
    }
  })

  checkCases(FAMILIES[name], file)
  describe.each(file.variants ?? [])('with $options', (cases) => {
    checkCases(variant(name, cases.options), cases)
  })
})

describe('cases/flake.json, other forms', () => {
  const { hexForms, hexRefused, bigintRefused } = read<FlakeCaseFile>('flake')

  test.each(hexForms)('$hex is $text', ({ text, hex, accepted }) => {
    expect(flake.toHex(text)).toBe(hex)
    for (const form of accepted) expect(flake.fromHex(form)).toBe(text)
  })

  test.each(hexRefused)('fromHex refuses $input', ({ input, code, position }) => {
    const error = expectRefusal(() => flake.fromHex(input), code)
    if (position !== undefined) expect(error.position).toBe(position)
  })

  test.each(bigintRefused)('fromBigInt refuses $input', ({ input, code }) => {
    expectRefusal(() => flake.fromBigInt(BigInt(input)), code)
  })
})
