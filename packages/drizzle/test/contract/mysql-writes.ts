import type { ContractAdapter, NewGraph, NewOrder } from '@snoflax/test/contract'
import { eq } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database, Session } from './session.js'
import { valuesOf } from './values.js'

// MySQL has no RETURNING: ids come back by $returningId(), which gives what the columns generated.

type Adapter = ContractAdapter<Session>

interface MySqlInsert extends Promise<unknown> {
  $returningId(): Promise<{ readonly id: string }[]>
  onDuplicateKeyUpdate(config: { readonly set: object }): Promise<unknown>
}

const insert = <Table extends PgTable>(db: Database, table: Table, rows: Table['$inferInsert'][]) =>
  db.insert(table).values(rows) as unknown as MySqlInsert

async function insertOne<Table extends PgTable>(db: Database, table: Table, row: Table['$inferInsert']) {
  const [inserted] = await insert(db, table, [row]).$returningId()
  return inserted?.id as string
}

export const inserts: Adapter['inserts'] = {
  'insert().values([…])': {
    run: async ({ db, schema: { customers } }, rows) => {
      await db.insert(customers).values(rows.map(valuesOf))
      return undefined
    },
  },
  'insert().values([…]).$returningId()': {
    run: async ({ db, schema: { customers } }, rows) => {
      const inserted = await insert(db, customers, rows.map(valuesOf)).$returningId()
      return inserted.map(({ id }) => id)
    },
  },
}

export const upserts: Adapter['upserts'] = {
  'insert().onDuplicateKeyUpdate(), then select()': {
    run: async ({ db, schema: { customers } }, row) => {
      await insert(db, customers, [valuesOf(row)]).onDuplicateKeyUpdate({ set: { name: row.name } })
      const [found] = await db
        .select({ id: customers.id })
        .from(customers)
        .where(eq(customers.email, row.email))
      return found?.id as string
    },
  },
}

async function insertOrder(
  { db, schema }: Session,
  customerId: string,
  { total, lines, tags }: NewOrder,
): Promise<void> {
  const orderId = await insertOne(db, schema.orders, { total, customerId })
  await db.insert(schema.orderLines).values(lines.map((line) => ({ ...line, orderId })))
  const tagged = await insert(db, schema.tags, [...tags]).$returningId()
  await db.insert(schema.ordersToTags).values(tagged.map(({ id }) => ({ orderId, tagId: id })))
}

async function insertGraph(session: Session, graph: NewGraph): Promise<string> {
  const { db, schema } = session
  const id = await insertOne(db, schema.customers, valuesOf(graph))
  await db.insert(schema.profiles).values({ ...graph.profile, customerId: id })
  for (const order of graph.orders) await insertOrder(session, id, order)
  return id
}

export const graphs: Adapter['graphs'] = {
  'insert().$returningId(), table by table, in a transaction': {
    run: (session, graph) => session.db.transaction((db) => insertGraph({ ...session, db }, graph)),
  },
}
