import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Report } from './report.js'
import { table } from './table.js'

const README = new URL('../README.md', import.meta.url)
export const markdown = (report: Report): string =>
  `### ${report.title}\n\n${report.about}\n\n${table(report)}\n`

/** Replaces the previous results of a chapter. */
export function writeResults(chapter: string, circumstances: string, reports: readonly Report[]): void {
  const text = readFileSync(README, 'utf8')
  const place = new RegExp(`(<!-- ${chapter} -->\\n).*(<!-- /${chapter} -->)`, 's')
  if (!place.test(text)) throw new Error(`bench/README.md has no place for the results of ${chapter}`)
  const results = [`${machine()}${circumstances}\n`, ...reports.map(markdown)].join('\n')
  writeFileSync(
    README,
    text.replace(place, (_, start: string, end: string) => `${start}\n${results}\n${end}`),
  )
}

function machine(): string {
  const date = new Date().toISOString().slice(0, 10)
  const processors = cpus()
  return `${date}, Node.js ${process.versions.node}, ${processors.length} × ${processors[0]?.model.trim()}`
}
