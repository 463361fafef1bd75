import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'
import { mysql, mysqlVersion } from '../databases/mysql.js'
import { type MysqlServer, writeMatrixPage } from './matrix-page.js'
import './record.js'
import type { Cell } from './record.js'

const FOLDER = fileURLToPath(new URL('../../docs/write-paths', import.meta.url))

/** Writes the write-path matrix from the results of the contract's tests, for files that ran completely and passed. */
export default class MatrixReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const cells = modules.filter(isOfPackage).filter(passedInFull).flatMap(cellsOf)
    const mysqlServer = await mysqlServerOfRun()
    for (const orm of new Set(cells.map((cell) => cell.orm))) {
      const seen = cells.filter((cell) => cell.orm === orm)
      writeMatrixPage(FOLDER, orm, seen, mysqlServer)
    }
  }
}

/** Of a run without one there are no cells to be named. */
async function mysqlServerOfRun(): Promise<MysqlServer> {
  return mysql.selected() && (await mysqlVersion()).startsWith('MySQL') ? 'MySQL' : 'MariaDB'
}

/** The contract also runs over the skeleton, drivers and families of users, which have no page. */
const isOfPackage = ({ moduleId, project }: TestModule): boolean =>
  moduleId.includes('/test/orm/contract/') && project.name !== 'test'

const passedInFull = (module: TestModule): boolean =>
  [...module.children.allTests()].every((test) => test.result().state === 'passed')

const cellsOf = (module: TestModule): Cell[] =>
  [...module.children.allTests()].flatMap((test) => test.meta().contract ?? [])
