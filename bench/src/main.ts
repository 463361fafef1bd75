import { core } from './core/index.js'
import { orms } from './orms/index.js'
import { postgres } from './postgres/index.js'
import type { Chapter, Report } from './report.js'
import { printed, writeResults } from './results.js'

/** Runs the chapters and sections named as arguments, or all; only whole chapters are written down. */
const wanted = process.argv.slice(2)
const names = [core, postgres, orms].flatMap(({ name, sections }) => [
  name,
  ...sections.map((one) => one.name),
])
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(', ')}; there are ${names.join(', ')}`)
  process.exit(1)
}

await run(core)
await run(postgres)
await run(orms)

async function run<Place>(chapter: Chapter<Place>): Promise<void> {
  const isWhole = wanted.length === 0 || wanted.includes(chapter.name)
  const sections = chapter.sections.filter(({ name }) => isWhole || wanted.includes(name))
  if (sections.length === 0) return
  const { place, circumstances, close } = await chapter.open()
  const reports: Report[] = []
  try {
    for (const section of sections) {
      process.stderr.write(`${section.name} …\n`)
      const report = await section.run(place)
      reports.push(report)
      console.log(`\n${printed(report)}`)
    }
  } finally {
    await close?.()
  }
  if (isWhole) writeResults(chapter.name, circumstances, reports)
}
