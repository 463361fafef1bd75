import { runInNewContext } from 'node:vm'
import { registerSnoflax, type SqliteConnection } from '@snoflax/better-sqlite3'
import { flake, flax, IdError, type IdFamily, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
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
    const names = db
      .prepare("SELECT name FROM pragma_function_list WHERE name LIKE 'sales~_ticket%' ESCAPE '~' ORDER BY 1")
      .pluck()
      .all()
    expect(names).toEqual(
      [
        'decode',
        'encode',
        'from_bigint',
        'from_uuid8',
        'generate',
        'generate_bigint',
        'generate_text',
        'is_valid',
        'lower_bound',
        'lower_bound_bigint',
        'lower_bound_ms',
        'lower_bound_ms_bigint',
        'lower_bound_ms_text',
        'lower_bound_text',
        'pack',
        'prefixed_decode',
        'prefixed_encode',
        'time',
        'time_ms',
        'to_bigint',
        'to_uuid8',
        'unpack',
      ].map((name) => `sales_ticket_${name}`),
    )
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
      (given) => {
        const pack = () => value(`sales_ticket_pack('{"label":"","whole_number":${given}}')`)
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

describe('refuses', () => {
  const refusal = (options: Parameters<typeof registerSnoflax>[1]): unknown => {
    try {
      registerSnoflax(db, options)
    } catch (error) {
      expect(error).toBeInstanceOf(IdError)
      expect(prefixes()).toEqual([])
      return error
    }
    return undefined
  }

  test('two families with one name', () => {
    expect(refusal({ families: [flake, flax, flake.withEpoch(5)] })).toMatchObject({
      code: 'INVALID_OPTION',
      family: 'flake',
      field: 'families',
    })
  })

  test("a family whose name cannot begin a function's name", () => {
    const family = { ...ticket, name: 'sales-ticket' } as IdFamily
    expect(refusal({ families: [family] })).toMatchObject({ code: 'INVALID_OPTION', family: 'sales-ticket' })
  })

  test('a generator of a family that is not passed', () => {
    const generators = { snow: sno.generator() }
    expect(refusal({ generators })).toMatchObject({
      code: 'INVALID_OPTION',
      family: 'snow',
      field: 'generators',
      message: 'registerSnoflax: generators.snow: no column generates snow ids, only flax, sno, flake',
    })
    expect(refusal({ families: [flax], generators: { sno: sno.generator() } })).toMatchObject({
      family: 'sno',
    })
  })

  test('a generator of another family', () => {
    const message = 'registerSnoflax: sno: the generator generates flax ids; pass a sno generator'
    for (const generators of [{ sno: flax.generator() }, { sno: flax }]) {
      expect(refusal({ generators })).toMatchObject({ code: 'INVALID_OPTION', field: 'generator', message })
    }
    const alike = { salesTicket: { ...ticketGenerator(), family: { ...ticket, name: 'other' } as never } }
    expect(refusal({ families: [ticket], generators: alike })).toMatchObject({
      message:
        'registerSnoflax: salesTicket: the generator generates other ids; pass a salesTicket generator',
    })
  })

  test.each([null, 7, 'sno', {}, { family: sno }])('%o as a generator', (given) => {
    expect(refusal({ generators: { sno: given as never } })).toMatchObject({
      code: 'INVALID_OPTION',
      family: 'sno',
      field: 'generator',
      message: expect.stringMatching(
        /^registerSnoflax: sno: generator must be an id generator such as sno\.generator\(\), not /,
      ),
    })
  })

  test('a family without its own generate as a generator', () => {
    expect(refusal({ generators: { flake: flake as never } })).toMatchObject({
      family: 'flake',
      message:
        'registerSnoflax: flake: generator must be an id generator such as flake.generator({ datacenter: 1, worker: 2 }), not an object',
    })
  })

  test('a generator of another epoch or neighbourhood', () => {
    const message = expect.stringMatching(/the generator generates \w+ ids with another layout or epoch/)
    const epoch = { flake: flake.withEpoch(5).generator({ datacenter: 1, worker: 1 }) }
    expect(refusal({ generators: epoch })).toMatchObject({ code: 'INVALID_OPTION', message })
    const near = { uid: uid.withNeighbourhood(5).generator({ node: 'a@b' }) }
    expect(refusal({ families: [uid], generators: near })).toMatchObject({ code: 'INVALID_OPTION', message })
  })

  test('no generator of a family that is equal, but not the same object', () => {
    const generators = { flake: flake.withEpoch(5).generator({ datacenter: 1, worker: 1 }) }
    expect(refusal({ families: [flake.withEpoch(5)], generators })).toBeUndefined()
  })
})
