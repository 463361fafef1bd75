import { readFileSync } from 'node:fs'
import { type FlakeId, flake, flax, type IdErrorCode, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { type Cases, checkCases } from './check-cases.js'
import { expectRefusal } from './refusal.js'

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

describe.each(Object.keys(FAMILIES) as FamilyName[])('cases/%s.json', (name) => {
  const file = read(name)

  test('is for this family, and has cases of each kind', () => {
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
