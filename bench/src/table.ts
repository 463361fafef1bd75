import type { Report, Row } from './report.js'

/** A table with aligned columns. */
export function table({ columns, rows }: Pick<Report, 'columns' | 'rows'>): string {
  const header = [
    '',
    ...columns.map((column) => `of ${column.title}`),
    ...(rows.some(isTimed) ? ['± %'] : []),
  ]
  const lines = rows.map((row) => [
    row.name,
    ...columns.map(({ aims }, i) => cell(row.ratios[i], aims[row.name])),
    ...(row.spread === undefined ? [] : [`${Math.round(100 * row.spread)}`]),
  ])
  const widths = header.map((_, i) => Math.max(...[header, ...lines].map((line) => line[i]?.length ?? 0)))
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [header, rule, ...lines].map((line) => `| ${line.map(align(widths)).join(' | ')} |`).join('\n')
}

const isTimed = ({ spread }: Row): boolean => spread !== undefined

/** `0.46 < 0.50`: a ratio that stays below its aim. */
function cell(ratio: number | undefined, aim: number | undefined): string {
  if (ratio === undefined) return ''
  const text = ratio.toFixed(2)
  if (aim === undefined) return text
  return ratio < aim ? `${text} < ${aim.toFixed(2)}` : `${text} ≥ ${aim.toFixed(2)} MISSED`
}

const align =
  (widths: readonly number[]) =>
  (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
