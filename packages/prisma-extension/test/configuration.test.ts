import { runInNewContext } from 'node:vm'
import { flake, flax, IdError, prefixed, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import {
  type Configuration,
  type ExtensionOptions,
  idExtension,
  keyset,
  storedIds,
} from '@snoflax/prisma-extension'
import { describe, expect, test, vi } from 'vitest'

const ids = { id: { family: flax, storage: 'text', generated: true } } as const

const refusal = (make: () => unknown): IdError => {
  try {
    make()
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
  return expect.fail('no error')
}

const refused = (models: Configuration['models'], options?: ExtensionOptions) =>
  refusal(() => idExtension({ database: 'sqlite', models }, options))

describe('a configuration', () => {
  test.each([
    [
      { metabyte: 3 },
      'Order.id: ids: no option "metabyte"; options are family, storage, generated, meta, accept, onMismatch, createdAt, key, relations',
    ],
    [{ generated: 'never' }, 'Order.id: ids: generated must be a boolean, not "never"'],
    [{ key: true }, 'Order.id: ids: key must be "unique" or "shared", not true'],
    [
      { family: undefined },
      'Order.id: family must be a family such as flax, not undefined; check for a circular import',
    ],
  ])('is refused with a field of %j', (more, message) => {
    expect(refused({ Order: { id: { ...ids.id, ...more } as never } }).message).toBe(message)
  })

  test('is refused with unknown options', () => {
    const models = { Order: ids }
    expect(refused(models, { generator: { flax } } as never).message).toBe(
      'snoflax: no option "generator"; options are generators',
    )
    expect(refusal(() => idExtension({ databse: 'sqlite', models } as never)).message).toBe(
      'snoflax: no option "databse"; options are database, models',
    )
    expect(refusal(() => keyset({ afer: flax.min, take: 3 } as never)).message).toBe(
      'keyset: no option "afer"; options are after, order, take, field',
    )
    for (const options of [undefined, {}, { take: undefined }, { take: '20' }])
      expect(refusal(() => keyset(options as never)).field).toBe('take')
  })

  test.each(['AND', 'is', 'some', 'where', 'data'])('may have a field named %s', (name) => {
    const models = { Order: { [name]: ids.id } }
    expect(idExtension({ database: 'sqlite', models })).toBeTypeOf('function')
  })
})

describe('generators', () => {
  const flakes = { Group: { id: { family: flake, storage: 'bigint', generated: true } } } as const

  test('are not required if no id is generated', () => {
    const models = { Group: { id: { family: flake, storage: 'bigint' } } } as const
    expect(idExtension({ database: 'sqlite', models })).toBeTypeOf('function')
  })

  test('of an equal family that is not the same object are accepted', () => {
    const models = {
      Group: { id: { family: flake.withEpoch(1e12), storage: 'bigint', generated: true } },
    } as const
    const generators = { flake: flake.withEpoch(1e12).generator({ id: 1 }) }
    expect(idExtension({ database: 'sqlite', models }, { generators })).toBeTypeOf('function')
    expect(refused(models, { generators: { flake: flake.generator({ id: 1 }) } }).code).toBe('INVALID_OPTION')
  })

  test('of a family with the same name but another layout are refused', () => {
    const near = uid.withNeighbourhood(6)
    const models = { Node: { id: { family: near, storage: 'text', generated: true } } } as const
    expect(refused(models, { generators: { [near.name]: uid.generator({ node: 'a' }) } }).code).toBe(
      'INVALID_OPTION',
    )
  })

  test('for families whose ids are generated elsewhere are refused', () => {
    const models = { Group: { ...ids, other: { family: flake, storage: 'bigint' } } } as const
    const error = refused(models, { generators: { flake: flake.generator({ id: 1 }) } })
    expect(error.message).toBe('generators.flake: no column generates flake ids, only flax')
    const none = { Group: { id: { family: flake, storage: 'bigint' } } } as const
    expect(refused(none, { generators: { flake: flake.generator({ id: 1 }) } }).message).toBe(
      'generators.flake: no column generates flake ids, and none of any other family',
    )
  })

  test('may be families with a generate of their own', () => {
    const models = {
      Order: { ...ids, trace: { family: sno, storage: 'text', generated: true, meta: 2 } },
    } as const
    expect(idExtension({ database: 'sqlite', models }, { generators: { flax, sno } })).toBeTypeOf('function')
    const error = refused(flakes, { generators: { flake: flax } })
    expect(error.message).toBe('Group.id: flake: the generator generates flax ids; pass a flake generator')
    expect(refused(flakes, { generators: { flake: flake as never } })).toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Group.id',
    })
  })
})

