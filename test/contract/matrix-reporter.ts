import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'
import { mysql, mysqlVersion } from '../databases/mysql.js'
import { type MysqlServer, writeMatrixPage } from './matrix-page.js'
import './record.js'
import type { Cell } from './record.js'

const FOLDER = fileURLToPath(new URL('../../docs/write-paths', import.meta.url))

/** Whose pages are kept. The contract also runs over plain SQL and families of users. */
const ORMS = ['TypeORM', 'Drizzle', 'Prisma']

/** Writes the write-path matrix from what the contract's tests saw, of files that ran in full and passed. */
export default class MatrixReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const whole = modules.filter(
      (module) => module.moduleId.endsWith('/contract.test.ts') && passedInFull(module),
    )
    const cells = whole.flatMap(cellsOf)
    const mysqlServer = await mysqlServerOfRun()
    for (const orm of ORMS) {
      const seen = cells.filter((cell) => cell.orm === orm)
      if (seen.length > 0) writeMatrixPage(FOLDER, orm, seen, mysqlServer)
    }
  }
}

/** Of a run without one there are no cells to be named. */
async function mysqlServerOfRun(): Promise<MysqlServer> {
  return mysql.selected() && (await mysqlVersion()).startsWith('MySQL') ? 'MySQL' : 'MariaDB'
}

const passedInFull = (module: TestModule): boolean =>
  [...module.children.allTests()].every((test) => test.result().state === 'passed')

const cellsOf = (module: TestModule): Cell[] =>
  [...module.children.allTests()].flatMap((test) => test.meta().contract ?? [])
