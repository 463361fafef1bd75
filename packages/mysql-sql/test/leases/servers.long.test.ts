import { execFileSync } from 'node:child_process'
import type { LeaseGrant } from '@snoflax/leases'
import { install, mysqlLeases } from '@snoflax/mysql-sql'
import { granted, mysql, request } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, describe, expect, test } from 'vitest'
import { hasMariadb, MariadbServer } from '../mariadb-server.js'
import { REPLICATION, replicate } from './replication.js'

// Servers of our own: they are killed, copied and promoted.

describe.runIf(mysql.selected() && hasMariadb())('a server', () => {
  const servers: MariadbServer[] = []
  const start = async (options: Parameters<typeof MariadbServer.start>[0] = {}): Promise<MariadbServer> => {
    const server = await MariadbServer.start(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers) await server.end('SIGKILL')
    MariadbServer.remove(...servers.splice(0).map(({ folder }) => folder))
  })

  const TTL_MS = 3000
  const acquire = (server: MariadbServer, holder: string): Promise<LeaseGrant> =>
    granted(mysqlLeases(server.pool).acquire(request(holder, { numbers: { min: 1, max: 1 }, ttlMs: TTL_MS })))
  const renew = (server: MariadbServer, { token, startMs }: LeaseGrant) =>
    mysqlLeases(server.pool).renew(token, TTL_MS, startMs)
  const refused = { sqlState: '45000', message: expect.stringMatching(/another server granted the leases/) }

  test('that is promoted from a replica begins after all that the lost one may have granted', async () => {
    const primary = await start({ options: [...REPLICATION, '--server-id=1', '--binlog-format=STATEMENT'] })
    const standby = await start({ options: [...REPLICATION, '--server-id=2', '--read-only=1'] })
    const { caughtUp, disconnect, promote } = await replicate(primary, standby)
    await install(primary.pool)
    const a = await acquire(primary, 'a')
    await caughtUp()
    await expect(acquire(standby, 'early')).rejects.toThrow()

    // Statements are replicated as they are, and a replica would generate other ids.
    await expect(primary.query('SELECT snoflax.flax_generate()')).rejects.toMatchObject({
      sqlState: '45000',
      message: expect.stringMatching(/'STATEMENT' replication would give replicas other ids/),
    })
    const rows = await primary.pool.getConnection()
    await rows.query("SET SESSION binlog_format = 'ROW'")
    await rows.query('CREATE TABLE snoflax.made (id binary(12) PRIMARY KEY)')
    await rows.query('INSERT INTO snoflax.made VALUES (snoflax.flax_generate())')
    const [made] = await rows.query('SELECT id FROM snoflax.made')
    rows.destroy()
    await expect.poll(() => standby.query('SELECT id FROM snoflax.made').catch(() => [])).toEqual(made)

    // What the standby never hears of.
    await disconnect()
    await mysqlLeases(primary.pool).release(a.token, a.startMs)
    const b = await acquire(primary, 'b')
    const window = await renew(primary, b)
    await primary.end('SIGKILL')
    await promote()
    await expect(acquire(standby, 'c')).rejects.toMatchObject(refused)
    await expect(renew(standby, a)).rejects.toMatchObject(refused)
    await standby.query("CALL snoflax.lease_adopt('sno')")
    const late = await renew(standby, a)
    expect(late?.startMs).toBeGreaterThan(window?.untilMs as number)
    expect(await renew(standby, b)).toBeUndefined()
  })

  test('whose longest lease was shortened still waits for longer leases', async () => {
    const server = await start()
    await install(server.pool)
    for (const call of ["set_max_ttl('sno', 60000)", "confirm_max_ttl('sno')", "set_max_ttl('sno', 3000)"]) {
      await server.query(`CALL snoflax.lease_${call}`)
    }
    await server.query("UPDATE snoflax._lease_family SET server = 'another'")
    const before = Date.now()
    await server.query("CALL snoflax.lease_adopt('sno')")
    expect((await acquire(server, 'a')).startMs).toBeGreaterThanOrEqual(before + 70_000)
  })

  test('grants none from a dump, here or elsewhere, of all or of a part', async () => {
    const server = await start()
    const other = await start()
    const connect = ({ port }: MariadbServer) => ['--no-defaults', '-h127.0.0.1', `-P${port}`, '-uroot']
    const dump = (...options: string[]) =>
      execFileSync('mariadb-dump', [...connect(server), '--skip-lock-tables', ...options])
    const restore = (into: MariadbServer, schema: string, input: Buffer) =>
      execFileSync('mariadb', [...connect(into), schema], { input })
    const refuses = async (where: MariadbServer, schema: string, said: RegExp) => {
      const store = mysqlLeases(where.pool, { schema })
      const asked = request('b', { numbers: { min: 2, max: 2 }, ttlMs: TTL_MS })
      await expect(store.acquire(asked), `${schema}`).rejects.toThrow(said)
      for (const family of ['sno', 'flake']) await where.query(`CALL ${schema}.lease_adopt('${family}')`)
      const lease = await granted(store.acquire(asked))
      expect(lease.startMs).toBeGreaterThan(Date.now() + 35_000)
      await store.release(lease.token, lease.startMs)
    }
    const isOther = /another server granted the leases/
    const selected = await createConnection(`${server.url}/mysql`)
    await install(selected)
    expect((await selected.query('SELECT database() AS name'))[0]).toEqual([{ name: 'mysql' }])
    await selected.end()
    for (const when of ['before the first lease', 'after it']) {
      if (when === 'after it') {
        await server.query('UPDATE snoflax._lease_family SET floor_ms = 0')
        await acquire(server, 'a')
      }
      const [whole, bare, structure] = [
        dump('--routines', 'snoflax'),
        dump('--skip-triggers', 'snoflax'),
        dump('--no-data', '--routines', 'snoflax'),
      ]
      const tables = ['_lease', '_lease_family'].map((table) => dump('snoflax', table))
      // Elsewhere, with the procedures of the dump, or with those of an installation on what it brought.
      await other.query('CREATE DATABASE snoflax')
      restore(other, 'snoflax', whole)
      await refuses(other, 'snoflax', isOther)
      await other.query('DROP DATABASE snoflax')
      for (const [n, input] of [whole, bare, structure].entries()) {
        for (const where of [server, other]) {
          const schema = `copy${n}`
          await where.query(`CREATE DATABASE ${schema}`)
          restore(where, schema, input)
          await install(where.pool, { schema })
          await refuses(where, schema, isOther)
          await where.query(`DROP DATABASE ${schema}`)
        }
      }
      // In place.
      for (const input of [whole, bare, ...tables]) {
        restore(server, 'snoflax', input)
        await refuses(server, 'snoflax', isOther)
        await server.query('UPDATE snoflax._lease_family SET floor_ms = 0')
      }
      restore(server, 'snoflax', structure)
      await expect(acquire(server, 'b')).rejects.toThrow('the row of family sno is lost; install again')
      await install(server.pool)
      await refuses(server, 'snoflax', isOther)
      await server.query('UPDATE snoflax._lease_family SET floor_ms = 0')
    }
  })
})
