import { IdError, type IdStorage } from '@snoflax/core'

/** A fault in words, if there are such rows. */
export function counted(rows: string | number | undefined, path: string, what: string): string[] {
  const count = Number(rows)
  return count === 0 ? [] : [`${path}: ${count} ${count === 1 ? 'row' : 'rows'} ${what}`]
}

/** Milliseconds from a row's time to its id's. An id that can't be read is a fault. */
export function driftOf(
  storage: IdStorage<string>,
  value: unknown,
  rowMs: number,
  place: string,
  faults: string[],
): number {
  try {
    return Math.abs(storage.family.timeMs(storage.fromDatabase(value)) - rowMs)
  } catch (error) {
    if (!(error instanceof IdError || error instanceof TypeError)) throw error
    faults.push(`${place}: ${error.message}`)
    return 0
  }
}
