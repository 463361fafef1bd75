import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { flake, sno } from '@snoflax/core'
import { etcdLeases } from '@snoflax/etcd'
import { granted, request } from '@snoflax/test'
import { tryLeaseProcesses, tryLeaseStore } from '@snoflax/test/leases'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Cluster, hasEtcd } from './cluster.js'

/** Asks again while members elect a leader, as holders do: on a busy machine they may at any time. */
const afterElections = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
  vi.waitFor(ask, { timeout: 30_000, interval: 200 })

describe.runIf(hasEtcd())('leases in three members of etcd', () => {
  let cluster: Cluster
  beforeAll(async () => {
    // The processes run outside vitest and find the packages as users do.
    if (!existsSync(new URL('../esm/index.js', import.meta.url))) throw new Error('run `npm run build` first')
    cluster = await Cluster.start(3)
  })
  afterAll(() => cluster?.stop())

  test('no id is repeated while leaders are killed, cut off, isolated from their peers, and return', async () => {
    await afterElections(() => etcdLeases({ endpoints: cluster.endpoints }).begin(sno))
    let elected: number | undefined
    const seen = await tryLeaseProcesses({
      program: new URL('programs/hold.js', import.meta.url),
      servers: cluster.servers,
      numbers: { min: 1, max: 4 },
      lastsMs: 24_000,
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
        async () => {
          // Clients still reach it, and it them; the others elect another.
          const i = await cluster.leader()
          await cluster.isolate(i)
          elected = await cluster.leader(i)
          expect(elected).not.toBe(i)
          await sleep(4000)
          cluster.reunite()
          await cluster.answering(i)
        },
      ],
    })
    console.log(`leases in etcd, processes: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, strays: 0, overlaps: [] })
    expect(elected).toBeDefined()
    expect(seen.ids).toBeGreaterThan(10_000)
    expect(seen.handedOver).toBeGreaterThan(0)
  })

  test('a leader without its peers grants and renews nothing, then or later', async () => {
    const i = await cluster.leader()
    const isolated = etcdLeases({
      endpoints: [cluster.endpoints[i] as string],
      prefix: 'alone/',
      timeoutMs: 1000,
    })
    const others = etcdLeases({ endpoints: cluster.endpoints.filter((_, at) => at !== i), prefix: 'alone/' })
    await afterElections(() => isolated.begin(sno))
    const asked = request('test', { numbers: { min: 1, max: 1 }, ttlMs: 2000 })
    const first = await afterElections(() => granted(isolated.acquire(asked)))
    await cluster.isolate(i)
    try {
      const refused = {
        code: 'LEASE_UNAVAILABLE',
        message: expect.stringContaining('no member of etcd answered'),
      }
      await expect(isolated.renew(first.token, 60_000, 0)).rejects.toMatchObject(refused)
      const other = isolated.acquire({ ...asked, numbers: { min: 2, max: 2 } })
      await expect(other).rejects.toMatchObject(refused)
      await cluster.leader(i)
      const next = await afterElections(() => granted(others.acquire(asked)))
      // The renewal that the isolated leader was asked for never happened.
      expect(next.startMs).toBeGreaterThanOrEqual(first.untilMs)
      expect(next.startMs).toBeLessThan(first.untilMs + 30_000)
    } finally {
      cluster.reunite()
    }
    expect(await afterElections(() => isolated.renew(first.token, 2000, 0))).toBeUndefined()
  })

  test('late requests and lost answers repeat no id', async () => {
    const store = etcdLeases({ endpoints: cluster.endpoints })
    await afterElections(() => store.begin(flake))
    const seen = await tryLeaseStore(store, { family: flake, numbers: { min: 1, max: 6 }, lastsMs: 4000 })
    console.log(`leases in etcd, kit: ${JSON.stringify(seen)}`)
    expect(seen).toMatchObject({ repeats: 0, overlaps: [] })
    expect(seen.handedOver).toBeGreaterThan(0)
  })
})
