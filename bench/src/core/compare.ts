import { race, type Step } from '../race.js'
import { type Aims, againstYardsticks, type Table } from '../ratios.js'
import type { Row } from '../report.js'
import type { Timing } from '../timing.js'

/** A race in which each contestant is compared with some of the others. */
export function compareAll<Name extends string>(
  contestants: Readonly<Record<Name, Step>>,
  yardsticks: readonly NoInfer<Name>[],
  aims: Partial<Record<NoInfer<Name>, Aims<NoInfer<Name>>>> = {},
): Table {
  return againstYardsticks(race(contestants), yardsticks, aims)
}

/** A race of pairs: each contestant is compared with its own yardstick, which does similar work on the same data. */
export function comparePairs<Name extends string>(
  title: string,
  pairs: Readonly<Record<Name, { readonly subject: Step; readonly yardstick: Step }>>,
  aims: Aims<NoInfer<Name>> = {},
): Table {
  const names = Object.keys(pairs) as Name[]
  const timings = race<string>(
    Object.fromEntries(
      names.flatMap((name) => Object.entries(pairs[name]).map(([role, step]) => [`${name}, ${role}`, step])),
    ),
  )
  const rows = names.map((name): Row => {
    const subject = timings[`${name}, subject`] as Timing
    const yardstick = timings[`${name}, yardstick`] as Timing
    return { name, ratios: [subject.stepNs / yardstick.stepNs], spread: subject.spread }
  })
  return { columns: [{ title, aims }], rows }
}
