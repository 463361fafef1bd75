import { type Quake, strongestOf } from './data.js'

/** Which quakes happened at or after one time and before another? */
export interface Question {
  readonly title: string
  readonly fromMs: number
  readonly toMs: number
  /** Only for families whose ids contain it. */
  readonly leastMagnitude?: number
}

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
const DAY_MS = 24 * HOUR_MS
/** Felt far away, and a boundary of magnitude classes. */
export const STRONG = 4.5

/** The days (UTC) on which there were quakes. */
export function days(quakes: readonly Quake[]): Question[] {
  const dates = [...new Set(quakes.map(({ timeMs }) => Math.floor(timeMs / DAY_MS)))]
  return dates.map((date) => ({
    title: new Date(date * DAY_MS).toISOString().slice(0, 10),
    fromMs: date * DAY_MS,
    toMs: (date + 1) * DAY_MS,
  }))
}

// Ids count in units of 1 ms, 1.024 ms or 4 ms; at a whole second a unit of each begins, so results must be equal.

export function hourAfterStrongest(quakes: readonly Quake[]): Question {
  const fromMs = Math.floor(strongestOf(quakes).timeMs / SECOND_MS) * SECOND_MS
  return { title: 'the hour after the strongest quake', fromMs, toMs: fromMs + HOUR_MS }
}

export function lastSixHours(quakes: readonly Quake[]): Question {
  const toMs = (Math.floor(Math.max(...quakes.map(({ timeMs }) => timeMs)) / SECOND_MS) + 1) * SECOND_MS
  return { title: 'the last six hours', fromMs: toMs - 6 * HOUR_MS, toMs }
}

/** The strong quakes of each day. */
export function strongByDay(quakes: readonly Quake[]): Question[] {
  return days(quakes).map((day) => ({
    ...day,
    title: `magnitude ${STRONG} and up on ${day.title}`,
    leastMagnitude: STRONG,
  }))
}
