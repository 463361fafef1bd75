import { checkKeyset } from '@snoflax/core/adapter'

/** Options of {@link keyset}. */
export interface KeysetOptions<AnId extends string, Field extends string> {
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Rows per page. */
  readonly take: number
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** A unique id field. Default `id`. */
  readonly field?: Field
}

/** Arguments of a `findMany`. */
export interface Keyset<AnId extends string, Field extends string> {
  /** Ids after `after`; empty for the first page. */
  readonly where: { [Name in Field]?: { gt: AnId } | { lt: AnId } }
  /** By the id field. */
  readonly orderBy: { [Name in Field]: 'asc' | 'desc' }
  /** Rows per page. */
  readonly take: number
}

/**
 * Arguments of `findMany` for keyset pagination: page 1000 costs as much as page 1, and inserted or deleted rows shift no
 * page. Prisma can't compare `Bytes`: use its `cursor` for storage `binary`. `findMany` throws an IdError with
 * status 400 for an `after` that is no id of the field.
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
  const { order, after, take } = checkKeyset(options, 'required', { field: 'any' })
  const { field = 'id' as Field } = options
  const bound = after == null ? {} : { [field]: { [order === 'asc' ? 'gt' : 'lt']: after } }
  return { where: bound, orderBy: { [field]: order }, take } as Keyset<AnId, Field>
}
