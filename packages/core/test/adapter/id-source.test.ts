import { flake, flax, type IdFamily, prefixed, sno } from '@snoflax/core'
import {
  agree,
  checkGenerator,
  checkGeneratorNames,
  checkSchema,
  databaseDefault,
  type IdSource,
  idSource,
  readKeyset,
  requireMembers,
  sqlCall,
  withPath,
} from '@snoflax/core/adapter'
import { uid } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { ticket } from '../ticket.js'

const usage = (example: string) => `{ generator: ${example} }`
const worker = flake.generator({ datacenter: 1, worker: 2 })

describe("the source of a column's ids", () => {
  test('is the monotonic generator of this process for flax, and if flax itself is passed', () => {
    for (const generator of [undefined, flax]) {
      const [a, b] = [idSource({ family: flax, generator, usage }), idSource({ family: flax, usage })]
      const ids = Array.from({ length: 1000 }, (_, i) => (i % 2 ? a() : b()))
      expect(ids).toEqual([...ids].sort())
    }
  })

  test('is any other generator as passed', () => {
    const source: IdSource = { generate: () => flax.max }
    expect(idSource({ family: flax as IdFamily, generator: source, usage })()).toBe(flax.max)
    expect(flake.unpack(idSource({ family: flake, generator: worker, usage })())).toMatchObject({ worker: 2 })
  })

  test('puts the metabyte into each id', () => {
    expect(sno.meta(idSource({ family: sno, meta: 7, usage })())).toBe(7)
    expect(sno.meta(idSource({ family: sno, generator: sno.generator({ meta: 3 }), usage })())).toBe(3)
  })

  // The mistakes that ORM packages can meet are in test/contract/mistakes.ts.
  test('is refused for flake if flake itself is passed', () => {
    expectRefusal(() => idSource({ family: flake, generator: flake as never, usage }), 'INVALID_OPTION', {
      field: 'generator',
    })
  })

  test.each([
    [null, 'flax: generator must be an id generator such as flax.generator(), not null'],
    [sno, 'flax: the generator generates sno ids; pass a flax generator'],
  ])('refuses what is not a generator of flax: %#', (generator, message) => {
    expectRefusal(() => checkGenerator(flax, generator), 'INVALID_OPTION', { message, field: 'generator' })
    expectRefusal(() => idSource({ family: flax, generator: generator as never, usage }), 'INVALID_OPTION', {
      message,
    })
  })

  test('puts the prefix before the ids of a generator of the base', () => {
    const family = prefixed(flake, 'job')
    const usage = String
    for (const generator of [worker, family.fromGenerator(worker)]) {
      expect(idSource({ family, generator, usage })()).toMatch(/^job_[0-9]+$/)
    }
    expect(idSource({ family: prefixed(flax, 'cus'), generator: flax, usage })()).toMatch(/^cus_[\w-]{16}$/)
    expectRefusal(() => idSource({ family, generator: flax, usage }), 'INVALID_OPTION', {
      message: 'job: the generator generates flax ids; pass a job generator',
    })
  })

  test('refuses generators by name of another family', () => {
    expect(() => checkGeneratorNames({ sno, flax }, [flax, sno])).not.toThrow()
    expectRefusal(() => checkGeneratorNames({ sno: flax }, [flax, sno]), 'INVALID_OPTION', {
      message: 'sno: the generator generates flax ids; pass a sno generator',
    })
  })

  test('refuses a metabyte that no id can have, in SQL too', () => {
    expectRefusal(() => sqlCall(flax, 'binary', 'snoflax', 3), 'INVALID_OPTION')
    expectRefusal(() => sqlCall(sno, 'binary', 'snoflax', 256), 'FIELD_OUT_OF_RANGE', { field: 'meta' })
  })
})

describe('the path in an error', () => {
  test('is prepended once, the innermost one', () => {
    const inner = () => withPath('orders.id', () => sno.parse('x'))
    expectRefusal(() => withPath('customers', inner), 'INVALID_LENGTH', {
      path: 'orders.id',
      message: 'orders.id: sno: an id has 16 characters, not 1 ("x")',
    })
  })

  test('is prepended to INVALID_TYPE too; other errors and results are passed through', () => {
    expectRefusal(() => withPath('orders.id', () => sno.parse(5)), 'INVALID_TYPE', {
      path: 'orders.id',
      message: 'orders.id: sno: an id must be a string, not 5',
    })
    const other = new TypeError('full')
    expect(() =>
      withPath('orders.id', () => {
        throw other
      }),
    ).toThrow(other)
    expect(withPath(expect.fail, () => 5)).toBe(5)
  })
})

describe('a foreign key', () => {
  const target = { path: 'customers.id', family: flax, storage: 'uuid' } as const
  const own = { path: 'orders.customerId', family: flax } as const

  test('is accepted if it agrees with its target', () => {
    expect(() => agree(own, target)).not.toThrow()
    expect(() => agree({ ...own, storage: 'uuid' }, { ...target, family: flax })).not.toThrow()
  })

  test.each([
    [own, { path: 'customers.name' }, 'references customers.name, which is not an id column'],
    [
      { ...own, family: flake },
      { path: 'jobs.id', family: flake.withEpoch(5) },
      'stores flake ids with another layout or epoch than jobs.id',
    ],
  ])('is refused if it does not agree with its target: %#', (one, other, reason) => {
    expectRefusal(() => agree(one, other), 'INVALID_OPTION', {
      message: `orders.customerId: ${reason}`,
      path: 'orders.customerId',
    })
  })
})

