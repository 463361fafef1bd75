import { type Quake, strongestOf } from '../data.js'
import type { Paint } from '../terminal/colour.js'
import { grouped, moment } from '../terminal/numbers.js'

/** What the demo is about. */
export function intro(paint: Paint, quakes: readonly Quake[]): string[] {
  const times = quakes.map(({ timeMs }) => timeMs)
  const networks = new Set(quakes.map(({ network }) => network)).size
  const { magnitude, place, latitude, longitude, depthKm, timeMs } = strongestOf(quakes)
  return [
    '',
    `${paint('bold', 'snoflax')}: a week of earthquakes, found by time with nothing but the primary key`,
    '',
    `${grouped(quakes.length)} events of ${networks} seismic networks, ${day(Math.min(...times))} to ${day(Math.max(...times))}.`,
    `The strongest: magnitude ${magnitude}, ${place}, ${moment(timeMs).slice(0, 19)} UTC,`,
    `at ${degrees(latitude, 'N', 'S')} ${degrees(longitude, 'E', 'W')}, ${depthKm} km deep.`,
    paint('dim', 'Data: U.S. Geological Survey, public domain; see examples/quakes/data.'),
  ]
}

const day = (timeMs: number): string => moment(timeMs).slice(0, 10)

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`
}
