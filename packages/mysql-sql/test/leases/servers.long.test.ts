import { execFileSync } from 'node:child_process'
import { renameSync, statSync } from 'node:fs'
import type { LeaseGrant } from '@snoflax/core/leases'
import { install, mysqlLeases } from '@snoflax/mysql-sql'
import { granted, mysql, request } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, describe, expect, test } from 'vitest'
import { hasMariadb, isMysql, MariadbServer } from '../mariadb-server.js'

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

  test('that is killed and restarted knows its leases; a copy of its data grants none', async () => {
    const first = await start()
    const { port, folder } = first
    await install(first.pool)
    const a = await acquire(first, 'a')
    await first.end('SIGKILL')
    const again = await start({ folder, port })
    const window = await renew(again, a)
    expect(window?.startMs).toBe(a.startMs)
    await expect(acquire(again, 'b')).rejects.toThrow('none is free')
    await again.end()

    // Elsewhere beside the original; in its place, as a restored backup; and the original itself, which goes on.
    const copy = await start({ folder: MariadbServer.copy(folder) })
    await expect(renew(copy, a)).rejects.toMatchObject(refused)
    await expect(acquire(copy, 'c')).rejects.toMatchObject(refused)
    const before = Date.now()
    await copy.query("CALL snoflax.lease_adopt('sno')")
    const moved = await renew(copy, a)
    expect(moved?.startMs).toBeGreaterThanOrEqual(before + 40_000)
    await copy.end()
    const original = await start({ folder, port })
    expect((await renew(original, a))?.startMs).toBe(a.startMs)
    await original.end()
    const restored = MariadbServer.copy(copy.folder)
    MariadbServer.remove(`${folder}/data`)
    renameSync(`${restored}/data`, `${folder}/data`)
    MariadbServer.remove(restored)
    const inPlace = await start({ folder, port })
    await expect(renew(inPlace, a)).rejects.toMatchObject(refused)
  })

  test('that is promoted from a replica begins after all that the lost one may have granted', async () => {
    const gtids = isMysql ? ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'] : []
    const options = ['--log-bin=binlog', '--sync-binlog=1', '--log-bin-trust-function-creators=1', ...gtids]
    const primary = await start({ options: [...options, '--server-id=1', '--binlog-format=STATEMENT'] })
    const standby = await start({ options: [...options, '--server-id=2', '--read-only=1'] })
    const [source, started, stopped, reset] = isMysql
      ? [
          `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${primary.port}, SOURCE_USER = 'root',
             SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1`,
          'START REPLICA',
          'STOP REPLICA',
          'RESET REPLICA ALL',
        ]
      : [
          `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${primary.port}, MASTER_USER = 'root', MASTER_USE_GTID = slave_pos`,
          'START SLAVE',
          'STOP SLAVE',
          'RESET SLAVE ALL',
        ]
    await standby.query(source)
    await standby.query(started)
    await install(primary.pool)
    const a = await acquire(primary, 'a')
    const rowsOf = async (server: MariadbServer) => {
      const found = await server.query("SHOW DATABASES LIKE 'snoflax'")
      return found.length === 0 ? [] : server.query('SELECT * FROM snoflax._lease')
    }
    const caughtUp = async () => expect.poll(() => rowsOf(standby)).toEqual(await rowsOf(primary))
    await expect.poll(async () => (await rowsOf(standby)).length).toBe(1)
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
    await standby.query(stopped)
    await mysqlLeases(primary.pool).release(a.token, a.startMs)
    const b = await acquire(primary, 'b')
    const window = await renew(primary, b)
    await primary.end('SIGKILL')
    await standby.query(reset)
    await standby.query('SET GLOBAL read_only = 0')
    await expect(acquire(standby, 'c')).rejects.toMatchObject(refused)
    await expect(renew(standby, a)).rejects.toMatchObject(refused)
    await standby.query("CALL snoflax.lease_adopt('sno')")
    const late = await renew(standby, a)
    expect(late?.startMs).toBeGreaterThan(window?.untilMs as number)
    expect(await renew(standby, b)).toBeUndefined()
  })

  test('that is promoted before the first lease reached it knows that it is another server', async () => {
    const server = await start()
    await install(server.pool)
    const { folder } = server
    await server.end()
    const standby = await start({ folder: MariadbServer.copy(folder), options: ['--server-id=2'] })
    await expect(acquire(standby, 'a')).rejects.toMatchObject(refused)
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

  test('whose files get an owner, other permissions or links goes on; on another port it is another', async () => {
    const server = await start()
    await install(server.pool)
    const a = await acquire(server, 'a')
    const { folder, port } = server
    const files = `${folder}/data/snoflax`
    const touch = () => {
      const name = isMysql ? '_lease.ibd' : '_lease.frm'
      execFileSync('chown', ['-R', String(statSync(files).uid), `${folder}/data`])
      execFileSync('chmod', ['-R', 'u+rwX,g-w', `${folder}/data`])
      const link = `${folder}/link-${Math.random()}`
      execFileSync('ln', [`${files}/${name}`, link])
    }
    touch()
    await server.query('FLUSH TABLES')
    expect((await renew(server, a))?.startMs).toBe(a.startMs)
    await server.query('OPTIMIZE TABLE snoflax._lease, snoflax._lease_family')
    await server.query('ALTER TABLE snoflax._lease FORCE')
    expect((await renew(server, a))?.startMs).toBe(a.startMs)
    await server.end()
    touch()
    // A volume that is mounted elsewhere first.
    renameSync(`${folder}/data`, `${folder}/elsewhere`)
    renameSync(`${folder}/elsewhere`, `${folder}/data`)
    const again = await start({ folder, port })
    expect((await renew(again, a))?.startMs).toBe(a.startMs)
    await again.end()
    const moved = await start({ folder })
    await expect(renew(moved, a)).rejects.toMatchObject(refused)
  })

  test('does not notice that its files were replaced by an earlier copy, until the owner says so', async () => {
    const server = await start()
    await install(server.pool)
    const { folder, port } = server
    await server.end()
    const copy = MariadbServer.copy(folder)
    const original = await start({ folder, port })
    const lost = await acquire(original, 'lost')
    await original.end()
    MariadbServer.remove(`${folder}/data`)
    renameSync(`${copy}/data`, `${folder}/data`)
    MariadbServer.remove(copy)
    const restored = await start({ folder, port })
    await restored.query("CALL snoflax.lease_adopt('sno')")
    expect((await acquire(restored, 'a')).startMs).toBeGreaterThan(lost.untilMs)
    expect(await renew(restored, lost)).toBeUndefined()
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
