import { raw } from '@mikro-orm/core'
import { createdBetween, keyset } from '@snoflax/mikro-orm'
import type { ContractAdapter, Customer, Graph } from '@snoflax/test/contract'
import type { CustomerEntity, OrderEntity, Session } from './entities.js'

type Adapter = ContractAdapter<Session>

const plain = ({ id, email, name, traceId, referrer }: CustomerEntity): Customer => ({
  id,
  email,
  name,
  traceId,
  referrerId: referrer?.id ?? null,
})
const plainOrNone = (entity: CustomerEntity | null) => (entity ? plain(entity) : undefined)

const find = async ({ em, entities }: Session, where: object): Promise<Customer[]> =>
  (await em().find(entities.Customer, where as never)).map(plain)

const query = ({ em, entities }: Session) => em().createQueryBuilder(entities.Customer, 'c')

export const byId: Adapter['byId'] = {
  'findOne(id)': {
    run: async ({ em, entities }, id) => plainOrNone(await em().findOne(entities.Customer, id)),
  },
  'findOne({ id })': {
    run: async ({ em, entities }, id) => plainOrNone(await em().findOne(entities.Customer, { id })),
  },
  'query builder, where({ id })': {
    run: async (session, id) => plainOrNone(await query(session).select('*').where({ id }).getSingleResult()),
  },
  'data loader of references': {
    run: async ({ em, entities }, id) => {
      const manager = em()
      const reference = manager.getReference(entities.Customer, id, { wrapped: true })
      return plainOrNone((await reference.load()) as CustomerEntity | null)
    },
  },
}

export const byIds: Adapter['byIds'] = {
  'find({ id: [ids] })': { run: (session, ids) => find(session, { id: [...ids] }) },
  'find({ id: { $in } })': { run: (session, ids) => find(session, { id: { $in: [...ids] } }) },
  'find({ $or })': { run: (session, ids) => find(session, { $or: ids.map((id) => ({ id })) }) },
  'query builder': {
    run: async (session, ids) =>
      (
        await query(session)
          .select('*')
          .where({ id: { $in: [...ids] } })
          .getResultList()
      ).map(plain),
  },
}

export const byRange: Adapter['byRange'] = {
  'find({ id: { $gte, $lt } })': {
    run: (session, { gte, lt }) => find(session, { id: { $gte: gte, $lt: lt } }),
  },
  'query builder': {
    run: async (session, { gte, lt }) =>
      (
        await query(session)
          .select('*')
          .where({ 'c.id': { $gte: gte } })
          .andWhere({ 'c.id': { $lt: lt } })
          .getResultList()
      ).map(plain),
  },
}

export const between: Adapter['createdBetween'] = {
  'createdBetween()': {
    run: (session, from, to) =>
      find(session, { id: createdBetween(session.entities.Customer, 'id', from, to) }),
  },
}

export const byTrace: Adapter['byTrace'] = {
  find: { run: (session, traceId) => find(session, { traceId }) },
}

export const byOrder: Adapter['byOrder'] = {
  'find() by a related row': { run: (session, id) => find(session, { orders: { id } }) },
  'find() by related ids': { run: (session, id) => find(session, { orders: [id] }) },
  'find() by $some': { run: (session, id) => find(session, { orders: { $some: { id } } }) },
  'query builder, join': {
    run: async (session, id) =>
      (await query(session).select('*').join('c.orders', 'o').where({ 'o.id': id }).getResultList()).map(
        plain,
      ),
  },
}

const POPULATE = ['referrer', 'profile', 'orders.lines', 'orders.tags'] as const

const graphBy =
  (strategy: 'joined' | 'select-in' | 'balanced'): Adapter['graph'][string]['run'] =>
  async ({ em, entities }, id) => {
    const found = await em().findOne(entities.Customer, { id }, { populate: POPULATE as never, strategy })
    return found ? graphOf(found) : undefined
  }

export const graph: Adapter['graph'] = {
  'populate, joined': { run: graphBy('joined') },
  'populate, select-in': { run: graphBy('select-in') },
  'populate, balanced': { run: graphBy('balanced') },
  'em.populate()': {
    run: async ({ em, entities }, id) => {
      const manager = em()
      const found = await manager.findOne(entities.Customer, id)
      if (!found) return undefined
      await manager.populate([found], POPULATE as never)
      return graphOf(found)
    },
  },
}

function graphOf(entity: CustomerEntity): Graph {
  const { referrer, profile, orders } = entity
  return {
    ...plain(entity),
    referrer: referrer ? plain(referrer) : null,
    profile: profile && { id: profile.id, customerId: profile.customer.id, bio: profile.bio },
    orders: orders.getItems().map(orderOf),
  }
}

const orderOf = ({ id, customer, total, lines, tags }: OrderEntity): Graph['orders'][number] => ({
  id,
  customerId: customer.id,
  total,
  lines: lines.getItems().map(({ order, position, quantity }) => ({ orderId: order.id, position, quantity })),
  tags: tags.getItems().map((tag) => ({ id: tag.id, label: tag.label })),
})

export const page: Adapter['page'] = {
  'keyset()': {
    run: async ({ em, entities }, after, take) =>
      (await em().findAll(entities.Customer, keyset(entities.Customer, { after, take }))).map(plain),
  },
  'findByCursor()': {
    run: async ({ em, entities }, after, first) => {
      const cursor = await em().findByCursor(entities.Customer, {
        first,
        ...(after !== undefined && { after: { id: after } }),
        orderBy: { id: 'asc' },
      } as never)
      return (cursor.items as CustomerEntity[]).map(plain)
    },
  },
}

export const ends: Adapter['ends'] = {
  'first and last by order': {
    run: async ({ em, entities }) => {
      const end = async (direction: 'asc' | 'desc') => {
        const [order] = await em().findAll(entities.Order, { orderBy: { id: direction }, limit: 1 })
        return order?.id as string
      }
      return { min: await end('asc'), max: await end('desc') }
    },
  },
}

export const counts: Adapter['counts'] = {
  'query builder, group by': {
    run: async ({ em, entities }) => {
      const rows = await em()
        .createQueryBuilder(entities.Order, 'o')
        .select(['o.customer', raw('count(*)').as('n')] as never)
        .groupBy('o.customer')
        .execute<{ customer: string; n: number }[]>('all')
      return new Map(rows.map(({ customer, n }) => [customer, Number(n)]))
    },
  },
}
