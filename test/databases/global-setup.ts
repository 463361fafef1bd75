import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { mysqlContainer, wantsContainer } from './containers.js'
import { guardedProcess } from './guarded-process.js'
import { dropMysqlDatabases, mysql, mysqlVersion } from './mysql.js'
import { dropDatabases } from './postgres-databases.js'
import { startPostgres } from './postgres-provider.js'
import type { Run } from './run.js'

interface Shared {
  users: number
  readonly started: Promise<{ run: Run; stop: () => Promise<void> }>
}

// Each vitest project loads this module again, but all share the run's databases.
const KEY = Symbol.for('snoflax.test.databases')
const held = globalThis as { [KEY]?: Shared | undefined }

/** Starts the run's databases once, whichever projects ask, and stops them with the last of these. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  held[KEY] ??= { users: 0, started: start() }
  const shared = held[KEY]
  shared.users += 1
  const { run, stop } = await shared.started
  project.provide('snoflaxRun', run)
  // The source of a template may have just been edited.
  project.onTestsRerun(() => dropDatabases(run.postgres, 'templates'))

  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    held[KEY] = undefined
    await stop()
  }
}

async function start(): Promise<{ run: Run; stop: () => Promise<void> }> {
  const begun = performance.now()
  const container = await selectMysql()
  const mysqlLine = mysql.selected()
    ? `databases: ${await mysqlVersion()}, by SNOFLAX_MYSQL_URL`
    : 'databases: no MySQL or MariaDB selected (SNOFLAX_MYSQL_URL names none)'
  const server = await startPostgres().catch(async (error) => {
    await container?.stop()
    throw error
  })
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(`databases: PostgreSQL ${server.fullVersion} (${server.provider}), there after ${seconds} s`)
  console.log(mysqlLine)

  const files = guardedProcess('files')
  const prefix = `snoflax_${randomBytes(4).toString('hex')}`
  const postgres = { url: server.url, version: server.version, prefix }
  const stop = async () => {
    try {
      await dropDatabases(postgres, 'all')
      if (mysql.selected()) await dropMysqlDatabases(prefix)
    } finally {
      await Promise.all([server.stop(), container?.stop(), files.remove()])
    }
  }
  return { run: { prefix, postgres, folder: files.folder }, stop }
}

/** Starts the MySQL that SNOFLAX_MYSQL_PROVIDER asks for; the tests, whose processes start later, find it by its URL. */
async function selectMysql() {
  if (!wantsContainer('SNOFLAX_MYSQL_PROVIDER')) return undefined
  if (mysql.selected()) {
    throw new Error('SNOFLAX_MYSQL_URL and SNOFLAX_MYSQL_PROVIDER are both set; unset one of them')
  }
  const container = await mysqlContainer()
  process.env['SNOFLAX_MYSQL_URL'] = container.url
  return container
}
