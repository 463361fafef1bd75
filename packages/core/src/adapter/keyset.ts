import { show } from '../primitives/errors.js'
import { checkOptions, type OptionKind, refuse } from '../primitives/options.js'

/**
 * Checks the options of a keyset page and returns its order. Default `asc`.
 *
 * @param own the ORM's options besides `after` and `order`, with their kinds.
 * @throws {IdError} `INVALID_OPTION` for an unknown option, an unknown order, and a `take` that is not a positive
 * integer: in some ORMs 0 means "no limit" and a negative number reads from the other end.
 *
 * @example
 * checkKeyset({ order: 'desc', take: 20 }, { take: 'number' }) // 'desc'
 */
export function checkKeyset(
  options: { readonly order?: unknown; readonly take?: unknown },
  own: Readonly<Record<string, OptionKind>>,
): 'asc' | 'desc' {
  checkOptions('keyset', options, { after: 'any', order: 'any', ...own })
  const { order = 'asc', take } = options
  if (take !== undefined && !(Number.isSafeInteger(take) && (take as number) > 0)) {
    refuse('keyset', 'take', take, `take must be a positive integer, not ${show(take)}`)
  }
  if (order !== 'asc' && order !== 'desc')
    refuse('keyset', 'order', order, `order must be 'asc' or 'desc', not ${show(order)}`)
  return order
}