describe('raw queries', () => {
  const models = {
    Order: { id: { family: sno, storage: 'uuid' }, tag: { family: flax, storage: 'binary' } },
  } as const
  const { parameter, fromDatabase, ...created } = storedIds({ database: 'postgres', models })
  const id = sno.generate()
  const tag = flax.generate()

  test('take ids as stored values', () => {
    expect(parameter('Order.id', id)).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/)
    expect(parameter('Order.tag', tag)).toEqual(flax.decode(tag))
    expect(parameter('Order.id', null)).toBeNull()
  })

  test('return stored values, whose ids fromDatabase reads', () => {
    expect(fromDatabase('Order.id', parameter('Order.id', id))).toBe(id)
    expect(fromDatabase('Order.tag', flax.decode(tag))).toBe(tag)
    expect(fromDatabase('Order.tag', null)).toBeNull()
  })

  test('show a malformed value in hex without Buffer, as on edge runtimes', () => {
    vi.stubGlobal('Buffer', undefined)
    const { message } = refusal(() => fromDatabase('Order.id', 'é'))
    vi.unstubAllGlobals()
    expect(message).toMatch(/; the stored value is \\xc3a9$/)
  })

  test('compare with the ids of a time', () => {
    const { createdBetween, createdAfter, createdBefore } = created
    const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')]
    expect(createdBetween('Order.id', from, to)).toEqual(sno.range(from, to))
    expect(createdAfter('Order.tag', from)).toEqual({ gte: flax.lowerBound(from) })
    expect(createdBefore('Order.id', to)).toEqual({ gte: sno.min, lt: sno.lowerBound(to) })
    expect(refusal(() => createdBetween('Order.id', to, from))).toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Order.id, in createdBetween',
    })
    expect(refusal(() => createdAfter('Order.id', 'soon' as never)).path).toBe('Order.id, in createdAfter')
    expect(refusal(() => createdBefore('Order.id', undefined as never)).code).toBe('INVALID_TYPE')
    for (const name of [flax, undefined, 'Order'] as never[])
      expect(refusal(() => createdBetween(name, from, to)).message).toMatch(
        /^no field .* with ids, only Order\.id, Order\.tag$/,
      )
  })

  test('refuse what is not an id or field', () => {
    expect(refusal(() => parameter('Order.id', 'short')).path).toBe('Order.id, in parameter')
    expect(refusal(() => parameter('Order.nothing', id)).message).toBe(
      'no field "Order.nothing" with ids, only Order.id, Order.tag',
    )
    expect(refusal(() => fromDatabase('Order.id', 'rubbish'))).toMatchObject({
      value: 'rubbish',
      path: 'Order.id, in fromDatabase',
    })
    expect(refusal(() => fromDatabase('Order.nothing' as 'Order.id', id)).message).toMatch('no field')
  })
})

test('keyset pages in either direction, by any field', () => {
  const after = flax.generate()
  expect(keyset({ take: 3 })).toEqual({ where: {}, orderBy: { id: 'asc' }, take: 3 })
  expect(keyset({ after, take: 3 })).toEqual({
    where: { id: { gt: after } },
    orderBy: { id: 'asc' },
    take: 3,
  })
  expect(keyset({ after, take: 3, order: 'desc', field: 'key' })).toEqual({
    where: { key: { lt: after } },
    orderBy: { key: 'desc' },
    take: 3,
  })
  expect(keyset({ after: null, take: 3, order: 'desc' })).toEqual({
    where: {},
    orderBy: { id: 'desc' },
    take: 3,
  })
})

/** The value, frozen with all that is in it. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

type Run = (call: object) => Promise<unknown>

/** What Prisma would call for each operation, with what its clients have and no types show. */
function runOf(models: Configuration['models'], hidden: object): Run {
  let run: Run | undefined
  idExtension({ database: 'sqlite', models })({
    ...hidden,
    $extends: ({ query }: { query: { $allModels: { $allOperations: Run } } }) => {
      run = query.$allModels.$allOperations
    },
  })
  return run ?? expect.fail('no extension')
}

