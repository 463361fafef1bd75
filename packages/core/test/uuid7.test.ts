import { isSameFamily, type Uuid7, type Uuid7Fields, uuid7 } from '@snoflax/core'
import fc from 'fast-check'
import { MAX, NIL, parse, v4, v7, validate, version } from 'uuid'
import { UUID, uuidv7obj } from 'uuidv7'
import { describe, expect, test } from 'vitest'
import { constant, startingWith } from './generators/random-sources.js'
import { expectRefusal } from './refusal.js'

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll('-', ''), 'hex'))

/** RFC 9562, appendix A.6, field by field. */
const RFC = {
  id: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' as Uuid7,
  fields: { timeMs: 0x017f22e279b0, randomA: 0xcc3, randomB: bytesOf('18c4dc0c0c07398f') },
  moment: new Date('2022-02-22T19:22:22Z'),
}

const fields = fc.record({
  timeMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  randomA: fc.integer({ min: 0, max: 2 ** 12 - 1 }),
  randomB: fc
    .bigInt({ min: 0n, max: 2n ** 62n - 1n })
    .map((value) => bytesOf(value.toString(16).padStart(16, '0'))),
})

describe('codec', () => {
  test('returns the example of RFC 9562', () => {
    expect(uuid7.unpack(RFC.id)).toEqual(RFC.fields)
    expect(uuid7.pack(RFC.fields)).toBe(RFC.id)
    expect(uuid7.time(RFC.id)).toEqual(RFC.moment)
  })

  test('agrees with the uuid package', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 48 - 1 }),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (msecs, seq, random) => {
          const id = uuid7.parse(v7({ msecs, seq, random }))
          expect(uuid7.timeMs(id)).toBe(msecs)
          expect(uuid7.decode(id)).toEqual(parse(id))
          expect(uuid7.unpack(id).randomA).toBe(seq >>> 20)
          expect(uuid7.encode(parse(id))).toBe(id)
          expect([validate(id), version(id)]).toEqual([true, 7])
        },
      ),
    )
  })
})

describe('version 4', () => {
  const mixed = uuid7.withVersion4()
  const old = mixed.parse('919108f7-52d1-4320-9bac-f847db4148a8')

  test('is refused, and the message names the option', () => {
    expect(expectRefusal(() => uuid7.parse(v4()), 'NOT_CANONICAL').message).toContain('uuid7.withVersion4()')
  })

  test('is an id without a time if it is allowed', () => {
    expect(mixed.hasTime(old)).toBe(false)
    expect(mixed.timeMs(old)).toBeNaN()
    expect(mixed.time(old).getTime()).toBeNaN()
    expect(mixed.encode(mixed.decode(old))).toBe(old)
    expectRefusal(() => mixed.unpack(old), 'NOT_CANONICAL')
  })

  test('can be stored beside version 7, which keeps its time', () => {
    fc.assert(
      fc.property(fields, (input) => {
        const id = uuid7.pack(input)
        expect(mixed.hasTime(mixed.parse(id))).toBe(true)
        expect(mixed.timeMs(id)).toBe(input.timeMs)
        expect(mixed.unpack(id)).toEqual(input)
      }),
    )
    expect(uuid7.hasTime(RFC.id)).toBe(true)
    expect(isSameFamily(mixed, uuid7)).toBe(true)
  })

  test("of npm's uuid is an id between the smallest and the largest", () => {
    for (let i = 0; i < 1000; i++) {
      const id = mixed.parse(v4())
      expect(mixed.pattern.test(id)).toBe(true)
      expect(id > mixed.min && id < mixed.max).toBe(true)
    }
    expect(mixed.parse(mixed.min)).toBe('00000000-0000-4000-8000-000000000000')
  })

  test('makes ranges inexact, and exactRange says so', () => {
    expect([uuid7.exactRange, mixed.exactRange]).toEqual([true, false])
  })

  test('does not allow other versions or the nil UUID', () => {
    for (const text of [NIL, MAX, old.replace('-4', '-1'), old.replace('-4', '-8')]) {
      expectRefusal(() => mixed.parse(text), 'NOT_CANONICAL')
    }
  })
})

describe('generator', () => {
  const zeros = constant(0)

  test('counts in rand_a and the first bits of rand_b, and moves on to the next millisecond when they are used up', () => {
    const { batch } = uuid7.generator({ clock: () => RFC.fields.timeMs, random: zeros })
    const made = batch(2 ** 18 + 1).map((id) => uuid7.unpack(id))
    const counterOf = ({ randomA, randomB }: Uuid7Fields) => (randomA << 6) | (randomB[0] as number)
    expect([0, 1, 63, 64, 2 ** 18 - 1].map((i) => counterOf(made[i] as Uuid7Fields))).toEqual([
      0, 1, 63, 64, 262143,
    ])
    expect(made[2 ** 18 - 1]?.timeMs).toBe(RFC.fields.timeMs)
    expect(made[2 ** 18]).toEqual({ timeMs: RFC.fields.timeMs + 1, randomA: 0, randomB: new Uint8Array(8) })
  })

  test('starts its counter in the lower half, and fills all other bits at random', () => {
    const { generate, generateAt } = uuid7.generator({
      clock: () => 0,
      random: startingWith(new Uint8Array(20).fill(0xff)),
    })
    expect(uuid7.unpack(generate())).toEqual({
      timeMs: 0,
      randomA: 2047,
      randomB: bytesOf('3fffffffffffffff'),
    })
    expect(generateAt(uuid7.lastMs)).toBe(uuid7.max)
  })

  test('sorts beside ids of npm packages of other milliseconds', () => {
    const ids = [1, 2, 3, 4].flatMap((msecs) => [v7({ msecs }), uuid7.generateAt(msecs)])
    expect([...ids].sort().map((id) => uuid7.timeMs(id as Uuid7))).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
  })

  test('uses every random bit', () => {
    const made = Array.from({ length: 500 }, () => uuid7.decode(uuid7.generateAt(0)))
    const seen = made.reduce(
      (all, bytes) => all.map((bits, i) => bits | (bytes[i] as number)),
      Array<number>(16).fill(0),
    )
    const always = made.reduce(
      (all, bytes) => all.map((bits, i) => bits & (bytes[i] as number)),
      Array<number>(16).fill(255),
    )
    expect(seen).toEqual([0, 0, 0, 0, 0, 0, 0x7f, 255, 0xbf, 255, 255, 255, 255, 255, 255, 255])
    expect(always).toEqual([0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0])
  })
})

test('agrees with the uuidv7 package about what is a UUIDv7', () => {
  for (let i = 0; i < 1000; i++) {
    const theirs = uuidv7obj()
    const id = uuid7.parse(theirs.toString())
    expect(uuid7.decode(id)).toEqual(theirs.bytes)
    expect(UUID.parse(uuid7.generate()).getVersion()).toBe(7)
  }
})
