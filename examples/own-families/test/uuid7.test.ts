import { type Uuid7, uuid7 } from 'example-own-families/uuid7'
import fc from 'fast-check'
import { NIL, parse, v4, v7, validate, version } from 'uuid'
import { describe, expect, test } from 'vitest'
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
  test("gives RFC 9562's example", () => {
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
        },
      ),
    )
  })

  test('is undone by its inverse', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const id = uuid7.pack(given)
        expect(uuid7.unpack(id)).toEqual(given)
        expect(uuid7.encode(uuid7.decode(id))).toBe(id)
        expect(id).toMatch(uuid7.pattern)
        expect([validate(id), version(id)]).toEqual([true, 7])
      }),
    )
  })

  test('sorts as the fields do', () => {
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const byFields = a.timeMs - b.timeMs || a.randomA - b.randomA || Buffer.compare(a.randomB, b.randomB)
        expect(Math.sign(uuid7.compare(uuid7.pack(a), uuid7.pack(b)))).toBe(Math.sign(byFields))
      }),
    )
  })
})

describe('ends', () => {
  test('are ids', () => {
    expect(uuid7.parse(uuid7.min)).toBe('00000000-0000-7000-8000-000000000000')
    expect(uuid7.parse(uuid7.max)).toBe('ffffffff-ffff-7fff-bfff-ffffffffffff')
    expect(uuid7.lowerBound(-1)).toBe(uuid7.min)
  })
})

describe('refuses', () => {
  test.each([
    ['a version 4', v4()],
    ['the nil UUID', NIL],
    ['the variant of another', RFC.id.replace('-98', '-c8')],
  ])('%s', (_, text) => {
    expect(expectRefusal(() => uuid7.parse(text), 'NOT_CANONICAL').message).toContain(text)
    expectRefusal(() => uuid7.encode(bytesOf(text)), 'NOT_CANONICAL')
  })

  test.each([
    ['upper case', RFC.id.toUpperCase(), 3],
    ['a hyphen that is none', RFC.id.replace('-', 'f'), 8],
    ['a hyphen among the digits', RFC.id.replace('0', '-'), 0],
    ['a foreign letter', RFC.id.replace('8f', '8g'), 35],
    ['a letter that only looks right', RFC.id.replace('cc', '\u0441c'), 15],
  ])('%s, and tells the position', (_, text, position) => {
    expect(expectRefusal(() => uuid7.parse(text), 'INVALID_CHARACTER').position).toBe(position)
  })

  test('braces, an urn, and bare hex', () => {
    for (const text of [`{${RFC.id}}`, `urn:uuid:${RFC.id}`, RFC.id.replaceAll('-', ''), `${RFC.id}\n`]) {
      expectRefusal(() => uuid7.parse(text), 'INVALID_LENGTH')
    }
  })

  test.each([
    [{ timeMs: 2 ** 48 }, 'TIME_OUT_OF_RANGE', 'timeMs'],
    [{ timeMs: 0.5 }, 'TIME_OUT_OF_RANGE', 'timeMs'],
    [{ timeMs: Number.NaN }, 'INVALID_TIME', 'timeMs'],
    [{ randomA: 4096 }, 'FIELD_OUT_OF_RANGE', 'randomA'],
    [{ randomA: -1 }, 'FIELD_OUT_OF_RANGE', 'randomA'],
    [{ randomB: Uint8Array.of(0x40, 0, 0, 0, 0, 0, 0, 0) }, 'FIELD_OUT_OF_RANGE', 'randomB'],
    [{ randomB: new Uint8Array(9) }, 'FIELD_OUT_OF_RANGE', 'randomB'],
  ] as const)('%o', (wrong, code, field) => {
    expect(expectRefusal(() => uuid7.pack({ ...RFC.fields, ...wrong }), code).field).toBe(field)
  })
})

describe('generator', () => {
  const zeros = (bytes: Uint8Array) => void bytes.fill(0)

  test('counts within a millisecond, and moves on to the next when the counter is used up', () => {
    const { batch } = uuid7.generator({ clock: () => RFC.fields.timeMs, random: zeros })
    const made = batch(4097).map(uuid7.unpack)
    expect(made[0]).toEqual({ timeMs: RFC.fields.timeMs, randomA: 0, randomB: new Uint8Array(8) })
    expect(made[4095]).toEqual({ timeMs: RFC.fields.timeMs, randomA: 4095, randomB: new Uint8Array(8) })
    expect(made[4096]).toEqual({ timeMs: RFC.fields.timeMs + 1, randomA: 0, randomB: new Uint8Array(8) })
  })

  test('starts its counter in the lower half, and takes all other bits at random', () => {
    const { generate } = uuid7.generator({ clock: () => 0, random: (bytes) => void bytes.fill(0xff) })
    expect(uuid7.unpack(generate())).toEqual({
      timeMs: 0,
      randomA: 2047,
      randomB: bytesOf('3fffffffffffffff'),
    })
  })
})
