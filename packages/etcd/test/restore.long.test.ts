import { type SnoId, sno } from '@snoflax/core'
import { leasePartitionFrom } from '@snoflax/core/leases'
import { etcdLeases } from '@snoflax/etcd'
import { granted, request } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Cluster, hasEtcd, hasEtcdctl } from './cluster.js'

const numbers = { min: 1, max: 1 }
const LEASE = { family: sno, numbers, waitMs: 0 }

describe.runIf(hasEtcd() && hasEtcdctl())('a restored snapshot lacks the later leases', () => {
  let cluster: Cluster
  let snapshot: string
  let store: ReturnType<typeof etcdLeases>
  const lost: SnoId[] = []
  const ask = () => store.acquire(request('test', { numbers }))

  beforeEach(async () => {
    cluster = await Cluster.start(1)
    store = etcdLeases({ endpoints: cluster.endpoints })
    await store.begin(sno)
    snapshot = cluster.saveSnapshot()
    const lease = await leasePartitionFrom(store, LEASE)
    for (let i = 0; i < 1000; i++) lost.push(lease.generator.generate())
    await lease.release()
  })
  afterEach(async () => {
    lost.length = 0
    await cluster.stop()
  })

  /** After adopt() nothing begins before all that may be out. */
  async function expectLater(): Promise<void> {
    const { retryMs = 0 } = (await ask()) as { retryMs?: number }
    expect(retryMs).toBeGreaterThan(80_000)
    const { floorMs } = (await cluster.get('snoflax/leases/sno')) as { floorMs: number }
    expect(floorMs).toBeGreaterThan(Math.max(...lost.map((id) => sno.timeMs(id))) + 60_000)
  }

  test('in a new cluster, leases are refused until adopt(), and begin() changes nothing', async () => {
    await cluster.restoreSnapshot(snapshot, { token: 'another' })
    const refused = { code: 'LEASE_UNAVAILABLE', message: expect.stringContaining('call adopt()') }
    await expect(ask()).rejects.toMatchObject(refused)
    await store.begin(sno)
    await expect(leasePartitionFrom(store, LEASE)).rejects.toMatchObject(refused)
    await store.adopt(sno)
    await expectLater()
  })

  test('in a cluster with the old token, windows are granted again, but not after adopt()', async () => {
    await cluster.restoreSnapshot(snapshot)
    const { startMs } = await granted(ask())
    // What README.md warns of: a generator of this window could repeat ids.
    expect(startMs).toBeLessThan(Math.max(...lost.map((id) => sno.timeMs(id))))
    await store.adopt(sno)
    await expectLater()
  })
})
