import { type FlakeId, flake, prefixed, type StorageName, storageFor } from '@snoflax/core'
import { uid } from '@snoflax/families'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AnyFamily,
  ENDINGS,
  FAMILIES,
  hexText,
  sqlFields,
  sqliteTime,
  storagesOf,
  type TestedFamily,
} from './families.js'
import { type Outcome, outcome, Sql } from './sql.js'

const SEED = process.env['SNOFLAX_SEED']
/** SNOFLAX_CASES counts those of all properties together. */
const RUNS = {
  numRuns: Math.ceil(Number(process.env['SNOFLAX_CASES'] ?? 3_000) / 21),
  ...(SEED !== undefined && { seed: Number(SEED) }),
}

let sql: Sql
beforeAll(async () => {
  sql = await Sql.open()
})
afterAll(() => sql.close())

interface Variant {
  readonly family: AnyFamily
  /** A last argument of the functions that know about time. */
  readonly last: string
}

const EPOCHS = [0, 1_262_304_000_000, 1_420_070_400_001, -62_135_596_800_000, -1, 253_402_300_799_999]

/** The family, with a random epoch or neighbourhood where it has one. */
function variants({ prefix, family }: TestedFamily): fc.Arbitrary<Variant> {
  const plain = fc.constant({ family, last: '' })
  const chosen = (option: number, other: unknown) => ({ family: other as AnyFamily, last: `, ${option}` })
  if (prefix === 'flake') {
    return fc.oneof(
      plain,
      fc.constantFrom(...EPOCHS).map((epoch) => chosen(epoch, flake.withEpoch(epoch))),
    )
  }
  if (prefix === 'uid') {
    return fc.oneof(
      plain,
      fc.integer({ min: 5, max: 10 }).map((n) => chosen(n, uid.withNeighbourhood(n))),
    )
  }
  return plain
}

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ minLength: length, maxLength: length }),
    // Runs of all bits or none, where carries and signs go wrong.
    fc
      .array(fc.constantFrom(0, 0xff, 0x7f, 0x80), { minLength: length, maxLength: length })
      .map((values) => Uint8Array.from(values)),
  )

