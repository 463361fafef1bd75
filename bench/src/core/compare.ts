import { race, type Step, type Timing } from '../race.js'
import type { Column, Report, Row } from '../report.js'

type Table = Pick<Report, 'columns' | 'rows'>
/** Row name → the ratio to stay under. */
type Aims<Name extends string> = Partial<Record<Name, number>>

/** A race of all, each measured against some of them. */
export function compareAll<Name extends string>(
  contestants: Readonly<Record<Name, Step>>,
  yardsticks: readonly NoInfer<Name>[],
  aims: Partial<Record<NoInfer<Name>, Aims<NoInfer<Name>>>> = {},
): Table {
  const timings = race(contestants)
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

/** A race of pairs, each measured against its own yardstick, which does the like with the same data. */
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
