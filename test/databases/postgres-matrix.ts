// Runs the tests that need a PostgreSQL server once on each major version that can be had, or on those named as
// arguments. Build before.
import { spawnSync } from 'node:child_process'
import { POSTGRES_VERSIONS } from './postgres-version.js'

/** All but core, which has to do with no database. */
const PROJECTS = ['adopt', 'cli', 'drizzle', 'pg-sql', 'prisma-extension', 'test', 'typeorm']

const wanted = process.argv.slice(2)
const versions = wanted.length > 0 ? wanted : POSTGRES_VERSIONS.map(String)
const failed: string[] = []
for (const version of versions) {
  console.log(`\nPostgreSQL ${version}`)
  const projects = PROJECTS.map((name) => `--project ${name}`).join(' ')
  const { status } = spawnSync(`npx vitest run ${projects}`, {
    shell: true,
    stdio: 'inherit',
    env: {
      ...process.env,
      // A server by URL has one version only.
      SNOFLAX_POSTGRES_PROVIDER: process.env['SNOFLAX_POSTGRES_PROVIDER'] || 'embedded',
      SNOFLAX_POSTGRES_VERSION: version,
    },
  })
  if (status !== 0) failed.push(version)
}
console.log(failed.length > 0 ? `\nfailed on PostgreSQL ${failed.join(', ')}` : '\npassed on every version')
process.exitCode = failed.length > 0 ? 1 : 0
