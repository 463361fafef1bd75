import { runInNewContext } from 'node:vm'
import { registerSnoflax, type SqliteConnection } from '@snoflax/better-sqlite3'
import { flake, flax, IdError, type IdFamily, sno } from '@snoflax/core'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TicketId, ticket, ticketGenerator } from './ticket.js'

let db: Database.Database
beforeEach(() => {
  db = new Database(':memory:')
})
afterEach(() => {
  db.close()
})

const value = (expression: string): unknown => db.prepare(`SELECT ${expression}`).pluck().get()

const prefixes = (): unknown[] =>
  db
    .prepare(
      "SELECT DISTINCT substr(name, 1, length(name) - 7) FROM pragma_function_list WHERE name LIKE '%~_encode' ESCAPE '~' AND name NOT LIKE '%~_prefixed~_encode' ESCAPE '~' ORDER BY 1",
    )
    .pluck()
    .all()

test('returns the connection, with the functions of flax, sno and flake', () => {
  expect(registerSnoflax(db)).toBe(db)
  expect(prefixes()).toEqual(['flake', 'flax', 'sno'])
})

test.each([
  [{ famlies: [flax] }, 'registerSnoflax: no option "famlies"; options are families, generators'],
  [{ generator: { flax } }, 'registerSnoflax: no option "generator"; options are families, generators'],
  [null, 'registerSnoflax: options must be an object, not null'],
  [
    { families: [flax, undefined] },
    'registerSnoflax: each of families must be a family such as flax, not undefined; check for a circular import',
  ],
])('refuses %j', (options, message) => {
  expect(() => registerSnoflax(db, options as never)).toThrow(message)
})

test('reads blobs of another realm, as in Jest and vm contexts', () => {
  const functions = new Map<string, (...values: never[]) => unknown>()
  const connection: SqliteConnection = {
    function: (name, _, call) => functions.set(name, call),
    table: () => undefined,
  }
  registerSnoflax(connection, { families: [flax] })
  const id = flax.generate()
  const blob = runInNewContext('Uint8Array.from(list)', { list: [...flax.decode(id)] })
  expect(functions.get('flax_encode')?.(blob as never)).toBe(id)
})

test('registers only the families passed', () => {
  registerSnoflax(db, { families: [sno, flax] })
  expect(prefixes()).toEqual(['flax', 'sno'])
})

test('can be called again, and uses the generators of the last call', () => {
  registerSnoflax(db, { generators: { sno: sno.generator({ partition: 7 }) } })
  expect(value("sno_unpack(sno_generate()) ->> 'partition'")).toBe(7)
  registerSnoflax(db, { generators: { sno: sno.generator({ partition: 8 }) } })
  expect(value("sno_unpack(sno_generate()) ->> 'partition'")).toBe(8)
})

