// Runs the contract on every version of an ORM that we promise, besides the newest, which `npm test` runs with:
// `npm run test:orm-matrix`, or with names of ORMs or versions as arguments, such as `typeorm` or `0.3.28`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// Versions are installed under names that end in what stands here.
const ORMS = [
  {
    orm: 'Prisma',
    project: 'prisma-extension',
    variable: 'SNOFLAX_PRISMA',
    versions: ['6.19', '7.0'],
    tests: ['test/orm/contract/postgres', 'test/orm/contract/sqlite', 'test/words'],
  },
  {
    orm: 'TypeORM',
    project: 'typeorm',
    variable: 'SNOFLAX_TYPEORM',
    versions: ['0.3.28', '0.3', '1.1.0'],
    // Every test of the package but the programs of its pages, which are for the newest.
    tests: ['test/orm/contract', 'packages/typeorm/test'],
  },
]

const wanted = process.argv.slice(2).map((one) => one.toLowerCase())
const root = join(import.meta.dirname, '..')

const results = ORMS.flatMap(({ orm, project, variable, versions, tests }) =>
  versions
    .filter((version) => wanted.length === 0 || wanted.includes(version) || wanted.includes(orm.toLowerCase()))
    .map((version) => {
      console.log(`\n${orm} ${version}`)
      // Not the reporter that writes the pages of the newest version.
      const args = ['vitest', 'run', '--reporter', 'default', '--project', project, ...tests]
      const env = { ...process.env, [variable]: version }
      const passed = spawnSync('npx', args, { cwd: root, env, stdio: 'inherit' }).status === 0
      return `${orm} ${version}: ${passed ? 'passed' : 'FAILED'}`
    }),
)

for (const result of results) console.log(result)
process.exitCode = results.some((result) => result.endsWith('FAILED')) ? 1 : 0