test('a keyset takes its options, refuses others, and orders ascending by default', () => {
  const column = { path: 'orders.id', family: flax }
  expect(readKeyset(column, {}, 'never')).toEqual({ order: 'asc', after: undefined })
  expect(readKeyset(column, { order: 'desc', take: 1 }, 'optional').order).toBe('desc')
  expectRefusal(() => readKeyset(column, { take: 5 }, 'never'), 'INVALID_OPTION', {
    message: 'keyset: no option "take"; options are after, order',
  })
  for (const take of [0, -1, 1.5, '20', null, Number.NaN]) {
    expectRefusal(() => readKeyset(column, { take }, 'optional'), 'INVALID_OPTION', { field: 'take' })
  }
})

describe('the SQL of a database default', () => {
  test.each([
    [flax, 'binary', undefined, undefined, 'snoflax.flax_generate()'],
    [flax, 'uuid', 'ids', undefined, 'ids.flax_generate_uuid()'],
    [sno, 'text', 'snoflax', 0, 'snoflax.sno_generate_text(0)'],
    [ticket, 'uuid8', undefined, undefined, 'snoflax.ticket_generate_uuid8()'],
    [flake.withEpoch(5), 'bigint', undefined, undefined, 'snoflax.flake_generate_bigint()'],
    [uid.withNeighbourhood(8), 'binary', undefined, undefined, 'snoflax.uid_generate()'],
  ] as const)(
    'calls the function of family, storage and schema: %#',
    (family, storage, schema, meta, call) => {
      expect(sqlCall(family as IdFamily, storage, schema, meta)).toBe(call)
    },
  )

  test.each(['Ids', 'pg_ids', 'order', '', 'a"b', 'a'.repeat(64), 5])('refuses the schema %j', (schema) => {
    expectRefusal(() => checkSchema(schema as string), 'INVALID_OPTION', { field: 'schema', value: schema })
  })

  test('is refused for a function that PostgreSQL does not have, and for SQLite', () => {
    expectRefusal(() => sqlCall(uid.withNeighbourhood(10), 'uuid'), 'INVALID_OPTION', {
      field: 'neighbourhood',
    })
    expect(sqlCall(prefixed(flax, 'cus'), 'uuid')).toBe('snoflax.flax_generate_uuid()')
    expect(sqlCall(prefixed(flax, 'cus'), 'text')).toBe("('cus_'::text || snoflax.flax_generate_text())")
    expect(databaseDefault({ family: flax, database: 'postgres', storage: 'uuid' })).toBe(
      sqlCall(flax, 'uuid'),
    )
    expectRefusal(
      () => databaseDefault({ family: flax, database: 'sqlite', storage: 'text' }),
      'INVALID_OPTION',
      {
        field: 'default',
      },
    )
  })

  test.each(['mysql', 'mariadb'] as const)(
    'is an expression of built-in functions in %s, for flax only',
    (database) => {
      const expression = databaseDefault({ family: flax, database, storage: 'binary' })
      expect(expression).toMatch(
        /^\(?if\(utc_timestamp\(\) between '2015-01-01 00:00:00' and '2049-11-03 19:53:47',concat/,
      )
      expect(databaseDefault({ family: prefixed(flax, 'cus'), database, storage: 'binary' })).toBe(expression)
      expectRefusal(() => databaseDefault({ family: sno, database, storage: 'text' }), 'INVALID_OPTION', {
        field: 'number',
      })
      expectRefusal(() => databaseDefault({ family: uid, database, storage: 'text' }), 'INVALID_OPTION', {
        field: 'default',
      })
      const inText = { database, storage: 'text' } as const
      const bare = databaseDefault({ ...inText, family: flax })
      const start = bare.indexOf(',') + 1
      const end = bare.lastIndexOf(',NULL')
      expect(databaseDefault({ ...inText, family: prefixed(flax, 'cus') })).toBe(
        `${bare.slice(0, start)}concat(_binary'cus_',${bare.slice(start, end)})${bare.slice(end)}`,
      )
    },
  )
})

describe('the members that a library must have', () => {
  const library = { name: 'orm', version: '9.0.0', supported: '^8', by: '@snoflax/orm' }
  const message = (member: string) =>
    `@snoflax/orm supports orm ^8; the installed orm 9.0.0 has no ${member}. ` +
    'Install a supported version, or a newer @snoflax/orm'

  test('pass if they are all there', () => {
    const owner = { build: () => 1, isOpen: false }
    expect(() =>
      requireMembers(library, [{ owner, name: 'Orm', members: ['build', 'isOpen'] }]),
    ).not.toThrow()
  })

  test('are refused by name if one is missing, or the object itself', () => {
    expectRefusal(
      () =>
        requireMembers(library, [{ owner: { build: 1 }, name: 'Orm.prototype', members: ['build', 'run'] }]),
      'UNSUPPORTED_VERSION',
      { message: message('Orm.prototype.run') },
    )
    expectRefusal(
      () => requireMembers(library, [{ owner: null, name: 'Orm', members: [] }]),
      'UNSUPPORTED_VERSION',
      {
        message: message('Orm'),
      },
    )
  })
})
