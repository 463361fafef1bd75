import type { StorageName } from '@snoflax/core'
import { sharedPostgres } from '@snoflax/test'
import {
  type ContractAdapter,
  type Customer,
  converts,
  type Graph,
  type Variant,
} from '@snoflax/test/contract'
import { columnOf, createdBetween, fromDatabase } from '@snoflax/typeorm'
import { And, Any, Between, In, IsNull, LessThan, MoreThan, MoreThanOrEqual, Raw } from 'typeorm'
import { IS_0_3 } from '../version.js'
import type { CustomerEntity, OrderEntity, Session } from './entities.js'

type Adapter = ContractAdapter<Session>

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
const besideFunction: Pick<Adapter['byId'][string], 'refused' | 'unchecked'> = {
  refused: (variant) =>
    converts(variant) && !isNumber(variant)
      ? { why: 'the operand is a function', by: /stands beside no column|uuid|bigint|integer/i }
      : undefined,
  unchecked: (variant) => (isNumber(variant) ? 'PostgreSQL reads the text of a number' : undefined),
}

export const byId: Adapter['byId'] = {
  'findOneBy({ id })': {
    run: async ({ customers }, id) => plainOrNone(await customers.findOneBy({ id })),
  },
  'query builder, where(object)': {
    run: async ({ customers }, id) =>
      plainOrNone(await customers.createQueryBuilder('c').where({ id }).getOne()),
  },
  'query builder, parameter': {
    run: async ({ customers }, id) =>
      plainOrNone(await customers.createQueryBuilder('c').where('c.id = :id', { id }).getOne()),
  },
  'query builder, parameter inside a function': {
    ...besideFunction,
    run: async ({ customers }, id) =>
      plainOrNone(
        await customers.createQueryBuilder('c').where('COALESCE(c.id, c.id) = :id', { id }).getOne(),
      ),
  },
  'Raw with a parameter': {
    run: async ({ customers }, id) =>
      plainOrNone(await customers.findOneBy({ id: Raw((column) => `${column} = :wanted`, { wanted: id }) })),
  },
  'raw row': {
    run: async ({ customers }, id) => {
      const builder = customers.createQueryBuilder('c').select('c.id', 'id').addSelect('c.email', 'email')
      builder
        .addSelect('c.name', 'name')
        .addSelect('c.traceId', 'traceId')
        .addSelect('c.referrerId', 'referrerId')
      return builder.where('c.id = :id', { id }).getRawOne<Customer>()
    },
  },
}

export const byIds: Adapter['byIds'] = {
  'In([…])': {
    run: async ({ customers }, ids) => (await customers.findBy({ id: In(ids) })).map(plain),
  },
  'Any([…]), or In where there is no ANY': {
    run: async ({ customers, variant }, ids) => {
      const id = variant.database === 'postgres' ? Any(ids) : In(ids)
      return (await customers.findBy({ id })).map(plain)
    },
  },
  'list of conditions': {
    run: async ({ customers }, ids) => (await customers.findBy(ids.map((id) => ({ id })))).map(plain),
  },
  'query builder, IN (:...ids)': {
    run: async ({ customers }, ids) =>
      (await customers.createQueryBuilder('c').where('c.id IN (:...ids)', { ids }).getMany()).map(plain),
  },
  whereInIds: {
    run: async ({ customers }, ids) =>
      (await customers.createQueryBuilder('c').whereInIds(ids).getMany()).map(plain),
  },
}

export const byRange: Adapter['byRange'] = {
  'And(MoreThanOrEqual, LessThan)': {
    run: async ({ customers }, { gte, lt }) =>
      (await customers.findBy({ id: And(MoreThanOrEqual(gte), LessThan(lt)) })).map(plain),
  },
  'Between, and not the upper bound': {
    run: async ({ customers }, { gte, lt }) =>
      (await customers.findBy({ id: Between(gte, lt) })).map(plain).filter(({ id }) => id !== lt),
  },
  'query builder': {
    run: async ({ customers }, range) =>
      (await customers.createQueryBuilder('c').where('c.id >= :gte AND :lt > c.id', range).getMany()).map(
        plain,
      ),
  },
  subquery: {
    run: async ({ customers }, range) => {
      const builder = customers.createQueryBuilder('c')
      const inner = builder
        .subQuery()
        .select('x.id')
        .from('Customer', 'x')
        .where('x.id < :lt AND x.id >= :gte')
      return (await builder.where(`c.id IN ${inner.getQuery()}`).setParameters(range).getMany()).map(plain)
    },
  },
}

