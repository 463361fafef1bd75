import type { Reporter, TestModule } from 'vitest/node'
import type {} from './setup.js'

interface Row {
  files: number
  tests: number
  skipped: number
  assertions: number
  seconds: number
}

/** Prints how much each project tests. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows: Record<string, Row> = {}
    for (const module of modules) {
      for (const name of [module.project.name, 'all']) {
        rows[name] ??= { files: 0, tests: 0, skipped: 0, assertions: 0, seconds: 0 }
        count(module, rows[name])
      }
    }
    console.table(rows)
  }
}

function count(module: TestModule, row: Row): void {
  const tests = [...module.children.allTests()]
  row.files += 1
  row.tests += tests.length
  row.skipped += tests.filter((test) => test.result().state === 'skipped').length
  row.assertions += tests.reduce((sum, test) => sum + (test.meta().assertions ?? 0), 0)
  row.seconds += Math.round(module.diagnostic().duration / 1000)
}