describe('a family of your own', () => {
  beforeEach(() => {
    registerSnoflax(db, { families: [ticket], generators: { salesTicket: ticketGenerator() } })
  })

  test('has the functions, named after it', () => {
    expect(prefixes()).toEqual(['sales_ticket'])
    const count = db.prepare("SELECT count(*) FROM pragma_function_list WHERE name GLOB 'sales_ticket_*'")
    expect(count.pluck().get()).toBe(22)
  })

  test('generates and reads ids through its functions', () => {
    expect(value("sales_ticket_lower_bound_text('2020-01-01 00:01')")).toBe('0000003c00000000')
    expect(value("sales_ticket_time('0000003c00000005')")).toBe('2020-01-01 00:01:00.000')
    expect(value("sales_ticket_unpack('0000003c00000005')")).toBe('{"time_ms":1577836860000,"desk_number":5}')
    expect(value("hex(sales_ticket_pack(sales_ticket_unpack('0000003c00000005')))")).toBe('0000003C00000005')
    expect(value("sales_ticket_to_bigint('0000000000000005')")).toBe(5)
    expect(value("sales_ticket_to_uuid8('0000003c00000005')")).toBe('0000003c-0000-8000-8500-000000000000')
    expect(value('sales_ticket_encode(5)')).toBe('0000000000000005')
    expect(value("sales_ticket_unpack(sales_ticket_generate()) ->> 'desk_number'")).toBe(1)
    expect(
      value("group_concat(sales_ticket_unpack(id) ->> 'desk_number') FROM sales_ticket_generate_many(3)"),
    ).toBe('2,3,4')
    expect(() => value("sales_ticket_decode('x')")).toThrow(
      'sales_ticket_decode(): salesTicket: 16 hex digits',
    )
  })

  describe('with a bigint field', () => {
    const isBigint = (number: unknown): boolean => typeof number === 'bigint'
    beforeEach(() => {
      const numbered = {
        ...ticket,
        unpack: (id: TicketId) => ({ wholeNumber: BigInt(`0x${id}`), label: `"${BigInt(`0x${id}`)}"` }),
        pack: ({ wholeNumber, label }: { readonly wholeNumber: bigint; readonly label: string }) => {
          if (!isBigint(wholeNumber) || typeof label !== 'string') throw new TypeError('a bigint and a text')
          return wholeNumber.toString(16).padStart(16, '0') as TicketId
        },
      } as IdFamily
      registerSnoflax(db, { families: [numbered] })
    })

    test('has all its digits in the JSON, and pack reads them again', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
          const id = number.toString(16).padStart(16, '0')
          const json = `{"whole_number":${number},"label":"\\"${number}\\""}`
          expect(value(`sales_ticket_unpack('${id}')`)).toBe(json)
          expect(value(`sales_ticket_encode(sales_ticket_pack('${json}'))`)).toBe(id)
        }),
      )
    })

    test('is an INTEGER in SQLite, exact up to its maximum', () => {
      const unpacked = "sales_ticket_unpack('7fffffffffffffff')"
      expect(value(`CAST(${unpacked} ->> 'whole_number' AS TEXT)`)).toBe('9223372036854775807')
      expect(value(`typeof(${unpacked} ->> 'whole_number')`)).toBe('integer')
      expect(value("sales_ticket_unpack('ffffffffffffffff') -> 'whole_number'")).toBe('18446744073709551615')
    })

    test.each(['1.5', '1e3', '"x"', '"1.0"', 'null', 'true', '[1]', '{"whole_number":1}'])(
      'is refused as %s',
      (input) => {
        const pack = () => value(`sales_ticket_pack('{"label":"","whole_number":${input}}')`)
        expect(pack).toThrow(IdError)
        expect(pack).toThrow('sales_ticket_pack(): salesTicket: whole_number must be an integer, not ')
      },
    )

    test('may have spaces around it, and may be a text of digits', () => {
      const packed = (json: string) => value(`sales_ticket_encode(sales_ticket_pack('${json}'))`)
      expect(packed('{ "label" : "1, 9007199254740993" , "whole_number" : 9007199254740993 }')).toBe(
        '0020000000000001',
      )
      expect(packed('{"whole_number":"9007199254740993","label":""}')).toBe('0020000000000001')
    })
  })

  test('needs a generator, even if it has no example of one', () => {
    registerSnoflax(db, { families: [ticket] })
    expect(() => value('sales_ticket_generate()')).toThrow(
      'sales_ticket_generate(): salesTicket has no default generator; pass registerSnoflax(db, { generators: { salesTicket: an IdGenerator } })',
    )
  })
})

test('a family with its own generate can be passed as its generator', () => {
  registerSnoflax(db, { generators: { sno, flax } })
  const partition = sno.unpack(sno.generate()).partition
  expect(value('sno_unpack(sno_generate_text(7))')).toContain(`"partition":${partition}`)
  expect(flax.is(value('flax_generate_text()'))).toBe(true)
})

describe('refuses, before it registers anything,', () => {
  const later = flake.withEpoch(5)
  const alike = { ...ticketGenerator(), family: { ...ticket, name: 'other' } as never }
  test.each<[string, Parameters<typeof registerSnoflax>[1], object]>([
    [
      'two families with one name',
      { families: [flake, flax, later] },
      { family: 'flake', field: 'families' },
    ],
    [
      "a family whose name cannot begin a function's name",
      { families: [{ ...ticket, name: 'sales-ticket' } as IdFamily] },
      { family: 'sales-ticket' },
    ],
    [
      'a generator of a family that is not passed',
      { families: [flax], generators: { sno: sno.generator() } },
      {
        family: 'sno',
        field: 'generators',
        message: 'registerSnoflax: generators.sno: no column generates sno ids, only flax',
      },
    ],
    [
      'a generator of another family',
      { families: [ticket], generators: { salesTicket: alike } },
      {
        field: 'generator',
        message:
          'registerSnoflax: salesTicket: the generator generates other ids; pass a salesTicket generator',
      },
    ],
    [
      'a family without its own generate as a generator',
      { generators: { flake: flake as never } },
      {
        family: 'flake',
        message:
          'registerSnoflax: flake: generator must be an id generator such as flake.generator({ datacenter: 1, worker: 2 }), not an object',
      },
    ],
  ])('%s', (_, options, error) => {
    const refused = { name: 'IdError', code: 'INVALID_OPTION', ...error }
    expect(() => registerSnoflax(db, options)).toThrow(expect.objectContaining(refused))
    expect(prefixes()).toEqual([])
  })

  test('but no generator of a family that is equal, but not the same object', () => {
    const generators = { flake: flake.withEpoch(5).generator({ datacenter: 1, worker: 1 }) }
    registerSnoflax(db, { families: [later], generators })
    expect(prefixes()).toEqual(['flake'])
  })
})
