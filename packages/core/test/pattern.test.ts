import {
  accepting,
  flake,
  flax,
  type IdFamily,
  prefixed,
  sno,
  typeid,
  ulid,
  uuid7,
  uuid7or4,
} from '@snoflax/core'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { ticket } from './ticket.js'

// JSON Schema's validators read a pattern with flag u, HTML's `<input pattern>` with v, most others without a flag.

const PLAIN: readonly IdFamily[] = [
  flax,
  sno,
  flake,
  uid,
  uidLocal,
  uuid7,
  uuid7.withVersion4(),
  uuid7or4,
  ulid,
  typeid('user').base,
  typeid('user', { uuids: 'any' }).base,
  twitter,
  discord,
  ticket,
]

const PREFIXED = [typeid('user'), ...PLAIN.map((family) => prefixed(family, 'a_1'))]

/** Patterns with characters that flag v or u reads otherwise. */
const ACCEPTED = [
  [/[\w-]{21}/, 'V1StGXR8_Z5jdHi6B-myT'],
  [/[-\w.]{5}/, 'a-b.c'],
  [/[\w-.]{3}/, 'a-.'],
  [/key[(){}[|/]\d/, 'key(7'],
  [/a\/[^-/]+/, 'a/b'],
  [/[+--]x/, '-x'],
  [/[\d-\w]{3}/, '1-a'],
  [/[&&a]{2}/, '&a'],
  [/a{,2}}/, 'a{,2}}'],
  [/[а-я]{3}/, 'где'],
  [/(?<one>.)\k<one>/i, 'aA'],
] as const

const ACCEPTING = [flax, sno, uuid7, prefixed(flax, 'cus')].flatMap((family) =>
  ACCEPTED.map(([pattern]) => accepting(family as IdFamily, pattern)),
)
const FLAGS = ['', 'u', 'v']

/** What a check in each mode says of the text. */
function readIn(source: string, text: string): boolean[] {
  return FLAGS.flatMap((flag) => [source, `^(?:${source})$`].map((one) => new RegExp(one, flag).test(text)))
}

describe.each(
  [...PLAIN, ...PREFIXED, ...ACCEPTING].map((family) => [String(family.pattern), family] as const),
)('the pattern %s', (_, family) => {
  const ids = [family.min, family.max, family.lowerBound((family.firstMs + family.lastMs) / 2)]
  const schema = family['~standard'].jsonSchema.input({ target: 'draft-07' })
  const sources = [family.pattern.source, schema['pattern'] as string]

  test('means the same with no flag, with u and with v', () => {
    for (const source of sources) {
      for (const id of ids) {
        expect(readIn(source, id)).toEqual(Array(6).fill(true))
        const isFixed = family.textLength !== undefined
        for (const text of ['', 'x', `${id}\n`, `${id}x`, `x${id}`, `${id.slice(0, -1)}é`, id.slice(1)]) {
          const [first, ...others] = readIn(source, text)
          expect(others).toEqual(Array(5).fill(first))
          if (isFixed) expect(first).toBe(family.is(text))
        }
      }
    }
  })
})

test.each(ACCEPTED)('a column that accepts %s has a pattern for it', (pattern, key) => {
  const { is, pattern: whole } = accepting(flax, pattern)
  expect(is(key)).toBe(true)
  expect(readIn(whole.source, key)).toEqual(Array(6).fill(true))
})

test('most patterns stay as narrow as they are', () => {
  const narrow = ACCEPTED.map(([pattern]) => !accepting(flax, pattern).pattern.test('?'))
  expect(narrow).toEqual(ACCEPTED.map((_, i) => ![7, 8, 10].includes(i)))
})
