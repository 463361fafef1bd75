import { IdError } from '@snoflax/core'
import { readKeyset } from '@snoflax/core/adapter'
import { asc, type Column, desc, type GetColumnData, gt, lt, type SQL } from 'drizzle-orm'
import { singleIdsOf } from './id-column/ids.js'

/** Options of {@link keyset}. */
export interface KeysetOptions<AnId> {
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
}

/** The condition and order of a page, for `select` and `findMany`. */
export interface Keyset {
  /** Undefined for the first page. */
  readonly where: SQL | undefined
  /** By id, in the requested order. */
  readonly orderBy: SQL
}

/**
 * Keyset pagination by a unique id column, such as the primary key: page 1000 costs as much as page 1, and inserted or
 * deleted rows shift no page. Without uniqueness, rows that share an id may be missed between two pages.
 *
 * @throws {IdError} with status 400 for an `after` that is no id of the column; `INVALID_OPTION` for another order, and for
 * a column that is nullable or contains no single ids.
 *
 * @example
 * const page = keyset(orders.id, { after: lastSeenId, order: 'desc' })
 * await db.select().from(orders).where(page.where).orderBy(page.orderBy).limit(20)
 * await db.query.orders.findMany({ ...page, limit: 20 })
 */
export function keyset<AColumn extends Column>(
  column: AColumn,
  options: KeysetOptions<GetColumnData<AColumn, 'raw'>> = {},
): Keyset {
  const ids = singleIdsOf(column)
  const { place } = ids
  if (!column.notNull) {
    // Rows without an id would be on no page, and a page after one of them would be the first one again.
    throw new IdError('INVALID_OPTION', `${place}: keyset pages need an id in every row; add .notNull()`, {
      path: place,
    })
  }
  const { after, order } = readKeyset({ path: place, family: ids.family }, options, 'never')
  const [beyond, ordered] = order === 'asc' ? [gt, asc] : [lt, desc]
  return { where: after === undefined ? undefined : beyond(column, after), orderBy: ordered(column) }
}
