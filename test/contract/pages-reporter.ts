import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { mysql, mysqlVersion } from '../databases/mysql.js'
import { withCells } from '../leases/copies-page.js'
import { featuresPage, ORMS, writesTable } from './features/page.js'
import { writePathsPage } from './pages.js'
import './record.js'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * Writes docs/write-paths, of ORMs that the run tested whole: in every variant, on MariaDB too; and of all together
 * docs/features.txt and the writes of docs/existing-keys.md.
 */
export default class PagesReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    writeCopies(modules)
    if (mysql.selected() && (await mysqlVersion()).startsWith('MySQL')) return
    const cells = wholeIn(modules).flatMap((test) => test.meta().contract ?? [])
    for (const orm of new Set(cells.map((cell) => cell.orm))) {
      const ofOrm = cells.filter((cell) => cell.orm === orm)
      const name = orm.toLowerCase().replaceAll(' ', '-')
      writeFileSync(at(`docs/write-paths/${name}.txt`), writePathsPage(orm, ofOrm))
    }
    const tests = featureTestsIn(modules)
    const features = tests.flatMap((test) => test.meta().feature ?? [])
    if (!ORMS.every((orm) => features.some((cell) => cell.orm === orm))) return
    writeFileSync(at('docs/features.txt'), featuresPage(features))
    const page = at('docs/existing-keys.md')
    const table = writesTable(tests.flatMap((test) => test.meta().writes ?? []))
    const text = readFileSync(page, 'utf8')
    writeFileSync(
      page,
      text.replace(/(?<=<!-- writes -->\n)[\s\S]*(?=<!-- end of writes -->)/, () => `\n${table}\n\n`),
    )
  }
}

/** The table of docs/leases.md: what stores do that were copied, of those whose every copy this run tried. */
function writeCopies(modules: readonly TestModule[]): void {
  const page = at('docs/leases.md')
  const before = readFileSync(page, 'utf8')
  let after = before
  for (const module of modules) {
    const cells = [...module.children.allTests()].map((test) => test.meta().copies)
    if (cells.length > 0 && cells.every((one) => one !== undefined)) after = withCells(after, cells.flat())
  }
  if (after !== before) writeFileSync(page, after)
}

/** The whole tests of features; none if one of them failed or MariaDB wasn't there. */
function featureTestsIn(modules: readonly TestModule[]): TestCase[] {
  const its = modules.filter(({ moduleId }) => moduleId.endsWith('/test/orm/features.long.test.ts'))
  const isWhole = mysql.selected() && its.every((module) => module.ok())
  return isWhole ? its.flatMap((module) => [...module.children.allTests()]) : []
}

/**
 * The tests of packages that ran every variant on all databases, and passed. The contract also runs over the skeleton, which
 * has no page.
 */
function wholeIn(modules: readonly TestModule[]): TestCase[] {
  const all = readdirSync(at('test/orm/every-variant')).length
  const ran = modules.filter(
    ({ moduleId, project }) => moduleId.includes('/test/orm/every-variant/') && project.name !== 'test',
  )
  return [...new Set(ran.map(({ project }) => project))].flatMap((project) => {
    const its = ran.filter((module) => module.project === project)
    const tests = its.flatMap((module) => [...module.children.allTests()])
    return its.length === all && tests.every(isSettled) ? tests : []
  })
}

/** An adapter need not name variants on each database. */
const isSettled = (test: TestCase) =>
  test.result().state === 'passed' || / names no variants on /.test(test.name)
