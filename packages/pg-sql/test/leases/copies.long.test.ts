import { execFileSync } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, postgresLeases } from '@snoflax/pg-sql'
import { onConnection, type PostgresServer, poolTo, startServer, urlTo } from '@snoflax/test'
import { expect } from 'vitest'
import { type Copies, type Original, testCopies } from '../../../../test/leases/copies.js'
import type { CopyName } from '../../../../test/leases/copies-page.js'
import { dumpableVersion } from './dumps.js'

/** A stopped server's files in place of another one's. */
function replaceFiles(from: string, to: string): void {
  rmSync(to, { recursive: true })
  execFileSync('cp', ['-a', from, to])
}

function originalOn(server: PostgresServer, name: string): Original {
  const closers = [() => server.stop()]
  const keep = async <Server extends PostgresServer>(started: Promise<Server>): Promise<Server> => {
    const other = await started
    closers.push(() => other.stop())
    return other
  }
  /** With a pool of its own, as servers end before their sessions. */
  const place = (on = server, database = name) => {
    const url = urlTo(on.url, { database })
    const pool = poolTo(url)
    closers.unshift(() => pool.end())
    return {
      url,
      store: postgresLeases(pool),
      adopt: () => pool.query("SELECT snoflax.lease_adopt('sno')"),
    }
  }
  const original = place()
  const dump = (...options: string[]): Buffer =>
    execFileSync('pg_dump', [...options, original.url], { maxBuffer: 1e8 })

  const copies: Copies = {
    restart: async (meanwhile) => {
      await meanwhile()
      await server.kill9()
      await server.restart()
      return place()
    },
    files: async (meanwhile) => {
      const { directory } = server
      await meanwhile()
      await server.shutdown()
      execFileSync('chown', ['-R', String(statSync(directory).uid), directory])
      execFileSync('chmod', ['-R', 'u+rwX,g-w', directory])
      execFileSync('cp', ['-al', join(directory, 'base'), join(directory, '../links')])
      await server.restart()
      return place()
    },
    rewritten: async (meanwhile) => {
      await meanwhile()
      await onConnection(original.url, async (client) => {
        for (const table of ['snoflax._lease', 'snoflax._lease_family']) {
          for (const work of ['VACUUM FREEZE', 'VACUUM FULL', 'REINDEX TABLE', 'ANALYZE']) {
            await client.query(`${work} ${table}`)
          }
          await client.query(`CLUSTER ${table} USING ${table.slice('snoflax.'.length)}_pkey`)
        }
      })
      return place()
    },
    moved: async (meanwhile) => {
      await meanwhile()
      const elsewhere = await keep(server.copy())
      await elsewhere.shutdown()
      await server.shutdown()
      replaceFiles(server.directory, elsewhere.directory)
      await elsewhere.restart()
      return place(elsewhere)
    },
    promoted: async (meanwhile) => {
      const standby = await keep(server.standby())
      await standby.caughtUp()
      await standby.disconnect()
      await meanwhile()
      await server.kill9()
      await standby.promote()
      return place(standby)
    },
    recovered: async (meanwhile) => {
      const earlier = await keep(server.copy())
      await earlier.shutdown()
      await meanwhile()
      await server.shutdown()
      writeFileSync(join(earlier.directory, 'recovery.signal'), '')
      await earlier.restart({ restore_command: 'false' })
      await onConnection(earlier.url, (client) =>
        expect
          .poll(async () => (await client.query('SELECT pg_is_in_recovery() AS it')).rows)
          .toEqual([{ it: false }]),
      )
      return place(earlier)
    },
    template: async (meanwhile) => {
      await onConnection(server.url, async (client) => {
        // There may be no session in a template.
        await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
        await client.query(
          'SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1',
          [name],
        )
        await client.query(`CREATE DATABASE copied TEMPLATE ${name}`)
        await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
      })
      await meanwhile()
      return { ...place(server, 'copied'), original: original.store }
    },
    dump: async (meanwhile) => {
      const dumped = dump()
      const { url, name } = await server.database()
      execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', url], { input: dumped })
      await meanwhile()
      return { ...place(server, name), original: original.store }
    },
    dumpInPlace: async (meanwhile) => {
      const dumped = dump('--clean')
      await meanwhile()
      execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', original.url], { input: dumped })
      return place()
    },
    backup: async (meanwhile) => {
      const copy = await keep(server.copy())
      await meanwhile()
      return { ...place(copy), original: original.store }
    },
    beside: async (meanwhile) => {
      const copy = await keep(server.copy())
      await copy.shutdown()
      await server.shutdown()
      replaceFiles(server.directory, copy.directory)
      await server.restart()
      await meanwhile()
      await copy.restart()
      return { ...place(copy), original: original.store }
    },
    inPlace: async (meanwhile) => {
      const { directory } = server
      const saved = join(directory, '../saved')
      await server.shutdown()
      execFileSync('cp', ['-a', directory, saved])
      await server.restart()
      await meanwhile()
      await server.shutdown()
      replaceFiles(saved, directory)
      await server.restart()
      return place()
    },
  }

  return {
    ...original,
    copies,
    close: async () => {
      for (const close of closers) await close()
    },
  }
}

const DUMPS: readonly CopyName[] = dumpableVersion === undefined ? [] : ['dump', 'dumpInPlace']

testCopies({
  store: 'PostgreSQL',
  copies: [
    ...(['restart', 'files', 'rewritten', 'moved', 'promoted', 'recovered', 'template'] as const),
    ...(['backup', 'beside', 'inPlace'] as const),
    ...DUMPS,
  ],
  refusal: /is a copy or was restored/,
  async open(name) {
    const server = await startServer(
      dumpableVersion !== undefined && DUMPS.includes(name) ? { version: dumpableVersion } : {},
    )
    const database = await server.database()
    await install(database.pool, { families: ['sno'] })
    await database.pool.end()
    return originalOn(server, database.name)
  },
})
