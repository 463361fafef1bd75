/** A time for people. */
export interface Moment {
  readonly utc: string
  readonly local: string
  readonly zone: string
  readonly relative: string
}

const SECOND_MS = 1000
const DAY_MS = 86_400_000

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365.2425 * DAY_MS],
  ['month', 30.44 * DAY_MS],
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', SECOND_MS],
]

export function momentOf(timeMs: number, nowMs: number, locale?: string): Moment {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
  return {
    utc: new Date(timeMs).toISOString(),
    local: format.format(timeMs),
    zone: format.resolvedOptions().timeZone,
    relative: relative(timeMs - nowMs, locale),
  }
}

/** "3 days ago", in the largest unit that fits. */
export function relative(differenceMs: number, locale?: string): string {
  const [unit, unitMs] = UNITS.find(([, size]) => Math.abs(differenceMs) >= size) ?? ['second', SECOND_MS]
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(
    Math.trunc(differenceMs / unitMs),
    unit,
  )
}

/** First millisecond of the time's day in UTC, and of the day after. */
export function dayOf(timeMs: number): { readonly from: number; readonly to: number } {
  const from = Math.floor(timeMs / DAY_MS) * DAY_MS
  return { from, to: from + DAY_MS }
}
