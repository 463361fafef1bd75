import { type Ulid, ulid } from '@snoflax/core'
import fc from 'fast-check'
import { decodeTime, encodeTime, isValid, monotonicFactory, ulidToUUID, uuidToULID } from 'ulid'
import { describe, expect, test } from 'vitest'
import { startingWith } from './generators/random-sources.js'
import { expectRefusal } from './refusal.js'

const SPEC_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV' as Ulid

const fields = fc.record({
  timeMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  random: fc.uint8Array({ minLength: 10, maxLength: 10 }),
})

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('codec', () => {
  test('returns the examples of the specification', () => {
    expect(ulid.timeMs(SPEC_ID)).toBe(1469922850259)
    expect(hexOf(ulid.decode(SPEC_ID))).toBe('01563e3ab5d3d6764c61efb99302bd5b')
    expect(ulid.encode(ulid.decode(SPEC_ID))).toBe(SPEC_ID)
    expect(ulid.max).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')
    expect(ulid.timeMs(ulid.max)).toBe(281474976710655)
  })

  test('agrees with the ulid package', () => {
    fc.assert(
      fc.property(fields, (input) => {
        const id = ulid.pack(input)
        expect(isValid(id)).toBe(true)
        expect(id.slice(0, 10)).toBe(encodeTime(input.timeMs))
        expect(decodeTime(id)).toBe(input.timeMs)
        const uuid = ulidToUUID(id)
        expect(hexOf(ulid.decode(id))).toBe(uuid.replaceAll('-', '').toLowerCase())
        expect(uuidToULID(uuid)).toBe(id)
      }),
    )
  })
})

describe('generator', () => {
  /** A generator whose first id is this one. */
  const generatorFrom = (first: Ulid) => {
    const { timeMs, random } = ulid.unpack(first)
    return ulid.generator({ clock: () => timeMs, random: startingWith(random) })
  }

  test("counts like the specification's example of monotonic ids, until it overflows", () => {
    const { batch, generate } = generatorFrom('01BX5ZZKBKZZZZZZZZZZZZZZZX' as Ulid)
    expect(batch(3)).toEqual([
      '01BX5ZZKBKZZZZZZZZZZZZZZZX',
      '01BX5ZZKBKZZZZZZZZZZZZZZZY',
      '01BX5ZZKBKZZZZZZZZZZZZZZZZ',
    ])
    expectRefusal(generate, 'SEQUENCE_EXHAUSTED')
    expectRefusal(generate, 'SEQUENCE_EXHAUSTED')
  })

  test('counts like the ulid package, also while the clock is behind', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 0 }), { minLength: 2 }), (steps) => {
        const startMs = 1469922850259
        const theirs = monotonicFactory()
        const first = theirs(startMs) as Ulid
        const { random } = ulid.unpack(first)
        const clock = [startMs, ...steps.map((step) => startMs + step)]
        const moments = clock.values()
        const ours = ulid.generator({
          clock: () => moments.next().value as number,
          random: startingWith(random),
        })
        expect(ours.batch(clock.length)).toEqual([first, ...steps.map((step) => theirs(startMs + step))])
      }),
    )
  })

  test('uses fresh random bytes in a new millisecond', () => {
    let nowMs = 5
    const { generate } = ulid.generator({
      clock: () => nowMs++,
      random: (bytes) => {
        for (let i = 0; i < bytes.length; i++) bytes[i] = i / 10
      },
    })
    expect([generate(), generate()].map((id) => ulid.unpack(id))).toEqual([
      { timeMs: 5, random: new Uint8Array(10).fill(0) },
      { timeMs: 6, random: new Uint8Array(10).fill(1) },
    ])
  })
})
