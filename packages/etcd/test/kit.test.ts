import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { flake, sno } from '@snoflax/core'
import { etcdLeases } from '@snoflax/etcd'
import { tryLeaseProcesses, tryLeaseStore } from '@snoflax/lease-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Cluster, hasEtcd } from './cluster.js'

describe.runIf(hasEtcd())('leases in three members of etcd', () => {
  let cluster: Cluster
  beforeAll(async () => {
    // The processes run outside vitest and find the packages as users do.
    if (!existsSync(new URL('../dist/index.js', import.meta.url)))
      throw new Error('run `npm run build` first')
    cluster = await Cluster.start(3)
  })
  afterAll(() => cluster?.stop())

  test('one is killed, and the one that leads is cut off and comes back: no id twice', async () => {
    await etcdLeases(cluster).begin(sno)
    const seen = await tryLeaseProcesses({
      program: new URL('programs/hold.js', import.meta.url),
      servers: cluster.servers,
      numbers: { min: 1, max: 4 },
      lastsMs: 16_000,
      atLeast: 20_000,
      network: { trouble: 0.02 },
      disturb: [
        async () => {
          const i = await cluster.leader()
          cluster.signal(i, 'SIGKILL')
          await sleep(3000)
          cluster.startMember(i)
          await cluster.answering(i)
        },
        async (proxies) => {
          // Neither clients nor members reach it, nor it them; it goes on believing that it leads.
          const i = await cluster.leader()
          proxies[i]?.cut()
          cluster.signal(i, 'SIGSTOP')
          await sleep(4000)
          cluster.signal(i, 'SIGCONT')
          proxies[i]?.mend()
        },
      ],
    })
    console.log(`leases in etcd, processes: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, strays: 0, overlaps: [] })
    expect(seen.ids).toBeGreaterThan(10_000)
    expect(seen.handedOver).toBeGreaterThan(0)
  })

  test('requests that come late and answers that get lost', async () => {
    const store = etcdLeases(cluster)
    await store.begin(flake)
    const seen = await tryLeaseStore(store, { family: flake, numbers: { min: 1, max: 6 }, lastsMs: 4000 })
    console.log(`leases in etcd, kit: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
    expect(seen.handedOver).toBeGreaterThan(0)
  })
})
