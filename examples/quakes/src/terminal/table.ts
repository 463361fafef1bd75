import { stripVTControlCharacters } from 'node:util'
import type { Paint } from './colour.js'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
}

const GAP = '  '

/** Lines of aligned columns; cells may be coloured. */
export function table(
  paint: Paint,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => widthOf(row[index] ?? ''))),
  )
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? ''
        const space = ' '.repeat((widths[index] ?? 0) - widthOf(cell))
        return align === 'right' ? space + cell : cell + space
      })
      .join(GAP)
      .trimEnd()
  return [paint('dim', line(columns.map(({ title }) => title))), ...rows.map(line)]
}

/** The width of the text on a terminal, in columns. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length
}
