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

/** A page of rows in the order of an id. */
export interface KeysetPage<Entity extends ObjectLiteral, Property extends keyof Entity & string> {
  /** The id property that rows are ordered by. Default `id`. */
  readonly by?: Property
  /** `ASC`: the oldest first, the default. `DESC`: the newest first. */
  readonly order?: 'ASC' | 'DESC'
  /** The id of the last row of the page before. Without it, the first page. */
  readonly after?: Entity[Property] | undefined
  /** Rows of a page. */
  readonly take: number
  /** Conditions that every row fulfils besides. */
  readonly where?: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[]
}

/**
 * Find options of one page, by keyset: the index is entered at the last id seen, so that late pages cost what
 * the first does, and rows that come or go between two pages shift nothing.
 *
 * @example
 * const first = await orders.find(keysetPage<Order>({ order: 'DESC', take: 20 }))
 * const next = await orders.find(keysetPage<Order>({ order: 'DESC', take: 20, after: first.at(-1)?.id }))
 */
export function keysetPage<
  Entity extends ObjectLiteral,
  Property extends keyof Entity & string = 'id' & keyof Entity,
>({
  by = 'id' as Property,
  order = 'ASC',
  after,
  take,
  where = {},
}: KeysetPage<Entity, Property>): Pick<FindManyOptions<Entity>, 'where' | 'order' | 'take'> {
  const seek = (one: FindOptionsWhere<Entity>) =>
    after === undefined
      ? one
      : { ...one, [by]: beyond(one[by], order === 'ASC' ? MoreThan(after) : LessThan(after)) }
  return {
    where: Array.isArray(where) ? where.map(seek) : seek(where),
    order: { [by]: order } as FindOptionsOrder<Entity>,
    take,
  }
}

function beyond<Value>(given: unknown, bound: FindOperator<Value>): FindOperator<Value> {
  if (given === undefined) return bound
  return And(given instanceof FindOperator ? given : Equal(given as Value), bound)
}