describe.each(FAMILIES)('$prefix, the same in TypeScript and SQLite', (tested) => {
  const { prefix, family } = tested

  test('ids through every function, from every storage', () => {
    const property = fc.property(bytes(family.byteLength), variants(tested), (made, variant) => {
      const id = family.encode(made)
      const { last, family: chosen } = variant
      const timeMs = chosen.timeMs(id)
      const fields = sqlFields(chosen.unpack(id) as object)
      sql.gives(`${prefix}_pack(?${last})`, [fields], hexText(made))
      for (const form of ['uuid', 'uuid8', 'bigint'] as const) checkForm(tested, form, id)
      for (const storage of storagesOf(family)) {
        const stored = outcome(() => columnOf(family, storage).toDatabase(id))
        if (typeof stored === 'object') continue
        const value = storage === 'binary' ? made : stored
        sql.gives(`${prefix}_encode(?)`, [value], id)
        sql.gives(`${prefix}_is_valid(?)`, [value], 1n)
        sql.gives(`${prefix}_time_ms(?${last})`, [value], BigInt(timeMs))
        sql.gives(`${prefix}_time(?${last})`, [value], sqliteTime(timeMs))
        sql.gives(`${prefix}_unpack(?${last})`, [value], fields)
      }
      sql.gives(`${prefix}_decode(?)`, [id], hexText(made))
    })
    fc.assert(property, RUNS)
  })

  test('times', () => {
    const within = fc.integer({ min: Math.max(family.firstMs, -8e15), max: Math.min(family.lastMs, 8e15) })
    const anywhere = fc.double({ min: -9e15, max: 9e15, noNaN: true })
    const ends = fc.constantFrom(family.firstMs, family.lastMs, Number.POSITIVE_INFINITY, -Infinity)
    const nearEnds = fc.tuple(ends, fc.integer({ min: -5, max: 5 })).map(([end, by]) => end + by)
    const property = fc.property(
      fc.oneof(within, anywhere, nearEnds),
      variants(tested),
      fc.nat(1000),
      (timeMs, { family: chosen, last }, part) => {
        for (const end of family.exactRange ? (['lower'] as const) : (['lower', 'upper'] as const)) {
          for (const storage of storagesOf(family)) {
            const column = columnOf(family, storage)
            const name = `${prefix}_${end}_bound`
            const bound = (moment: number): Outcome =>
              outcome(() => column.toDatabase(chosen[`${end}Bound`](moment)))
            sql.gives(`${name}_ms${ENDINGS[storage]}(?${last})`, [timeMs], bound(timeMs))
            const wholeMs = Math.floor(timeMs)
            const text = Math.abs(wholeMs) < 8e15 ? sqliteTime(wholeMs) : undefined
            if (typeof text !== 'string') continue
            const input = part === 0 ? text : `${text}${String(part).padStart(9, '0')}`
            const boundOfText = bound(part === 0 ? wholeMs : wholeMs + 1)
            sql.gives(`${name}${ENDINGS[storage]}(?${last})`, [input], boundOfText)
          }
        }
      },
    )
    fc.assert(property, RUNS)
  })

  test('malformed texts, bytes and numbers', () => {
    const changed = fc
      .tuple(bytes(family.byteLength), fc.nat(), fc.nat(2), fc.string({ unit: 'binary', maxLength: 3 }))
      .map(([made, at, drop, put]) => {
        const id = family.encode(made)
        const from = at % (id.length + 1)
        return id.slice(0, from) + put + id.slice(from + drop)
      })
    const values = fc.oneof(
      changed,
      fc.string({ maxLength: 24 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true }),
    )
    const property = fc.property(values, (value) => {
      const id = read(family, value)
      const isId = typeof id === 'string'
      sql.gives(`${prefix}_encode(?)`, [value], id)
      sql.gives(`${prefix}_is_valid(?)`, [value], isId ? 1n : 0n)
      sql.gives(`${prefix}_time_ms(?)`, [value], isId ? BigInt(family.timeMs(id)) : id)
      const decoded = outcome(() => family.decode(value as string))
      sql.gives(`${prefix}_decode(?)`, [value], decoded)
    })
    fc.assert(property, RUNS)
  })

  test('ids with prefixes', () => {
    const prefixes = fc.oneof(
      { weight: 10, arbitrary: fc.stringMatching(/^[a-z]([a-z0-9_]{0,10}[a-z0-9])?$/) },
      fc.string({ maxLength: 3 }),
      fc.constantFrom('', 'Cus', 'a_', 'a'.repeat(63), 'a'.repeat(64)),
    )
    const rest = fc.option(fc.string({ unit: 'binary', maxLength: 18 }), { nil: undefined, freq: 2 })
    const property = fc.property(
      bytes(family.byteLength),
      prefixes,
      prefixes,
      rest,
      (made, chosen, other, text) => {
        const bare = family.encode(made)
        const kind = () => prefixed(family, chosen)
        for (const storage of storagesOf(family)) {
          const stored =
            storage === 'binary' ? made : outcome(() => columnOf(family, storage).toDatabase(bare))
          if (stored !== null && typeof stored === 'object' && 'refused' in stored) continue
          sql.gives(
            `${prefix}_encode(?, ?)`,
            [stored, chosen],
            outcome(() => kind().withPrefix(bare)),
          )
        }
        for (const input of [`${chosen}_${bare}`, `${other}_${bare}`, bare, `${chosen}_${text}`]) {
          sql.gives(
            `${prefix}_decode(?, ?)`,
            [input, chosen],
            outcome(() => kind().decode(input)),
          )
        }
      },
    )
    fc.assert(property, RUNS)
  })

  test('fields, one of them wrong', () => {
    const numbers = fc.oneof(
      fc.constantFrom(-1, 1, 2, 31, 32, 255, 256, 4096, 16_384, 65_535, 65_536, 2 ** 20, 2 ** 32, 2 ** 42),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const property = fc.property(
      bytes(family.byteLength),
      fc.nat(),
      fc.oneof(numbers, fc.uint8Array({ maxLength: 12 }), fc.constantFrom(null, 'x', true)),
      (made, which, wrong) => {
        const fields: Record<string, unknown> = { ...family.unpack(family.encode(made)) }
        const names = Object.keys(fields)
        const name = names[which % names.length] as string
        // Bytes where a number belongs are text in JSON, and a text where bytes belong is no hex.
        fields[name] =
          wrong instanceof Uint8Array && typeof fields[name] === 'number' ? hexText(wrong) : wrong
        const packed = outcome(() => family.decode(family.pack(fields)))
        sql.gives(`${prefix}_pack(?)`, [sqlFields(fields)], packed)
      },
    )
    fc.assert(property, RUNS)
  })
})

const columnOf = (family: AnyFamily, storage: StorageName) =>
  storageFor(family, 'sqlite', { storage, exactBigint: true })

/** Out of SQLite's types: text is the canonical text, a BLOB the bytes, a number the number. */
function read(family: AnyFamily, value: unknown): Outcome {
  if (typeof value === 'string') return outcome(() => family.parse(value))
  if (value instanceof Uint8Array) return outcome(() => family.encode(value))
  if (!family.storages.includes('bigint')) return { refused: 'INVALID_TYPE' }
  return outcome(() => columnOf(family, 'bigint').fromDatabase(value))
}

/** To a form that PostgreSQL has, and back. */
function checkForm({ prefix, family }: TestedFamily, form: 'uuid' | 'uuid8' | 'bigint', id: string): void {
  if (!family.storages.includes(form)) return
  const value = outcome(() => storageFor(family, 'postgres', { storage: form }).toDatabase(id))
  for (const input of [id, family.decode(id)]) sql.gives(`${prefix}_to_${form}(?)`, [input], value)
  if (value === null || typeof value === 'object') return
  sql.gives(`${prefix}_from_${form}(?)`, [value], hexText(family.decode(id)))
}

test('hex of flake is read and written as in TypeScript', () => {
  const property = fc.property(fc.stringMatching(/^(?:0x)?[0-9a-fA-F]{0,18}$/), (hex) => {
    const id = outcome(() => flake.fromHex(hex))
    const isId = typeof id === 'string'
    sql.gives('flake_from_hex(?)', [hex], isId ? hexText(flake.decode(id as FlakeId)) : id)
    if (isId) sql.gives('flake_to_hex(?)', [id], flake.toHex(id as FlakeId))
  })
  fc.assert(property, RUNS)
})

test('uuids that are not ids of the family are refused as in TypeScript', () => {
  const digits = fc.tuple(fc.constantFrom(...FAMILIES), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  const property = fc.property(digits, fc.constantFrom('uuid', 'uuid8'), ([tested, random], form) => {
    const { prefix, family } = tested
    if (!family.storages.includes(form)) return
    const uuid = Buffer.from(random)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const id = outcome(() => storageFor(family, 'postgres', { storage: form }).fromDatabase(uuid))
    const expected = typeof id === 'string' ? hexText(family.decode(id)) : id
    sql.gives(`${prefix}_from_${form}(?)`, [uuid], expected)
    expect(sql.outcome(`${prefix}_from_${form}(?)`, uuid.replaceAll('-', ''))).toEqual({
      refused: 'NOT_CANONICAL',
    })
  })
  fc.assert(property, RUNS)
})
