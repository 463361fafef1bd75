import { IdError } from '@snoflax/core'
import { checkKeyset } from '@snoflax/core/adapter'
import { asc, type Column, desc, type GetColumnData, gt, lt, type SQL } from 'drizzle-orm'
import { singleIdsOf } from './id-column/ids.js'

/** Which page. */
export interface KeysetOptions<AnId> {
  /** The last id of the page before; left out or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
}

/** The parts of a query that make a page, for `select` and for `findMany`. */
export interface Keyset {
  /** Undefined for the first page. */
  readonly where: SQL | undefined
  /** By the id, in the order asked for. */
  readonly orderBy: SQL
}

/**
 * A page of rows by their id, such as the primary key: no offset, so page 1000 costs what page 1 does, and rows
 * that come in between shift nothing. Rows that share an id may fall between two pages.
 *
 * @throws {IdError} `INVALID_OPTION` for another order, and for a column without an id in every row; the query
 * throws for a malformed cursor.
 *
 * @example
 * const page = keyset(orders.id, { after: lastSeenId, order: 'desc' })
 * await db.select().from(orders).where(page.where).orderBy(page.orderBy).limit(20)
 * await db.query.orders.findMany({ ...page, limit: 20 })
 */
export function keyset<AColumn extends Column>(
  column: AColumn,
  { after, order }: KeysetOptions<GetColumnData<AColumn, 'raw'>> = {},
): Keyset {
  const ids = singleIdsOf(column)
  const { place } = ids
  if (!column.notNull) {
    // Rows without an id would be on no page, and the first page would come again after one of them.
    throw new IdError('INVALID_OPTION', `${place}: keyset pages need an id in every row; add .notNull()`, {
      path: place,
    })
  }
  const [beyond, ordered] = ids.placed(() => checkKeyset({ order })) === 'asc' ? [gt, asc] : [lt, desc]
  return { where: after == null ? undefined : beyond(column, after), orderBy: ordered(column) }
}
