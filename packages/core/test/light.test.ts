import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { flake, flax, IdError, type IdFamily, prefixed, typeid, uuid7 } from '@snoflax/core'
import * as light from '@snoflax/core/light'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { expectRefusal } from './refusal.js'

/** Each light family beside the whole one. */
const PAIRS: readonly (readonly [light: light.LightFamily, whole: IdFamily])[] = [
  [light.flax, flax],
  [light.uuid7, uuid7],
  [light.prefixed(light.flax, 'cus'), prefixed(flax, 'cus')],
  [light.prefixed(light.uuid7, 'a_b'), prefixed(uuid7, 'a_b')],
  [light.prefixed(flake as never, 'no'), prefixed(flake, 'no')],
  [light.typeid('user'), typeid('user')],
]

/** Every text of these families in the specification. */
const TEXTS: ReadonlySet<string> = new Set(
  ['vectors', 'cases'].flatMap((folder) =>
    ['flax', 'uuid7', 'typeid', 'flake'].flatMap((name) => {
      const url = new URL(`../../../spec/${folder}/${name}.json`, import.meta.url)
      return textsIn(JSON.parse(readFileSync(url, 'utf8')))
    }),
  ),
)

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}

const answerOf = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const { code, family, value, field, position, statusCode, message } = error
    return { code, family, value, field, position, statusCode, message }
  }
}

/** The light family's messages leave out what only the whole one offers. */
const whole = (answer: unknown): unknown => {
  const { message } = Object(answer) as { message?: string }
  return message === undefined
    ? answer
    : { ...(answer as object), message: expect.stringContaining(message.replace(/\W+$/, '')) }
}

function expectSame([light, family]: (typeof PAIRS)[number], value: unknown): void {
  const answers = (one: light.LightFamily | IdFamily) => [
    one.is(value),
    answerOf(() => one.parse(value)),
    answerOf(() => one.timeMs(value as never)),
  ]
  const [expected, found] = [answers(family), answers(light)]
  if (!isDeepStrictEqual(expected, found)) expect(expected).toEqual(found.map(whole))
}

const GENERATING = PAIRS.filter(([, { textLength }]) => textLength !== undefined).map((pair) => ({
  name: pair[1].name,
  pair,
}))

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(PAIRS.map((pair) => ({ name: pair[1].name, pair })))('$name', ({ pair }) => {
  const [family, full] = pair
  const prefix = 'prefix' in full ? `${full.prefix}_` : ''

  test('has the name, length and times of the whole family', () => {
    const { name, textLength, firstMs, lastMs } = full
    expect(family).toMatchObject({ name, textLength, firstMs, lastMs })
  })

  test('answers to every text of the specification as the whole family does', () => {
    let ids = 0
    for (const text of TEXTS) {
      for (const one of new Set([text, prefix + text, prefix + text.toLowerCase()])) {
        expectSame(pair, one)
        if (family.is(one)) ids++
      }
    }
    expect(ids).toBeGreaterThan(15)
  })

  test('answers to damaged ids as the whole family does', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.constantFrom('_', 'cus_', 'a_', '8', 'Z'),
    )
    fc.assert(
      fc.property(
        fc.double({ min: full.firstMs, max: full.lastMs, noNaN: true }),
        fc.nat(40),
        fc.nat(3),
        pieces,
        (ms, at, cut, piece) => {
          const id = full.lowerBound(ms)
          expectSame(pair, id.slice(0, at) + piece + id.slice(at + cut))
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([
    undefined,
    null,
    7,
    7n,
    Number.NaN,
    true,
    Symbol('id'),
    () => 1,
    {},
    ['x'],
    new Date(0),
    new Date(Number.NaN),
    new Uint8Array(3),
    new Uint8Array(60),
    new String('Kpcan0M1FakODT4k'),
  ])('refuses what is no string as the whole family does', (value) => expectSame(pair, value))

  test('reads when an id was generated', () => {
    for (const ms of [full.firstMs, 1_793_491_200_000, full.lastMs]) {
      const id = full.lowerBound(ms)
      expect(family.timeMs(id)).toBe(ms)
      expect(family.time(id)).toEqual(full.time(id))
    }
  })
})

describe.each(GENERATING)('$name generates', ({ pair: [family, full] }) => {
  test('distinct ids of the whole family, of now', () => {
    const fromMs = Date.now()
    const ids = Array.from({ length: 3000 }, () => family.generate())
    expect(new Set(ids).size).toBe(3000)
    for (const id of ids) {
      expect(full.parse(id)).toBe(id)
      expect(full.timeMs(id)).toBeGreaterThanOrEqual(fromMs)
      expect(full.timeMs(id)).toBeLessThanOrEqual(Date.now() + 1)
    }
    if (!full.name.startsWith('cus') && full.name !== 'flax') expect(ids).toEqual([...ids].sort())
  })
})

test.each(['', 'Cus', '1a', 'a_', 'a-b', 'a'.repeat(64), undefined, 7])('prefix %j is refused', (prefix) => {
  const [name, value] = ['prefix', prefix]
  expectRefusal(() => light.prefixed(light.flax, prefix as never), 'INVALID_OPTION', { field: name, value })
  expectRefusal(() => light.typeid(prefix as never), 'INVALID_OPTION', { field: name, value })
})

test('TypeIDs have no digits in their prefix', () => {
  expectRefusal(() => light.typeid('a1'), 'INVALID_OPTION', { field: 'prefix' })
})

test.each([undefined, 'flax', light.prefixed(light.flax, 'cus')])(
  'a base that can not get a prefix: %o',
  (base) => {
    expectRefusal(() => light.prefixed(base as never, 'ord'), 'INVALID_OPTION', { field: 'base' })
  },
)

test('errors are the errors of the whole package', () => {
  expect(light.IdError).toBe(IdError)
})

// Last, since generators don't go back behind the time of their last id.
test.each(GENERATING)('$name generates by Date.now, and no time that an id can not contain', ({ pair }) => {
  const [family, full] = pair
  const clock = vi.spyOn(Date, 'now').mockReturnValue(full.lastMs)
  expect(full.timeMs(family.generate())).toBe(full.lastMs)
  for (const ms of [full.lastMs + 1, full.firstMs - 1, Number.NaN]) {
    clock.mockReturnValue(ms)
    expectRefusal(() => family.generate(), 'TIME_OUT_OF_RANGE', { field: 'time' })
  }
})
