import type { IdFamily } from '../family.js'
import { show } from '../primitives/errors.js'
import { checkOptions, type OptionKind, refuse } from '../primitives/options.js'
import { withPath } from './path.js'

/** The options of a keyset page, as users pass them. */
interface Options {
  readonly after?: unknown
  readonly order?: unknown
  readonly take?: unknown
}

/** A page of a keyset, ready for the ORM. */
interface KeysetPage<After = string | undefined> {
  /** Oldest first, or newest first. */
  readonly order: 'asc' | 'desc'
  /** The last id of the previous page; undefined for the first page. */
  readonly after: After
  /** Rows per page. */
  readonly take: number | undefined
}

/**
 * Checks the options of a keyset page but for its cursor, where the column isn't known yet; otherwise use
 * {@link readKeyset}.
 *
 * @param takes whether the ORM's keyset has the option `take`, and whether it must be passed.
 * @param own the ORM's further options, with their kinds.
 * @throws {IdError} `INVALID_OPTION` for an unknown option, an unknown order, and a `take` that is not a positive integer:
 * in some ORMs 0 means "no limit" and a negative number reads from the other end.
 *
 * @example
 * checkKeyset({ order: 'desc', take: 20 }, 'required').order // 'desc'
 */
export function checkKeyset(
  options: Options | undefined,
  takes: 'required' | 'optional' | 'never',
  own: Readonly<Record<string, OptionKind>> = {},
): KeysetPage<unknown> {
  const kinds = takes === 'never' ? own : { take: 'number' as const, ...own }
  const checked = checkOptions('keyset', options, { after: 'any', order: 'any', ...kinds })
  const { after, order = 'asc', take } = checked as Options
  const isTaken = takes === 'required' || take !== undefined
  if (isTaken && !(Number.isSafeInteger(take) && (take as number) > 0)) {
    refuse('keyset', 'take', take, `take must be a positive integer, not ${show(take)}`)
  }
  if (order !== 'asc' && order !== 'desc')
    refuse('keyset', 'order', order, `order must be 'asc' or 'desc', not ${show(order)}`)
  return { order, after, take: take as number | undefined }
}

/**
 * Reads the options of a keyset page by the column that orders it. `after` must be an id of that column; only undefined
 * and null mean the first page.
 *
 * @param column its name in messages, and the family of its ids.
 * @throws {IdError} as the family's `parse`, with status 400, for an `after` that is no id of the column, and as
 * {@link checkKeyset}.
 *
 * @example
 * readKeyset({ path: 'orders.id', family: flax }, { order: 'desc', take: 20 }, 'required').order // 'desc'
 */
export function readKeyset(
  { path, family }: { readonly path: string; readonly family: IdFamily },
  ...options: Parameters<typeof checkKeyset>
): KeysetPage {
  const { after, ...page } = checkKeyset(...options)
  return { ...page, after: after == null ? undefined : withPath(path, () => family.parse(after)) }
}