export const between: Adapter['createdBetween'] = {
  'createdBetween()': {
    run: async ({ customers, variant }, from, to) =>
      (await customers.findBy({ id: createdBetween(variant.family, from, to) })).map(plain),
  },
}

export const byTrace: Adapter['byTrace'] = {
  findBy: {
    run: async ({ customers }, traceId) =>
      (await customers.findBy({ traceId: traceId === null ? IsNull() : traceId })).map(plain),
  },
}

export const byOrder: Adapter['byOrder'] = {
  'findBy on a related row': {
    run: async ({ customers }, id) => (await customers.findBy({ orders: { id } })).map(plain),
  },
  'findBy of the related row by its key': {
    run: async ({ customers, orders }, id) => {
      const order = await orders.findOneBy({ id })
      return order ? (await customers.findBy({ id: order.customerId })).map(plain) : []
    },
  },
  'query builder, join': {
    run: async ({ customers }, order) =>
      (
        await customers
          .createQueryBuilder('c')
          .innerJoin('c.orders', 'o', 'o.id = :order', { order })
          .getMany()
      ).map(plain),
  },
  'query builder, EXISTS': {
    run: async ({ customers, orders }, order) => {
      const inner = orders
        .createQueryBuilder('o')
        .where('o.customer = c.id')
        .andWhere('o.id = :order', { order })
      return (await customers.createQueryBuilder('c').whereExists(inner).getMany()).map(plain)
    },
  },
}

const RELATIONS = { referrer: true, profile: true, orders: { lines: true, tags: true } } as const

export const graph: Adapter['graph'] = {
  'relations by join': {
    run: async ({ customers }, id) =>
      graphOf(await customers.findOne({ where: { id }, relations: RELATIONS })),
  },
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
  'query builder, leftJoinAndSelect': {
    run: async ({ customers }, id) => {
      const builder = customers.createQueryBuilder('c').leftJoinAndSelect('c.referrer', 'r')
      builder.leftJoinAndSelect('c.profile', 'p').leftJoinAndSelect('c.orders', 'o')
      builder.leftJoinAndSelect('o.lines', 'l').leftJoinAndSelect('o.tags', 't')
      return graphOf(await builder.where('c.id = :id', { id }).getOne())
    },
  },
  'first of a page of joined rows': {
    run: async ({ customers }, id) => {
      const [first] = await customers.find({
        where: { id },
        relations: RELATIONS,
        take: 1,
        skip: 0,
        order: { id: 'ASC' },
      })
      return graphOf(first ?? null)
    },
  },
}

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

export const page: Adapter['page'] = {
  'MoreThan(id), ordered by id': {
    run: async ({ customers }, after, limit) => {
      const where = after === undefined ? {} : { id: MoreThan(after) }
      return (await customers.find({ where, order: { id: 'ASC' }, take: limit })).map(plain)
    },
  },
}

/** Storages whose column the server knows no min and max of. */
const LACKING: readonly StorageName[] =
  sharedPostgres().version < 18 ? ['uuid', 'uuid8', 'binary'] : ['uuid', 'uuid8']

export const ends: Adapter['ends'] = {
  'first and last by order': {
    run: async ({ orders }) => {
      const end = (direction: 'ASC' | 'DESC') => orders.find({ order: { id: direction }, take: 1 })
      const [[first], [last]] = [await end('ASC'), await end('DESC')]
      return { min: first?.id as string, max: last?.id as string }
    },
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
}

export const counts: Adapter['counts'] = {
  'query builder, GROUP BY': {
    run: async ({ orders }) => {
      const builder = orders
        .createQueryBuilder('o')
        .select('o.customer', 'customer')
        .addSelect('COUNT(*)', 'n')
      const rows = await builder.groupBy('o.customer').getRawMany<{ customer: string; n: string }>()
      return new Map(rows.map(({ customer, n }) => [customer, Number(n)]))
    },
  },
}
