import { BaseSequencer } from 'vitest/node'

// Vitest runs project after project, and within one first the files that took long on this machine or are large. Here
// small files that wait for servers and processes take long: a run that ends with one of them leaves cores idle.
const LONGEST = [
  'packages/mysql-sql/test/',
  'packages/pg-sql/test/leases/processes.long.test.ts',
  'packages/mysql-sql/test/leases/processes.long.test.ts',
  'packages/prisma-extension/test/generator.test.ts',
  'packages/typeorm/test/schema.test.ts',
  'tools/adopt/test/mariadb-killed.long.test.ts',
  'tools/adopt/test/mariadb.test.ts',
  'test/databases-of-a-run.long.test.ts',
  'test/declarations.long.test.ts',
  'test/docstrings.long.test.ts',
  'test/orders-examples.long.test.ts',
  'test/orm/',
  'test/packaging.long.test.ts',
  'packages/typeorm/test/trees.test.ts',
  'packages/pg-sql/test/',
  'test/',
  'packages/prisma-extension/test/',
  'packages/typeorm/test/',
]

/** Starts with the files, or folders of files, that take longest. */
export default class LongestFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files @override */
  async sort(files) {
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) => {
      const path = moduleId.slice(this.ctx.config.root.length + 1)
      const at = LONGEST.findIndex((start) => path.startsWith(start))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
