import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'
import { mysql, mysqlVersion } from '../databases/mysql.js'
import { headingOf, type MysqlServer, writeMatrixPage } from './matrix-page.js'
import { writeRawPage } from './raw/page.js'
import type {} from './raw/suite.js'
import './record.js'

const docs = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
const ORMS = ['Drizzle', 'Kysely', 'Prisma', 'TypeORM']

/** Writes the write-path matrix and the forms of raw SQL from the results of tests, for files that ran completely and passed. */
export default class MatrixReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const tests = modules.filter(isOfPackage).filter(passedInFull).flatMap(testsOf)
    const cells = tests.flatMap((test) => test.meta().contract ?? [])
    const mysqlServer = await mysqlServerOfRun()
    for (const orm of new Set(cells.map((cell) => cell.orm))) {
      const seen = cells.filter((cell) => cell.orm === orm)
      writeMatrixPage(docs('write-paths'), orm, seen, mysqlServer)
    }
    const forms = tests.flatMap((test) => test.meta().rawSql ?? [])
    writeRawPage(docs('raw-sql.txt'), forms, ORMS, (cell) => headingOf(cell, mysqlServer))
  }
}

/** Of a run without one there are no cells to be named. */
async function mysqlServerOfRun(): Promise<MysqlServer> {
  return mysql.selected() && (await mysqlVersion()).startsWith('MySQL') ? 'MySQL' : 'MariaDB'
}

/** The contract also runs over the skeleton, drivers and families of users, which have no page. */
const isOfPackage = ({ moduleId, project }: TestModule): boolean =>
  /\/test\/orm\/(?:every-variant|raw-sql)\//.test(moduleId) && project.name !== 'test'

const passedInFull = (module: TestModule): boolean =>
  testsOf(module).every((test) => test.result().state === 'passed')

const testsOf = (module: TestModule) => [...module.children.allTests()]
