import { readFileSync } from 'node:fs'

/** A seismic event, as the U.S. Geological Survey listed it. */
export interface Quake {
  readonly code: string
  readonly timeMs: number
  readonly magnitude: number
  readonly kind: 'earthquake' | 'explosion' | 'quarry blast'
  /** The seismic network that reported it. */
  readonly network: string
  readonly place: string
  readonly longitude: number
  readonly latitude: number
  readonly depthKm: number
}

/** A week of quakes in order of time; data/README.md says where they come from. */
export function loadQuakes(): Quake[] {
  const lines = readFileSync(new URL('../data/quakes.jsonl', import.meta.url), 'utf8')
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Quake)
}

const WEEK_MS = 7 * 24 * 3_600_000

/** Repeats the week, each time a week later, for as many events as in many weeks. */
export function repeatWeek(quakes: readonly Quake[], weeks: number): Quake[] {
  return Array.from({ length: weeks }, (_, week) =>
    quakes.map((quake) => ({ ...quake, timeMs: quake.timeMs + week * WEEK_MS })),
  ).flat()
}

export function strongestOf(quakes: readonly Quake[]): Quake {
  return quakes.reduce((strongest, quake) => (quake.magnitude > strongest.magnitude ? quake : strongest))
}
