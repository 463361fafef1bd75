import type { ContractAdapter, Customer, Graph } from '@snoflax/test/contract'
import { sql } from 'kysely'
import * as postgres from 'kysely/helpers/postgres'
import * as sqlite from 'kysely/helpers/sqlite'
import type { Session } from './session.js'

type Adapter = ContractAdapter<Session>

const CUSTOMER = ['id', 'email', 'name', 'trace_id as traceId', 'referrer_id as referrerId'] as const

const customers = ({ db }: Session) => db.selectFrom('customers').select(CUSTOMER)

interface Stored {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly trace_id: string | null
  readonly referrer_id: string | null
}

const customerOf = ({ id, email, name, trace_id, referrer_id }: Stored): Customer => ({
  id,
  email,
  name,
  traceId: trace_id,
  referrerId: referrer_id,
})

export const byId: Adapter['byId'] = {
  'where() of a column': {
    run: (session, id) => customers(session).where('id', '=', id).executeTakeFirst(),
  },
  'selectAll() of an alias': {
    run: async ({ db }, id) => {
      const found = await db
        .selectFrom('customers as c')
        .selectAll('c')
        .where('c.id', '=', id)
        .executeTakeFirst()
      return found && customerOf(found)
    },
  },
  'a value in raw SQL': {
    run: (session, id) =>
      customers(session)
        .where(sql<boolean>`${sql.ref('customers.id')} = ${id}`)
        .executeTakeFirst(),
  },
  'a subquery': {
    run: ({ db }, id) =>
      db
        .selectFrom((eb) => eb.selectFrom('customers').select(CUSTOMER).where('id', '=', id).as('one'))
        .selectAll()
        .where('one.id', '=', id)
        .executeTakeFirst(),
  },
  'a CTE with a list of columns': {
    run: ({ db }, id) =>
      db
        .with('everyone(id, email, name, traceId, referrerId)', (qb) =>
          qb.selectFrom('customers').select(CUSTOMER),
        )
        .selectFrom('everyone')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst(),
  },
  'stream()': {
    run: async (session, id) => {
      // mysql2 streams, pg needs a cursor, PGlite has none.
      const query = customers(session).where('id', '=', id)
      if (session.variant.database !== 'mysql') return query.executeTakeFirst()
      for await (const row of query.stream()) return row
      return undefined
    },
  },
}

export const byIds: Adapter['byIds'] = {
  "where('in')": {
    run: (session, ids) =>
      customers(session)
        .where('id', 'in', [...ids])
        .execute(),
  },
  'a list in raw SQL': {
    run: (session, ids) =>
      customers(session)
        .where(sql<boolean>`${sql.ref('id')} in (${sql.join(ids)})`)
        .execute(),
  },
  'a union': {
    run: async (session, [first, ...others]) =>
      customers(session)
        .where('id', '=', first as string)
        .union(customers(session).where('id', 'in', others))
        .execute(),
  },
  'a tuple': {
    run: (session, ids) =>
      customers(session)
        .where((eb) =>
          eb(
            eb.refTuple('id', 'id'),
            'in',
            ids.map((id) => eb.tuple(id, id)),
          ),
        )
        .execute(),
  },
  case: {
    run: (session, ids) =>
      customers(session)
        .where((eb) => {
          const cases = ids.slice(1).reduce(
            (made, id) => made.when(id).then(1),
            eb
              .case('id')
              .when(ids[0] as string)
              .then(1),
          )
          return eb(cases.else(0).end(), '=', 1)
        })
        .execute(),
  },
}

export const byRange: Adapter['byRange'] = {
  'where() twice': {
    run: (session, range) =>
      customers(session).where('id', '>=', range.gte).where('id', '<', range.lt).execute(),
  },
  'values in raw SQL': {
    run: (session, range) =>
      customers(session)
        .where(sql<boolean>`${sql.ref('id')} >= ${range.gte} and ${range.lt} > ${sql.ref('id')}`)
        .execute(),
  },
  'between, and another': {
    run: (session, range) =>
      customers(session)
        .where((eb) => eb.between('id', range.gte, range.lt))
        .where('id', '!=', range.lt)
        .execute(),
  },
}

const createdBetweenPaths: Adapter['createdBetween'] = {
  'createdBetween()': {
    run: (session, from, to) =>
      customers(session)
        .where(session.ids.createdBetween('customers.id', from, to))
        .execute(),
  },
  'createdAfter() and createdBefore() of an alias': {
    run: async ({ db, ids }, from, to) => {
      const found = await db
        .selectFrom('customers as c')
        .selectAll()
        .where(ids.createdAfter('customers.id', from, { as: 'c.id' }))
        .where(ids.createdBefore('customers.id', to, { as: 'c.id' }))
        .execute()
      return found.map(customerOf)
    },
  },
}

export { createdBetweenPaths as createdBetween }

export const byTrace: Adapter['byTrace'] = {
  'where()': {
    run: (session, traceId) =>
      traceId === null
        ? customers(session).where('trace_id', 'is', null).execute()
        : customers(session).where('trace_id', '=', traceId).execute(),
  },
  'coalesce()': {
    run: (session, traceId) =>
      customers(session)
        .where((eb) =>
          traceId === null
            ? eb('trace_id', 'is', null)
            : eb(eb.fn.coalesce('trace_id', 'trace_id'), '=', traceId),
        )
        .execute(),
  },
}

