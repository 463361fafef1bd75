import { readFileSync } from 'node:fs'
import { defineFamily, IdError, storageFor } from '@snoflax/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'
import { TICKET_EPOCH_MS, type TicketId, ticket } from './ticket.js'

const fields = fc.record({
  timeMs: fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((seconds) => TICKET_EPOCH_MS + seconds * 1000),
  desk: fc.integer({ min: 0, max: 255 }),
  number: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
})

describe('a family of a user', () => {
  test('packs, unpacks, encodes, decodes and tells the time', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const id = ticket.pack(given)
        expect(ticket.unpack(id)).toEqual(given)
        expect(ticket.encode(ticket.decode(id))).toBe(id)
        expect(ticket.parse(id)).toBe(id)
        expect(ticket.time(id)).toEqual(new Date(given.timeMs))
      }),
    )
  })

  test('has all that is derived: ends, order, bounds, ranges, checks, Standard Schema', () => {
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

  test('says its own ends where all zeros and all ones are no ids', () => {
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

  test('errors of its own codec come through, other exceptions too', () => {
    expectRefusal(() => ticket.parse('xyz'), 'INVALID_LENGTH')
    const broken = { ...ticket, decode: () => expect.fail('a bug of the codec') }
    expect(() => broken.decode()).toThrow('a bug of the codec')
  })

  test.each([
    ['postgres', 'bigint'],
    ['postgres', 'text'],
    ['postgres', 'binary'],
    ['postgres', 'uuid'],
    ['postgres', 'uuid8'],
    ['sqlite', 'text'],
    ['sqlite', 'binary'],
    ['mysql', 'bigint'],
    ['mariadb', 'binary'],
  ] as const)('lies in %s as %s, and comes back', (database, storage) => {
    const column = storageFor(ticket, database, { storage })
    const id: TicketId = ticket.pack({ timeMs: TICKET_EPOCH_MS + 5000, desk: 3, number: 77 })
    expect(column.fromDatabase(column.toDatabase(id))).toBe(id)
  })

  test('has tag 0 in a uuid8', () => {
    const uuid = storageFor(ticket, 'postgres', { storage: 'uuid8' }).toDatabase(ticket.max) as string
    expect(uuid).toMatch(/00$/)
  })

  test('is refused in a storage that it does not name', () => {
    expectRefusal(() => storageFor(ticket, 'sqlite', { storage: 'uuid' }), 'STORAGE_REFUSED')
  })

  test('needs the public exports only', () => {
    const source = readFileSync(new URL('ticket.ts', import.meta.url), 'utf8')
    const imported = [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
    expect(imported).toEqual(['@snoflax/core'])
    expect(new IdError('NOT_CANONICAL', 'made by a user')).toBeInstanceOf(Error)
  })
})
