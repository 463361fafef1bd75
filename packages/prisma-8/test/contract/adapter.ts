import { storageFor } from '@snoflax/core'
import { installStatements } from '@snoflax/pg-sql'
import type { OpenDatabase, PostgresDatabase, SqliteDatabase } from '@snoflax/test'
import {
  type ContractAdapter,
  type Customer,
  type Graph,
  type NewCustomer,
  type NewGraph,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { tables } from '../../../../test/skeleton/adapter.js'
import type { Untyped } from '../operations.js'
import * as ofPostgres from '../postgres/client.js'
import * as ofSqlite from '../sqlite/client.js'
import { emitted } from './schema.js'

export interface Session {
  readonly variant: Variant
  readonly client: Untyped
  /** The models, and the tables of the builder of SQL. */
  readonly orm: Untyped
  readonly sql: Untyped
  /** A client without the extension, which Prisma refuses to make. */
  bare(): unknown
}

async function open(database: OpenDatabase, variant: Variant): Promise<Session> {
  const { storage, family, generator } = variant
  const isPostgres = database.kind === 'postgres'
  const kind = isPostgres ? 'postgres' : 'sqlite'
  const { column } = storageFor(family, kind, { storage })
  // Its min and max of uuid.
  if (isPostgres) await database.query(installStatements().join(';\n'))
  for (const statement of tables(column.sql)) await database.query(statement)
  const { clientOf, bareClientOf } = isPostgres ? ofPostgres : ofSqlite
  const contractJson = await emitted(variant)
  const place = isPostgres
    ? { url: (database as PostgresDatabase).url }
    : { path: (database as SqliteDatabase).file }
  const client = clientOf({ contractJson, ...place, generators: { [family.name]: generator } })
  const [orm, sql] = isPostgres ? [client.orm.public, client.sql.public] : [client.orm, client.sql]
  return { variant, client, orm, sql, bare: () => bareClientOf({ contractJson, ...place }) }
}

const bySql = ({ client }: Session, query: Untyped): Promise<Untyped[]> =>
  client.runtime().query(query.build())

const COLUMNS = ['id', 'email', 'name', 'trace_id', 'referrer_id']

const customerOf = ({ id, email, name, trace_id, referrer_id }: Untyped): Customer => ({
  id,
  email,
  name,
  traceId: trace_id,
  referrerId: referrer_id,
})

const select = async (session: Session, where: Untyped): Promise<Customer[]> =>
  (await bySql(session, session.sql.customers.select(...COLUMNS).where(where))).map(customerOf)

async function inTurn<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  for (const item of items) results.push(await run(item))
  return results
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

async function writeGraph(orm: Untyped, { profile, orders, ...customer }: NewGraph): Promise<string> {
  const { id } = await orm.Customer.create({
    ...customer,
    profile: (each: Untyped) => each.create([profile]),
    orders: (each: Untyped) => each.create(orders.map(({ total }) => ({ total }))),
  })
  const made = await orm.Order.where({ customerId: id }).all()
  for (const { total, lines, tags } of orders) {
    const order = made.find((each: Untyped) => each.total === total)
    await orm.Order.where({ id: order.id }).update({
      lines: (each: Untyped) => each.create(lines),
    })
    for (const { label } of tags) {
      const tag = await orm.Tag.create({ label })
      await orm.OrderTag.create({ orderId: order.id, tagId: tag.id })
    }
  }
  return id
}

const graphOf = ({ orders, ...customer }: Untyped): Graph => ({
  ...customer,
  orders: orders.map(({ ties, ...order }: Untyped) => ({
    ...order,
    tags: ties.map(({ tag }: Untyped) => tag),
  })),
})

/** Prisma 8's ways of writing and reading the contract's schema: models, and its builder of SQL. */
const adapter: ContractAdapter<Session> = {
  orm: 'Prisma 8',
  variants: {
    postgres: variantsOf('postgres', { storages: ['uuid', 'text', 'bigint', 'uuid8'] }),
    sqlite: variantsOf('sqlite', { storages: ['text'] }),
  },
  junction: { table: 'orders_tags', order: 'order_id', tag: 'tag_id' },
  open,
  close: ({ client }) => client.close(),

  inserts: {
    create: {
      run: ({ orm }, rows) => inTurn(rows, async (row) => (await orm.Customer.create(row)).id as string),
    },
    createAll: { run: async ({ orm }, rows) => idsOf(await orm.Customer.createAll(rows)) },
    createAndCount: {
      run: async ({ orm }, rows) => {
        await orm.Customer.createAndCount(rows)
        return undefined
      },
    },
    'upsert by email': {
      run: ({ orm }, rows) =>
        inTurn(rows, async (create) => {
          const conflictOn = { email: create.email }
          return (await orm.Customer.upsert({ create, update: { name: create.name }, conflictOn }))
            .id as string
        }),
    },
    transaction: {
      run: ({ client, variant }, rows) =>
        client.transaction((tx: Untyped) => {
          const { Customer } = variant.database === 'postgres' ? tx.orm.public : tx.orm
          return inTurn(rows, async (row) => (await Customer.create(row)).id as string)
        }),
    },
    'SQL builder: insert().returning()': {
      // The builder wants the same columns in each row of one statement.
      run: (session, rows) =>
        inTurn(rows, async (row) => {
          const query = session.sql.customers.insert([storedRow(row)]).returning('id')
          return idsOf(await bySql(session, query))[0] as string
        }),
    },
  },
  upserts: {
    upsert: {
      run: async ({ orm }, create) => {
        const { name, email } = create
        return (await orm.Customer.upsert({ create, update: { name }, conflictOn: { email } })).id
      },
    },
  },
  graphs: { 'nested create': { run: ({ orm }, graph) => writeGraph(orm, graph) } },
  updates: {
    'update by key': { run: ({ orm }, id, change) => orm.Customer.where({ id }).update(change) },
    updateAndCount: {
      run: ({ orm }, id, change) =>
        orm.Customer.where((row: Untyped) => row.id.in([id])).updateAndCount(change),
    },
    'SQL builder: update()': {
      run: async (session, id, change) => {
        const query = session.sql.customers
          .update(storedRow(change))
          .where((fields: Untyped, fns: Untyped) => fns.eq(fields.id, id))
          .returning('id')
        await bySql(session, query)
      },
    },
  },
  deletes: {
    'delete by key': {
      run: async ({ orm }, ids) => {
        await inTurn(ids, (id) => orm.Customer.where({ id }).delete())
      },
    },
    deleteAndCount: {
      run: ({ orm }, ids) => orm.Customer.where((row: Untyped) => row.id.in(ids)).deleteAndCount(),
    },
    'SQL builder: delete()': {
      run: async (session, ids) => {
        const query = session.sql.customers
          .delete()
          .where((fields: Untyped, fns: Untyped) => fns.in(fields.id, ids))
          .returning('id')
        await bySql(session, query)
      },
    },
  },
  links: {
    'create in the junction table': {
      run: ({ orm }, orderId, tagId) => orm.OrderTag.create({ orderId, tagId }),
    },
    connect: {
      run: ({ orm }, orderId, tagId) =>
        orm.OrderTag.create({
          order: (order: Untyped) => order.connect({ id: orderId }),
          tag: (tag: Untyped) => tag.connect({ id: tagId }),
        }),
    },
  },
  unlinks: {
    'delete from the junction table': {
      run: ({ orm }, orderId, tagId) => orm.OrderTag.where({ orderId, tagId }).delete(),
    },
  },

  byId: {
    first: { run: async ({ orm }, id) => (await orm.Customer.first({ id })) ?? undefined },
    'where eq': {
      run: async ({ orm }, id) => (await orm.Customer.where((row: Untyped) => row.id.eq(id)).all())[0],
    },
    'SQL builder: eq': {
      run: async (session, id) =>
        (await select(session, (fields: Untyped, fns: Untyped) => fns.eq(fields.id, id)))[0],
    },
  },
  byIds: {
    in: { run: ({ orm }, ids) => orm.Customer.where((row: Untyped) => row.id.in(ids)).all() },
    'SQL builder: in': {
      run: (session, ids) => select(session, (fields: Untyped, fns: Untyped) => fns.in(fields.id, ids)),
    },
  },
  byRange: {
    'gte and lt': {
      run: ({ orm }, { gte, lt }) =>
        orm.Customer.where((row: Untyped) => row.id.gte(gte))
          .where((row: Untyped) => row.id.lt(lt))
          .all(),
    },
    'SQL builder: gte and lt': {
      run: (session, { gte, lt }) =>
        select(session, (fields: Untyped, fns: Untyped) =>
          fns.and(fns.gte(fields.id, gte), fns.lt(fields.id, lt)),
        ),
    },
  },
  createdBetween: {
    createdBetween: {
      run: ({ orm }, from, to) => orm.Customer.where((row: Untyped) => row.id.createdBetween(from, to)).all(),
    },
    'SQL builder: createdBetween': {
      run: (session, from, to) =>
        select(session, (fields: Untyped, fns: Untyped) => fns.createdBetween(fields.id, from, to)),
    },
  },
  byTrace: { where: { run: ({ orm }, traceId) => orm.Customer.where({ traceId }).all() } },
  byOrder: {
    some: {
      run: ({ orm }, id) =>
        orm.Customer.where((row: Untyped) => row.orders.some((order: Untyped) => order.id.eq(id))).all(),
    },
    'SQL builder: a join': {
      run: async (session, id) => {
        const { customers, orders } = session.sql
        const rows = await bySql(
          session,
          customers
            .as('c')
            .innerJoin(orders.as('o'), (fields: Untyped, fns: Untyped) =>
              fns.eq(fields.o.customer_id, fields.c.id),
            )
            .select((fields: Untyped) => Object.fromEntries(COLUMNS.map((name) => [name, fields.c[name]])))
            .where((fields: Untyped, fns: Untyped) => fns.eq(fields.o.id, id)),
        )
        return rows.map(customerOf)
      },
    },
  },
  graph: {
    include: {
      run: async ({ orm }, id) => {
        const [found] = await orm.Customer.where({ id })
          .include('referrer')
          .include('profile')
          .include('orders', (orders: Untyped) =>
            orders.include('lines').include('ties', (ties: Untyped) => ties.select('tagId').include('tag')),
          )
          .all()
        return found && graphOf(found)
      },
    },
  },
  page: {
    cursor: {
      run: ({ orm }, after, limit) => {
        const inOrder = orm.Customer.orderBy((row: Untyped) => row.id.asc())
        return (after === undefined ? inOrder : inOrder.cursor({ id: after })).limit(limit).all()
      },
    },
    'where gt': {
      run: ({ orm }, after, limit) => {
        const inOrder = orm.Customer.orderBy((row: Untyped) => row.id.asc()).limit(limit)
        return (after === undefined ? inOrder : inOrder.where((row: Untyped) => row.id.gt(after))).all()
      },
    },
  },
  ends: {
    aggregate: {
      run: ({ orm }) =>
        orm.Order.aggregate((each: Untyped) => ({ min: each.min('id'), max: each.max('id') })),
    },
    'SQL builder: min and max': {
      run: async (session) => {
        const [row] = await bySql(
          session,
          session.sql.orders
            .select('min', (fields: Untyped, fns: Untyped) => fns.min(fields.id))
            .select('max', (fields: Untyped, fns: Untyped) => fns.max(fields.id)),
        )
        return row
      },
    },
  },
  counts: {
    groupBy: {
      run: async ({ orm }) => {
        const groups = await orm.Order.groupBy('customerId').aggregate((each: Untyped) => ({
          n: each.count(),
        }))
        return new Map(groups.map(({ customerId, n }: Untyped) => [customerId, n]))
      },
    },
  },

  unawaited: {
    'first()': ({ orm }, id) => orm.Customer.where({ id }).first(),
    'create()': ({ orm }, id) => orm.Customer.create({ id, email: 'unawaited@example.org', name: 'Nobody' }),
    'update()': ({ orm }, id) => orm.Customer.where({ id }).update({ name: 'Nobody' }),
    'delete()': ({ orm }, id) => orm.Customer.where({ id }).delete(),
  },

  around: { 'a client without the extension': { run: async ({ bare }) => bare() } },
}

export default adapter

/** A row by its columns' names; fields that are left out stay so. */
function storedRow({ traceId, referrerId, ...row }: Partial<NewCustomer>): object {
  return {
    ...row,
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(referrerId !== undefined && { referrer_id: referrerId }),
  }
}
