import type { IdFamily } from '@snoflax/core'
import { refuse } from './refusal.js'

/** The row's time, if an id of the family can carry it. */
export function checkRowTime(
  place: string,
  key: string,
  timeMs: number | undefined,
  family: IdFamily,
): number {
  if (timeMs !== undefined && timeMs >= family.firstMs && timeMs <= family.lastMs) return timeMs
  return refuseTime(place, key, timeMs, family)
}

/** @throws {IdError} `INVALID_TIME` for a row without a time, `TIME_OUT_OF_RANGE`. */
export function refuseTime(
  place: string,
  key: string,
  timeMs: number | undefined,
  { name, firstMs, lastMs }: IdFamily,
): never {
  const row = `${place} ${key}`
  if (timeMs === undefined) return refuse(row, 'the row has no time to make an id of', key, 'INVALID_TIME')
  const iso = (time: number): string =>
    Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : `${time} ms`
  return refuse(
    row,
    `${name}: the row's time ${iso(timeMs)} is outside ${iso(firstMs)} to ${iso(lastMs)}`,
    timeMs,
    'TIME_OUT_OF_RANGE',
  )
}