const fields = [
  { name: 'id', kind: 'scalar', type: 'String' },
  { name: 'note', kind: 'scalar', type: 'Json' },
  { name: 'total', kind: 'scalar', type: 'Int' },
  { name: 'next', kind: 'object', type: 'Order' },
]
const HIDDEN = {
  _clientVersion: '7.77.0',
  _extensions: { getAllComputedFields: () => undefined },
  _runtimeDataModel: { models: { Order: { fields } } },
}
const related = { Order: ids } as const

test('a client that lacks a member that the extension uses is refused by its version', async () => {
  const unsupported = (member: string) =>
    '@snoflax/prisma-extension supports @prisma/client ^6.19.0 || ^7.0.0 || ^8.1.0-dev.7; the installed @prisma/client 7.77.0 has no ' +
    `${member}. Install a supported version, or a newer @snoflax/prisma-extension`
  expect(refusal(() => runOf(related, { _clientVersion: '7.77.0' }))).toMatchObject({
    code: 'UNSUPPORTED_VERSION',
    message: unsupported('client._runtimeDataModel'),
  })
  expect(refusal(() => runOf(related, { ...HIDDEN, _extensions: {} }))).toMatchObject({
    code: 'UNSUPPORTED_VERSION',
    message: unsupported('client._extensions.getAllComputedFields'),
  })
  const query = () => expect.fail('the query ran')
  const call = { model: 'Order', operation: 'findMany', args: {}, query }
  const run = runOf(related, HIDDEN)
  await expect(run(call)).rejects.toThrow(unsupported('__internalParams'))
  await expect(run({ ...call, __internalParams: {} })).rejects.toThrow(
    unsupported('__internalParams.dataPath'),
  )
  const known = { ...call, __internalParams: { dataPath: [] } }
  await expect(run({ ...known, operation: 'findSome' })).rejects.toThrow(
    'the operation findSome of @prisma/client 7.77.0 is unknown to this version of @snoflax/prisma-extension; ' +
      'install a newer @snoflax/prisma-extension',
  )
})

test('an operator that is unknown is left to Prisma, unless its ids are converted', async () => {
  const args = { where: { id: { near: 'x' } } }
  const call = { model: 'Order', operation: 'findMany', args, __internalParams: { dataPath: [] } }
  const query = async (got: unknown) => got
  expect(await runOf(related, HIDDEN)({ ...call, query })).toEqual(args)
  const bytes = { Order: { id: { ...ids.id, storage: 'binary' } } } as const
  await expect(runOf(bytes, HIDDEN)({ ...call, query })).rejects.toThrow(
    "Order.id, in order.findMany: where.id.near: flax: no operator near is known, so its ids can't be converted to storage binary; check its name",
  )
})

describe('the ids of a prefix', () => {
  const text = (name: string, dbName?: string) => ({ name, kind: 'scalar', type: 'String', dbName })
  const relation = (name: string, type: string) => ({ name, kind: 'object', type })
  const client = (dbName?: string) => ({
    ...HIDDEN,
    _runtimeDataModel: {
      models: {
        Customer: { dbName, fields: [text('id', 'pk'), text('lastId'), relation('last', 'Order')] },
        Order: {
          dbName,
          fields: [
            text('id', 'pk'),
            text('customerId'),
            relation('customer', 'Customer'),
            relation('next', 'Order'),
          ],
        },
      },
    },
  })
  const cus = { family: prefixed(flax, 'cus'), storage: 'text', generated: true } as const
  const ord = { ...cus, family: prefixed(flax, 'ord') }

  test.each<[string, Configuration['models'], string]>([
    [
      'two keys',
      { Customer: { id: cus }, Order: { id: cus } },
      'Order.id: generates ids with the prefix cus, as Customer.id does; if it refers to Customer.id, declare it as a field without generated;',
    ],
    [
      'a reference that is declared like the key',
      { Customer: { id: cus }, Order: { id: ord, customerId: cus } },
      'Order.customerId: generates ids with the prefix cus, as Customer.id does',
    ],
    [
      'a foreign key',
      { Order: { customerId: { ...ids.id, relations: ['customer'] } } },
      "Order.customerId: references Customer, but is declared to generate ids, of rows that don't exist; declare it as a field without generated",
    ],
    [
      'a foreign key of the same model',
      { Order: { id: ord, customerId: { ...ids.id, relations: ['next'] } } },
      'Order.customerId: references Order, but is declared to generate ids',
    ],
  ])('are generated in one field, not in %s', (_, models, message) => {
    expect(refusal(() => runOf(models, client())).message).toContain(message)
  })

  test('may be generated in two models of one table, in a circle of keys, and copied', () => {
    expect(runOf({ Customer: { id: cus }, Order: { id: cus } }, client('rows'))).toBeTypeOf('function')
    const circle = {
      Customer: { lastId: { ...ids.id, relations: ['last'] } },
      Order: { customerId: { ...ids.id, generated: false, relations: ['customer'] } },
    }
    expect(runOf(circle, client())).toBeTypeOf('function')
    const copied = { Customer: { id: cus }, Order: { id: ord, customerId: { ...cus, generated: false } } }
    expect(runOf(copied, client())).toBeTypeOf('function')
  })
})

