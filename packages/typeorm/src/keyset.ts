import { IdError } from '@snoflax/core'
import {
  And,
  Equal,
  type FindManyOptions,
  FindOperator,
  type FindOptionsOrder,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
  type ObjectLiteral,
} from 'typeorm'

/** Which page. */
export interface KeysetOptions<Entity extends ObjectLiteral, Field extends keyof Entity & string> {
  /** The id property that rows are ordered by. Default `id`. */
  readonly field?: Field
  /** `ASC`: the oldest first, the default. `DESC`: the newest first. */
  readonly order?: 'ASC' | 'DESC'
  /** The id of the last row of the page before; left out or null for the first page. */
  readonly after?: Entity[Field] | null | undefined
  /** Rows of a page. */
  readonly take: number
  /** Conditions that every row fulfils besides. */
  readonly where?: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[]
}

/**
 * Find options of one page, by keyset: the index is entered at the last id seen, so that late pages cost what
 * the first does, and rows that come or go between two pages shift nothing. A malformed `after` is an IdError
 * of the `find` that takes the page.
 *
 * @throws {IdError} `INVALID_OPTION` for another order.
 *
 * @example
 * const first = await orders.find(keyset<Order>({ order: 'DESC', take: 20 }))
 * const next = await orders.find(keyset<Order>({ order: 'DESC', take: 20, after: first.at(-1)?.id }))
 */
export function keyset<
  Entity extends ObjectLiteral,
  Field extends keyof Entity & string = 'id' & keyof Entity,
>({
  field = 'id' as Field,
  order = 'ASC',
  after,
  take,
  where = {},
}: KeysetOptions<Entity, Field>): Pick<FindManyOptions<Entity>, 'where' | 'order' | 'take'> {
  const beyond = operatorOf(order)
  const seek = (one: FindOptionsWhere<Entity>) =>
    after == null ? one : { ...one, [field]: both(one[field], beyond(after)) }
  return {
    where: Array.isArray(where) ? where.map(seek) : seek(where),
    order: { [field]: order } as FindOptionsOrder<Entity>,
    take,
  }
}

function operatorOf(order: string): typeof MoreThan {
  if (order === 'ASC') return MoreThan
  if (order === 'DESC') return LessThan
  throw new IdError('INVALID_OPTION', `keyset: an order is ASC or DESC, not ${JSON.stringify(order)}`, {
    field: 'order',
    value: order,
  })
}

function both<Value>(given: unknown, bound: FindOperator<Value>): FindOperator<Value> {
  if (given === undefined) return bound
  return And(given instanceof FindOperator ? given : Equal(given as Value), bound)
}
