import { readFileSync } from 'node:fs'
import type { IdErrorCode, IdFamily } from '@snoflax/core'
import { discord, twitter, typeid, ulid, uuid7 } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

interface CaseFile {
  readonly family: string
  readonly valid: readonly { name: string; text: string; hex: string; fields: object; timeMs: number }[]
  readonly invalid: readonly {
    name: string
    operation: string
    input: unknown
    code: IdErrorCode
    position?: number
  }[]
  readonly lowerBound: readonly { timeMs: number; hex: string; text: string }[]
  readonly upperBound: readonly { timeMs: number; hex: string; text: string }[]
  readonly range: readonly { fromMs: number; toMs: number; gte: string; lt: string }[]
}

const FAMILIES = { uuid7, ulid, typeid: typeid('user').base, twitter, discord } as unknown as Readonly<
  Record<string, IdFamily>
>

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const number = (value: unknown) => Number(value)

/** Random parts are hex in the cases, and NaN is a text. */
const fieldsOf = (input: unknown): unknown =>
  Object.fromEntries(
    Object.entries(input as object).map(([name, value]) => [
      name,
      name === 'random' || name === 'randomB' ? bytesOf(value) : number(value),
    ]),
  )

const OPERATIONS: Readonly<Record<string, (family: IdFamily, input: unknown) => unknown>> = {
  decode: (family, input) => family.decode(input as string),
  encode: (family, input) => family.encode(bytesOf(input as string)),
  pack: (family, input) => family.pack(fieldsOf(input)),
  lowerBound: (family, input) => family.lowerBound(number(input)),
  upperBound: (family, input) => family.upperBound(number(input)),
  range(family, input) {
    const { fromMs, toMs } = input as { fromMs: number; toMs: number }
    return family.range(fromMs, toMs)
  },
  generateAt: (family, input) => (family as unknown as typeof uuid7).generateAt(number(input)),
}

describe.each(Object.keys(FAMILIES))('spec/cases/%s.json', (name) => {
  const family = FAMILIES[name] as IdFamily
  const cases: CaseFile = JSON.parse(
    readFileSync(new URL(`../../../spec/cases/${name}.json`, import.meta.url), 'utf8'),
  )

  test.each(cases.valid)('is valid: $name', ({ text, hex, fields, timeMs }) => {
    expect(family.encode(bytesOf(hex))).toBe(text)
    expect(hexOf(family.decode(text))).toBe(hex)
    expect(family.parse(text)).toBe(text)
    expect(family.is(text)).toBe(true)
    expect(family.pattern.test(text)).toBe(true)
    expect(family.unpack(text as never)).toEqual(fieldsOf(fields))
    expect(family.pack(fieldsOf(fields))).toBe(text)
    expect(family.time(text as never)).toEqual(new Date(timeMs))
  })

  test.each(cases.invalid)('$operation refuses: $name', ({ operation, input, code, position }) => {
    const perform = OPERATIONS[operation] ?? expect.fail(`no operation ${operation}`)
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
})
