import { sno } from '@snoflax/core'
import { etcdLeases } from '@snoflax/etcd'
import { granted, request } from '@snoflax/test'
import { expect, test } from 'vitest'
import { Cluster, hasEtcd, hasEtcdctl } from './cluster.js'

// copies.long.test.ts has the other copies.
test.runIf(hasEtcd() && hasEtcdctl())('begin() does not start over in a restored snapshot', async () => {
  const cluster = await Cluster.start(1)
  try {
    const store = etcdLeases({ endpoints: cluster.endpoints })
    await store.begin(sno)
    const ask = () => store.acquire(request('test', { numbers: { min: 1, max: 1 } }))
    const snapshot = cluster.saveSnapshot()
    await granted(ask())
    await cluster.restoreSnapshot(snapshot, { token: 'another' })
    await store.begin(sno)
    await expect(ask()).rejects.toThrow(/call adopt\(\) once that one no longer leases numbers/)
  } finally {
    await cluster.stop()
  }
})
