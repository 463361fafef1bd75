import {
  createdAfter,
  createdBefore,
  createdBetween,
  keyset,
  maxId,
  minId,
  parameter,
  placeholder,
} from '@snoflax/drizzle/pg-core'
import type { ContractAdapter, Customer, Graph, Refusal, Variant } from '@snoflax/test/contract'
import { and, asc, count, eq, exists, gte, inArray, isNull, lt, max, min, sql } from 'drizzle-orm'
import type { Session } from './session.js'
import { isBefore1, raw } from './version.js'

type Adapter = ContractAdapter<Session>

export const byId: Adapter['byId'] = {
  'select().where(eq())': {
    run: async ({ db, schema: { customers } }, id) =>
      (await db.select().from(customers).where(eq(customers.id, id)))[0],
  },
  'query.findFirst()': {
    run: async ({ db }, id) =>
      db.query.customers.findFirst({ where: raw((customer) => eq(customer.id, id)) }),
  },
  'prepared select with placeholder(column)': {
    run: async ({ db, schema: { customers } }, id) => {
      const where = eq(customers.id, placeholder(customers.id, 'id'))
      return (await db.select().from(customers).where(where).prepare('by_id').execute({ id }))[0]
    },
  },
  'parameter() in a raw template': {
    run: async ({ db, schema: { customers } }, id) => {
      const where = sql`${customers.id} = ${parameter(customers.id, id)}`
      return (await db.select().from(customers).where(where))[0]
    },
  },
  'a subquery': {
    run: async ({ db, schema: { customers } }, id) => {
      const one = db.select().from(customers).where(eq(customers.id, id)).as('one')
      return (await db.select().from(one).where(eq(one.id, id)))[0]
    },
  },
  'a CTE': {
    run: async ({ db, schema: { customers } }, id) => {
      const everyone = db.$with('everyone').as(db.select().from(customers))
      return (await db.with(everyone).select().from(everyone).where(eq(everyone.id, id)))[0]
    },
  },
}

export const byIds: Adapter['byIds'] = {
  'select().where(inArray())': {
    run: async ({ db, schema: { customers } }, ids) =>
      db
        .select()
        .from(customers)
        .where(inArray(customers.id, [...ids])),
  },
  'query.findMany()': {
    run: async ({ db }, ids) =>
      db.query.customers.findMany({ where: raw((customer) => inArray(customer.id, [...ids])) }),
  },
  'a union': {
    run: async ({ db, schema: { customers } }, [first, ...others]) =>
      db
        .select()
        .from(customers)
        .where(eq(customers.id, first as string))
        .union(db.select().from(customers).where(inArray(customers.id, others))),
  },
}

export const byRange: Adapter['byRange'] = {
  'select().where(and(gte(), lt()))': {
    run: async ({ db, schema: { customers } }, range) =>
      db
        .select()
        .from(customers)
        .where(and(gte(customers.id, range.gte), lt(customers.id, range.lt))),
  },
  'query.findMany()': {
    run: async ({ db }, range) =>
      db.query.customers.findMany({
        where: raw((customer) => and(gte(customer.id, range.gte), lt(customer.id, range.lt))),
      }),
  },
}

const createdBetweenPaths: Adapter['createdBetween'] = {
  'select().where(createdBetween())': {
    run: async ({ db, schema: { customers } }, from, to) =>
      db
        .select()
        .from(customers)
        .where(createdBetween(customers.id, from, to)),
  },
  'select().where(and(createdAfter(), createdBefore()))': {
    run: async ({ db, schema: { customers } }, from, to) =>
      db
        .select()
        .from(customers)
        .where(and(createdAfter(customers.id, from), createdBefore(customers.id, to))),
  },
  'query.findMany()': {
    run: async ({ db }, from, to) =>
      db.query.customers.findMany({ where: raw((customer) => createdBetween(customer.id, from, to)) }),
  },
}

export { createdBetweenPaths as createdBetween }

export const byTrace: Adapter['byTrace'] = {
  'select().where(eq()), or isNull()': {
    run: async ({ db, schema: { customers } }, traceId) => {
      const where = traceId === null ? isNull(customers.traceId) : eq(customers.traceId, traceId)
      return db.select().from(customers).where(where)
    },
  },
}

export const byOrder: Adapter['byOrder'] = {
  'an inner join': {
    run: async ({ db, schema: { customers, orders } }, orderId) => {
      const joined = await db
        .select()
        .from(customers)
        .innerJoin(orders, eq(orders.customerId, customers.id))
        .where(eq(orders.id, orderId))
      return joined.map((row) => row.customers)
    },
  },
  'inArray() of a subquery': {
    run: async ({ db, schema: { customers, orders } }, orderId) => {
      const ids = db.select({ id: orders.customerId }).from(orders).where(eq(orders.id, orderId))
      return db.select().from(customers).where(inArray(customers.id, ids))
    },
  },
  'exists() of a subquery': {
    run: async ({ db, schema: { customers, orders } }, orderId) => {
      const its = and(eq(orders.customerId, customers.id), eq(orders.id, orderId))
      return db
        .select()
        .from(customers)
        .where(exists(db.select().from(orders).where(its)))
    },
  },
}

/** A row of the relational query, in the contract's shape. */
const everything = {
  referrer: true,
  profile: true,
  orders: { with: { lines: true, ties: { columns: {}, with: { tag: true } } } },
} as const

