import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { flake, flax, IdError, type IdFamily, prefixed, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { generateSealKey, seal } from '@snoflax/seal'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { sealByTwin, uuidByTwin } from './twin.js'

interface SealVector {
  readonly key: string
  readonly family: string
  readonly prefix: string
  readonly id: string
  readonly sealed: string
}

const { vectors: VECTORS, uuids: UUIDS } = JSON.parse(
  readFileSync(new URL('../../../spec/vectors/seal.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly SealVector[]; readonly uuids: readonly SealVector[] }

/** Bytes as hex digits: what a family of a user may be called and look like. */
const hexFamily = (name: string, byteLength: number): IdFamily =>
  ({
    ...flax,
    name,
    byteLength,
    encode: (bytes: Uint8Array) => Buffer.from(bytes).toString('hex'),
    decode: (text: string) => {
      if (/^(?:[0-9a-f]{2})+$/.test(text)) return Buffer.from(text, 'hex')
      throw new IdError('INVALID_CHARACTER', `${name}: no id (${text})`)
    },
    min: '00'.repeat(byteLength),
    max: 'ff'.repeat(byteLength),
    parse: (text: string) => text,
    is: (text: unknown) => /^[0-9a-f]+$/.test(text as string),
    textLength: 2 * byteLength,
    pattern: /^[0-9a-f]+$/,
    generate: undefined,
  }) as unknown as IdFamily

const KEY = createHash('sha256').update('a key of the tests').digest()
const OTHER = createHash('sha256').update('another key of the tests').digest()

const FAMILIES: readonly IdFamily[] = [
  flax,
  sno,
  flake,
  uid,
  uidLocal,
  prefixed(flax, 'cus'),
  prefixed(sno, 'order_line'),
  prefixed(flake, 'evt'),
  uuid7,
  ulid,
  typeid('user'),
  prefixed(uuid7, 'order_line'),
  hexFamily('thirteen', 13),
  hexFamily('ksuid', 20),
  hexFamily('long', 40),
]

const idOf = (family: IdFamily) =>
  fc
    .uint8Array({ minLength: family.byteLength, maxLength: family.byteLength })
    .map((bytes) => (isId(family, bytes) ? bytes : asVersion(7, bytes)))
    .map((bytes) => family.encode(bytes))

function asVersion(version: number, bytes: Uint8Array): Uint8Array {
  const uuid = Uint8Array.from(bytes)
  uuid[6] = (version << 4) | ((bytes[6] as number) & 0x0f)
  uuid[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  return uuid
}

function isId(family: IdFamily, bytes: Uint8Array): boolean {
  try {
    return family.is(family.encode(bytes))
  } catch {
    return false
  }
}

function refusal(work: () => unknown): IdError {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(IdError)
    return error as IdError
  }
  return expect.fail('not refused')
}

describe.each(FAMILIES)('$name', (family) => {
  const { seal: close, sealAll, open, openAll, pattern, '~standard': standard } = seal(family, { keys: KEY })

  test('opens what it sealed', () => {
    fc.assert(
      fc.property(idOf(family), (id) => {
        const text = close(id)
        for (const flag of ['', 'u', 'v']) expect(text).toMatch(new RegExp(pattern.source, flag))
        expect(open(text)).toBe(id)
        expect(standard.validate(text)).toEqual({ value: id })
        expect(close(id)).toBe(text)
      }),
    )
  })

  test('seals and opens lists with the same results as single ids', () => {
    fc.assert(
      fc.property(fc.array(idOf(family), { maxLength: 20 }), (ids) => {
        const texts = sealAll(ids)
        expect(texts).toEqual(ids.map((id) => close(id)))
        expect(openAll(texts)).toEqual(ids)
      }),
      { numRuns: 30 },
    )
    const [first, second] = [close(family.min), close(family.max)]
    const refused = refusal(() => openAll([first, second, family.min, null]))
    expect(refused).toMatchObject({ code: 'INVALID_SEAL', path: '[2]', value: family.min })
    expect(refusal(() => sealAll([family.min, 'x!' as never])).path).toBe('[1]')
    for (const value of [null, 'x', new Set([first])] as never[]) {
      for (const call of [sealAll, openAll]) {
        expect(refusal(() => call(value))).toMatchObject({ code: 'INVALID_TYPE', family: family.name })
      }
    }
    const other = seal(family, { keys: [OTHER, KEY] })
    expect(other.openAll([first, other.seal(family.max)])).toEqual([family.min, family.max])
  })

  test('is sealed as by Web Crypto according to the specification', async () => {
    const prefix = 'prefix' in family ? (family.prefix as string) : ''
    const name = 'base' in family ? (family.base as IdFamily).name : family.name
    await fc.assert(
      fc.asyncProperty(idOf(family), async (id) => {
        const bytes = family.decode(id)
        expect(close(id)).toBe(await sealByTwin(KEY, { family: name, prefix, bytes }))
      }),
    )
  })

  test('refuses a text with any one character changed', () => {
    fc.assert(
      fc.property(
        idOf(family),
        fc.nat(),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        (id, at, character) => {
          const text = close(id)
          const position = at % text.length
          const changed = text.slice(0, position) + character + text.slice(position + 1)
          if (changed === text) return
          expect(refusal(() => open(changed)).code).toBe('INVALID_SEAL')
        },
      ),
    )
  })

  test('refuses what was sealed with another key or for another family, and anything else, with the same message', () => {
    const id = family.min
    const others = FAMILIES.filter((one) => one !== family).map((one) =>
      seal(one, { keys: KEY }).seal(one.min),
    )
    const values = [
      seal(family, { keys: OTHER }).seal(id),
      ...others,
      id,
      '',
      'x',
      5,
      null,
      undefined,
      {},
      5n,
    ]
    for (const value of values) {
      const error = refusal(() => open(value))
      expect(error).toMatchObject({ code: 'INVALID_SEAL', family: family.name, value })
      expect(error.message).toMatch(new RegExp(`^${family.name}: not a sealed ${family.name} id: `))
      expect(standard.validate(value)).toEqual({ issues: [{ message: error.message, code: 'INVALID_SEAL' }] })
    }
  })
})

test.each([
  ['another epoch', flake, flake.withEpoch(1_420_070_400_000)],
  ['another prefix and epoch', prefixed(flake, 'evt'), prefixed(flake.withEpoch(1), 'evt')],
  ['another neighbourhood', uid, uid.withNeighbourhood(6)],
])('%s is another kind', (_, one, other) => {
  const [a, b] = [seal(one as IdFamily, { keys: KEY }), seal(other as IdFamily, { keys: KEY })]
  expect(b.open(b.seal(one.min))).toBe(one.min)
  expect(refusal(() => a.open(b.seal(one.min))).code).toBe('INVALID_SEAL')
  expect(refusal(() => b.open(a.seal(one.min))).code).toBe('INVALID_SEAL')
})

test('a sealed text with wrong spare bits is refused', () => {
  const { seal: close, open } = seal(flax, { keys: KEY })
  const text = close(flax.generate())
  const last = text.at(-1) as string
  const sibling = String.fromCharCode(last.charCodeAt(0) + 1)
  expect(Buffer.from(text.slice(0, -1) + sibling, 'base64url')).toEqual(Buffer.from(text, 'base64url'))
  expect(refusal(() => open(text.slice(0, -1) + sibling)).code).toBe('INVALID_SEAL')
})

test.each(VECTORS)(
  'OpenSSL seals $id of $family the same way, with prefix "$prefix"',
  ({ key, family, prefix, id, sealed }) => {
    const base = hexFamily(family, id.length / 2)
    const kind = prefix === '' ? base : prefixed(base, prefix)
    const { seal: close, open } = seal(kind, { keys: key })
    const text = kind.encode(Buffer.from(id, 'hex'))
    expect(close(text)).toBe(sealed)
    expect(open(sealed)).toBe(text)
  },
)

test('what is not a family is refused, and unknown options', () => {
  expect(() => seal(flax, { keys: KEY, key: KEY } as never)).toThrow(
    'seal: no option "key"; options are keys',
  )
  expect(() => seal(undefined as never, { keys: KEY })).toThrow(
    'seal: family must be a family such as flax, not undefined; check for a circular import',
  )
})

describe('keys', () => {
  test('are rotated: the first seals, all open', () => {
    const id = flax.generate()
    const before = seal(flax, { keys: [KEY] })
    const after = seal(flax, { keys: [OTHER, KEY] })
    expect(after.open(before.seal(id))).toBe(id)
    expect(after.seal(id)).toBe(seal(flax, { keys: OTHER }).seal(id))
    expect(refusal(() => before.open(after.seal(id))).code).toBe('INVALID_SEAL')
  })

  test('are the same in every form', () => {
    const id = flax.generate()
    const elsewhere: Uint8Array = runInNewContext('Uint8Array.from(bytes)', { bytes: [...KEY] })
    const hex = KEY.toString('hex')
    const forms = [KEY, elsewhere, hex, hex.toUpperCase(), KEY.toString('base64url')]
    expect(new Set(forms.map((keys) => seal(flax, { keys }).seal(id))).size).toBe(1)
    expect(seal(flax, { keys: generateSealKey() }).seal(id)).toHaveLength(22)
  })

  test.each([
    ['none', []],
    ['a password', 'correct horse battery staple'],
    [
      'not in canonical base64url',
      KEY.toString('base64url').replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    ],
    ['too short', randomBytes(31)],
    ['too long', randomBytes(33)],
    ['zeros', new Uint8Array(32)],
    ['a counter of 16', Uint8Array.from({ length: 32 }, (_, i) => i % 16)],
    ['a counter of 32', Uint8Array.from({ length: 32 }, (_, i) => i)],
    ['a counter that overflows, downwards', Uint8Array.from({ length: 32 }, (_, i) => 16 - 3 * i)],
    ['text as bytes', Buffer.from('abcdefghijklmnopqrstuvwxyz012345')],
    ['undefined, an unset variable', undefined],
    ['equal', [KEY, KEY.toString('hex')]],
  ])('are refused: %s', (_, keys) => {
    const error = refusal(() => seal(flax, { keys: keys as string }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', value: undefined })
    expect(error.message).not.toContain('correct horse')
  })

  test.each([undefined, null, {}, KEY, 'a key'])('are missing: %s', (options) => {
    expect(refusal(() => seal(flax, options as never)).code).toBe('INVALID_OPTION')
  })

  test.each([
    ['instead of the options', KEY],
    ['as text instead of the options', KEY.toString('hex')],
    ['in a list instead of the options', [KEY.toString('hex')]],
    ['under another name', { key: KEY.toString('hex') }],
    ['beside the keys', { keys: OTHER, old: KEY.toString('hex') }],
  ])('are not shown in the error if they are passed %s', (_, options) => {
    const error = refusal(() => seal(flax, options as never))
    expect(error.code).toBe('INVALID_OPTION')
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(KEY.toString('hex').slice(0, 8))
  })

  test('do not change with the array that was passed', () => {
    const key = Uint8Array.from(KEY)
    const { seal: close } = seal(flax, { keys: key })
    const text = close(flax.min)
    key.fill(0)
    expect(close(flax.min)).toBe(text)
  })
})

test('a text has 22 characters for ids of up to 12 bytes, 27 for UUIDs, and no more than it needs for others', () => {
  const lengths = [1, 8, 12, 13, 14, 15, 16, 17, 20].map((bytes) => {
    const family = hexFamily('own', bytes)
    return [bytes, seal(family, { keys: KEY }).seal(family.min).length]
  })
  expect(Object.fromEntries(lengths)).toEqual({
    1: 22,
    8: 22,
    12: 22,
    13: 24,
    14: 24,
    15: 27,
    16: 27,
    17: 30,
    20: 32,
  })
  expect(seal(uuid7, { keys: KEY }).seal(uuid7.min)).toHaveLength(27)
})

test('a key costs the same calls of AES on the same bytes, whichever key fits and whatever is wrong', () => {
  const keys = [generateSealKey(), generateSealKey(), generateSealKey()]
  for (const family of [flax, uuid7, typeid('user')] as IdFamily[]) {
    const { open, openAll } = seal(family, { keys })
    const [first = '', second, third] = keys.map((key): string =>
      seal(family, { keys: key }).seal(family.min),
    )
    const flipped = first.slice(0, -2) + (first.at(-2) === 'x' ? 'y' : 'x') + first.at(-1)
    const values = [first, second, third, flipped, `${first}x`, family.min, '', null]
    const ofOne = values.map((value) => callsOfAes(() => attempt(() => open(value))))
    expect(new Set(ofOne).size).toBe(1)
    expect(ofOne[0]).not.toBe('')
    const ofList = values.map((value) => callsOfAes(() => attempt(() => openAll([second, value, third]))))
    expect(new Set(ofList).size).toBe(1)
  }
})

/** The bytes of each call. */
function callsOfAes(work: () => unknown): string {
  const prototypes = [createCipheriv, createDecipheriv].map(
    (create) =>
      Object.getPrototypeOf(create('aes-256-ecb', KEY, null)) as { update(bytes: Uint8Array): unknown },
  )
  const spies = prototypes.map((prototype) => vi.spyOn(prototype, 'update'))
  try {
    work()
    return spies.map(({ mock }) => mock.calls.map(([bytes]) => bytes.length).join(' ')).join(' | ')
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe.each([
  ['uuid7', '', uuid7],
  ['typeid', 'user', typeid('user')],
  ['uuid7', 'order_line', prefixed(uuid7, 'order_line')],
] as [string, string, IdFamily][])('as: \'uuid\', %s with prefix "%s"', (name, prefix, family) => {
  const uuids = seal(family, { keys: KEY, as: 'uuid' })
  const head = prefix && `${prefix}_`
  const isTypeid = name === 'typeid'
  const anyTypeid = typeid('user', { uuids: 'any' })
  /** The UUID of a sealed text. */
  const uuidOf = (text: string): string =>
    isTypeid ? anyTypeid.toUuid(anyTypeid.parse(text)) : text.slice(head.length)
  const textOf = (uuid: string): string => (isTypeid ? anyTypeid.fromUuid(uuid) : head + uuid)
  const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  test('an id becomes a UUID of version 4, the one of the twin, and comes back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(idOf(family), { minLength: 1, maxLength: 5 }), async (ids) => {
        const texts = uuids.sealAll(ids)
        expect(texts).toEqual(ids.map((id) => uuids.seal(id)))
        expect(uuids.openAll(texts)).toEqual(ids)
        for (const [i, text] of texts.entries()) {
          expect(text).toMatch(uuids.pattern)
          expect(uuidOf(text)).toMatch(V4)
          expect(uuids.open(text)).toBe(ids[i])
          const bytes = family.decode(ids[i] as string)
          expect(uuidOf(text)).toBe(await uuidByTwin(KEY, { family: name, prefix }, bytes))
        }
      }),
    )
  })

  test('every UUID of version 4 opens, as one id: there is no check', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), (uuid) => {
        const id = uuids.open(textOf(uuid))
        expect(family.is(id)).toBe(true)
        expect(uuids.seal(id)).toBe(textOf(uuid))
      }),
    )
  })

  test('what another key, kind or form sealed, and a changed text, open as other ids', () => {
    const id = family.max
    const text = uuids.seal(id)
    const uuid = uuidOf(text)
    const kinds = [uuid7, prefixed(uuid7, 'usr'), prefixed(uuid7, 'order_line')] as IdFamily[]
    const sealed = kinds
      .filter((kind) => kind.name !== family.name)
      .map((kind) => seal(kind, { keys: KEY, as: 'uuid' }).seal(kind.max).slice(-36))
    const others = [
      ...sealed,
      uuidOf(seal(family, { keys: OTHER, as: 'uuid' }).seal(id)),
      `${uuid.slice(0, -1)}${uuid.at(-1) === '0' ? '1' : '0'}`,
      `${uuid[0] === '0' ? '1' : '0'}${uuid.slice(1)}`,
    ]
    const opened = others.map((one) => uuids.open(textOf(one)))
    expect(opened).not.toContain(id)
    expect(new Set(opened).size).toBe(others.length)
  })

  test('everything else is refused with the same message', () => {
    const id = family.min
    const text = uuids.seal(id)
    const sealed = seal(family, { keys: KEY }).seal(id)
    const version1 = textOf('c232ab00-9414-11ec-b3c8-9f6bdeced846')
    for (const value of [
      id,
      sealed,
      version1,
      text.toUpperCase(),
      text.slice(1),
      `${text} `,
      'x',
      '',
      5,
      null,
    ]) {
      const error = refusal(() => uuids.open(value))
      expect(error).toMatchObject({ code: 'INVALID_SEAL', statusCode: 400, family: family.name, value })
      expect(error.message).toMatch(new RegExp(`^${family.name}: not a sealed ${family.name} id: `))
      expect(refusal(() => uuids.openAll([text, value]))).toMatchObject({ code: 'INVALID_SEAL', path: '[1]' })
    }
  })

  test('JSON Schema calls a bare UUID by its format', () => {
    const schema = uuids['~standard'].jsonSchema.input({ target: 'openapi-3.0' })
    expect(schema).toEqual({
      type: 'string',
      ...(head === '' && { format: 'uuid' }),
      pattern: uuids.pattern.source,
      minLength: uuids.seal(family.min).length,
      maxLength: uuids.seal(family.min).length,
    })
  })
})

