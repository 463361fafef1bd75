// Runs the contract on every version of an ORM that we promise: `npm run test:orm-matrix`, or with packages or versions
// as arguments.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// The newest version is what `npm test` runs with; others are installed under names that end in the version.
const CONTRACT = ['test/orm/contract/postgres', 'test/orm/contract/sqlite']
const FEATURES = ['test/orm/features.test', 'test/orm/matrix.test']
const MATRIX = [
  {
    project: 'prisma-extension',
    variable: 'SNOFLAX_PRISMA',
    versions: ['6.19', '7.0', '8.1'],
    tests: [...CONTRACT, 'test/words', 'test/differential'],
  },
  {
    project: 'drizzle',
    variable: 'SNOFLAX_DRIZZLE',
    versions: ['0.45', '1.0'],
    tests: [
      'test/orm/contract',
      ...FEATURES,
      ...[
        'versions',
        'copies',
        'operators',
        'writes',
        'lists',
        'uid',
        'schemas',
        'constraints',
        'definition',
        'stored-columns',
        'mysql-defaults',
        'contract-drivers',
      ].map((name) => `packages/drizzle/test/${name}`),
    ],
  },
  {
    project: 'kysely',
    variable: 'SNOFLAX_KYSELY',
    versions: ['0.28.3', '0.28', '0.30'],
    tests: ['test/orm/contract', ...FEATURES, 'packages/kysely/test'],
  },
  {
    project: 'typeorm',
    variable: 'SNOFLAX_TYPEORM',
    versions: ['0.3.28', '0.3', '1.1.0'],
    tests: ['test/orm/contract', ...FEATURES, 'packages/typeorm/test'],
  },
]

const wanted = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const runs = MATRIX.flatMap(({ versions, ...rest }) =>
  versions.map((version) => ({ ...rest, version })),
).filter(
  ({ project, version }) => wanted.length === 0 || wanted.includes(project) || wanted.includes(version),
)

const results = runs.map(({ project, variable, version, tests }) => {
  const name = `${project}, ${version}`
  console.log(`\n${name}`)
  // Not the reporter that writes the pages of the newest version.
  const args = [
    'vitest',
    'run',
    '--reporter',
    'default',
    '--project',
    project,
    '--project',
    'alone',
    ...tests,
  ]
  const env = { ...process.env, [variable]: version }
  return { name, passed: spawnSync('npx', args, { cwd: root, env, stdio: 'inherit' }).status === 0 }
})

for (const { name, passed } of results) console.log(`${name}: ${passed ? 'passed' : 'FAILED'}`)
process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1
