import type { Stopwatch } from '../stopwatch.js'
import { bar } from '../terminal/bar.js'
import type { Paint } from '../terminal/colour.js'
import { seconds } from '../terminal/numbers.js'
import { table } from '../terminal/table.js'

const BAR_WIDTH = 40

/** How long each step took. */
export function timeTable(paint: Paint, { laps }: Stopwatch): string[] {
  const longest = Math.max(...laps.map(({ ms }) => ms))
  return table(
    paint,
    [{ title: 'step' }, { title: 'took', align: 'right' }, { title: '' }],
    laps.map(({ step, ms }) => [step, seconds(ms), paint('cyan', bar(ms, longest, BAR_WIDTH))]),
  )
}
