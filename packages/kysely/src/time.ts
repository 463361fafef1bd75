import type { Time } from '@snoflax/core'
import { checkKeyset, unixMs } from '@snoflax/core/adapter'
import { type AliasableExpression, type Expression, type SqlBool, sql, ValueNode } from 'kysely'
import { marked } from './nodes.js'

/** A column by its name in the query, such as `orders.id` or `o.id`, or an expression. */
export type IdReference = string | Expression<unknown>

const nodeOf = (reference: IdReference) =>
  (typeof reference === 'string' ? sql.ref(reference) : reference).toOperationNode()

/**
 * Rows whose id was generated at or after `from` and before `to`. It compares texts, so it also selects other keys that
 * the column accepts if they sort between the ends: recheck with `wasCreatedBetween`, which is false for them.
 *
 * For families whose `exactRange` is false (uid) it selects more: recheck with `wasCreatedBetween`. If `from` is after
 * the family's last time, it finds none.
 *
 * @throws {IdError} `INVALID_TIME`; when the query runs, `INVALID_OPTION` if `from` is after `to`, and for anything that
 * is not an id column.
 *
 * @example
 * db.selectFrom('orders').selectAll().where(createdBetween('orders.id', new Date('2026-11-01'), new Date('2026-12-01')))
 */
export function createdBetween(reference: IdReference, from: Time, to: Time): AliasableExpression<SqlBool> {
  const moments = [from, to].map((time) => ValueNode.create(unixMs(time)))
  return marked({ is: 'between' }, nodeOf(reference), ...moments)
}

/**
 * Rows whose id was generated at or after the time: none after the family's last time.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * db.selectFrom('orders').selectAll().where(createdAfter('orders.id', Date.now() - 3_600_000))
 */
export const createdAfter = (reference: IdReference, time: Time): AliasableExpression<SqlBool> =>
  createdBetween(reference, time, Number.POSITIVE_INFINITY)

/**
 * Rows whose id was generated before the time: all, if it is after the family's last time.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * db.deleteFrom('orders').where(createdBefore('orders.id', new Date('2020-01-01')))
 */
export const createdBefore = (reference: IdReference, time: Time): AliasableExpression<SqlBool> =>
  createdBetween(reference, Number.NEGATIVE_INFINITY, time)

/**
 * The creation time of the row's id, as a Date; null for another key that the column accepts. In SQL it is the id itself, so you can sort by it too.
 *
 * @throws {IdError} `INVALID_OPTION` for anything that is not an id column, when the query runs.
 *
 * @example
 * db.selectFrom('orders').select(['total', createdAt('orders.id').as('created_at')])
 */
export const createdAt = <Type extends Date | null = Date>(
  reference: IdReference,
): AliasableExpression<Type> => marked({ is: 'time' }, nodeOf(reference))

/** Options of {@link keyset}. */
export interface KeysetOptions<AnId extends string> {
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** Rows per page. Default: the query's own limit. */
  readonly take?: number
}

/** The methods of a query that a page needs. */
interface Pageable {
  where(condition: Expression<SqlBool>): unknown
  orderBy(expression: Expression<unknown>, order: 'asc' | 'desc'): unknown
  limit(rows: number): unknown
}

/**
 * Keyset pagination by a unique id column, such as the primary key, for `$call`: page 1000 costs as much as page 1, and
 * inserted or deleted rows shift no page.
 *
 * @throws {IdError} `INVALID_OPTION` for another order or a `take` that is not a positive integer; when the query runs, for
 * a malformed cursor and anything that is not an id column.
 *
 * @example
 * db.selectFrom('orders').selectAll().$call(keyset('orders.id', { after: lastSeenId, order: 'desc', take: 20 }))
 */
export function keyset(
  reference: IdReference,
  options: KeysetOptions<string> = {},
): <Query>(query: Query) => Query {
  const checked = checkKeyset(options, { take: 'number' })
  const { after, take } = options
  return <Query>(query: Query): Query => {
    let page = query as unknown as Pageable
    if (after != null) {
      const beyond = marked<SqlBool>(
        { is: 'beyond', order: checked },
        nodeOf(reference),
        ValueNode.create(after),
      )
      page = page.where(beyond) as Pageable
    }
    page = page.orderBy(typeof reference === 'string' ? sql.ref(reference) : reference, checked) as Pageable
    return (take === undefined ? page : page.limit(take)) as Query
  }
}

/**
 * Marks a value, or an expression beside an id column, that is not an id: it is neither converted nor refused.
 *
 * @example
 * db.selectFrom('orders').selectAll().where((eb) => eb(eb.cast<string>('id', 'text'), '=', asText('9q7k4h922d78w222')))
 */
export function asText<Type>(value: Expression<Type> | Type): AliasableExpression<Type> {
  const isExpression = typeof value === 'object' && value !== null && 'toOperationNode' in value
  const node = isExpression ? (value as Expression<Type>).toOperationNode() : ValueNode.create(value)
  return marked({ is: 'other' }, node)
}
