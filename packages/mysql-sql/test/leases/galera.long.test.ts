import { flax, sno } from '@snoflax/core'
import { columnSql, install, mysqlLeases } from '@snoflax/mysql-sql'
import { granted, mysql, request } from '@snoflax/test'
import { tryLeaseStore } from '@snoflax/test/leases'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Account, noting } from '../../../../test/leases/account.js'
import { hasMariadb, type MariadbServer } from '../mariadb-server.js'
import { GaleraCluster, hasGalera, statusOf } from './galera-cluster.js'

// What docs/leases.md says of Galera.

const IDS = 2000
const isOther = /another server granted the leases/

describe.runIf(mysql.selected() && hasMariadb() && hasGalera())('in a cluster of Galera', () => {
  let cluster: GaleraCluster
  let [first, second, third]: readonly MariadbServer[] = []
  beforeAll(async () => {
    cluster = await GaleraCluster.start()
    ;[first, second, third] = cluster.nodes
    await install(node(first).pool)
    for (const one of cluster.nodes) {
      await vi.waitFor(
        async () =>
          expect(await one.query('SELECT complete FROM snoflax._installation')).toEqual([{ complete: 1 }]),
        { timeout: 240_000 },
      )
    }
  })
  afterAll(() => cluster?.stop())

  const node = (one: MariadbServer | undefined): MariadbServer => one as MariadbServer
  const storeOf = (one: MariadbServer | undefined) => mysqlLeases(node(one).pool)
  const one = (number: number, ttlMs = 20_000) =>
    request('holder', { numbers: { min: number, max: number }, ttlMs })

  test('functions and defaults of all nodes generate different ids', async () => {
    const generated = await Promise.all(
      cluster.nodes.map((one) =>
        one.query(`SELECT hex(snoflax.flax_generate()) AS id FROM mysql.seq_1_to_${IDS}`),
      ),
    )
    expect(new Set(generated.flat().map(({ id }) => id)).size).toBe(3 * IDS)
    await node(first).query('CREATE DATABASE app')
    const { definition } = columnSql(flax, { server: 'mariadb' })
    await node(first).query(`CREATE TABLE app.customer (id ${definition} PRIMARY KEY, node int, n int)`)
    for (const one of cluster.nodes) {
      await expect.poll(() => one.query('SELECT n FROM app.customer').catch(() => undefined)).toEqual([])
    }
    await Promise.all(
      cluster.nodes.map((one, i) =>
        one.query(`INSERT INTO app.customer (node, n) SELECT ${i}, seq FROM mysql.seq_1_to_${IDS}`),
      ),
    )
    for (const one of cluster.nodes) {
      await expect
        .poll(() => one.query('SELECT count(*) AS rows_, count(DISTINCT id) AS ids FROM app.customer'))
        .toEqual([{ rows_: 3 * IDS, ids: 3 * IDS }])
    }
  })

  test('one node grants leases, the others refuse', async () => {
    const lease = await granted(storeOf(first).acquire(one(1)))
    for (const other of [second, third]) {
      await expect(storeOf(other).acquire(one(2))).rejects.toThrow(isOther)
      await expect.poll(() => node(other).query('SELECT number FROM snoflax.leases')).toEqual([{ number: 1 }])
      await expect(storeOf(other).renew(lease.token, 20_000, lease.startMs)).rejects.toThrow(isOther)
    }
    await storeOf(first).release(lease.token, lease.startMs)
  })

  test('a cluster that loses a node repeats no id', async () => {
    const seen = await tryLeaseStore(storeOf(first), {
      family: sno,
      numbers: { min: 10, max: 15 },
      disturb: async () => {
        node(third).signal('SIGSTOP')
        await expect.poll(() => statusOf(node(first))).toEqual({ size: '2', ready: 'ON' })
        node(third).signal('SIGCONT')
        await cluster.agree()
      },
    })
    console.log(`leases in Galera: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
    expect(seen.ids).toBeGreaterThan(10_000)
  })

  test('a node without a majority grants and renews nothing, and goes on when it has one again', async () => {
    const lease = await granted(storeOf(first).acquire(one(1)))
    for (const other of [second, third]) node(other).signal('SIGSTOP')
    await expect.poll(() => statusOf(node(first))).toMatchObject({ ready: 'OFF' })
    await expect(storeOf(first).renew(lease.token, 20_000, lease.startMs)).rejects.toThrow(/WSREP/)
    await expect(storeOf(first).acquire(one(2))).rejects.toThrow(/WSREP/)
    for (const other of [second, third]) node(other).signal('SIGCONT')
    await cluster.agree()
    expect(await storeOf(first).renew(lease.token, 20_000, lease.startMs)).toMatchObject({
      startMs: lease.startMs,
    })
    await storeOf(first).release(lease.token, lease.startMs)
  })

  test('another node grants leases once it adopted them, and the first one, back again, refuses', async () => {
    const lease = await granted(storeOf(first).acquire(one(1)))
    node(first).signal('SIGSTOP')
    await expect.poll(() => statusOf(node(second))).toEqual({ size: '2', ready: 'ON' })
    await node(second).query("CALL snoflax.lease_adopt('sno')")
    for (const number of [2, 3]) {
      expect((await granted(storeOf(second).acquire(one(number)))).startMs).toBeGreaterThan(lease.untilMs)
    }
    expect((await storeOf(second).renew(lease.token, 20_000, lease.startMs))?.startMs).toBeGreaterThan(
      lease.untilMs,
    )
    node(first).signal('SIGCONT')
    // What it answers before it knows.
    const early = await storeOf(first)
      .renew(lease.token, 20_000, lease.startMs)
      .catch((error: Error) => error.message)
    expect(early).toSatisfy((it: unknown) => typeof it === 'string')
    await cluster.agree()
    await expect(storeOf(first).acquire(one(4))).rejects.toThrow(isOther)
    await node(first).query("CALL snoflax.lease_adopt('sno')")
  })

  test('nodes that adopt leases from each other while both are asked grant no overlapping windows', async () => {
    const account = new Account()
    const stores = cluster.nodes.map((one) => noting(mysqlLeases(one.pool), (event) => account.add(event)))
    let over = false
    const ask = async (store: (typeof stores)[number]) => {
      while (!over) {
        const lease = await store
          .acquire(request('holder', { numbers: { min: 20, max: 23 }, ttlMs: 200 }))
          .catch(() => undefined)
        if (lease !== undefined && 'token' in lease) {
          await store.renew(lease.token, 300, lease.startMs).catch(() => undefined)
          await store.release(lease.token, lease.startMs + 50).catch(() => undefined)
        }
      }
    }
    const asking = stores.map(ask)
    for (let round = 0; round < 12; round++) {
      await node(cluster.nodes[round % 3])
        .query("CALL snoflax.lease_adopt('sno')")
        .catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    over = true
    await Promise.all(asking)
    const { overlaps, leases } = account.result()
    console.log(`leases in Galera, adopted in turn: ${leases}`)
    expect(overlaps).toEqual([])
    expect(leases).toBeGreaterThan(20)
  })
})
