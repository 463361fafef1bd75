import type { ContractAdapter, NewGraph, NewOrder } from '@snoflax/test/contract'
import { eq } from 'drizzle-orm'
import type { MySqlSession } from './mysql-session.js'
import { valuesOf } from './values.js'

// MySQL has no RETURNING: ids come back by $returningId(), which gives what the columns generated.

type Adapter = ContractAdapter<MySqlSession>

export const inserts: Adapter['inserts'] = {
  'insert().values([…])': {
    run: async ({ db, schema: { customers } }, rows) => {
      await db.insert(customers).values(rows.map(valuesOf))
      return undefined
    },
  },
  'insert().values([…]).$returningId()': {
    run: async ({ db, schema: { customers } }, rows) => {
      const inserted = await db.insert(customers).values(rows.map(valuesOf)).$returningId()
      return inserted.map(({ id }) => id)
    },
  },
}

export const upserts: Adapter['upserts'] = {
  'insert().onDuplicateKeyUpdate(), then select()': {
    run: async ({ db, schema: { customers } }, row) => {
      await db
        .insert(customers)
        .values(valuesOf(row))
        .onDuplicateKeyUpdate({ set: { name: row.name } })
      const [found] = await db
        .select({ id: customers.id })
        .from(customers)
        .where(eq(customers.email, row.email))
      return found?.id as string
    },
  },
}

async function insertOrder(
  { db, schema }: MySqlSession,
  customerId: string,
  { total, lines, tags }: NewOrder,
): Promise<void> {
  const [order] = await db.insert(schema.orders).values({ total, customerId }).$returningId()
  const orderId = order?.id as string
  await db.insert(schema.orderLines).values(lines.map((line) => ({ ...line, orderId })))
  const tagged = await db
    .insert(schema.tags)
    .values([...tags])
    .$returningId()
  await db.insert(schema.ordersToTags).values(tagged.map(({ id }) => ({ orderId, tagId: id })))
}

async function insertGraph(session: MySqlSession, graph: NewGraph): Promise<string> {
  const { db, schema } = session
  const [customer] = await db.insert(schema.customers).values(valuesOf(graph)).$returningId()
  const id = customer?.id as string
  await db.insert(schema.profiles).values({ ...graph.profile, customerId: id })
  for (const order of graph.orders) await insertOrder(session, id, order)
  return id
}

export const graphs: Adapter['graphs'] = {
  'insert().$returningId(), table by table, in a transaction': {
    run: (session, graph) => session.db.transaction((db) => insertGraph({ ...session, db }, graph)),
  },
}
