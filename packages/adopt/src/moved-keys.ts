import type { IdStorage } from '@snoflax/core'
import type { TimeSource } from './created-at.js'
import { refuse } from './refusal.js'

/** Rows that are looked at. */
export const SAMPLE = 100
/** Clocks of applications and databases differ by less. */
const TOLERANCE_MS = 60_000

interface KeyAndTime {
  readonly key: unknown
  readonly timeMs: string | number
}

/**
 * @throws {IdError} if most keys are ids of the family that carry the time of their row: a program that is run
 * again after its move would give every row another id.
 */
export function refuseIds(
  place: string,
  storage: IdStorage<string>,
  source: TimeSource,
  rows: readonly KeyAndTime[],
): void {
  const toleranceMs = source.kind === 'span' ? source.toMs - source.fromMs : TOLERANCE_MS
  const ids = rows.filter(
    ({ key, timeMs }) => Math.abs(idTimeMs(storage, key) - Number(timeMs)) <= toleranceMs,
  )
  if (ids.length <= rows.length / 2) return
  refuse(
    place,
    `the keys are ${storage.family.name} ids of their rows' times already: this move has been made`,
  )
}

/** NaN for what is no id. */
function idTimeMs({ family, fromDatabase }: IdStorage<string>, key: unknown): number {
  try {
    return family.timeMs(fromDatabase(key))
  } catch {
    return Number.NaN
  }
}
