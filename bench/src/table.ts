import type { Column, Report, Row } from './report.js'

/** A Markdown table with aligned columns, readable in a terminal too. */
export function table({ columns, rows }: Pick<Report, 'columns' | 'rows'>): string {
  const header = [
    '',
    ...columns.flatMap((column) => [`of ${column.title}`, ...(hasAims(column) ? ['aim'] : [])]),
    ...(rows.some(isTimed) ? ['± %'] : []),
  ]
  const lines = rows.map((row) => [
    row.name,
    ...columns.flatMap((column, i) => cells(column, row, i)),
    ...(row.spread === undefined ? [] : [`${Math.round(100 * row.spread)}`]),
  ])
  const widths = header.map((_, i) => Math.max(...[header, ...lines].map((line) => line[i]?.length ?? 0)))
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [header, rule, ...lines].map((line) => `| ${line.map(align(widths)).join(' | ')} |`).join('\n')
}

const isTimed = ({ spread }: Row): boolean => spread !== undefined

const hasAims = ({ aims }: Column): boolean => Object.keys(aims).length > 0

function cells(column: Column, row: Row, i: number): string[] {
  const ratio = row.ratios[i]
  const text = ratio === undefined ? '' : ratio.toFixed(2)
  return hasAims(column) ? [text, verdict(column.aims[row.name], ratio)] : [text]
}

function verdict(aim: number | undefined, ratio: number | undefined): string {
  if (aim === undefined || ratio === undefined) return ''
  return `${aim.toFixed(2)} ${ratio < aim ? 'met' : 'MISSED'}`
}

const align =
  (widths: readonly number[]) =>
  (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)
