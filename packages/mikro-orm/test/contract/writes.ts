import { wrap } from '@mikro-orm/core'
import type { ContractAdapter, NewCustomer, NewGraph } from '@snoflax/test/contract'
import type { OrderEntity, Session } from './entities.js'

type Adapter = ContractAdapter<Session>

/** A row as MikroORM's methods take it. */
const rowOf = ({ referrerId, ...row }: Partial<NewCustomer>) => ({
  ...row,
  ...(referrerId !== undefined && { referrer: referrerId }),
})

const oneByOne = (insert: (session: Session, row: never) => Promise<string>): Adapter['inserts'][string] => ({
  run: async (session, rows) => {
    const ids: string[] = []
    for (const row of rows) ids.push(await insert(session, rowOf(row) as never))
    return ids
  },
})

export const inserts: Adapter['inserts'] = {
  'em.create() and flush()': {
    run: async ({ em, entities }, rows) => {
      const manager = em()
      const created = rows.map((row) => manager.create(entities.Customer, rowOf(row) as never))
      await manager.flush()
      return created.map(({ id }) => id)
    },
  },
  'em.create(), persist() and flush(), one by one': oneByOne(async ({ em, entities }, row) => {
    const manager = em()
    const created = manager.create(entities.Customer, row, { persist: false })
    await manager.persist(created).flush()
    return created.id
  }),
  'em.insert()': oneByOne(({ em, entities }, row) => em().insert(entities.Customer, row)),
  'em.insert() of an entity': oneByOne(({ em, entities }, row) => {
    const manager = em()
    return manager.insert(manager.create(entities.Customer, row, { persist: false }))
  }),
  'em.insertMany()': {
    run: ({ em, entities }, rows) => em().insertMany(entities.Customer, rows.map(rowOf) as never),
  },
  'query builder, insert({…})': {
    run: async ({ em, entities }, rows) => {
      for (const row of rows)
        await em()
          .createQueryBuilder(entities.Customer)
          .insert(rowOf(row) as never)
          .execute()
      return undefined
    },
  },
  'query builder, insert([…])': {
    run: async ({ em, entities }, rows) => {
      await em()
        .createQueryBuilder(entities.Customer)
        .insert(rows.map(rowOf) as never)
        .execute()
      return undefined
    },
  },
  'a transaction': {
    run: ({ em, entities }, rows) =>
      em().transactional((manager) => manager.insertMany(entities.Customer, rows.map(rowOf) as never)),
  },
}

export const upserts: Adapter['upserts'] = {
  'em.upsert()': {
    run: async ({ em, entities }, row) => (await em().upsert(entities.Customer, rowOf(row) as never)).id,
  },
  'em.upsertMany()': {
    run: async ({ em, entities }, row) => {
      const [stored] = await em().upsertMany(entities.Customer, [rowOf(row)] as never)
      return stored?.id as string
    },
  },
}

export const graphs: Adapter['graphs'] = {
  'cascades of em.create()': {
    run: async ({ em, entities }, { orders, ...customer }: NewGraph) => {
      const manager = em()
      const created = manager.create(entities.Customer, {
        ...rowOf(customer),
        orders: orders.map(({ lines, tags, total }) => ({ total, lines: [...lines], tags: [...tags] })),
      } as never)
      await manager.flush()
      return created.id
    },
  },
  'one by one': {
    run: async ({ em, entities }, { orders, profile, ...row }) => {
      const manager = em()
      const customer = await manager.insert(entities.Customer, rowOf(row) as never)
      await manager.insert(entities.Profile, { ...profile, customer } as never)
      for (const { lines, tags, total } of orders) {
        const order = await manager.insert(entities.Order, { total, customer } as never)
        await manager.insertMany(entities.Line, lines.map((line) => ({ ...line, order })) as never)
        const tagIds = await manager.insertMany(entities.Tag, [...tags] as never)
        const loaded = await manager.findOneOrFail(entities.Order, order, { populate: ['tags'] })
        loaded.tags.add(tagIds.map((id) => manager.getReference(entities.Tag, id as string)))
        await manager.flush()
      }
      return customer
    },
  },
}

export const updates: Adapter['updates'] = {
  'findOneOrFail(), assign() and flush()': {
    run: async ({ em, entities }, id, change) => {
      const manager = em()
      const loaded = await manager.findOneOrFail(entities.Customer, id)
      wrap(loaded).assign(rowOf(change) as never)
      await manager.flush()
    },
  },
  'getReference() and flush()': {
    run: async ({ em, entities }, id, change) => {
      const manager = em()
      const { referrerId, ...rest } = change
      const reference = manager.getReference(entities.Customer, id)
      Object.assign(reference, rest)
      if (referrerId !== undefined) {
        reference.referrer = referrerId === null ? null : manager.getReference(entities.Customer, referrerId)
      }
      await manager.flush()
    },
  },
  'nativeUpdate()': {
    run: async ({ em, entities }, id, change) =>
      void (await em().nativeUpdate(entities.Customer, { id }, rowOf(change) as never)),
  },
  'query builder': {
    run: async ({ em, entities }, id, change) =>
      void (await em()
        .createQueryBuilder(entities.Customer)
        .update(rowOf(change) as never)
        .where({ id })
        .execute()),
  },
}

export const deletes: Adapter['deletes'] = {
  'nativeDelete()': {
    run: async ({ em, entities }, ids) =>
      void (await em().nativeDelete(entities.Customer, { id: { $in: [...ids] } })),
  },
  'remove() and flush()': {
    run: async ({ em, entities }, ids) => {
      const manager = em()
      for (const id of ids) manager.remove(manager.getReference(entities.Customer, id))
      await manager.flush()
    },
  },
  'query builder': {
    run: async ({ em, entities }, ids) =>
      void (await em()
        .createQueryBuilder(entities.Customer)
        .delete({ id: { $in: [...ids] } })
        .execute()),
  },
}

/** An order with its tags. */
const withTags = async ({ em, entities }: Session, id: string) => {
  const manager = em()
  const order: OrderEntity = await manager.findOneOrFail(entities.Order, id, { populate: ['tags'] })
  return { manager, order }
}

export const links: Adapter['links'] = {
  'collection.add() of a reference': {
    run: async (session, orderId, tagId) => {
      const { manager, order } = await withTags(session, orderId)
      order.tags.add(manager.getReference(session.entities.Tag, tagId))
      await manager.flush()
    },
  },
  'assign() of ids': {
    run: async (session, orderId, tagId) => {
      const { manager, order } = await withTags(session, orderId)
      wrap(order).assign({ tags: [...order.tags.getIdentifiers(), tagId] } as never)
      await manager.flush()
    },
  },
}

export const unlinks: Adapter['unlinks'] = {
  'collection.remove() of a reference': {
    run: async (session, orderId, tagId) => {
      const { manager, order } = await withTags(session, orderId)
      const tag = await manager.findOneOrFail(session.entities.Tag, tagId)
      order.tags.remove(tag)
      await manager.flush()
    },
  },
}

export const around: Adapter['around'] = {
  'em.execute()': {
    run: ({ em }, { email, name }) =>
      em().execute(`insert into customers (email, name) values ('${email}', '${name}')`),
  },
}
