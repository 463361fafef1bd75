import { checkKeyset, checkOptions } from '@snoflax/core/adapter'

/** Which page. */
export interface KeysetOptions<AnId extends string, Field extends string> {
  /** Id of the last row of the page before; left out or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Rows of a page. */
  readonly take: number
  /** `desc` goes from the newest to the oldest. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** A unique field that holds ids. Default `id`. */
  readonly field?: Field
}

/** Arguments of a `findMany`. */
export interface Keyset<AnId extends string, Field extends string> {
  /** Ids beyond the last one seen; empty for the first page. */
  readonly where: { [Name in Field]?: { gt: AnId } | { lt: AnId } }
  /** By that id. */
  readonly orderBy: { [Name in Field]: 'asc' | 'desc' }
  /** Rows of a page. */
  readonly take: number
}

/**
 * Arguments that page through rows by id, which is by time: each page is one range of the index, wherever it
 * lies, and stays right while rows come and go. For `Bytes`, which Prisma can't compare, use its `cursor`. A
 * malformed `after` is an IdError of the `findMany` that takes the page.
 *
 * @throws {IdError} `INVALID_OPTION` for another order or option, and for a `take` that is not a positive integer.
 *
 * @example
 * const page = await prisma.order.findMany(keyset({ take: 50 }))
 * const next = await prisma.order.findMany(keyset({ after: page.at(-1)?.id, take: 50 }))
 */
export function keyset<AnId extends string = never, const Field extends string = 'id'>(
  options: KeysetOptions<AnId, Field>,
): Keyset<AnId, Field> {
  checkOptions('keyset', options, { after: 'any', take: 'number', order: 'any', field: 'any' })
  const { after, take, order, field = 'id' as Field } = options
  const direction = checkKeyset({ order, take })
  const bound = after == null ? {} : { [field]: { [direction === 'asc' ? 'gt' : 'lt']: after } }
  return { where: bound, orderBy: { [field]: direction }, take } as Keyset<AnId, Field>
}