/** What Drizzle 0.45 can't read in the JSON of nested rows. */
export const nested = ({ storage, database }: Variant): Refusal | undefined => {
  if (!isBefore1) return undefined
  if (storage === 'bigint') return { why: 'JSON rounds the numbers', by: /was rounded/ }
  if (storage !== 'binary' || isPostgres({ database })) return undefined
  return database === 'sqlite'
    ? { why: 'JSON has no bytes', by: /JSON cannot hold BLOB values/ }
    : { why: 'JSON has no bytes', by: /JSON at position|is not valid JSON|stored value/ }
}

export const graph: Adapter['graph'] = {
  'query.findFirst({ with })': {
    refused: nested,
    run: async ({ db }, id) => {
      const found = await db.query.customers.findFirst({
        where: raw((customer) => eq(customer.id, id)),
        with: everything,
      })
      return found && withTags(found)
    },
  },
  'query.findMany({ with, columns, orderBy, limit })': {
    refused: nested,
    run: async ({ db }, id) => {
      const [found] = await db.query.customers.findMany({
        where: raw((customer) => eq(customer.id, id)),
        with: {
          referrer: { columns: { id: true, email: true, name: true, traceId: true, referrerId: true } },
          profile: { columns: { bio: true, id: true, customerId: true } },
          orders: {
            orderBy: (order) => asc(order.id),
            limit: 10,
            with: {
              lines: { limit: 5 },
              ties: { columns: { orderId: false, tagId: false }, with: { tag: true } },
            },
          },
        },
      })
      return found && withTags(found)
    },
  },
  'select() with left joins': {
    run: async ({ db, schema }, id) => {
      const { customers, profiles, orders, orderLines, ordersToTags, tags } = schema
      const rows = await db
        .select()
        .from(customers)
        .leftJoin(profiles, eq(profiles.customerId, customers.id))
        .leftJoin(orders, eq(orders.customerId, customers.id))
        .where(eq(customers.id, id))
      const [first] = rows
      if (!first) return undefined
      const { referrerId } = first.customers
      const [referrer] = referrerId
        ? await db.select().from(customers).where(eq(customers.id, referrerId))
        : []
      const its = rows.flatMap((row) => (row.orders ? [row.orders] : []))
      const loaded = its.map(async (order) => ({
        ...order,
        lines: await db.select().from(orderLines).where(eq(orderLines.orderId, order.id)),
        tags: await db
          .select({ id: tags.id, label: tags.label })
          .from(ordersToTags)
          .innerJoin(tags, eq(tags.id, ordersToTags.tagId))
          .where(eq(ordersToTags.orderId, order.id)),
      }))
      return {
        ...first.customers,
        referrer: referrer ?? null,
        profile: first.profiles,
        orders: await Promise.all(loaded),
      }
    },
  },
}

interface Tied extends Customer {
  readonly referrer: Customer | null
  readonly profile: Graph['profile']
  readonly orders: readonly (Omit<Graph['orders'][number], 'tags'> & {
    readonly ties: readonly { readonly tag: { readonly id: string; readonly label: string } }[]
  })[]
}

/** Ties are a table of Drizzle's own; the contract wants the tags. */
const withTags = ({ orders, ...customer }: Tied): Graph => ({
  ...customer,
  orders: orders.map(({ ties, ...order }) => ({ ...order, tags: ties.map(({ tag }) => tag) })),
})

export const page: Adapter['page'] = {
  'select() with keyset()': {
    run: async ({ db, schema: { customers } }, after, limit) => {
      const { where, orderBy } = keyset(customers.id, { after })
      return db.select().from(customers).where(where).orderBy(orderBy).limit(limit)
    },
  },
  'query.findMany() with keyset()': {
    run: async ({ db, schema: { customers } }, after, limit) =>
      isBefore1
        ? db.query.customers.findMany({ ...keyset(customers.id, { after }), limit })
        : db.query.customers.findMany({
            where: raw((customer) => keyset(customer.id, { after }).where),
            orderBy: (customer) => keyset(customer.id).orderBy,
            limit,
          }),
  },
}

const isPostgres = ({ database }: { readonly database: string }) =>
  database === 'postgres' || database === 'pglite'

export const ends: Adapter['ends'] = {
  'min() and max(), or minId() and maxId() in PostgreSQL': {
    run: async ({ db, schema: { orders }, variant }) => {
      const ends = isPostgres(variant)
        ? { min: minId(orders.id), max: maxId(orders.id) }
        : { min: min(orders.id), max: max(orders.id) }
      const [found] = await db.select(ends).from(orders)
      return found as { min: string; max: string }
    },
  },
  'order by the id': {
    run: async ({ db, schema: { orders } }) => {
      const ids = await db.select({ id: orders.id }).from(orders).orderBy(asc(orders.id))
      return { min: ids[0]?.id as string, max: ids.at(-1)?.id as string }
    },
  },
}

export const counts: Adapter['counts'] = {
  'group by': {
    run: async ({ db, schema: { orders } }) => {
      const rows = await db
        .select({ id: orders.customerId, orders: count() })
        .from(orders)
        .groupBy(orders.customerId)
      return new Map(rows.map((row) => [row.id, row.orders]))
    },
  },
  '$count()': {
    run: async ({ db, schema: { customers, orders } }) => {
      const its = db.$count(orders, eq(orders.customerId, customers.id))
      const rows = await db.select({ id: customers.id, orders: its }).from(customers)
      return new Map(rows.map((row) => [row.id, Number(row.orders)]))
    },
  },
}
