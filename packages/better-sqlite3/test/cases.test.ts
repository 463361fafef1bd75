import type { StorageName } from '@snoflax/core'
import { storageFor } from '@snoflax/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Bound,
  type FamilyCases,
  type Invalid,
  type StorageCases,
  specification,
} from '../../core/test/sql-cases.js'
import {
  bytesOf,
  ENDINGS,
  familyNamed,
  hexText,
  sqlFields,
  storagesOf,
  type TestedFamily,
} from './families.js'
import { checkId, sqliteTime } from './known-ids.js'
import { Sql } from './sql.js'

let sql: Sql
beforeAll(async () => {
  sql = await Sql.open()
})
afterAll(() => sql.close())

/** flax's random field as bytes; in the file it is hex. */
const withBytes = (fields: object): object =>
  'random' in fields ? { ...fields, random: bytesOf(fields.random as string) } : fields

/** JSON has no NaN and no infinities. */
const isOutsideJson = (fields: object): boolean =>
  Object.values(fields).some((value) => value === 'NaN' || value === 'Infinity' || value === '-Infinity')

const optionOf = ({ options }: FamilyCases): number | undefined => options?.epoch ?? options?.neighbourhood

const last = (option: number | undefined): string => (option === undefined ? '' : `, ${option}`)

describe.each(['flax', 'sno', 'flake', 'uid', 'uidLocal'])('cases of %s', (name) => {
  const tested = familyNamed(name)
  const cases = specification<FamilyCases>(`cases/${name}`)
  const variants = [cases, ...(cases.variants ?? [])].map((variant) => ({
    variant,
    option: optionOf(variant),
  }))
  const refusing = variants.filter(({ variant }) => variant.invalid.length > 0)

  test.each(variants)('valid ids, option $option', ({ variant, option }) => {
    expect(variant.valid).not.toEqual([])
    for (const { fields = {}, ...id } of variant.valid) {
      checkId(sql, tested, { ...id, fields: withBytes(fields) }, option)
    }
  })

  test.each(variants)('bounds, option $option', ({ variant, option }) => {
    const { lowerBound, upperBound, range } = variant
    expect(lowerBound.length + range.length).toBeGreaterThan(0)
    const bytes = (text: string) => hexText(tested.family.decode(text)).slice(2)
    for (const bound of lowerBound) checkBound(tested, 'lower', bound, option)
    for (const bound of upperBound) checkBound(tested, 'upper', bound, option)
    for (const { fromMs, toMs, gte, lt } of range) {
      checkBound(tested, 'lower', { timeMs: fromMs, hex: bytes(gte), text: gte }, option)
      checkBound(tested, 'upper', { timeMs: toMs, hex: bytes(lt), text: lt }, option)
    }
  })

  test.each(refusing)('refusals, option $option', ({ variant, option }) => {
    const reachable = variant.invalid.filter(({ skip }) => !skip?.includes('sqlite'))
    expect(reachable.length).toBeGreaterThan(variant === cases ? 100 : 0)
    for (const refused of reachable) checkRefusal(tested, refused, option)
  })
})

/** Where ranges are exact, the end of a range is a lower bound too. */
const endOf = ({ family }: TestedFamily, end: 'lower' | 'upper') => (family.exactRange ? 'lower' : end)

function checkBound(
  tested: TestedFamily,
  end: 'lower' | 'upper',
  { timeMs, hex, text }: Bound,
  option?: number,
): void {
  const { prefix, family } = tested
  const number = Number(timeMs)
  const moment = Number.isFinite(number) ? sqliteTime(Math.ceil(number)) : undefined
  for (const storage of storagesOf(family)) {
    const column = storageFor(family, 'sqlite', { storage, exactBigint: true })
    const value = storage === 'text' ? text : storage === 'binary' ? `\\x${hex}` : undefined
    const expected = value ?? sql.outcome(`${prefix}_to_bigint(?)`, bytesOf(hex))
    if (storage === 'bigint' && typeof expected !== 'object') expect(expected).toBe(column.toDatabase(text))
    const call = `${prefix}_${endOf(tested, end)}_bound`
    sql.gives(`${call}_ms${ENDINGS[storage]}(?${last(option)})`, [number], expected)
    if (Number.isSafeInteger(number)) {
      sql.gives(`${call}_ms${ENDINGS[storage]}(?${last(option)})`, [BigInt(number)], expected)
    }
    if (typeof moment === 'string')
      sql.gives(`${call}${ENDINGS[storage]}(?${last(option)})`, [moment], expected)
  }
}

