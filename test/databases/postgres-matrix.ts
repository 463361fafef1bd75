// Runs the tests that need a PostgreSQL server once on each major version that can be had. Build before.
import { spawnSync } from 'node:child_process'
import { POSTGRES_VERSIONS } from './postgres-version.js'

const failed: number[] = []
for (const version of POSTGRES_VERSIONS) {
  console.log(`\nPostgreSQL ${version}`)
  const { status } = spawnSync('npx vitest run --project pg-sql --project test', {
    shell: true,
    stdio: 'inherit',
    env: {
      ...process.env,
      // A server by URL has one version only.
      SNOFLAX_POSTGRES_PROVIDER: process.env['SNOFLAX_POSTGRES_PROVIDER'] || 'embedded',
      SNOFLAX_POSTGRES_VERSION: String(version),
    },
  })
  if (status !== 0) failed.push(version)
}
console.log(failed.length > 0 ? `\nfailed on PostgreSQL ${failed.join(', ')}` : '\npassed on every version')
process.exitCode = failed.length > 0 ? 1 : 0
