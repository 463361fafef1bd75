import type { ContractAdapter, ContractPaths, NewCustomer, NewGraph, NewOrder } from '@snoflax/test/contract'
import { sql } from 'kysely'
import type { Session } from './session.js'

type Adapter = ContractAdapter<Session>

/** The values that an insert is given: a key is there only where the row has one. */
const valuesOf = ({ id, email, name, traceId, referrerId }: NewCustomer) => ({
  ...(id !== undefined && { id }),
  email,
  name,
  ...(traceId !== undefined && { trace_id: traceId }),
  ...(referrerId !== undefined && { referrer_id: referrerId }),
})

const bare: Adapter['inserts'] = {
  'insertInto().values({…})': {
    run: async ({ db }, rows) => {
      for (const row of rows) await db.insertInto('customers').values(valuesOf(row)).execute()
      return undefined
    },
  },
  'insertInto().values([…])': {
    run: async ({ db }, rows) => {
      await db.insertInto('customers').values(rows.map(valuesOf)).execute()
      return undefined
    },
  },
  'insertInto().values() of undefined': {
    run: async ({ db }, rows) => {
      for (const { id, email, name, traceId, referrerId } of rows) {
        const row = { id, email, name, trace_id: traceId ?? null, referrer_id: referrerId ?? null }
        await db
          .insertInto('customers')
          .values(row as never)
          .execute()
      }
      return undefined
    },
  },
  'insertInto().values() with ids of generate()': {
    run: async ({ db, ids }, rows) => {
      const made = rows.map((row) => ({ ...valuesOf(row), id: row.id ?? ids.generate('customers.id') }))
      await db.insertInto('customers').values(made).execute()
      return made.map(({ id }) => id)
    },
  },
}

export const inserts: Adapter['inserts'] = {
  ...bare,
  'insertInto().values([…]).returning()': {
    run: async ({ db }, rows) => {
      const inserted = await db.insertInto('customers').values(rows.map(valuesOf)).returning('id').execute()
      return inserted.map(({ id }) => id)
    },
  },
  'insertInto().values({…}).returningAll()': {
    run: async ({ db }, rows) => {
      const ids: string[] = []
      for (const row of rows) {
        const inserted = await db
          .insertInto('customers')
          .values(valuesOf(row))
          .returningAll()
          .executeTakeFirst()
        ids.push(inserted?.id as string)
      }
      return ids
    },
  },
  'onConflict().doNothing()': {
    run: async ({ db }, rows) => {
      const inserted = await db
        .insertInto('customers')
        .values(rows.map(valuesOf))
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returning('id')
        .execute()
      return inserted.map(({ id }) => id)
    },
  },
  'a transaction': {
    run: ({ db }, rows) =>
      db.transaction().execute(async (transaction) => {
        const ids: string[] = []
        for (const row of rows) {
          const { id } = await transaction
            .insertInto('customers')
            .values(valuesOf(row))
            .returning('customers.id as id')
            .executeTakeFirstOrThrow()
          ids.push(id)
        }
        return ids
      }),
  },
}

export const upserts: Adapter['upserts'] = {
  'onConflict().doUpdateSet().returning()': {
    run: async ({ db }, row) => {
      const { id } = await db
        .insertInto('customers')
        .values(valuesOf(row))
        .onConflict((conflict) =>
          conflict.column('email').doUpdateSet((eb) => ({
            name: eb.ref('excluded.name'),
            trace_id: eb.ref('excluded.trace_id'),
          })),
        )
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },
  },
}

const upsertOnMysql: Adapter['upserts'] = {
  'onDuplicateKeyUpdate(), and a select': {
    run: async ({ db }, row) => {
      const { name, traceId = null } = row
      await db
        .insertInto('customers')
        .values(valuesOf(row))
        .onDuplicateKeyUpdate({ name, trace_id: traceId })
        .execute()
      const { id } = await db
        .selectFrom('customers')
        .select('id')
        .where('email', '=', row.email)
        .executeTakeFirstOrThrow()
      return id
    },
  },
}

