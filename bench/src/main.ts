import { core } from './core/index.js'
import { markdown, writeResults } from './readme.js'
import type { Report } from './report.js'

/** Runs the sections named as arguments, or all of them; only a whole run is written down. */
const sections = core
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !sections.some((section) => section.name === name))
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(', ')}; there are ${sections.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const reports: Report[] = []
for (const section of sections) {
  if (wanted.length > 0 && !wanted.includes(section.name)) continue
  process.stderr.write(`${section.name} …\n`)
  const report = await section.run()
  reports.push(report)
  console.log(`\n${markdown(report)}`)
}

if (wanted.length === 0) writeResults(reports)