describe("as: 'uuid'", () => {
  test.each([
    flax,
    ulid,
    uuid7.withVersion4(),
    typeid('user', { uuids: 'any' }),
    hexFamily('own', 16),
  ] as IdFamily[])('refuses ids that are not all UUIDs of version 7: $name', (family) => {
    const error = refusal(() => seal(family, { keys: KEY, as: 'uuid' }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'as', family: family.name })
    expect(error.message).toBe(
      `${family.name}: as: 'uuid' needs ids that are all UUIDs of version 7, as those of uuid7 and typeid are; leave as out for a sealed text`,
    )
  })

  test('refuses several keys, since nothing tells which one sealed a UUID', () => {
    const error = refusal(() => seal(uuid7, { keys: [KEY, OTHER], as: 'uuid' }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'keys' })
    expect(error.message).toContain('create a seal for each, and look up all ids that they open')
    expect(seal(uuid7, { keys: [KEY], as: 'uuid' }).seal(uuid7.min)).toHaveLength(36)
  })

  test.each(['text', 'UUID', null, KEY])('refuses other words: %s', (as) => {
    const error = refusal(() => seal(uuid7, { keys: KEY, as: as as never }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'as', value: undefined })
  })

  test.each(UUIDS)(
    'of $id of $family with prefix "$prefix" is the recorded one',
    ({ key, family, prefix, id, sealed }) => {
      const base: IdFamily = family === 'uuid7' ? uuid7 : typeid('user')
      const kind = family === 'uuid7' && prefix !== '' ? prefixed(base, prefix) : base
      const { seal: close, open } = seal(kind, { keys: key, as: 'uuid' })
      const text = kind.encode(Buffer.from(id, 'hex'))
      expect(close(text)).toBe(sealed)
      expect(open(sealed)).toBe(text)
    },
  )
})

test('a list with a hole is refused with its index', () => {
  const { seal: close, sealAll, openAll } = seal(flax, { keys: KEY })
  const ids = Object.assign(new Array(2), { 0: flax.min })
  const sealed = Object.assign(new Array(2), { 0: close(flax.min) })
  expect(refusal(() => sealAll(ids))).toMatchObject({ code: 'INVALID_TYPE', path: '[1]' })
  expect(refusal(() => openAll(sealed))).toMatchObject({ code: 'INVALID_SEAL', path: '[1]' })
})
