import { execFileSync } from 'node:child_process'
import { renameSync, statSync } from 'node:fs'
import type { LeaseStore } from '@snoflax/leases'
import { install, mysqlLeases } from '@snoflax/mysql-sql'
import { mysql } from '@snoflax/test'
import { test } from 'vitest'
import { type Copies, type Original, testCopies } from '../../../../test/leases/copies.js'
import { emptyFolder, hasMariadb, isMysql, MariadbServer } from '../mariadb-server.js'
import { REPLICATION, replicate } from './replication.js'

/** A server of the same folder and port takes the other's place, with new connections. */
const placeOn = (server: MariadbServer) => ({
  store: {
    acquire: (asked) => mysqlLeases(server.pool).acquire(asked),
    renew: (...lease) => mysqlLeases(server.pool).renew(...lease),
    release: (...lease) => mysqlLeases(server.pool).release(...lease),
  } satisfies LeaseStore as LeaseStore,
  adopt: () => server.query("CALL snoflax.lease_adopt('sno')"),
})

const connecting = ({ port }: MariadbServer) => ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot']
const dump = (server: MariadbServer) =>
  execFileSync('mariadb-dump', [...connecting(server), '--skip-lock-tables', '--routines', 'snoflax'])
const restore = (into: MariadbServer, input: Buffer) =>
  execFileSync('mariadb', [...connecting(into), 'snoflax'], { input })

function originalOn(first: MariadbServer): Original {
  const { folder, port } = first
  const servers = [first]
  const start = async (options: Parameters<typeof MariadbServer.start>[0]) => {
    const server = await MariadbServer.start(options)
    servers.push(server)
    return server
  }
  const again = () => start({ folder, port })
  const original = placeOn(first)
  /** Of its files, when it has ended. */
  const copyFiles = async () => {
    await first.end()
    return MariadbServer.copy(folder)
  }

  const copies: Copies = {
    restart: async (meanwhile) => {
      await meanwhile()
      await first.end('SIGKILL')
      return placeOn(await again())
    },
    files: async (meanwhile) => {
      await meanwhile()
      const change = () => {
        execFileSync('chown', ['-R', String(statSync(`${folder}/data`).uid), `${folder}/data`])
        execFileSync('chmod', ['-R', 'u+rwX,g-w', `${folder}/data`])
        execFileSync('cp', ['-al', `${folder}/data/snoflax`, `${folder}/links-${Math.random()}`])
      }
      change()
      await first.query('FLUSH TABLES')
      await first.end()
      change()
      return placeOn(await again())
    },
    rewritten: async (meanwhile) => {
      await meanwhile()
      await first.query('OPTIMIZE TABLE snoflax._lease, snoflax._lease_family')
      for (const table of ['_lease', '_lease_family']) await first.query(`ALTER TABLE snoflax.${table} FORCE`)
      return original
    },
    moved: async (meanwhile) => {
      await meanwhile()
      return placeOn(await start({ folder: await copyFiles() }))
    },
    promoted: async (meanwhile) => {
      const standby = await start({ options: [...REPLICATION, '--server-id=2'] })
      const { caughtUp, disconnect, promote } = await replicate(first, standby)
      await caughtUp()
      await disconnect()
      await meanwhile()
      await first.end('SIGKILL')
      await promote()
      return placeOn(standby)
    },
    dump: async (meanwhile) => {
      const dumped = dump(first)
      const other = await start({})
      await other.query('CREATE DATABASE snoflax')
      restore(other, dumped)
      await meanwhile()
      return { ...placeOn(other), original: original.store }
    },
    dumpInPlace: async (meanwhile) => {
      const dumped = dump(first)
      await meanwhile()
      restore(first, dumped)
      return original
    },
    clone: async (meanwhile) => {
      const cloned = emptyFolder()
      await first.query("INSTALL PLUGIN clone SONAME 'mysql_clone.so'")
      await first.query(`CLONE LOCAL DATA DIRECTORY = '${cloned}/data'`)
      await meanwhile()
      return { ...placeOn(await start({ folder: cloned })), original: original.store }
    },
    beside: async (meanwhile) => {
      const copied = await copyFiles()
      await again()
      await meanwhile()
      return { ...placeOn(await start({ folder: copied })), original: original.store }
    },
    inPlace: async (meanwhile) => {
      const copied = await copyFiles()
      const server = await again()
      await meanwhile()
      await server.end()
      MariadbServer.remove(`${folder}/data`)
      renameSync(`${copied}/data`, `${folder}/data`)
      MariadbServer.remove(copied)
      return placeOn(await again())
    },
  }
  return {
    ...original,
    copies,
    close: async () => {
      for (const server of servers) await server.end('SIGKILL')
      MariadbServer.remove(...servers.map((server) => server.folder))
    },
  }
}

if (mysql.selected() && hasMariadb()) {
  testCopies({
    store: isMysql ? 'MySQL' : 'MariaDB',
    copies: [
      ...(['restart', 'files', 'rewritten', 'moved', 'promoted', 'dump', 'dumpInPlace'] as const),
      ...(isMysql ? (['clone'] as const) : []),
      ...(['beside', 'inPlace'] as const),
    ],
    refusal: /another server granted the leases/,
    async open(copy) {
      const server = await MariadbServer.start(
        copy === 'promoted' ? { options: [...REPLICATION, '--server-id=1'] } : {},
      )
      await install(server.pool)
      return originalOn(server)
    },
  })
} else test.skip('copies of servers: there is no MySQL or MariaDB', () => {})
