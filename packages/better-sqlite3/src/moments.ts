import { show } from '@snoflax/core/adapter'
import { refuse, refuseType } from './values.js'

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(?: ?(?:Z|([+-])(\d\d):(\d\d)))?$/i
const MINUTE_MS = 60_000
/** The limit of SQLite. */
const LAST_OFFSET_HOUR = 14
/** The length of `2026-11-01T00:00:00.000Z`; years before 0 and after 9999 are longer. */
const ISO_LENGTH = 24

/** A time in the form of SQLite's own date functions with `subsec`, in UTC. */
export function momentText(family: string, timeMs: number): string {
  const iso = new Date(timeMs).toISOString()
  if (iso.length === ISO_LENGTH) return iso.slice(0, -1).replace('T', ' ')
  const rule = `${iso} is outside the years 0 to 9999 of SQLite's dates; use the function with _time_ms`
  return refuse('TIME_OUT_OF_RANGE', family, 'time', rule, timeMs)
}

/**
 * Unix milliseconds of a time in one of SQLite's forms. Any fraction of a millisecond becomes a half, so that bounds,
 * which round up, stay exact.
 *
 * @throws {IdError} `INVALID_TIME` for other text and for dates that don't exist; `INVALID_TYPE` for numbers, since they
 * could be seconds, milliseconds or days.
 */
export function readMoment(family: string, moment: unknown): number {
  if (typeof moment !== 'string') {
    refuseType(family, 'a time must be text; functions with _ms take Unix milliseconds', moment, 'time')
  }
  const found = MOMENT.exec(moment)
  const timeMs = found ? unixMs(found) : Number.NaN
  if (!Number.isNaN(timeMs)) return timeMs
  const rule = "a time must be text like '2026-11-01' or '2026-11-01 12:30:00.250', in UTC or with an offset"
  return refuse('INVALID_TIME', family, 'time', `${rule}, not ${show(moment)}`, moment)
}

/** NaN for a time that doesn't exist. */
function unixMs(found: RegExpExecArray): number {
  const [, date, minutes = '00:00', seconds = '00', fraction = '', sign, ...offset] = found
  const iso = `${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const timeMs = Date.parse(iso)
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString() !== iso) return Number.NaN
  const rest = /[1-9]/.test(fraction.slice(3)) ? 0.5 : 0
  return timeMs + rest - (sign === undefined ? 0 : offsetMs(sign, offset))
}

function offsetMs(sign: string, offset: readonly (string | undefined)[]): number {
  const [hours, minutes] = offset.map(Number) as [number, number]
  if (hours > LAST_OFFSET_HOUR || minutes > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS
}
