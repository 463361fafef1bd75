import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Report } from './report.js'
import { table } from './table.js'

const README = new URL('../README.md', import.meta.url)
const RESULTS = /(<!-- results -->\n).*(<!-- \/results -->)/s

export const markdown = (report: Report): string =>
  `### ${report.title}\n\n${report.about}\n\n${table(report)}\n`

/** Puts the results in the place of the last ones. */
export function writeResults(reports: readonly Report[]): void {
  const text = readFileSync(README, 'utf8')
  if (!RESULTS.test(text)) throw new Error('bench/README.md has no place for the results')
  const results = [circumstances(), ...reports.map(markdown)].join('\n')
  writeFileSync(
    README,
    text.replace(RESULTS, (_, start: string, end: string) => `${start}\n${results}\n${end}`),
  )
}

function circumstances(): string {
  const date = new Date().toISOString().slice(0, 10)
  const processors = cpus()
  return `${date}, Node.js ${process.versions.node}, ${processors.length} × ${processors[0]?.model.trim()}\n`
}
