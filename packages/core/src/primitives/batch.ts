import { checkInteger } from './errors.js'

/**
 * `count` results of `generate`, in order.
 *
 * @param family its name, for errors.
 * @throws {IdError} `FIELD_OUT_OF_RANGE` for a count below 0 or above 2^32 - 1, and the errors of `generate`.
 *
 * @example
 * batch('flax', flax.generate, 3).length // 3
 */
export function batch<AnId>(family: string, generate: () => AnId, count: number): AnId[] {
  return Array.from({ length: checkInteger(family, 'count', count, 0, 2 ** 32 - 1) }, () => generate())
}
