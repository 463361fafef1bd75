import type { Agreement } from '../agreement.js'
import type { Paint } from '../terminal/colour.js'
import { table } from '../terminal/table.js'

/** A line for each table whose ids the database generated: the column's default, and the checks that passed. */
export function agreementTable(paint: Paint, agreements: readonly Agreement[]): string[] {
  return table(
    paint,
    [
      { title: 'family' },
      { title: 'storage' },
      { title: 'id … DEFAULT' },
      { title: 'insert' },
      { title: 'text' },
      { title: 'time' },
      { title: 'bounds' },
      { title: 'quakes' },
    ],
    agreements.map(({ storage, generate, checks }) => [
      storage.family.name,
      storage.name,
      paint('cyan', generate),
      ...checks.map(({ failure }) => (failure === undefined ? paint('green', '✓') : paint('red', '✗'))),
    ]),
  )
}
