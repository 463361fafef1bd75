import { idExtension, keyset, storedIds } from '@snoflax/prisma-extension'
import type { OpenDatabase } from '@snoflax/test'
import { sharedPostgres } from '@snoflax/test'
import {
  type ContractAdapter,
  type NewGraph,
  type Refusal,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { type AnyClient, clientOf, pushSchema, runCollations } from '../project/clients.js'
import { generateProject } from '../project/generate.js'
import { VERSION } from '../project/version.js'
import { contractConfiguration, contractProject } from './schema.js'
import { unawaited } from './unawaited.js'

export interface PrismaSession {
  readonly variant: Variant
  /** With the extension. */
  readonly prisma: AnyClient
  readonly bare: AnyClient
}

async function open(database: OpenDatabase, variant: Variant): Promise<PrismaSession> {
  const folder = await generateProject(contractProject(variant))
  await pushSchema(folder, database)
  await runCollations(folder, database)
  const bare = await clientOf(folder, database)
  const generators = { [variant.family.name]: variant.generator }
  const configuration = contractConfiguration(variant)
  const prisma = bare.$extends(idExtension(configuration, { generators }))
  return { variant, bare, prisma }
}

const GRAPH = { referrer: true, profile: true, orders: { include: { lines: true, tags: true } } }

/** Data of a customer with all that hangs on it; tags are made once and found after that. */
function graphData({ profile, orders, referrerId, ...customer }: NewGraph): object {
  return {
    ...customer,
    ...(referrerId != null && { referrer: { connect: { id: referrerId } } }),
    profile: { create: profile },
    orders: {
      create: orders.map(({ total, lines, tags }) => ({
        total,
        lines: { create: lines },
        tags: { connectOrCreate: tags.map(({ label }) => ({ where: { label }, create: { label } })) },
      })),
    },
  }
}

const onBytes = ({ storage }: Variant): Refusal | undefined =>
  storage === 'binary' ? { why: 'Prisma has no ranges over Bytes', by: 'INVALID_OPTION' } : undefined

/** PostgreSQL has no min and max of uuid, and of bytea since version 18. */
function withoutAggregates({ database, storage }: Variant): Refusal | undefined {
  if (storage === 'uuid' || storage === 'uuid8') {
    return { why: 'PostgreSQL has no min and max of uuid', by: /min\(uuid\)/ }
  }
  if (storage !== 'binary') return undefined
  if (database === 'sqlite') return { why: 'Prisma fails on min and max of Bytes', by: /./ }
  return database === 'postgres' && sharedPostgres().version < 18
    ? { why: 'PostgreSQL has no min and max of bytea before 18', by: /min\(bytea\)/ }
    : undefined
}

const withoutReturning = ({ database }: Variant): Refusal | undefined =>
  database === 'mysql' ? { why: 'Prisma has no RETURNING for MySQL', by: /ManyAndReturn/ } : undefined

// Each family, each storage, and both together where a driver's value takes a way of its own.
const POSTGRES = [
  ...['flax as uuid', 'flax as text', 'flax as binary', 'flax as uuid8', 'sno as uuid', 'sno as binary'],
  ...['uid as text', 'uid as uuid8', 'flake as bigint', 'flake as binary', 'uidLocal as bigint'],
]
const SQLITE = ['flax as text', 'sno as binary', 'uid as text', 'flake as binary', 'uidLocal as text']

const MYSQL = ['flax as text', 'sno as binary', 'uid as text', 'flake as bigint', 'uidLocal as binary']

// Before 7.2 Prisma can't relate rows by Bytes, and we refuse it.
const isSupported = (name: string): boolean => VERSION === '' || !name.endsWith(' as binary')

function chosen(database: Variant['database'], names: readonly string[]): readonly Variant[] {
  const found = variantsOf(database).filter(({ family, storage }) =>
    names.includes(`${family.name} as ${storage}`),
  )
  if (found.length !== names.length) throw new Error(`${database}: a variant is not known`)
  return found
}

/** Prisma's ways of writing and reading the contract's schema. */
const adapter: ContractAdapter<PrismaSession> = {
  orm: 'Prisma',
  variants: {
    postgres: chosen('postgres', POSTGRES.filter(isSupported)),
    sqlite: chosen('sqlite', SQLITE.filter(isSupported)),
    mysql: VERSION === '' ? chosen('mysql', MYSQL) : [],
    pglite: VERSION === '' ? chosen('pglite', ['flax as uuid']) : [],
  },
  junction: { table: '"_OrderToTag"', order: '"A"', tag: '"B"' },
  open,
  close: async ({ prisma }) => prisma.$disconnect(),
  unawaited,
  raw: {
    run: ({ prisma }, strings, values) =>
      /^\s*(SELECT|WITH)/.test(strings[0] as string)
        ? prisma.$queryRaw(Object.assign([...strings], { raw: strings }), ...values)
        : prisma.$executeRaw(Object.assign([...strings], { raw: strings }), ...values),
  },

  inserts: {
    create: {
      run: ({ prisma }, rows) =>
        inTurn(rows, async (data) => (await prisma.customer.create({ data })).id as string),
    },
    createMany: {
      run: async ({ prisma }, data) => {
        await prisma.customer.createMany({ data })
        return undefined
      },
    },
    createManyAndReturn: {
      refused: withoutReturning,
      run: async ({ prisma }, data) => idsOf(await prisma.customer.createManyAndReturn({ data })),
    },
    'createManyAndReturn, one object': {
      refused: withoutReturning,
      run: async ({ prisma }, rows) => {
        return inTurn(
          rows,
          async (data) => idsOf(await prisma.customer.createManyAndReturn({ data }))[0] as string,
        )
      },
    },
    'upsert by email': {
      run: ({ prisma }, rows) =>
        inTurn(rows, async (row) => {
          const where = { email: row.email }
          return (await prisma.customer.upsert({ where, create: row, update: {} })).id as string
        }),
    },
    'batch transaction': {
      run: async ({ prisma }, rows) =>
        idsOf(await prisma.$transaction(rows.map((data) => prisma.customer.create({ data })))),
    },
    'interactive transaction': {
      run: ({ prisma }, rows) =>
        prisma.$transaction((transaction: AnyClient) =>
          inTurn(rows, async (data) => (await transaction.customer.create({ data })).id as string),
        ),
    },
  },
  upserts: {
    upsert: {
      run: async ({ prisma }, row) => {
        const { email, name } = row
        return (await prisma.customer.upsert({ where: { email }, create: row, update: { name } })).id
      },
    },
    'upsert within an update': {
      run: async ({ prisma }, { email, ...row }) => {
        const parent = await prisma.customer.findFirst({ where: { email: { not: email } } })
        const existing = await prisma.customer.findUnique({ where: { email } })
        if (existing) {
          await prisma.customer.update({
            where: { id: parent.id },
            data: { referred: { connect: { id: existing.id } } },
          })
        }
        const upsert = { where: { email }, create: { email, ...row }, update: { name: row.name } }
        await prisma.customer.update({ where: { id: parent.id }, data: { referred: { upsert } } })
        return (await prisma.customer.findUnique({ where: { email } })).id
      },
    },
  },
  graphs: {
    create: {
      run: async ({ prisma }, graph) => (await prisma.customer.create({ data: graphData(graph) })).id,
    },
    update: {
      run: async ({ prisma }, { profile, orders, ...customer }) => {
        const { id } = await prisma.customer.create({ data: customer })
        const { email, name, ...rest } = graphData({ ...customer, profile, orders }) as Record<
          string,
          unknown
        >
        await prisma.customer.update({ where: { id }, data: { ...rest, traceId: undefined } })
        return id
      },
    },
  },
  updates: {
    update: {
      run: async ({ prisma }, id, data) => {
        await prisma.customer.update({ where: { id }, data })
      },
    },
    updateMany: {
      run: async ({ prisma }, id, data) => {
        await prisma.customer.updateMany({ where: { id: { in: [id] } }, data })
      },
    },
    'update with set': {
      refused: withoutReturning,
      run: async ({ prisma }, id, change) => {
        const data = Object.fromEntries(Object.entries(change).map(([field, set]) => [field, { set }]))
        await prisma.customer.updateManyAndReturn({ where: { id: { equals: id } }, data })
      },
    },
    upsert: {
      run: async ({ prisma }, id, update) => {
        const create = { email: crypto.randomUUID(), name: 'not made' }
        await prisma.customer.upsert({ where: { id }, create, update })
      },
    },
  },
  deletes: {
    delete: {
      run: async ({ prisma }, ids) => {
        await inTurn(ids, (id) => prisma.customer.delete({ where: { id } }))
      },
    },
    deleteMany: {
      run: async ({ prisma }, ids) => {
        await prisma.customer.deleteMany({ where: { id: { in: [...ids] } } })
      },
    },
  },
  links: {
    connect: {
      run: ({ prisma }, id, tag) =>
        prisma.order.update({ where: { id }, data: { tags: { connect: { id: tag } } } }),
    },
    'connect from the other side': {
      run: ({ prisma }, id, tag) =>
        prisma.tag.update({ where: { id: tag }, data: { orders: { connect: [{ id }] } } }),
    },
    connectOrCreate: {
      run: ({ prisma }, id, tag) =>
        prisma.order.update({
          where: { id },
          data: { tags: { connectOrCreate: { where: { id: tag }, create: { label: crypto.randomUUID() } } } },
        }),
    },
  },
  unlinks: {
    disconnect: {
      run: ({ prisma }, id, tag) =>
        prisma.order.update({ where: { id }, data: { tags: { disconnect: { id: tag } } } }),
    },
    'set to others': {
      run: async ({ prisma }, id, tag) => {
        const rest = await prisma.tag.findMany({ where: { orders: { some: { id } }, NOT: { id: tag } } })
        const set = rest.map((one: { id: string }) => ({ id: one.id }))
        await prisma.order.update({ where: { id }, data: { tags: { set } } })
      },
    },
  },

  byId: {
    findUnique: {
      run: async ({ prisma }, id) => (await prisma.customer.findUnique({ where: { id } })) ?? undefined,
    },
    findFirst: {
      run: async ({ prisma }, id) =>
        (await prisma.customer.findFirst({ where: { AND: [{ id }] } })) ?? undefined,
    },
    'findMany, cursor': {
      run: async ({ prisma }, id) => {
        const [row] = await prisma.customer.findMany({ cursor: { id }, take: 1 })
        return row
      },
    },
  },
  byIds: {
    in: { run: ({ prisma }, ids) => prisma.customer.findMany({ where: { id: { in: [...ids] } } }) },
    OR: { run: ({ prisma }, ids) => prisma.customer.findMany({ where: { OR: ids.map((id) => ({ id })) } }) },
    'batched findUnique': {
      run: async ({ prisma }, ids) => {
        const rows = await Promise.all(ids.map((id) => prisma.customer.findUnique({ where: { id } })))
        return rows.filter((row) => row !== null)
      },
    },
  },
  byRange: {
    findMany: {
      run: ({ prisma }, range) => prisma.customer.findMany({ where: { id: range } }),
      refused: onBytes,
    },
    AND: {
      run: ({ prisma }, { gte, lt }) =>
        prisma.customer.findMany({ where: { AND: [{ id: { gte } }, { id: { lt } }] } }),
      refused: onBytes,
    },
  },
  createdBetween: {
    findMany: {
      run: ({ prisma, variant }, from, to) =>
        prisma.customer.findMany({
          where: { id: storedIds(contractConfiguration(variant)).createdBetween('Customer.id', from, to) },
        }),
      refused: onBytes,
    },
  },
  byTrace: {
    findMany: { run: ({ prisma }, traceId) => prisma.customer.findMany({ where: { traceId } }) },
    equals: {
      run: ({ prisma }, traceId) => prisma.customer.findMany({ where: { traceId: { equals: traceId } } }),
    },
  },
  byOrder: {
    some: { run: ({ prisma }, id) => prisma.customer.findMany({ where: { orders: { some: { id } } } }) },
    'fluent API': {
      run: async ({ prisma }, id) => [await prisma.order.findUnique({ where: { id } }).customer()],
    },
  },
  graph: {
    include: {
      run: async ({ prisma }, id) =>
        (await prisma.customer.findUnique({ where: { id }, include: GRAPH })) ?? undefined,
    },
    'fluent API': {
      run: async ({ prisma }, id) => {
        const customer = await prisma.customer.findUnique({ where: { id } })
        const chain = () => prisma.customer.findUnique({ where: { id } })
        const [referrer, profile, orders] = await Promise.all([
          chain().referrer(),
          chain().profile(),
          chain().orders({ include: { lines: true, tags: true } }),
        ])
        return { ...customer, referrer, profile, orders }
      },
    },
  },
  page: {
    keyset: {
      run: ({ prisma, variant }, after = variant.family.min, take) =>
        prisma.customer.findMany(keyset({ after, take })),
      refused: onBytes,
    },
    cursor: {
      run: ({ prisma }, after, take) =>
        prisma.customer.findMany({
          orderBy: { id: 'asc' },
          take,
          ...(after !== undefined && { cursor: { id: after }, skip: 1 }),
        }),
    },
  },
  ends: {
    'first and last': {
      run: async ({ prisma }) => {
        const min = await prisma.order.findFirst({ orderBy: { id: 'asc' } })
        const max = await prisma.order.findFirst({ orderBy: { id: 'desc' } })
        return { min: min.id, max: max.id }
      },
    },
    aggregate: {
      run: async ({ prisma }) => {
        const { _min, _max } = await prisma.order.aggregate({ _min: { id: true }, _max: { id: true } })
        return { min: _min.id, max: _max.id }
      },
      refused: withoutAggregates,
    },
  },
  counts: {
    groupBy: {
      run: async ({ prisma }) => {
        const groups = await prisma.order.groupBy({ by: ['customerId'], _count: { _all: true } })
        return new Map(groups.map((one: AnyClient) => [one.customerId, one._count._all]))
      },
    },
  },

  around: {
    'a client without the extension': { run: ({ bare }, data) => bare.customer.create({ data }) },
  },
}

export default adapter

/** One after the other, as within a transaction they have to be. */
async function inTurn<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  for (const item of items) results.push(await run(item))
  return results
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)
