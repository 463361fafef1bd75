import { UsageError } from '../exit.js'

/** A year, a month, a day, or an hour, in UTC unless an hour has a zone. */
const SPAN = /^(\d{4})(?:(-\d{2})(?:(-\d{2})(?:[T ](\d{2})(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})$/i
const UNIX_MS = /^-?\d+$/
const AGO = /^-(\d{1,6})([mhdw])$/
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS, w: 7 * DAY_MS }
const DAYS = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
])

/** Whether a text is a time such as `-7d`, which looks like an option. */
export const isAgo = (text: string): boolean => AGO.test(text)

/** The end of a text that is a whole year, month, day or hour and begins at this time; undefined for a moment. */
export function endOf(text: string, fromMs: number): number | undefined {
  if (DAYS.has(text)) return fromMs + DAY_MS
  const [, year, month, day, hour] = SPAN.exec(text) ?? []
  if (year === undefined) return undefined
  if (day !== undefined) return fromMs + (hour === undefined ? DAY_MS : (UNITS['h'] as number))
  const from = new Date(fromMs)
  return from.setUTCMonth(from.getUTCMonth() + (month === undefined ? 12 : 1))
}

/**
 * Unix milliseconds of `now`, the start of a year, a month, a day (midnight UTC; `yesterday`, `today` and `tomorrow` too) or an
 * hour, `-7d` (that long ago; also in m, h and w), a date and time with its zone, or Unix milliseconds.
 *
 * @throws {UsageError} for anything else, a time without a zone too: it would mean another moment elsewhere.
 */
export function parseTime(text: string): number {
  const timeMs = momentOf(text.trim())
  if (Number.isSafeInteger(timeMs)) return timeMs
  throw new UsageError(
    `a time must be now, yesterday, -7d, 2026, 2026-11, 2026-11-01, 2026-11-01T12, 2026-11-01T12:00:00Z, 2026-11-01T12:00:00+01:00 or Unix milliseconds, not ${text}`,
  )
}

function momentOf(text: string): number {
  if (text === 'now') return Date.now()
  const day = DAYS.get(text)
  if (day !== undefined) return (Math.floor(Date.now() / DAY_MS) + day) * DAY_MS
  const [, count, unit = ''] = AGO.exec(text) ?? []
  if (count !== undefined) return Date.now() - Number(count) * (UNITS[unit] as number)
  const [, year, month = '-01', date = '-01', hour = '00', zone = 'Z'] = SPAN.exec(text) ?? []
  if (year === undefined && UNIX_MS.test(text)) return Number(text)
  const whole =
    year === undefined ? text.replace(' ', 'T') : `${year}${month}${date}T${hour}:00${zone.toUpperCase()}`
  if (year === undefined && !DATE_TIME.test(text)) return Number.NaN
  return isRealDay(whole) ? Date.parse(whole) : Number.NaN
}

/** Date.parse turns February 30 into March. */
function isRealDay(text: string): boolean {
  const day = text.slice(0, 10)
  const midnight = Date.parse(day)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/** `2026-11-01T12:00:00.000Z`, or the bare number beyond the years that a Date has. */
export const showUtc = (timeMs: number): string => new Date(timeMs).toISOString()

/** `2026-11-01 13:00:00.000 +01:00`, in the zone of this process. */
export function showLocal(timeMs: number): string {
  const offset = -new Date(timeMs).getTimezoneOffset()
  const local = new Date(timeMs + offset * 60_000).toISOString().replace('T', ' ').slice(0, -1)
  const digits = (minutes: number): string => String(Math.floor(minutes)).padStart(2, '0')
  const zone = `${digits(Math.abs(offset) / 60)}:${digits(Math.abs(offset) % 60)}`
  return `${local} ${offset < 0 ? '-' : '+'}${zone}`
}
