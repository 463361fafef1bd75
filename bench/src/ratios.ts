import type { Column, Report, Row } from './report.js'
import type { Timing } from './timing.js'

export type Table = Pick<Report, 'columns' | 'rows'>
/** Row name → the ratio to stay under. */
export type Aims<Name extends string> = Partial<Record<Name, number>>

/** The ratio of each contestant to each yardstick, all timed in one race. */
export function againstYardsticks<Name extends string>(
  timings: Readonly<Record<Name, Timing>>,
  yardsticks: readonly NoInfer<Name>[],
  aims: Partial<Record<NoInfer<Name>, Aims<NoInfer<Name>>>> = {},
): Table {
  const columns = yardsticks.map((title): Column => ({ title, aims: aims[title] ?? {} }))
  const rows = (Object.keys(timings) as Name[]).map(
    (name): Row => ({
      name,
      ratios: yardsticks.map((yardstick) => timings[name].stepNs / timings[yardstick].stepNs),
      spread: timings[name].spread,
    }),
  )
  return { columns, rows }
}

/** A contestant, and the plain key of its own that it is compared with. */
export interface Pair {
  readonly name: string
  readonly ours: Timing
  readonly plain: Timing
  readonly aim?: number | undefined
}

/** The ratio of each contestant to its own yardstick: a plain key, if it has no other title. */
export const besidePlainKeys = (pairs: readonly Pair[], title = 'a plain key'): Table => ({
  columns: [{ title, aims: Object.fromEntries(pairs.map(({ name, aim }) => [name, aim])) }],
  rows: pairs.map(({ name, ours, plain }) => ({
    name,
    ratios: [ours.stepNs / plain.stepNs],
    spread: Math.max(ours.spread, plain.spread),
  })),
})
