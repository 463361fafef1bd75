import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Report } from './report.js'
import { table } from './table.js'

export const printed = (report: Report): string => `${report.title}\n\n${report.about}\n\n${table(report)}\n`

/** Replaces the previous results of a chapter. */
export function writeResults(chapter: string, circumstances: string, reports: readonly Report[]): void {
  const results = [`${machine()}${circumstances}\n`, ...reports.map(printed)].join('\n')
  writeFileSync(new URL(`../results/${chapter}.txt`, import.meta.url), results)
}

function machine(): string {
  const date = new Date().toISOString().slice(0, 10)
  const processors = cpus()
  return `${date}, Node.js ${process.versions.node}, ${processors.length} × ${processors[0]?.model.trim()}`
}
