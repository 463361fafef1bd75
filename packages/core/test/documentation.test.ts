import { readFileSync } from 'node:fs'
import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { bytesOf, hexOf } from './bytes.js'
import type { BitTable } from './twin.js'
import {
  FLAKE_TABLE,
  FLAX_TABLE,
  SNO_TABLE,
  TWIN_FAMILIES,
  UID_LOCAL_TABLE,
  uidTable,
} from './twin-families.js'

/** One row of a bit table: first and last bit, counted from the most significant. */
interface DocumentedField {
  readonly first: number
  readonly last: number
  readonly name: string
  readonly width: number
}

const page = (name: string): string =>
  readFileSync(new URL(`../../../spec/${name}.md`, import.meta.url), 'utf8')

/** The text from a heading to the next one of its level. */
function section(text: string, heading: string): string {
  const [, rest] = text.split(`\n## ${heading}\n`)
  if (rest === undefined) throw new Error(`no section ${heading}`)
  return rest.split('\n## ')[0] as string
}

/** The rows of a section's bit table, whose columns are bits, field, width, meaning. */
function bitTable(text: string): DocumentedField[] {
  return [...text.matchAll(/^\| (\d+)(?:-(\d+))? \| (\w+) \| (\d+) \|/gm)].map(
    ([, first, last, name, width]) => ({
      first: Number(first),
      last: Number(last ?? first),
      name: name as string,
      width: Number(width),
    }),
  )
}

/** The Unix milliseconds after a label, and the moment that is written next to them. */
function moment(text: string, label: string): { ms: number; iso: string } {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`- ${label}:`)) ?? ''
  const [, ms, iso] = /Unix ms (\d+), (\+?\d+-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/.exec(line) ?? []
  if (ms === undefined || iso === undefined) throw new Error(`no moment after ${label}`)
  return { ms: Number(ms), iso }
}

/** The digits of the text form, which stand alone in a block of code. */
function alphabet(text: string): string {
  const [, digits] = /^```\n(\S{32,})\n```$/m.exec(text) ?? []
  if (digits === undefined) throw new Error('no alphabet')
  return digits
}

/** Families, with the heading of the bit table, and that of the section with epoch and last time. */
const DOCUMENTED: readonly (readonly [IdFamily, BitTable, page: string, heading: string, facts: string])[] = [
  [flax, FLAX_TABLE, 'flax', 'Layout', 'Layout'],
  [sno, SNO_TABLE, 'sno', 'Layout', 'Layout'],
  [flake, FLAKE_TABLE, 'flake', 'Layout', 'Layout'],
  [uid, uidTable(8), 'uid', 'Layout', 'Layout of local ids'],
  [uidLocal, UID_LOCAL_TABLE, 'uid', 'Layout of local ids', 'Layout of local ids'],
]

describe.each(DOCUMENTED)('the page of $name', (family, table, name, heading, facts) => {
  const text = page(name)
  const rows = bitTable(section(text, heading))

  test('has a bit table without gaps, as wide as an id', () => {
    expect(rows.length).toBeGreaterThan(1)
    let next = 0
    for (const { first, last, width } of rows) {
      expect(first).toBe(next)
      expect(last - first + 1).toBe(width)
      next = last + 1
    }
    expect(next).toBe(8 * family.byteLength)
  })

  test('states the layout of the family and the twin', () => {
    expect(family.layout.fields).toEqual(rows.map(({ name, width }) => ({ name, bits: width })))
    expect(table).toEqual(rows.map(({ name, width }) => [name, width]))
  })

  test('states the epoch and the last time', () => {
    const epoch = moment(section(text, facts), 'Epoch')
    expect(epoch.iso).toBe(new Date(epoch.ms).toISOString())
    expect(family.layout.epochMs).toBe(epoch.ms)
    expect(family.firstMs).toBe(epoch.ms)
    const twin = TWIN_FAMILIES.find((candidate) => candidate.family.name === family.name)
    expect(Number(twin?.epochMs)).toBe(epoch.ms)
    const last = moment(section(text, facts), 'Last time')
    expect(last.iso).toBe(new Date(last.ms).toISOString())
    expect(family.lastMs).toBe(last.ms)
  })

  test('shows examples that are true', () => {
    const examples = [...text.matchAll(/bytes `([0-9a-f]+)` are `([^`]+)`/g)]
    const rowsOfUid = [
      ...text.matchAll(/^\| (?:local|global, neighbourhood 8) \| `([0-9a-f]+)` \| `([^`]+)` \|/gm),
    ]
    const fitting = [...examples, ...rowsOfUid].filter(([, hex]) => hex?.length === 2 * family.byteLength)
    expect(fitting).not.toHaveLength(0)
    for (const [, hex, id] of fitting) {
      expect(family.encode(bytesOf(hex as string))).toBe(id)
      expect(hexOf(family.decode(id as string))).toBe(hex)
    }
  })
})

describe('text forms', () => {
  test.each([
    ['flax', flax, 16],
    ['sno', sno, 16],
    ['uid', uid, 16],
    ['uid', uidLocal, 11],
  ] as const)('%s: the documented alphabet is that of the twin and the family', (name, family, length) => {
    const digits = alphabet(section(page(name), 'Text'))
    expect([...digits].sort().join('')).toBe(digits)
    expect(new Set(digits).size).toBe(digits.length)
    const { twin } = TWIN_FAMILIES.find((candidate) => candidate.family.name === family.name) ?? {}
    expect(twin?.alphabet).toBe(digits)
    expect(family.textLength).toBe(length)
    const firstBits = Math.log2(digits.length)
    for (const [digit, character] of [...digits].entries()) {
      const bytes = new Uint8Array(family.byteLength)
      bytes[0] = digit << (8 - firstBits)
      expect(family.encode(bytes).charAt(0)).toBe(character)
    }
  })

  test.each([
    ['flax', flax],
    ['sno', sno],
    ['uid', uid],
    ['uid', uidLocal],
  ] as const)('%s: the documented pattern is that of the family', (name, family) => {
    expect(section(page(name), 'Text')).toContain(`\`${family.pattern.source}\``)
    expect(family.pattern.flags).toBe('')
  })

  test('flake is a decimal number, as the page says', () => {
    expect(section(page('flake'), 'Text')).toContain('1 to 20 digits, no leading zeros; zero is `0`')
    expect(flake.textLength).toBe(undefined)
    expect(flake.min).toBe('0')
    expect(flake.max).toBe((2n ** 64n - 1n).toString())
  })

  test('the documented units are those of the families', () => {
    const unit = (name: string): string | undefined => /^- Unit: (.*)$/m.exec(page(name))?.[1]
    expect(unit('flax')).toBe(`${flax.layout.unitMs} ms.`)
    expect(unit('flake')).toBe(`${flake.layout.unitMs} ms.`)
    expect(unit('sno')).toMatch(new RegExp(`^${sno.layout.unitMs} ms\\. `))
    expect(unit('uid')).toMatch(new RegExp(`^a step of ${uid.layout.unitMs * 1000} µs, `))
    expect(uidLocal.layout.unitMs).toBe(uid.layout.unitMs)
  })
})

describe.each([5, 6, 7, 8, 9, 10])('uid with neighbourhood %i', (neighbourhood) => {
  test('has the layout that the page describes', () => {
    const { fields } = uid.withNeighbourhood(neighbourhood).layout
    expect(fields.map(({ name, bits }) => [name, bits])).toEqual(uidTable(neighbourhood))
  })
})
