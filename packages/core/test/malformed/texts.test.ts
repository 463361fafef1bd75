import { flake, IdError } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idBytes } from '../arbitraries.js'
import { thrownBy } from '../refusal.js'
import { TWIN_FAMILIES, type TwinFamily } from '../twin-families.js'

/** A change of a text at some place. */
type Mutation = (text: string, at: number) => string

const insert =
  (piece: string): Mutation =>
  (text, at) =>
    text.slice(0, at) + piece + text.slice(at)
const replace =
  (piece: string): Mutation =>
  (text, at) =>
    text.slice(0, at) + piece + text.slice(at + 1)

/** One UTF-16 unit or more, of every sort that has tricked a decoder somewhere. */
const PIECES = fc.oneof(
  fc.constantFrom('\0', '\n', '\r\n', ' ', '\t', '\u00a0', '\u2028', '\u3000', '\ufeff', '\x7f', '\x80'),
  fc.constantFrom('\ud800', '\udc00', '\udfff', '😀', 'é', 'e\u0301', 'ı', 'ſ', 'K', '０', '٣', 'ａ'),
  fc.constantFrom(...'-._+/=01lOyzAZ@[`{:,'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
)

const MUTATIONS: fc.Arbitrary<Mutation> = fc.oneof(
  PIECES.map(insert),
  { weight: 2, arbitrary: PIECES.map(replace) },
  // A code that shares its low bits with a digit's, so that a table of 128 entries would find it.
  fc.integer({ min: 1, max: 511 }).map(
    (high): Mutation =>
      (text, at) =>
        replace(String.fromCharCode(high * 128 + (text.charCodeAt(at) & 127)))(text, at),
  ),
  fc.constantFrom<Mutation>(
    (text, at) => text.slice(0, at) + text.slice(at + 1),
    (text, at) => text.slice(0, at) + text.charAt(at).toUpperCase() + text.slice(at + 1),
    (text, at) => text.slice(0, at) + text.charAt(at).toLowerCase() + text.slice(at + 1),
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text + text,
    (text) => `${text}\n`,
    (text) => ` ${text}`,
    (text) => `{${text}}`,
    (text) => `0${text}`,
    (text) => `-${text}`,
    (text) => `+${text}`,
    (text) => `0x${text}`,
    (text) => `${text}n`,
    (text) => `${text}.0`,
    (text, at) => text.slice(0, at),
    (text, at) => text.slice(at),
    (text, at) => text.slice(at) + text.slice(0, at),
    (text) => [...text].reverse().join(''),
  ),
)

/** An id's text after one to three changes. It can still be an id: the twin says. */
const mutated = ({ twin }: TwinFamily): fc.Arbitrary<string> =>
  fc
    .tuple(idBytes(twin), fc.array(fc.tuple(MUTATIONS, fc.nat({ max: 21 })), { minLength: 1, maxLength: 3 }))
    .map(([bytes, changes]) =>
      changes.reduce((text, [mutate, at]) => mutate(text, at % (text.length + 1)), twin.encode(bytes)),
    )

const texts = (family: TwinFamily): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: mutated(family) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 24 }) },
    { weight: 1, arbitrary: fc.bigInt(0n, 2n ** 70n).map(String) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom(...'.-_0Zaz'), { minLength: 9, maxLength: 18 })
        .map((a) => a.join('')),
    },
  )

// Epochs and neighbourhoods change nothing about texts.
const ONE_OF_EACH = TWIN_FAMILIES.filter(
  ({ family }, i) => TWIN_FAMILIES.findIndex((other) => other.family.name === family.name) === i,
)

describe.each(ONE_OF_EACH)('texts that may not be $label ids', (twinFamily) => {
  const { family, twin } = twinFamily
  const calls = [family.decode, family.parse, family.unpack, family.time, family.timeMs] as const

  test('are accepted or refused as by the twin, by every function that takes an id, with code and position', () => {
    fc.assert(
      fc.property(fc.oneof(texts(twinFamily), fc.string({ minLength: 60, maxLength: 5000 })), (text) => {
        const verdict = twin.decode(text)
        const isId = 'bytes' in verdict
        expect(family.is(text)).toBe(isId)
        // The pattern of a decimal number cannot tell 2^64 - 1 from 2^64.
        if (isId || twin.alphabet !== undefined) expect(family.pattern.test(text)).toBe(isId)
        if (isId) {
          expect(family.decode(text)).toEqual(verdict.bytes)
          expect(twin.encode(verdict.bytes)).toBe(text)
          for (const call of calls) expect(() => call(text)).not.toThrow()
          expect(family.parse(text)).toBe(text)
          expect(family['~standard'].validate(text)).toEqual({ value: text })
          return
        }
        const { code, message } = thrownBy(() => family.parse(text)) as IdError
        for (const call of calls) {
          const error = thrownBy(() => call(text)) as IdError
          if (!(error instanceof IdError)) throw error
          const { code, position, value } = error
          const told = 'position' in verdict ? verdict.position : position
          expect([code, position, value]).toEqual([verdict.code, told, text])
        }
        expect(family['~standard'].validate(text)).toEqual({ issues: [{ message, code }] })
        expectReadable(message, family.name, text)
      }),
      { numRuns: 1200 },
    )
  })
})

/** The message quotes the text, in one line of limited length. */
function expectReadable(message: string, name: string, text: string): void {
  expect(message.startsWith(`${name}: `)).toBe(true)
  const quoted = JSON.stringify(text).replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  expect(message).toContain(quoted.slice(1, 20).replace(/"$/, ''))
  expect(message).not.toContain('\n')
  expect(message.length).toBeLessThan(800)
}

test('flake reads decimal texts of every length as BigInt does, and refuses the same as `is`', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,19}$/)
  const ends = fc.tuple(fc.constantFrom(9n, 18n, 19n), fc.bigInt(-2n, 2n)).map(([a, b]) => 10n ** a + b)
  const limit = fc.bigInt(-1000n, 1000n).map((offset) => 2n ** 64n + offset)
  fc.assert(
    fc.property(fc.oneof(digits, ends.map(String), limit.map(String)), (text) => {
      const isId = BigInt(text) < 2n ** 64n
      expect(flake.is(text)).toBe(isId)
      if (isId) expect(flake.toBigInt(flake.parse(text))).toBe(BigInt(text))
      else expect(() => flake.toBigInt(text as never)).toThrow(/must be from 0 to 2\^64 - 1/)
    }),
    { numRuns: 20_000 },
  )
})
