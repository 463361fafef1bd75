import type { Answer } from '../checks.js'
import { bar } from '../terminal/bar.js'
import type { Paint } from '../terminal/colour.js'

const BAR_WIDTH = 60

/** Quakes of each day as bars, the strong ones first. Both counts come from key ranges. */
export function dayChart(paint: Paint, days: readonly Answer[], strong: readonly Answer[]): string[] {
  const most = Math.max(...days.map(({ quakes }) => quakes.length))
  return days.map(({ question, quakes }, index) => {
    const strongCount = strong[index]?.quakes.length ?? 0
    const all = bar(quakes.length, most, BAR_WIDTH)
    const strongLength = Math.round((strongCount / most) * BAR_WIDTH)
    return [
      question.title,
      paint('red', all.slice(0, strongLength)) +
        paint('cyan', all.slice(strongLength)) +
        ' '.repeat(BAR_WIDTH - all.length),
      String(quakes.length).padStart(4),
      paint('red', `${String(strongCount).padStart(3)} strong`),
    ].join('  ')
  })
}
