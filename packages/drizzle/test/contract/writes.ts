import { parameter } from '@snoflax/drizzle/pg-core'
import type { ContractAdapter, NewCustomer, NewGraph, NewOrder } from '@snoflax/test/contract'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Database, Session } from './session.js'
import { valuesOf } from './values.js'

type Adapter = ContractAdapter<Session>

/** A placeholder for each value that the row has. */
const placeholdersOf = (row: NewCustomer) =>
  Object.fromEntries(Object.keys(valuesOf(row)).map((key) => [key, sql.placeholder(key)])) as {
    [Key in 'email' | 'name']: ReturnType<typeof sql.placeholder>
  }

export const inserts: Adapter['inserts'] = {
  'insert().values([…]).returning()': {
    run: async ({ db, schema: { customers } }, rows) => {
      const inserted = await db.insert(customers).values(rows.map(valuesOf)).returning({ id: customers.id })
      return inserted.map(({ id }) => id)
    },
  },
  'insert().values({…})': {
    run: async ({ db, schema: { customers } }, rows) => {
      for (const row of rows) await db.insert(customers).values(valuesOf(row))
      return undefined
    },
  },
  'insert().values({…}).returning()': {
    run: async ({ db, schema: { customers } }, rows) => {
      const ids: string[] = []
      for (const row of rows) {
        const [inserted] = await db.insert(customers).values(valuesOf(row)).returning()
        ids.push(inserted?.id as string)
      }
      return ids
    },
  },
  'prepared insert with placeholders': {
    run: async ({ db, schema: { customers } }, rows) => {
      const ids: string[] = []
      for (const row of rows) {
        const prepared = db
          .insert(customers)
          .values(placeholdersOf(row))
          .returning({ id: customers.id })
          .prepare(`insert_${Object.keys(valuesOf(row)).join('_')}`)
        const [inserted] = await prepared.execute(valuesOf(row))
        ids.push(inserted?.id as string)
      }
      return ids
    },
  },
  'insert().onConflictDoNothing()': {
    run: async ({ db, schema: { customers } }, rows) => {
      const inserted = await db
        .insert(customers)
        .values(rows.map(valuesOf))
        .onConflictDoNothing()
        .returning({ id: customers.id })
      return inserted.map(({ id }) => id)
    },
  },
}

export const upserts: Adapter['upserts'] = {
  'insert().onConflictDoUpdate().returning()': {
    run: async ({ db, schema: { customers } }, row) => {
      const [upserted] = await db
        .insert(customers)
        .values(valuesOf(row))
        .onConflictDoUpdate({ target: customers.email, set: { name: row.name } })
        .returning({ id: customers.id })
      return upserted?.id as string
    },
  },
}

async function insertOrder(
  { db, schema }: Session,
  customerId: string,
  { total, lines, tags }: NewOrder,
): Promise<void> {
  const { orders, orderLines, ordersToTags } = schema
  const [order] = await db.insert(orders).values({ total, customerId }).returning({ id: orders.id })
  const orderId = order?.id as string
  await db.insert(orderLines).values(lines.map((line) => ({ ...line, orderId })))
  const tagged = await db
    .insert(schema.tags)
    .values([...tags])
    .returning({ id: schema.tags.id })
  await db.insert(ordersToTags).values(tagged.map(({ id }) => ({ orderId, tagId: id })))
}

async function insertGraph(session: Session, graph: NewGraph): Promise<string> {
  const { db, schema } = session
  const [customer] = await db
    .insert(schema.customers)
    .values(valuesOf(graph))
    .returning({ id: schema.customers.id })
  const id = customer?.id as string
  await db.insert(schema.profiles).values({ ...graph.profile, customerId: id })
  for (const order of graph.orders) await insertOrder(session, id, order)
  return id
}

export const graphs: Adapter['graphs'] = {
  'insert().returning(), table by table': { run: insertGraph },
}

export const updates: Adapter['updates'] = {
  'update().where(eq())': {
    run: async ({ db, schema: { customers } }, id, change) => {
      await db.update(customers).set(change).where(eq(customers.id, id))
    },
  },
  'update().where(inArray()).returning()': {
    run: async ({ db, schema: { customers } }, id, change) => {
      await db
        .update(customers)
        .set(change)
        .where(inArray(customers.id, [id]))
        .returning()
    },
  },
}

export const deletes: Adapter['deletes'] = {
  'delete().where(inArray())': {
    run: async ({ db, schema: { customers } }, ids) => {
      await db.delete(customers).where(inArray(customers.id, [...ids]))
    },
  },
  'delete().where(eq()).returning()': {
    run: async ({ db, schema: { customers } }, ids) => {
      for (const id of ids) await db.delete(customers).where(eq(customers.id, id)).returning()
    },
  },
}

const tie = (session: Session, orderId: string, tagId: string) => {
  const { ordersToTags } = session.schema
  return { orderId: parameter(ordersToTags.orderId, orderId), tagId: parameter(ordersToTags.tagId, tagId) }
}

export const links: Adapter['links'] = {
  'insert() into the junction table': {
    run: async ({ db, schema: { ordersToTags } }, orderId, tagId) => {
      await db.insert(ordersToTags).values({ orderId, tagId })
    },
  },
  'raw insert with parameter()': {
    run: async (session, orderId, tagId) => {
      const { ordersToTags } = session.schema
      const ids = tie(session, orderId, tagId)
      await run(
        session.db,
        sql`insert into ${ordersToTags} (order_id, tag_id) values (${ids.orderId}, ${ids.tagId})`,
      )
    },
  },
}

export const unlinks: Adapter['unlinks'] = {
  'delete() from the junction table': {
    run: async ({ db, schema: { ordersToTags } }, orderId, tagId) => {
      const both = sql`${eq(ordersToTags.orderId, orderId)} and ${eq(ordersToTags.tagId, tagId)}`
      await db.delete(ordersToTags).where(both)
    },
  },
}

export const around: Adapter['around'] = {
  'raw insert without an id': {
    run: async ({ db }, { email, name }) =>
      run(db, sql`insert into customers (email, name) values (${email}, ${name})`),
  },
}

/** Raw SQL without a result, which has another name in SQLite. */
const run = (db: Database, query: ReturnType<typeof sql>): Promise<unknown> =>
  Promise.resolve(
    'run' in db ? (db as unknown as { run(query: unknown): unknown }).run(query) : db.execute(query),
  )
