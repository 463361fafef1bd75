import {
  type AcceptingFamily,
  accepting,
  flake,
  flax,
  type IdError,
  type IdFamily,
  isSameFamily,
  prefixed,
  sno,
  storageFor,
} from '@snoflax/core'
import {
  baseOf,
  checkColumnOptions,
  checkGenerator,
  checkMismatch,
  columnFaults,
  familyWith,
} from '@snoflax/core/adapter'
import { readings, refusals } from '@snoflax/core/inspect'
import { acceptLabels } from '@snoflax/core/testing'
import { uid } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal, thrownBy } from './refusal.js'

const CUID2 = 'tz4a98xxat96iws9zmbrgj3a'
const OURS = 'Kpcan0M1FakODT4k'

type Own = IdFamily & { generate(): string }

/** Keys that applications have, and what accepts them. */
const KEYS: readonly (readonly [kind: string, accept: RegExp | IdFamily, key: string])[] = [
  ['cuid', /c[a-z0-9]{24}/, 'cjld2cjxh0000qzrmn831i7rn'],
  ['cuid2', /[a-z0-9]{24}/, CUID2],
  ['nanoid', /[\w-]{21}/, 'V1StGXR8_Z5jdHi6B-myT'],
  ['UUIDv4', /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, '4b706361-6e30-4d31-8661-6b4f4454346b'],
  ['ULID', /[0-7][0-9A-HJKMNP-TV-Z]{25}/, '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['id of another family', prefixed(uid, 'old'), 'old_KRGhnk.3qWNx.Y1B'],
  ['number', /[1-9]\d{0,14}/, '12345'],
  ['prefixed id of another length', /usr_[a-z0-9]{24}/, `usr_${CUID2}`],
  ['label', /user-\d{1,9}/, 'user-1'],
]

describe.each(KEYS)('a family that accepts a %s', (_, accept, key) => {
  const families: readonly AcceptingFamily<Own>[] = [
    accepting(flax, accept),
    accepting(prefixed(flax, 'cus'), [accept, /other/]),
    accepting(sno, [/other/, accept]),
  ] as never

  test.each(families)('takes it beside ids of $name', (family) => {
    const own = family.generate()
    for (const id of [key, own]) {
      expect(family.is(id)).toBe(true)
      expect(family.parse(id)).toBe(id)
      expect(family['~standard'].validate(id)).toEqual({ value: id })
      expect(id).toMatch(family.pattern)
    }
    for (const text of [`${key} `, ` ${key}`, `${key}\n`, `x\n${key}`, `${key}!`, '', `${own}.`]) {
      expect(family.is(text)).toBe(false)
      expect(() => family.parse(text)).toThrow(/also accepted: .*other|also accepted: /)
    }
    expect(family.is(Buffer.from(key))).toBe(false)
    expect(family.own.is(own)).toBe(true)
  })

  test.each(families)('has the time of ids of $name only', (family) => {
    const own = family.generate()
    expect(family.timeMs(own)).toBe(family.own.timeMs(own))
    expect(family.time(own)).toEqual(family.own.time(own))
    for (const read of [family.time, family.timeMs, family.unpack, family.decode]) {
      expectRefusal(() => read(key), 'NOT_CANONICAL', { field: 'time', value: key, statusCode: undefined })
    }
    const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')]
    expect(family.range(from, to)).toEqual(family.own.range(from, to))
    // Accepted keys may sort after all ids.
    const { min, max } = family.own
    expect(family.range(from, Number.POSITIVE_INFINITY)).toEqual({ gte: family.lowerBound(from), lte: max })
    expect(family.range(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toEqual({ gte: min, lt: min })
    expect(family.exactRange).toBe(false)
  })

  test.each(families)('stores both as they are, in text only, beside ids of $name', (family) => {
    const own = family.generate()
    for (const database of ['postgres', 'sqlite', 'mysql', 'mariadb'] as const) {
      const storage = storageFor(family, database)
      expect(storage.name).toBe('text')
      expect(storage.converts).toBe(false)
      for (const id of [key, own]) {
        expect(storage.toDatabase(id)).toBe(id)
        expect(storage.fromDatabase(id)).toBe(id)
      }
      expect(storage.toDatabase(null)).toBeNull()
      const { code } = thrownBy(() => family.own.parse('no id')) as IdError
      expectRefusal(() => storage.toDatabase('no id'), code, { value: 'no id', statusCode: 400 })
      expectRefusal(() => storage.fromDatabase('no id'), code, { statusCode: undefined })
      const refused = { message: expect.stringMatching(/binary: it stores ids only.*; use text$/) }
      expectRefusal(() => storageFor(family, database, { storage: 'binary' }), 'STORAGE_REFUSED', refused)
    }
    expect(storageFor(family, 'mysql').column.sql).toMatch(/^VARCHAR\(255\) .*utf8mb4_bin$/)
  })
})

describe('accepting', () => {
  const family = accepting(flax, /[a-z0-9]{24}/)

  test('keeps what the family generates with', () => {
    expect(flax.is(family.monotonic.generate())).toBe(true)
    expect(flax.is(family.generateAt(new Date('2026-11-01')))).toBe(true)
    expect(baseOf(family)).toBe(flax)
    expect(isSameFamily(family, flax)).toBe(true)
    checkGenerator(family, flax.generator())
    expect(accepting(sno, /x{3}/).meta(sno.generate(2))).toBe(2)
    const customer = accepting(prefixed(flax, 'cus'), /[a-z0-9]{24}/)
    expect(baseOf(customer)).toBe(flax)
    expect(customer.withoutPrefix(customer.generate())).toMatch(flax.pattern)
    expect(customer.compare(customer.generate(), CUID2)).toBeLessThan(0)
  })

  test.each([
    ['flags', /x/g, /flags i, s, u and v, not \/x\/g/],
    ['flags', /x/y, /flags/],
    ['flags', /x/m, /flags/],
    ['the empty text', /[a-z]*/, /empty text/],
    ['an empty list', [], /empty list/],
    ['an accepting family', family, /accept no others/],
  ])('refuses %s: %s', (_, accept, message) => {
    expectRefusal(() => accepting(flax, accept), 'INVALID_OPTION', {
      message: expect.stringMatching(message),
      field: 'accept',
    })
  })

  test('refuses what is neither a pattern nor a family', () => {
    for (const accept of ['flax', null, undefined, 24, [undefined], () => true] as never[]) {
      expectRefusal(() => accepting(flax, accept), 'INVALID_OPTION', {})
    }
    expectRefusal(() => accepting(undefined as never, /x/), 'INVALID_OPTION', {})
  })

  test('refuses families that text columns refuse, and a prefix outside', () => {
    expectRefusal(() => accepting(flake, /x/), 'INVALID_OPTION', { field: 'accept' })
    expectRefusal(() => accepting(family, /x/), 'INVALID_OPTION', { field: 'accept' })
    expectRefusal(() => prefixed(family, 'cus'), 'INVALID_OPTION', {
      message: expect.stringContaining("accepting(prefixed(family, 'cus'), …)"),
    })
  })

  test('takes flags, alternatives and groups as they are written', () => {
    expect(accepting(flax, /user|user-\d\d/).is('user-12')).toBe(true)
    expect(accepting(flax, /^a$|^b$/).is('b')).toBe(true)
    const flagged = accepting(flax, [/(?<one>[a-z])\k<one>/i, /(.)\1/u])
    for (const key of ['aA', '😀😀']) {
      expect(flagged.is(key)).toBe(true)
      expect(key).toMatch(flagged.pattern)
    }
    expect(flagged.is('ab')).toBe(false)
    const ofFrame = accepting(flax, /[a-z]{3}/)
    expect([ofFrame.is('abc'), ofFrame.is('abc'), ofFrame.is('abc\n')]).toEqual([true, true, false])
  })

  test('is its own family for readers of texts', () => {
    expect(readings(OURS, [family]).map((one) => [one.family.name, one.id])).toContainEqual(['flax', OURS])
    expect(readings(CUID2, [family])).toEqual([])
    expect(refusals(CUID2, [family])).toHaveLength(1)
    expect(readings('cus_Kpcan0M1FakODT4k', [family])[0]?.family.name).toBe('cus')
  })
})

describe('options of a column', () => {
  test('make its family', () => {
    const family = familyWith(flax, { prefix: 'cus', accept: [/user-\d/, uid] })
    expect(family.is('cus_Kpcan0M1FakODT4k')).toBe(true)
    expect(family.is('user-1')).toBe(true)
    expect(familyWith(flax, {})).toBe(flax)
  })

  test('are checked', () => {
    const options = { accept: /x/, branded: false }
    for (const role of ['generated', 'reference', 'plain', 'list'] as const) {
      checkColumnOptions(flax, role, options, {})
      expectRefusal(() => checkColumnOptions(flax, role, { branded: 'no' }, {}), 'INVALID_OPTION', {
        field: 'branded',
      })
    }
  })

  test('say what a condition does with a text that is no id', () => {
    const text = storageFor(flax, 'sqlite')
    checkMismatch(text, 'notFound')
    const bytes = storageFor(flax, 'sqlite', { storage: 'binary' })
    checkMismatch(bytes, 'error')
    expectRefusal(() => checkMismatch(bytes, 'notFound'), 'INVALID_OPTION', { field: 'onMismatch' })
  })
})

test('a column of accepted keys may be as wide as it was, if ids of the family fit', async () => {
  const storage = storageFor(accepting(flax, /[a-z0-9]{24}/), 'mysql')
  const declared = { path: 'users.id', table: 'users', column: 'id', storage }
  const faultsOf = (length: number) =>
    columnFaults('mysql', [declared], async () => [
      {
        db: 'app',
        own: 'app',
        tbl: 'users',
        name: 'id',
        type: `varchar(${length})`,
        length,
        collation: 'utf8mb4_bin',
      },
    ])
  expect(await faultsOf(24)).toEqual([])
  expect(await faultsOf(12)).toHaveLength(1)
})

test('labels of tests are accepted in this process only, by families that accept other keys, until they are ended', () => {
  const user = accepting(flax, /c[a-z0-9]{24}/)
  const areAccepted = (...labels: string[]) => labels.map((one) => user.is(one))
  const ends = [acceptLabels(/user-\d+/, /post-\d+/), acceptLabels(/tag-\d+/), acceptLabels(/user-\d+/)]
  try {
    expect(areAccepted('user-1', 'post-2', 'tag-3', 'a user-1', 'user-')).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(user.parse('user-1')).toBe('user-1')
    expect(flax.is('user-1')).toBe(false)
    for (const wrong of [[/.*/], [/a/g], [/(a+)+/], ['user-1'], []])
      expectRefusal(() => acceptLabels(...(wrong as RegExp[])), 'INVALID_OPTION', { field: 'pattern' })
    ends[0]?.()
    expect(areAccepted('user-1', 'post-2', 'tag-3')).toEqual([true, false, true])
    ends[0]?.()
  } finally {
    for (const end of ends) end()
  }
  expect(areAccepted('user-1', 'post-2', 'tag-3')).toEqual([false, false, false])
})

test('the main entry has no acceptLabels', async () => {
  expect(Object.keys(await import('@snoflax/core'))).not.toContain('acceptLabels')
})
