import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { flake, flax, IdError, type IdFamily, prefixed, sno, uid, uidLocal } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sealByTwin } from './twin.js'

interface SealVector {
  readonly key: string
  readonly family: string
  readonly prefix: string
  readonly id: string
  readonly sealed: string
}

const VECTORS: readonly SealVector[] = JSON.parse(
  readFileSync(new URL('../../../spec/vectors/seal.json', import.meta.url), 'utf8'),
).vectors

/** Bytes as hex digits: what a family of a user may be called and look like. */
const hexFamily = (name: string, byteLength: number): IdFamily =>
  ({
    ...flax,
    name,
    byteLength,
    encode: (bytes: Uint8Array) => Buffer.from(bytes).toString('hex'),
    decode: (text: string) => Buffer.from(text, 'hex'),
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
]

const idOf = (family: IdFamily) =>
  fc
    .uint8Array({ minLength: family.byteLength, maxLength: family.byteLength })
    .filter((bytes) => isId(family, bytes))
    .map((bytes) => family.encode(bytes))

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
        expect(text).toMatch(pattern)
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

  test('may be bytes of another realm', () => {
    const bytes = runInNewContext('Uint8Array.from(list)', { list: [...KEY] }) as Uint8Array
    expect(seal(flax, { keys: bytes }).seal(flax.min)).toBe(seal(flax, { keys: KEY }).seal(flax.min))
  })

  test('do not change with the array that was passed', () => {
    const key = Uint8Array.from(KEY)
    const { seal: close } = seal(flax, { keys: key })
    const text = close(flax.min)
    key.fill(0)
    expect(close(flax.min)).toBe(text)
  })
})

test('ids of 16 bytes are refused, since no bits are left for the check', () => {
  const long = { ...flax, byteLength: 16 } as IdFamily
  expect(refusal(() => seal(long, { keys: KEY }))).toMatchObject({ code: 'INVALID_OPTION', field: 'family' })
})

describe('sealed ids of one burst', () => {
  const ids = flax.generator({ monotonic: true, clock: () => Date.UTC(2026, 0, 1) }).batch(4096)
  const { seal: close } = seal(flax, { keys: KEY })
  const texts = ids.map((id) => close(id))
  const blocks = texts.map((text) => Buffer.from(text, 'base64url'))

  test('do not reveal their order: the number of inversions is that of a shuffle', () => {
    let inversions = 0
    for (let i = 0; i < texts.length; i++) {
      for (let j = i + 1; j < texts.length; j++) if ((texts[i] as string) > (texts[j] as string)) inversions++
    }
    const pairs = (texts.length * (texts.length - 1)) / 2
    const deviation = Math.sqrt((texts.length * (texts.length - 1) * (2 * texts.length + 5)) / 72)
    // The key and the clock are fixed, the random parts are not: six deviations are met once in 10^9 runs.
    expect(Math.abs(inversions - pairs / 2)).toBeLessThan(6 * deviation)
  })

  test('differ from their neighbours in half of the bits, and each bit is set half of the time', () => {
    const ones = new Array<number>(128).fill(0)
    let changed = 0
    blocks.forEach((block, i) => {
      for (let bit = 0; bit < 128; bit++) {
        const value = ((block[bit >> 3] as number) >> (bit & 7)) & 1
        ones[bit] = (ones[bit] as number) + value
        const before = blocks[i - 1]
        if (before) changed += value ^ (((before[bit >> 3] as number) >> (bit & 7)) & 1)
      }
    })
    const n = blocks.length
    for (const count of ones) expect(Math.abs(count - n / 2)).toBeLessThan(7 * Math.sqrt(n / 4))
    const bits = 128 * (n - 1)
    expect(Math.abs(changed - bits / 2)).toBeLessThan(7 * Math.sqrt(bits / 4))
  })
})

test('a list with a hole is refused with its index', () => {
  const { seal: close, sealAll, openAll } = seal(flax, { keys: KEY })
  const ids = Object.assign(new Array(2), { 0: flax.min })
  const sealed = Object.assign(new Array(2), { 0: close(flax.min) })
  expect(refusal(() => sealAll(ids))).toMatchObject({ code: 'INVALID_TYPE', path: '[1]' })
  expect(refusal(() => openAll(sealed))).toMatchObject({ code: 'INVALID_SEAL', path: '[1]' })
})
