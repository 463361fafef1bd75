import { readFileSync } from 'node:fs'
import {
  defineFamily,
  type FamilyDefinition,
  flake,
  flax,
  IdError,
  type IdErrorCode,
  type IdFamily,
  sno,
  storageFor,
} from '@snoflax/core'
import { alphabet } from '@snoflax/core/define'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { TICKET_EPOCH_MS, type TicketFields, type TicketId, ticket } from './ticket.js'

type Definition = FamilyDefinition<TicketId, TicketFields>
const { min: _min, max: _max, ...rest } = ticket
const DEFINITION: Definition = { ...rest, lowerBoundMs: ticket.lowerBound }

const fields = fc.record({
  timeMs: fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((seconds) => TICKET_EPOCH_MS + seconds * 1000),
  desk: fc.integer({ min: 0, max: 255 }),
  number: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
})

describe('a family of your own', () => {
  test('packs, unpacks, encodes, decodes and tells the time', () => {
    fc.assert(
      fc.property(fields, (input) => {
        const id = ticket.pack(input)
        expect(ticket.unpack(id)).toEqual(input)
        expect(ticket.encode(ticket.decode(id))).toBe(id)
        expect(ticket.parse(id)).toBe(id)
        expect(ticket.time(id)).toEqual(new Date(input.timeMs))
      }),
    )
  })

  test('has all that is derived: min and max, order, bounds, ranges, checks, Standard Schema', () => {
    expect([ticket.min, ticket.max]).toEqual(['0000000000000000', 'ffffffffffffffff'])
    expect(ticket.exactRange).toBe(true)
    expect(ticket.compare(ticket.min, ticket.max)).toBeLessThan(0)
    expect(ticket.compare(ticket.max, ticket.max)).toBe(0)
    const from = TICKET_EPOCH_MS + 1500
    expect(ticket.lowerBound(from)).toBe(ticket.pack({ timeMs: TICKET_EPOCH_MS + 2000, desk: 0, number: 0 }))
    expect(ticket.upperBound(new Date(from))).toBe(ticket.lowerBound(from))
    expect(ticket.range(from, from + 1000)).toEqual({
      gte: ticket.lowerBound(from),
      lt: ticket.lowerBound(from + 1000),
    })
    expect(ticket.lowerBound(0)).toBe(ticket.min)
    expectRefusal(() => ticket.lowerBound(ticket.lastMs + 1), 'TIME_OUT_OF_RANGE')
    expectRefusal(() => ticket.range(from, from - 1), 'INVALID_OPTION')
    expect(ticket.is('ABCDEF0123456789')).toBe(false)
    expect(ticket.is(7)).toBe(false)
    expect(ticket['~standard'].validate(ticket.max)).toEqual({ value: ticket.max })
    expect(ticket['~standard'].validate('x')).toHaveProperty(
      'issues.0.message',
      expect.stringContaining('ticket'),
    )
  })

  test('can have its own min and max if all zeros and all ones are not ids', () => {
    const [min, max] = [ticket.encode(new Uint8Array(8).fill(1)), ticket.encode(new Uint8Array(8).fill(2))]
    const strict = defineFamily({
      ...ticket,
      lowerBoundMs: () => max,
      min,
      max,
      encode: (bytes) => (bytes[0] ? ticket.encode(bytes) : expect.fail('asked for the zeros')),
    })
    expect([strict.min, strict.max]).toEqual([min, max])
    expect(strict.lowerBound(0)).toBe(min)
  })

  describe('is refused', () => {
    const fields = (...bits: number[]) => ({
      ...ticket.layout,
      fields: bits.map((bits, index) => ({ name: `part${index}`, bits })),
    })

    test.each<[Partial<Definition>, IdErrorCode, string, RegExp]>([
      [{ tag: 256 }, 'FIELD_OUT_OF_RANGE', 'tag', /tag must be an integer from 0 to 255, not 256$/],
      [{ tag: -1 }, 'FIELD_OUT_OF_RANGE', 'tag', /not -1$/],
      [{ layout: fields(32, 31) }, 'INVALID_OPTION', 'layout', /fields add up to 63 bits.*8 bytes have 64$/],
      [{ layout: fields(65, -1) }, 'FIELD_OUT_OF_RANGE', 'layout.part0.bits', /from 1 to 64, not 65$/],
      [{ layout: fields(31.5, 32.5) }, 'FIELD_OUT_OF_RANGE', 'layout.part0.bits', /not 31\.5$/],
      [{ byteLength: 7 }, 'INVALID_OPTION', 'layout', /fields add up to 64 bits.*7 bytes have 56$/],
      [{ byteLength: 0, layout: fields() }, 'FIELD_OUT_OF_RANGE', 'byteLength', /not 0$/],
      [{ alphabet: '0123456789abcdef' as never }, 'INVALID_OPTION', 'alphabet', /what alphabet\(\) returns$/],
      [
        { alphabet: alphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ') },
        'INVALID_OPTION',
        'alphabet',
        /16 digits of an alphabet of 32 have 80 bits, but an id has 64; leave alphabet out/,
      ],
      [{ storages: [] }, 'INVALID_OPTION', 'storages', /not none$/],
      [{ storages: ['text', 'hex' as 'text'] }, 'INVALID_OPTION', 'storages', /uuid.*, not text, hex$/],
      [
        { firstMs: 6, lastMs: 5 },
        'FIELD_OUT_OF_RANGE',
        'lastMs',
        /lastMs must be an integer from 6 .*not 5$/,
      ],
      [{ lastMs: Number.POSITIVE_INFINITY }, 'FIELD_OUT_OF_RANGE', 'lastMs', /not Infinity$/],
      [{ textLength: 15 }, 'INVALID_OPTION', 'min', /min has 16 characters .*textLength is 15$/],
      [{ max: 'ff' as TicketId }, 'INVALID_OPTION', 'max', /max has 2 characters .*textLength is 16$/],
      [
        { pattern: /^[0-9a-e]{16}$/ },
        'INVALID_OPTION',
        'max',
        /max \("f{16}"\) does not match \/\^\[0-9a-e\]\{16\}\$\/$/,
      ],
      [{ pattern: /^[a-f]{16}$/ }, 'INVALID_OPTION', 'min', /min .* does not match/],
      [{ pattern: /^[0-9a-f]{16}$/g }, 'INVALID_OPTION', 'pattern', /must have no flags.*unlike \/.*\/g;/],
      [{ pattern: /^[0-9A-F]{16}$/i }, 'INVALID_OPTION', 'pattern', /must have no flags/],
      [{ pattern: /^[0-9a-f]{16}}?$/ }, 'INVALID_OPTION', 'pattern', /mean the same with u .* and v /],
      [{ pattern: /^[&&0-9a-f]{16}$/ }, 'INVALID_OPTION', 'pattern', /mean the same with u .* and v /],
      [{ pattern: '^[a-f]{16}$' as never }, 'INVALID_OPTION', 'pattern', /must be a RegExp, not "\^\[a-f/],
      [
        { layout: {} as never },
        'INVALID_OPTION',
        'layout',
        /layout\.fields must be an array, not undefined$/,
      ],
      [{ layout: undefined as never }, 'INVALID_OPTION', 'layout', /must be an array, not undefined$/],
      [{ storages: 'uuid' as never }, 'INVALID_OPTION', 'storages', /uuid.*, not "uuid"$/],
      [{ tag: '7' as never }, 'INVALID_TYPE', 'tag', /tag must be/],
      [{ lastMs: 7n as never }, 'INVALID_TYPE', 'lastMs', /lastMs must be/],
      [{ storages: ['toString' as never] }, 'INVALID_OPTION', 'storages', /uuid.*, not toString$/],
    ])('with %o', (change, code, field, message) => {
      const error = expectRefusal(() => defineFamily({ ...DEFINITION, ...change }), code)
      expect(error).toMatchObject({ family: 'ticket', field, message: expect.stringMatching(message) })
    })

    test.each([undefined, '', 7])('without a name: %o', (name) => {
      const error = expectRefusal(
        () => defineFamily({ ...DEFINITION, name: name as string }),
        'INVALID_OPTION',
      )
      expect(error).toMatchObject({ field: 'name', message: expect.stringContaining('name must be a word') })
    })

    test('unless it is valid: the ends of the tag, one point in time, texts of any length, a pattern that flag v would refuse', () => {
      for (const change of [{ tag: 255 }, { firstMs: 5, lastMs: 5 }, { textLength: undefined }]) {
        expect(defineFamily({ ...DEFINITION, ...change })).toMatchObject(change)
      }
      const { pattern } = defineFamily({ ...DEFINITION, pattern: /^[-0-9a-f/]{16}$/ })
      expect(String(pattern)).toBe(String.raw`/^[\-0-9a-f\/]{16}$/`)
    })

    test.each([flax, sno, flake, flake.withEpoch(0), uid, uid.withNeighbourhood(5), uidLocal])(
      'unless it is that of a family here: $name',
      (family) => {
        const { min, max, pattern } = defineFamily({
          ...(family as IdFamily),
          lowerBoundMs: () => family.min,
        })
        expect([min, max, pattern]).toEqual([family.min, family.max, family.pattern])
      },
    )
  })

  test('passes on the errors of its codec, other exceptions too', () => {
    expectRefusal(() => ticket.parse('xyz'), 'INVALID_LENGTH')
    const bug = () => {
      throw new RangeError('a bug of the codec')
    }
    const broken = defineFamily({ ...DEFINITION, min: ticket.min, max: ticket.max, encode: bug, decode: bug })
    const { fromDatabase, toDatabase } = storageFor(broken, 'sqlite', { storage: 'binary' })
    const calls = [
      () => broken.parse('x'),
      () => broken.is('x'),
      () => toDatabase('x'),
      () => fromDatabase(Buffer.alloc(8)),
    ]
    for (const call of calls) expect(call).toThrow(RangeError)
  })

  test('is stored in every storage that it lists, and in no other, with tag 0 in a uuid8', () => {
    const id: TicketId = ticket.pack({ timeMs: TICKET_EPOCH_MS + 5000, desk: 3, number: 77 })
    for (const storage of ticket.storages) {
      const column = storageFor(ticket, 'postgres', { storage })
      expect(column.fromDatabase(column.toDatabase(id))).toBe(id)
    }
    expect(storageFor(ticket, 'postgres', { storage: 'uuid8' }).toDatabase(id)).toMatch(/00$/)
    expectRefusal(() => storageFor(ticket, 'sqlite', { storage: 'uuid' }), 'STORAGE_REFUSED')
  })

  test('needs only public exports', () => {
    const source = readFileSync(new URL('ticket.ts', import.meta.url), 'utf8')
    const imported = [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
    expect(imported).toEqual(['@snoflax/core'])
    expect(new IdError('NOT_CANONICAL', 'made by a user')).toBeInstanceOf(Error)
  })
})
