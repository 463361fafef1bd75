import { checkInteger } from './errors.js'

/** `count` results of `generate`, in order. */
export function batch<AnId>(family: string, generate: () => AnId, count: number): AnId[] {
  return Array.from({ length: checkInteger(family, 'count', count, 0, 2 ** 32 - 1) }, () => generate())
}