export const byOrder: Adapter['byOrder'] = {
  'an inner join': {
    run: async ({ db }, orderId) => {
      const found = await db
        .selectFrom('customers')
        .innerJoin('orders', 'orders.customer_id', 'customers.id')
        .selectAll('customers')
        .where('orders.id', '=', orderId)
        .execute()
      return found.map(customerOf)
    },
  },
  'a value in the condition of a join': {
    run: async ({ db }, orderId) => {
      const found = await db
        .selectFrom('customers')
        .innerJoin('orders as o', (join) =>
          join.onRef('o.customer_id', '=', 'customers.id').on('o.id', '=', orderId),
        )
        .selectAll('customers')
        .execute()
      return found.map(customerOf)
    },
  },
  'in a subquery': {
    run: (session, orderId) =>
      customers(session)
        .where('id', 'in', (eb) => eb.selectFrom('orders').select('customer_id').where('id', '=', orderId))
        .execute(),
  },
}

async function byQueries(session: Session, id: string): Promise<Graph | undefined> {
  const { db } = session
  const customer = await customers(session).where('id', '=', id).executeTakeFirst()
  if (!customer) return undefined
  const { referrerId } = customer
  const referrer =
    referrerId === null ? undefined : await customers(session).where('id', '=', referrerId).executeTakeFirst()
  const profile = await db
    .selectFrom('profiles')
    .select(['id', 'bio', 'customer_id as customerId'])
    .where('customer_id', '=', id)
    .executeTakeFirst()
  const orders = await db
    .selectFrom('orders')
    .select(['id', 'total', 'customer_id as customerId'])
    .where('customer_id', '=', id)
    .execute()
  const loaded = orders.map(async (order) => ({
    ...order,
    lines: await db
      .selectFrom('order_lines')
      .select(['order_id as orderId', 'position', 'quantity'])
      .where('order_id', '=', order.id)
      .execute(),
    tags: await db
      .selectFrom('tags')
      .innerJoin('orders_tags', 'orders_tags.tag_id', 'tags.id')
      .select(['tags.id', 'tags.label'])
      .where('orders_tags.order_id', '=', order.id)
      .execute(),
  }))
  return {
    ...customer,
    referrer: referrer ?? null,
    profile: profile ?? null,
    orders: await Promise.all(loaded),
  }
}

export const onMysql: Adapter['graph'] = { 'query by query': { run: byQueries } }

async function byJson({ db, variant }: Session, id: string): Promise<Graph | undefined> {
  const { jsonArrayFrom, jsonObjectFrom } = variant.database === 'sqlite' ? sqlite : postgres
  const found = await db
    .selectFrom('customers as c')
    .select(['c.id', 'c.email', 'c.name', 'c.trace_id as traceId', 'c.referrer_id as referrerId'])
    .select((eb) => [
      jsonObjectFrom(
        eb
          .selectFrom('customers as r')
          .select(['r.id', 'r.email', 'r.name', 'r.trace_id as traceId', 'r.referrer_id as referrerId'])
          .whereRef('r.id', '=', 'c.referrer_id'),
      ).as('referrer'),
      jsonObjectFrom(
        eb
          .selectFrom('profiles as p')
          .select(['p.id', 'p.bio', 'p.customer_id as customerId'])
          .whereRef('p.customer_id', '=', 'c.id'),
      ).as('profile'),
      jsonArrayFrom(
        eb
          .selectFrom('orders as o')
          .select(['o.id', 'o.total', 'o.customer_id as customerId'])
          .select((below) => [
            jsonArrayFrom(
              below
                .selectFrom('order_lines as l')
                .select(['l.order_id as orderId', 'l.position', 'l.quantity'])
                .whereRef('l.order_id', '=', 'o.id'),
            ).as('lines'),
            jsonArrayFrom(
              below
                .selectFrom('tags as t')
                .innerJoin('orders_tags as j', 'j.tag_id', 't.id')
                .select(['t.id', 't.label'])
                .whereRef('j.order_id', '=', 'o.id'),
            ).as('tags'),
          ])
          .whereRef('o.customer_id', '=', 'c.id'),
      ).as('orders'),
    ])
    .where('c.id', '=', id)
    .executeTakeFirst()
  return found as Graph | undefined
}

export const graph: Adapter['graph'] = {
  ...onMysql,
  'jsonArrayFrom() and jsonObjectFrom()': { run: byJson },
}

export const page: Adapter['page'] = {
  'keyset()': {
    run: async (session, after, limit) =>
      customers(session)
        .$call(session.ids.keyset('customers.id', { after, take: limit }))
        .execute(),
  },
}

export const ends: Adapter['ends'] = {
  'order by the id': {
    run: async ({ db }) => {
      const ids = await db.selectFrom('orders').select('id').orderBy('id').execute()
      return { min: ids[0]?.id as string, max: ids.at(-1)?.id as string }
    },
  },
  'min() and max(), where the database has them': {
    run: async ({ db, variant }) => {
      const query = db.selectFrom('orders')
      if (/^(?:postgres|pglite)$/.test(variant.database) && variant.storage === 'uuid') {
        const end = (order: 'asc' | 'desc') =>
          query.select('id').orderBy('id', order).limit(1).executeTakeFirstOrThrow()
        return { min: (await end('asc')).id, max: (await end('desc')).id }
      }
      return query
        .select((eb) => [eb.fn.min('id').as('min'), eb.fn.max('id').as('max')])
        .executeTakeFirstOrThrow()
    },
  },
}

export const counts: Adapter['counts'] = {
  'group by': {
    run: async ({ db }) => {
      const rows = await db
        .selectFrom('orders')
        .select((eb) => ['customer_id', eb.fn.countAll().as('orders')])
        .groupBy('customer_id')
        .execute()
      return new Map(rows.map((row) => [row.customer_id, Number(row.orders)]))
    },
  },
}
