// Runs the contract on every version of an ORM that we promise: `npm run test:orm-matrix`, or with versions as arguments.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// The newest version is what `npm test` runs with; others are installed under names that end in the version.
const VERSIONS = ['6.19', '7.0']
const TESTS = ['test/orm/contract/postgres', 'test/orm/contract/sqlite', 'test/words']

const wanted = process.argv.slice(2)
const root = join(import.meta.dirname, '..')

const results = (wanted.length > 0 ? wanted : VERSIONS).map((version) => {
  console.log(`\nPrisma ${version}`)
  // Not the reporter that writes the pages of the newest version.
  const args = ['vitest', 'run', '--reporter', 'default', '--project', 'prisma-extension', ...TESTS]
  const env = { ...process.env, SNOFLAX_PRISMA: version }
  return { version, passed: spawnSync('npx', args, { cwd: root, env, stdio: 'inherit' }).status === 0 }
})

for (const { version, passed } of results) console.log(`Prisma ${version}: ${passed ? 'passed' : 'FAILED'}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