async function insertOrder(
  { db, ids }: Session,
  customerId: string,
  { total, lines, tags }: NewOrder,
): Promise<void> {
  const id = ids.generate('orders.id')
  await db.insertInto('orders').values({ id, total, customer_id: customerId }).execute()
  await db
    .insertInto('order_lines')
    .values(lines.map((line) => ({ ...line, order_id: id })))
    .execute()
  const tagged = tags.map((tag) => ({ ...tag, id: ids.generate('tags.id') }))
  await db.insertInto('tags').values(tagged).execute()
  await db
    .insertInto('orders_tags')
    .values(tagged.map((tag) => ({ order_id: id, tag_id: tag.id })))
    .execute()
}

async function insertGraph(session: Session, graph: NewGraph): Promise<string> {
  const { db, ids } = session
  const id = graph.id ?? ids.generate('customers.id')
  await db
    .insertInto('customers')
    .values({ ...valuesOf(graph), id })
    .execute()
  await db
    .insertInto('profiles')
    .values({ ...graph.profile, customer_id: id })
    .execute()
  for (const order of graph.orders) await insertOrder(session, id, order)
  return id
}

export const graphs: Adapter['graphs'] = { 'table by table': { run: insertGraph } }

const changeOf = ({ email, name, traceId, referrerId }: Partial<Omit<NewCustomer, 'id'>>) => ({
  ...(email !== undefined && { email }),
  ...(name !== undefined && { name }),
  ...(traceId !== undefined && { trace_id: traceId }),
  ...(referrerId !== undefined && { referrer_id: referrerId }),
})

const updatesAnywhere: Adapter['updates'] = {
  'updateTable().set({…})': {
    run: async ({ db }, id, change) => {
      await db.updateTable('customers').set(changeOf(change)).where('id', '=', id).execute()
    },
  },
}

export const updates: Adapter['updates'] = {
  ...updatesAnywhere,
  'updateTable().from().returning()': {
    run: async ({ db }, id, change) => {
      await db
        .updateTable('customers')
        .from('customers as same')
        .set(changeOf(change))
        .whereRef('same.id', '=', 'customers.id')
        .where('same.id', '=', id)
        .returning('customers.id')
        .execute()
    },
  },
}

const deletesAnywhere: Adapter['deletes'] = {
  "deleteFrom().where('in')": {
    run: async ({ db }, ids) => {
      await db
        .deleteFrom('customers')
        .where('id', 'in', [...ids])
        .execute()
    },
  },
}

export const deletes: Adapter['deletes'] = {
  ...deletesAnywhere,
  'deleteFrom().returningAll()': {
    run: async ({ db }, ids) => {
      for (const id of ids)
        await db.deleteFrom('customers').where('customers.id', '=', id).returningAll().execute()
    },
  },
}

export const links: Adapter['links'] = {
  'insert into the junction table': {
    run: async ({ db }, order_id, tag_id) => {
      await db.insertInto('orders_tags').values({ order_id, tag_id }).execute()
    },
  },
  'insert from a query': {
    unchecked: () => 'a query is not checked',
    run: async ({ db }, orderId, tagId) => {
      await db
        .insertInto('orders_tags')
        .columns(['order_id', 'tag_id'])
        .expression((eb) =>
          eb
            .selectFrom('orders')
            .select((inner) => ['orders.id', inner.val(tagId).as('tag')])
            .where('orders.id', '=', orderId),
        )
        .execute()
    },
  },
}

export const unlinks: Adapter['unlinks'] = {
  'delete from the junction table': {
    run: async ({ db }, orderId, tagId) => {
      await db.deleteFrom('orders_tags').where('order_id', '=', orderId).where('tag_id', '=', tagId).execute()
    },
  },
  'delete by a tuple': {
    run: async ({ db }, orderId, tagId) => {
      await db
        .deleteFrom('orders_tags')
        .where((eb) => eb(eb.refTuple('order_id', 'tag_id'), 'in', [eb.tuple(orderId, tagId)]))
        .execute()
    },
  },
}

export const around: Adapter['around'] = {
  'raw insert without an id': {
    run: ({ db }, { email, name }) =>
      sql`insert into customers (email, name) values (${email}, ${name})`.execute(db),
  },
}

/** MySQL has no RETURNING, nor UPDATE … FROM. */
export const onMysql: Partial<ContractPaths<Session>> = {
  inserts: bare,
  upserts: upsertOnMysql,
  updates: updatesAnywhere,
  deletes: deletesAnywhere,
}
