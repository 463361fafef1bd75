import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { bytesOf, hexOf } from './bytes.js'
import { alphabet, bitTable, moment, page, section } from './documentation.js'
import type { BitTable } from './twin.js'
import {
  FLAKE_TABLE,
  FLAX_TABLE,
  SNO_TABLE,
  TWIN_FAMILIES,
  UID_LOCAL_TABLE,
  uidTable,
} from './twin-families.js'

interface Documented {
  readonly label: string
  readonly text: string
  /** Of the bit table. */
  readonly heading: string
  /** Of the section that tells epoch and last moment; both forms of uid share one. */
  readonly facts: string
  readonly family: IdFamily
  readonly table: BitTable
}

const DOCUMENTED: readonly Documented[] = [
  {
    label: 'flax',
    text: page('flax'),
    heading: 'Layout',
    facts: 'Layout',
    family: flax,
    table: FLAX_TABLE,
  },
  {
    label: 'sno',
    text: page('sno'),
    heading: 'Layout',
    facts: 'Layout',
    family: sno,
    table: SNO_TABLE,
  },
  {
    label: 'flake',
    text: page('flake'),
    heading: 'Layout',
    facts: 'Layout',
    family: flake,
    table: FLAKE_TABLE,
  },
  {
    label: 'uid',
    text: page('uid'),
    heading: 'Layout',
    facts: 'Layout of local ids',
    family: uid,
    table: uidTable(8),
  },
  {
    label: 'uidLocal',
    text: page('uid'),
    heading: 'Layout of local ids',
    facts: 'Layout of local ids',
    family: uidLocal,
    table: UID_LOCAL_TABLE,
  },
]

describe.each(DOCUMENTED)('the page of $label', ({ text, heading, facts, family, table }) => {
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
