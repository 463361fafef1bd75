// Runs the tests that need databases on each available major version of PostgreSQL, or on those named as arguments: `npm run test:postgres-matrix -- 14 18`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DATABASE_PROJECTS, projectName } from './database-projects.js'

const VERSIONS = ['14', '15', '16', '17', '18']

const wanted = process.argv.slice(2)
const versions = wanted.length > 0 ? wanted : VERSIONS
const projects = DATABASE_PROJECTS.map((folder) => `--project ${projectName(folder)}`).join(' ')

const failed = versions.filter((version) => {
  console.log(`\nPostgreSQL ${version}`)
  const { status } = spawnSync(`npx vitest run ${projects}`, {
    cwd: join(import.meta.dirname, '..'),
    shell: true,
    stdio: 'inherit',
    env: {
      ...process.env,
      // A server named by URL has only one version.
      SNOFLAX_POSTGRES_URL: '',
      SNOFLAX_POSTGRES_VERSION: version,
    },
  })
  return status !== 0
})
console.log(failed.length > 0 ? `\nfailed on PostgreSQL ${failed.join(', ')}` : '\npassed on every version')
process.exitCode = failed.length > 0 ? 1 : 0
