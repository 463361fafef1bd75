import { IdError, show } from '../primitives/errors.js'
import { checkOptions, type OptionKind } from '../primitives/options.js'

/**
 * The order of a keyset page. Default `asc`.
 *
 * @param own the options that the ORM has besides `after` and `order`.
 * @throws {IdError} `INVALID_OPTION` for an unknown option, another order, and a `take` that is not a positive
 * integer: ORMs take 0 for "no limit" and read a negative one from the other end.
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
    refuse('take', take, 'take must be a positive integer')
  }
  if (order !== 'asc' && order !== 'desc') refuse('order', order, "order must be 'asc' or 'desc'")
  return order
}

function refuse(field: string, value: unknown, rule: string): never {
  throw new IdError('INVALID_OPTION', `keyset: ${rule}, not ${show(value)}`, { field, value })
}