function checkRefusal(tested: TestedFamily, { operation, input, code }: Invalid, option?: number): void {
  const { prefix, family } = tested
  const timed = last(option)
  switch (operation) {
    case 'decode':
      sql.gives(`${prefix}_is_valid(?)`, [input], 0n)
      for (const call of ['decode(?)', 'encode(?)', `time(?${timed})`, `unpack(?${timed})`, 'to_uuid8(?)'])
        sql.refuses(`${prefix}_${call}`, [input], code)
      return
    case 'encode':
      sql.gives(`${prefix}_is_valid(?)`, [bytesOf(input as string)], 0n)
      for (const call of ['encode(?)', `time(?${timed})`, `unpack(?${timed})`, 'to_uuid8(?)'])
        sql.refuses(`${prefix}_${call}`, [bytesOf(input as string)], code)
      return
    case 'pack':
      if (isOutsideJson(input as object)) return
      sql.refuses(`${prefix}_pack(?${timed})`, [sqlFields(withBytes(input as object))], code)
      return
    case 'lowerBound':
    case 'upperBound': {
      // better-sqlite3 binds NaN as NULL.
      if (input === 'NaN') return
      const end = endOf(tested, operation === 'lowerBound' ? 'lower' : 'upper')
      for (const storage of storagesOf(family))
        sql.refuses(`${prefix}_${end}_bound_ms${ENDINGS[storage]}(?${timed})`, [Number(input)], code)
      return
    }
    case 'generateAt': {
      const moment = sqliteTime(Number(input))
      if (typeof moment === 'string') sql.refuses(`${prefix}_generate_at(?)`, [moment], code)
      return
    }
    case 'range':
      // SQL has the two bounds only.
      return
    default:
      throw new Error(`no check for ${operation}`)
  }
}

/** SQLite has no integers from 2^63 on. */
const fitsInteger = (digits: string): boolean => BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)

test('hex and bigints of flake are those of the cases', () => {
  const { hexForms = [], hexRefused = [], bigintRefused = [] } = specification<FamilyCases>('cases/flake')
  expect(Math.min(hexForms.length, hexRefused.length, bigintRefused.length)).toBeGreaterThan(0)
  for (const { text, hex, accepted } of hexForms) {
    sql.gives('flake_to_hex(?)', [text], hex)
    for (const form of accepted) sql.gives('flake_encode(flake_from_hex(?))', [form], text)
  }
  for (const { input, code } of hexRefused) sql.refuses('flake_from_hex(?)', [input], code)
  const reachable = bigintRefused.filter(({ input }) => fitsInteger(input))
  expect(reachable).not.toEqual([])
  for (const { input, code } of reachable) {
    sql.refuses('flake_encode(?)', [BigInt(input)], code)
    sql.refuses('flake_from_bigint(?)', [BigInt(input)], code)
  }
})

describe('cases of storages', () => {
  const { valid, invalid } = specification<StorageCases>('cases/storage')
  const columnValue = (storage: StorageName, value: string): unknown =>
    storage === 'binary' ? bytesOf(value) : storage === 'bigint' ? BigInt(value) : value
  // Those of PostgreSQL: its uuids are text here, and its bigint is SQLite's INTEGER.
  const ours = ({ databases }: { databases: readonly string[] }) => databases.includes('postgres')

  const isTooLarge = ({ storage, operation, input }: (typeof invalid)[number]): boolean =>
    storage === 'bigint' && operation === 'fromDatabase' && !fitsInteger(input as string)

  test('valid ids', () => {
    expect(valid.filter(ours).length).toBeGreaterThan(100)
    for (const { family, storage, id, value } of valid.filter(ours)) {
      const { prefix } = familyNamed(family)
      const stored = columnValue(storage, value)
      const hex = hexText(familyNamed(family).family.decode(id))
      if (storage in ENDINGS) sql.gives(`${prefix}_encode(?)`, [stored], id)
      if (storage === 'text' || storage === 'binary') continue
      sql.gives(`${prefix}_to_${storage}(?)`, [id], stored as string | bigint)
      sql.gives(`${prefix}_from_${storage}(?)`, [stored], hex)
    }
  })

  test('refusals', () => {
    const refusals = invalid.filter((one) => ours(one) && one.operation !== 'define' && !isTooLarge(one))
    expect(refusals.length).toBeGreaterThan(150)
    for (const { family, storage, operation, input, code } of refusals) {
      const { prefix } = familyNamed(family)
      if (operation === 'toDatabase') sql.refuses(`${prefix}_to_${storage}(?)`, [input], code)
      else {
        const read = storage === 'binary' || storage === 'text' ? 'encode' : `from_${storage}`
        sql.refuses(`${prefix}_${read}(?)`, [columnValue(storage, input as string)], code)
      }
    }
  })
})
