import type { StorageName } from '@snoflax/core'
import { sharedPostgres } from '@snoflax/test'
import { type Customer, converts, type Graph } from '@snoflax/test/contract'
import { createdBetween } from '@snoflax/typeorm'
import { And, Any, Between, In, IsNull, LessThan, MoreThan, MoreThanOrEqual, Raw } from 'typeorm'
import { IS_0_3 } from '../version.js'
import { type CustomerEntity, type OrderEntity, paths, type Session } from './entities.js'

const plain = ({ id, email, name, traceId, referrerId }: CustomerEntity): Customer => ({
  id,
  email,
  name,
  traceId,
  referrerId,
})
const plainOrNone = (entity: CustomerEntity | null) => (entity ? plain(entity) : undefined)

const chosen = (session: Session, id: string, condition: string) =>
  session.customers.createQueryBuilder('c').where(condition, { id: session.bound(id) })

export const byId = paths<'byId'>({
  'findOneBy({ id })': async ({ customers }, id) => plainOrNone(await customers.findOneBy({ id })),
  'query builder, where(object)': async ({ customers }, id) =>
    plainOrNone(await customers.createQueryBuilder('c').where({ id }).getOne()),
  'query builder, parameter()': async (session, id) =>
    plainOrNone(await chosen(session, id, 'c.id = :id').getOne()),
  'query builder, parameter() inside a function': async (session, id) =>
    plainOrNone(await chosen(session, id, 'COALESCE(c.id, c.id) = :id').getOne()),
  'Raw with a parameter()': async (session, id) => {
    const wanted = session.bound(id)
    const where = { id: Raw((column) => `${column} = :wanted`, { wanted }) }
    return plainOrNone(await session.customers.findOneBy(where))
  },
  'raw row': async (session, id) => {
    const { customers } = session
    const builder = customers.createQueryBuilder('c').select('c.id', 'id').addSelect('c.email', 'email')
    builder
      .addSelect('c.name', 'name')
      .addSelect('c.traceId', 'traceId')
      .addSelect('c.referrerId', 'referrerId')
    const row = await builder.where('c.id = :id', { id: session.bound(id) }).getRawOne<Customer>()
    if (!row) return undefined
    const [traceId, referrerId] = [
      row.traceId && session.read(row.traceId),
      row.referrerId && session.read(row.referrerId),
    ]
    return { ...row, id: session.read(row.id), traceId, referrerId }
  },
})

export const byIds = paths<'byIds'>({
  'In([…])': async ({ customers }, ids) => (await customers.findBy({ id: In(ids) })).map(plain),
  'Any([…]), or In where there is no ANY': async ({ customers, variant }, ids) => {
    const id = variant.database === 'postgres' ? Any(ids) : In(ids)
    return (await customers.findBy({ id })).map(plain)
  },
  'list of conditions': async ({ customers }, ids) =>
    (await customers.findBy(ids.map((id) => ({ id })))).map(plain),
  'query builder, IN (:...ids)': async (session, input) => {
    const ids = input.map((id) => session.bound(id))
    const builder = session.customers.createQueryBuilder('c').where('c.id IN (:...ids)', { ids })
    return (await builder.getMany()).map(plain)
  },
  whereInIds: async ({ customers }, ids) =>
    (await customers.createQueryBuilder('c').whereInIds(ids).getMany()).map(plain),
})

const boundsOf = (session: Session, { gte, lt }: { readonly gte: string; readonly lt: string }) => ({
  gte: session.bound(gte),
  lt: session.bound(lt),
})

export const byRange = paths<'byRange'>({
  'And(MoreThanOrEqual, LessThan)': async ({ customers }, { gte, lt }) =>
    (await customers.findBy({ id: And(MoreThanOrEqual(gte), LessThan(lt)) })).map(plain),
  'Between, and not the upper bound': async ({ customers }, { gte, lt }) =>
    (await customers.findBy({ id: Between(gte, lt) })).map(plain).filter(({ id }) => id !== lt),
  'query builder': async (session, range) => {
    const builder = session.customers.createQueryBuilder('c')
    return (await builder.where('c.id >= :gte AND :lt > c.id', boundsOf(session, range)).getMany()).map(plain)
  },
  subquery: async (session, range) => {
    const builder = session.customers.createQueryBuilder('c')
    const inner = builder.subQuery().select('x.id').from('Customer', 'x').where('x.id < :lt AND x.id >= :gte')
    return (
      await builder.where(`c.id IN ${inner.getQuery()}`).setParameters(boundsOf(session, range)).getMany()
    ).map(plain)
  },
})

export const between = paths<'createdBetween'>({
  'createdBetween()': async ({ customers }, from, to) =>
    (await customers.findBy({ id: createdBetween(customers.metadata, 'id', from, to) })).map(plain),
})

export const byTrace = paths<'byTrace'>({
  findBy: async ({ customers }, traceId) =>
    (await customers.findBy({ traceId: traceId === null ? IsNull() : traceId })).map(plain),
})