test('a malformed stored value is shown in hex, with the keys of its row', async () => {
  const models = {
    Order: {
      id: { family: sno, storage: 'binary' },
      trace: { family: flax, storage: 'binary' },
    },
  } as const
  const trace = { name: 'trace', kind: 'scalar', type: 'String' }
  const run = runOf(models, {
    ...HIDDEN,
    _runtimeDataModel: { models: { Order: { fields: [...fields, trace] } } },
  })
  const answer = (rows: unknown) =>
    run({
      model: 'Order',
      operation: 'findMany',
      args: {},
      query: async () => rows,
      __internalParams: { dataPath: [] },
    })
  const id = sno.generate()
  const [bytes, of] = [sno.decode(id), 'Order.trace, in order.findMany: result[1]']
  const rows = [{ id: bytes }, { id: bytes, trace: 'é', note: 'private' }]
  await expect(answer(structuredClone(rows))).rejects.toMatchObject({
    code: 'INVALID_CHARACTER',
    path: `${of}.trace`,
    message: `${of}.trace: flax: "é" at position 0 of "é" is not ASCII; the stored value is \\xc3a9, in the row with id "${id}"`,
  })
  const nested = [null, { next: [{ id: Uint8Array.of(255, 254), trace: flax.generate() }] }]
  await expect(answer(nested)).rejects.toThrow(
    /^Order\.id, in order\.findMany: result\[1\]\.next\[0\]\.id: .*; the stored value is \\xfffe, in the row with trace "/,
  )
})

test.each(['6.19.3', '7.0.1', '7.1.0'])(
  'ids in Bytes as foreign keys are refused with Prisma %s',
  (version) => {
    const models = { Order: { id: { family: sno, storage: 'binary' } } } as const
    expect(refusal(() => runOf(models, { ...HIDDEN, _clientVersion: version }))).toMatchObject({
      code: 'UNSUPPORTED_VERSION',
      path: 'Order.id',
      message: `Order.id: Prisma ${version} can't relate rows by Bytes; use Prisma 7.2 or newer, or String in place of Bytes`,
    })
    expect(runOf(models, { ...HIDDEN, _clientVersion: '7.2.0' })).toBeTypeOf('function')
    expect(runOf(related, { ...HIDDEN, _clientVersion: version })).toBeTypeOf('function')
  },
)

test.each(['some', 'every', 'none'])('a client with a relation named %s is refused', (name) => {
  const models = { Order: { fields: [...fields, { name, kind: 'object', type: 'Order' }] } }
  expect(refusal(() => runOf(related, { ...HIDDEN, _runtimeDataModel: { models } }))).toMatchObject({
    code: 'INVALID_OPTION',
    path: `Order.${name}`,
  })
})

test.each([
  ['frozen', (args: object) => deepFreeze(structuredClone(args))],
  ["another realm's", (args: object) => runInNewContext(`(${JSON.stringify(args)})`)],
])('arguments are copied where they change, so they may be %s', async (_, copy) => {
  const run = runOf(related, HIDDEN)
  const args = { data: { note: { a: 1 }, next: { create: [{ total: 1 }] } } }
  const frozen = copy(args)
  const seen = await run({
    model: 'Order',
    operation: 'create',
    args: frozen,
    query: async (got: unknown) => got,
    __internalParams: { dataPath: [] },
  })
  expect(frozen).toEqual(args)
  expect(seen).toMatchObject({
    data: { id: expect.any(String), next: { create: [{ id: expect.any(String) }] } },
  })
})
