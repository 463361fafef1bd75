import { sno } from '@snoflax/core'
import { etcdLeases } from '@snoflax/etcd'
import { test } from 'vitest'
import { type Copies, type Original, testCopies } from '../../../test/leases/copies.js'
import { Cluster, hasEtcd, hasEtcdctl } from './cluster.js'

const placeOn = (cluster: Cluster) => {
  const store = etcdLeases({ endpoints: cluster.endpoints })
  return { store, adopt: () => store.adopt(sno) }
}

function originalOn(first: Cluster): Original {
  const clusters = [first]
  const keep = async (started: Promise<Cluster>) => {
    const cluster = await started
    clusters.push(cluster)
    return cluster
  }
  const original = placeOn(first)

  const copies: Copies = {
    restart: async (meanwhile) => {
      await meanwhile()
      await first.kill(0)
      await first.restart(0)
      return original
    },
    files: async (meanwhile) => {
      await meanwhile()
      await first.kill(0)
      first.touchFiles(0)
      await first.restart(0)
      return original
    },
    rewritten: async (meanwhile) => {
      await meanwhile()
      await first.compact()
      return original
    },
    moved: async (meanwhile) => {
      await meanwhile()
      await first.kill(0)
      return placeOn(await keep(Cluster.start(1, first.copyFiles(0))))
    },
    promoted: async (meanwhile) => {
      await meanwhile()
      const leader = await first.leader()
      await first.kill(leader)
      await first.leader(leader)
      return original
    },
    dump: async (meanwhile) => {
      const entries = await first.entries('snoflax/leases/')
      await meanwhile()
      const other = await keep(Cluster.start(1))
      for (const [key, value] of entries) await other.put(key, value)
      return { ...placeOn(other), original: original.store }
    },
    dumpInPlace: async (meanwhile) => {
      const entries = await first.entries('snoflax/leases/')
      await meanwhile()
      for (const [key] of await first.entries('snoflax/leases/')) await first.remove(key)
      for (const [key, value] of entries) await first.put(key, value)
      return original
    },
    snapshot: async (meanwhile) => {
      const snapshot = first.saveSnapshot()
      await meanwhile()
      await first.restoreSnapshot(snapshot, { token: 'another' })
      return original
    },
    sameToken: async (meanwhile) => {
      const snapshot = first.saveSnapshot()
      await meanwhile()
      await first.restoreSnapshot(snapshot)
      return original
    },
    beside: async (meanwhile) => {
      await first.kill(0)
      const files = first.copyFiles(0)
      await first.restart(0)
      await meanwhile()
      return { ...placeOn(await keep(Cluster.start(1, files))), original: original.store }
    },
    inPlace: async (meanwhile) => {
      await first.kill(0)
      const files = first.copyFiles(0)
      await first.restart(0)
      await meanwhile()
      await first.kill(0)
      first.replaceFiles(0, files)
      await first.restart(0)
      return original
    },
  }
  return {
    ...original,
    copies,
    close: async () => {
      for (const cluster of clusters) await cluster.stop()
    },
  }
}

if (hasEtcd()) {
  testCopies({
    store: 'etcd',
    copies: [
      ...(['restart', 'files', 'rewritten', 'moved', 'promoted', 'dump', 'dumpInPlace'] as const),
      ...(hasEtcdctl() ? (['snapshot', 'sameToken'] as const) : []),
      ...(['beside', 'inPlace'] as const),
    ],
    refusal: /call adopt\(\) once that one no longer leases numbers/,
    async open(copy) {
      const cluster = await Cluster.start(copy === 'promoted' ? 3 : 1)
      await etcdLeases({ endpoints: cluster.endpoints }).begin(sno)
      return originalOn(cluster)
    },
  })
} else test.skip('copies of clusters: etcd is not installed', () => {})