export const byOrder = paths<'byOrder'>({
  'findBy on a related row': async ({ customers }, id) =>
    (await customers.findBy({ orders: { id } })).map(plain),
  'findBy of the related row by its key': async ({ customers, orders }, id) => {
    const order = await orders.findOneBy({ id })
    return order ? (await customers.findBy({ id: order.customerId })).map(plain) : []
  },
  'query builder, join': async (session, id) => {
    const order = session.bound(id)
    const builder = session.customers.createQueryBuilder('c')
    return (await builder.innerJoin('c.orders', 'o', 'o.id = :order', { order }).getMany()).map(plain)
  },
  'query builder, EXISTS': async (session, id) => {
    const { customers, orders } = session
    const order = session.bound(id)
    const inner = orders
      .createQueryBuilder('o')
      .where('o.customer = c.id')
      .andWhere('o.id = :order', { order })
    return (await customers.createQueryBuilder('c').whereExists(inner).getMany()).map(plain)
  },
})

const RELATIONS = { referrer: true, profile: true, orders: { lines: true, tags: true } } as const

export const graph = paths<'graph'>({
  'relations by join': async ({ customers }, id) =>
    graphOf(await customers.findOne({ where: { id }, relations: RELATIONS })),
  'relations by query': {
    run: async ({ customers }, id) =>
      graphOf(
        await customers.findOne({ where: { id }, relations: RELATIONS, relationLoadStrategy: 'query' }),
      ),
    refused: (variant) => {
      if (converts(variant))
        return { why: 'TypeORM compares such keys without converting them', by: /needs keys of storage text/ }
      return IS_0_3
        ? {
            why: 'TypeORM 0.3 joins an entity that references itself under one name',
            by: /ambiguous|more than once|unique/i,
          }
        : undefined
    },
  },
  'query builder, leftJoinAndSelect': async (session, id) => {
    const builder = session.customers.createQueryBuilder('c').leftJoinAndSelect('c.referrer', 'r')
    builder.leftJoinAndSelect('c.profile', 'p').leftJoinAndSelect('c.orders', 'o')
    builder.leftJoinAndSelect('o.lines', 'l').leftJoinAndSelect('o.tags', 't')
    return graphOf(await builder.where('c.id = :id', { id: session.bound(id) }).getOne())
  },
  'first of a page of joined rows': async ({ customers }, id) => {
    const [first] = await customers.find({
      where: { id },
      relations: RELATIONS,
      take: 1,
      skip: 0,
      order: { id: 'ASC' },
    })
    return graphOf(first ?? null)
  },
})

function graphOf(entity: CustomerEntity | null): Graph | undefined {
  if (!entity) return undefined
  const { referrer, profile, orders } = entity
  return {
    ...plain(entity),
    referrer: referrer ? plain(referrer) : null,
    profile: profile && { id: profile.id, customerId: profile.customerId, bio: profile.bio },
    orders: orders.map(orderOf),
  }
}

const orderOf = ({ id, customerId, total, lines, tags }: OrderEntity): Graph['orders'][number] => ({
  id,
  customerId,
  total,
  lines: lines.map(({ orderId, position, quantity }) => ({ orderId, position, quantity })),
  tags: tags.map((tag) => ({ id: tag.id, label: tag.label })),
})

export const page = paths<'page'>({
  'MoreThan(id), ordered by id': async ({ customers }, after, limit) => {
    const where = after === undefined ? {} : { id: MoreThan(after) }
    return (await customers.find({ where, order: { id: 'ASC' }, take: limit })).map(plain)
  },
})

/** Storages whose column the server knows no min and max of. */
const LACKING: readonly StorageName[] =
  sharedPostgres().version < 18 ? ['uuid', 'uuid8', 'binary'] : ['uuid', 'uuid8']

export const ends = paths<'ends'>({
  'first and last by order': async ({ orders }) => {
    const end = (direction: 'ASC' | 'DESC') => orders.find({ order: { id: direction }, take: 1 })
    const [[first], [last]] = [await end('ASC'), await end('DESC')]
    return { min: first?.id as string, max: last?.id as string }
  },
  'query builder, MIN and MAX': {
    refused: ({ database, storage }) =>
      database === 'postgres' && LACKING.includes(storage)
        ? { why: 'PostgreSQL has no min(uuid), and no min(bytea) before 18', by: /min|max/i }
        : undefined,
    run: async (session) => {
      const { orders } = session
      const builder = orders.createQueryBuilder('o').select('MIN(o.id)', 'min').addSelect('MAX(o.id)', 'max')
      const { min, max } = (await builder.getRawOne()) as Record<'min' | 'max', unknown>
      return { min: session.read(min), max: session.read(max) }
    },
  },
})

export const counts = paths<'counts'>({
  'query builder, GROUP BY': async (session) => {
    const builder = session.orders
      .createQueryBuilder('o')
      .select('o.customer', 'customer')
      .addSelect('COUNT(*)', 'n')
    const rows = await builder.groupBy('o.customer').getRawMany<{ customer: string; n: string }>()
    return new Map(rows.map(({ customer, n }) => [session.read(customer), Number(n)]))
  },
})
