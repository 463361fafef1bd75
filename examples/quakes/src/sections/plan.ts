import type { Question } from '../questions.js'
import type { Survey } from '../survey.js'
import type { Paint } from '../terminal/colour.js'
import { WIDTH } from '../terminal/screen.js'

/** The database's plan for the query. */
export function planOf(paint: Paint, { table, plan, answers }: Survey, asked: Question): string[] {
  const answer = answers.find(({ question }) => question === asked)
  return [
    `${table.engine.name}, ${table.name}, ${answer?.quakes.length} rows:`,
    ...plan.lines.flatMap(folded).map((line) => `  ${paint('cyan', line)}`),
  ]
}

/** A condition, on two lines if one is too long. */
function folded(line: string): string[] {
  const at = line.length + 2 > WIDTH ? line.indexOf(' AND ') : -1
  if (at < 0) return [line]
  const indent = ' '.repeat(line.length - line.trimStart().length + 12)
  return [line.slice(0, at), indent + line.slice(at + 1)]
}
