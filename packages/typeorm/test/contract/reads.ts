import type { StorageName } from '@snoflax/core'
import { sharedPostgres } from '@snoflax/test'
import { type ContractPaths, type Customer, converts, type Graph, type Variant } from '@snoflax/test/contract'
import { columnOf, createdBetween, fromDatabase } from '@snoflax/typeorm'
import { And, Any, Between, In, IsNull, LessThan, MoreThan, MoreThanOrEqual, Raw } from 'typeorm'
import { IS_0_3 } from '../version.js'
import { type CustomerEntity, type OrderEntity, paths } from './entities.js'

const plain = ({ id, email, name, traceId, referrerId }: CustomerEntity): Customer => ({
  id,
  email,
  name,
  traceId,
  referrerId,
})
const plainOrNone = (entity: CustomerEntity | null) => (entity ? plain(entity) : undefined)

/** PostgreSQL reads a number's text. */
const isNumber = ({ database, storage, family }: Variant) =>
  database === 'postgres' && storage === 'bigint' && /^\d+$/.test(family.min)

/** Beside a function, ids in another form than their text are refused: by us, or where it can, by the database. */
const besideFunction: Pick<ContractPaths<unknown>['byId'][string], 'refused' | 'unchecked'> = {
  refused: (variant) =>
    converts(variant) && !isNumber(variant)
      ? { why: 'the operand is a function', by: /stands beside no column|uuid|bigint|integer/i }
      : undefined,
  unchecked: (variant) => (isNumber(variant) ? 'PostgreSQL reads the text of a number' : undefined),
}

export const byId = paths<'byId'>({
  'findOneBy({ id })': async ({ customers }, id) => plainOrNone(await customers.findOneBy({ id })),
  'query builder, where(object)': async ({ customers }, id) =>
    plainOrNone(await customers.createQueryBuilder('c').where({ id }).getOne()),
  'query builder, parameter': async ({ customers }, id) =>
    plainOrNone(await customers.createQueryBuilder('c').where('c.id = :id', { id }).getOne()),
  'query builder, parameter inside a function': {
    ...besideFunction,
    run: async ({ customers }, id) =>
      plainOrNone(
        await customers.createQueryBuilder('c').where('COALESCE(c.id, c.id) = :id', { id }).getOne(),
      ),
  },
  'Raw with a parameter': async ({ customers }, id) =>
    plainOrNone(await customers.findOneBy({ id: Raw((column) => `${column} = :wanted`, { wanted: id }) })),
  'raw row': async ({ customers }, id) => {
    const builder = customers.createQueryBuilder('c').select('c.id', 'id').addSelect('c.email', 'email')
    builder
      .addSelect('c.name', 'name')
      .addSelect('c.traceId', 'traceId')
      .addSelect('c.referrerId', 'referrerId')
    return builder.where('c.id = :id', { id }).getRawOne<Customer>()
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
  'query builder, IN (:...ids)': async ({ customers }, ids) =>
    (await customers.createQueryBuilder('c').where('c.id IN (:...ids)', { ids }).getMany()).map(plain),
  whereInIds: async ({ customers }, ids) =>
    (await customers.createQueryBuilder('c').whereInIds(ids).getMany()).map(plain),
})

export const byRange = paths<'byRange'>({
  'And(MoreThanOrEqual, LessThan)': async ({ customers }, { gte, lt }) =>
    (await customers.findBy({ id: And(MoreThanOrEqual(gte), LessThan(lt)) })).map(plain),
  'Between, and not the upper bound': async ({ customers }, { gte, lt }) =>
    (await customers.findBy({ id: Between(gte, lt) })).map(plain).filter(({ id }) => id !== lt),
  'query builder': async ({ customers }, range) =>
    (await customers.createQueryBuilder('c').where('c.id >= :gte AND :lt > c.id', range).getMany()).map(
      plain,
    ),
  subquery: async ({ customers }, range) => {
    const builder = customers.createQueryBuilder('c')
    const inner = builder.subQuery().select('x.id').from('Customer', 'x').where('x.id < :lt AND x.id >= :gte')
    return (await builder.where(`c.id IN ${inner.getQuery()}`).setParameters(range).getMany()).map(plain)
  },
})

export const between = paths<'createdBetween'>({
  'createdBetween()': async ({ customers, variant }, from, to) =>
    (await customers.findBy({ id: createdBetween(variant.family, from, to) })).map(plain),
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
  'query builder, join': async ({ customers }, order) =>
    (
      await customers.createQueryBuilder('c').innerJoin('c.orders', 'o', 'o.id = :order', { order }).getMany()
    ).map(plain),
  'query builder, EXISTS': async ({ customers, orders }, order) => {
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
    refused: () =>
      IS_0_3
        ? {
            why: 'TypeORM 0.3 joins an entity that references itself under one name',
            by: /ambiguous|more than once|unique/i,
          }
        : undefined,
  },
  'query builder, leftJoinAndSelect': async ({ customers }, id) => {
    const builder = customers.createQueryBuilder('c').leftJoinAndSelect('c.referrer', 'r')
    builder.leftJoinAndSelect('c.profile', 'p').leftJoinAndSelect('c.orders', 'o')
    builder.leftJoinAndSelect('o.lines', 'l').leftJoinAndSelect('o.tags', 't')
    return graphOf(await builder.where('c.id = :id', { id }).getOne())
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
    run: async ({ orders, dataSource }) => {
      const builder = orders.createQueryBuilder('o').select('MIN(o.id)', 'min').addSelect('MAX(o.id)', 'max')
      const { min, max } = (await builder.getRawOne()) as Record<'min' | 'max', unknown>
      const id = columnOf(dataSource, 'Order', 'id')
      return { min: fromDatabase(id, min) as string, max: fromDatabase(id, max) as string }
    },
  },
})

export const counts = paths<'counts'>({
  'query builder, GROUP BY': async ({ orders }) => {
    const builder = orders.createQueryBuilder('o').select('o.customer', 'customer').addSelect('COUNT(*)', 'n')
    const rows = await builder.groupBy('o.customer').getRawMany<{ customer: string; n: string }>()
    return new Map(rows.map(({ customer, n }) => [customer, Number(n)]))
  },
})
