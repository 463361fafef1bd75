import { inspect } from 'node:util'
import { type IdError, sno } from '@snoflax/core'
import { type EtcdLeases, type EtcdOptions, etcdLeases, type Fetch } from '@snoflax/etcd'
import type { LeaseGrant, LeaseRequest } from '@snoflax/leases'
import { granted as grantedBy, request as requestOf } from '@snoflax/test'
import { startProxy } from '@snoflax/test/leases'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Cluster, hasEtcd } from './cluster.js'

const request = (options: Partial<LeaseRequest> = {}): LeaseRequest =>
  requestOf('test', { numbers: { min: 1, max: 1 }, ttlMs: 30_000, ...options })

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return expect.fail('not refused')
}

test.each([[], ['localhost:2379'], undefined])('endpoints %j are refused', (endpoints) => {
  expect(() => etcdLeases({ endpoints } as EtcdOptions)).toThrow(/endpoints must be URLs/)
})

describe('no error shows a password or a token', () => {
  const all = (error: unknown): string =>
    `${inspect(error, { showHidden: true, depth: 9 })} ${JSON.stringify(error)} ${(error as Error).stack}`

  test.each<[name: string, options: unknown]>([
    ['in a URL', { endpoints: ['http://root:s3cret@10.0.0.1:2379'] }],
    ['in the second URL', { endpoints: ['http://10.0.0.1:2379', 'https://s3cret@10.0.0.2'] }],
    ['in a URL with an @ in the password', { endpoints: ['http://root:p@s3cret@10.0.0.1:2379'] }],
    ['in what is no URL', { endpoints: ['root:s3cret@10.0.0.1'] }],
    ['in a URL that is no list', { endpoints: 'http://root:s3cret@10.0.0.1' }],
    ['in the options', 'http://root:s3cret@10.0.0.1'],
    ['under another name', { endpoint: 'http://root:s3cret@10.0.0.1' }],
  ])('%s', (_, options) => {
    const error = thrownBy(() => etcdLeases(options as EtcdOptions))
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    expect(all(error)).not.toContain('s3cret')
  })

  const headers = { authorization: 'Bearer s3cret-token' }
  const url = 'http://root:s3cret@proxy'
  test.each<[name: string, headers: Record<string, string>, fetch: Fetch | undefined]>([
    ['no member answers', headers, undefined],
    ['a header is invalid', { authorization: 's3cret-token\n' }, undefined],
    [
      'fetch throws the request',
      headers,
      (url, init) => Promise.reject(Object.assign(new Error(url), { init })),
    ],
    [
      'its cause shows a URL',
      headers,
      () => Promise.reject(new TypeError('failed', { cause: new Error(`connect to ${url}`) })),
    ],
    ['no error is thrown', headers, (_, init) => Promise.reject(JSON.stringify(init))],
    [
      'the answer shows it',
      headers,
      async (_, init) => ({
        ok: false,
        status: 401,
        headers: { get: () => null },
        text: async () => `wrong token ${init.headers['authorization']} for ${url}`,
      }),
    ],
  ])('%s', async (_, headers, fetch) => {
    const endpoints = ['http://127.0.0.1:1']
    const store = etcdLeases({ endpoints, headers, ...(fetch && { fetch }) })
    const error = await store.acquire(request()).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'LEASE_UNAVAILABLE' })
    expect(all(error)).not.toContain('s3cret')
  })
})

describe.runIf(hasEtcd())('leases in etcd', () => {
  let cluster: Cluster
  let store: EtcdLeases
  let prefix: string
  let started = 0
  beforeAll(async () => {
    cluster = await Cluster.start(1)
  })
  afterAll(() => cluster?.stop())
  beforeEach(async () => {
    prefix = `test ${++started}/`
    store = etcdLeases({ endpoints: cluster.endpoints, prefix })
    await store.begin(sno)
  })

  const granted = (options?: Partial<LeaseRequest>): Promise<LeaseGrant> =>
    grantedBy(store.acquire(request(options)))

  test('a number is granted once, renewed by its holder, and granted again after the times used', async () => {
    const first = await granted()
    expect(first).toMatchObject({ number: 1, shard: 0 })
    const { retryMs } = (await store.acquire(request())) as { retryMs: number }
    expect(retryMs).toBeGreaterThan(20_000)
    expect(retryMs).toBeLessThanOrEqual(30_000)
    const window = await store.renew(first.token, 40_000, first.startMs)
    expect(window?.startMs).toBe(first.startMs)
    expect(window?.untilMs).toBeGreaterThan(first.untilMs)
    const usedUntilMs = first.startMs + 1000
    await store.release(first.token, usedUntilMs)
    expect(await store.renew(first.token, 30_000, 0)).toBeUndefined()
    await store.release(first.token, first.startMs)
    const next = await granted()
    expect(next.startMs).toBe(usedUntilMs)
  })

  test('a number that is not renewed is granted to another, whose window begins where the first one ends', async () => {
    const first = await granted({ ttlMs: 100 })
    await expect.poll(async () => 'token' in (await store.acquire(request({ ttlMs: 100 })))).toBe(true)
    expect(await store.renew(first.token, 100, 0)).toBeUndefined()
    const stored = (await cluster.get(`${prefix}sno/0000000001`)) as { shards: { startMs: number }[] }
    expect(stored.shards[0]?.startMs).toBeGreaterThanOrEqual(first.untilMs)
  })

  test('concurrent requests get different numbers, the longest unused first', async () => {
    const grants = await Promise.all(
      Array.from({ length: 12 }, () => granted({ numbers: { min: 5, max: 16 } })),
    )
    expect(grants.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 5),
    )
    for (const [i, { token, startMs }] of grants.entries()) await store.release(token, startMs + 1000 - i)
    expect((await granted({ numbers: { min: 5, max: 16 } })).number).toBe(grants.at(-1)?.number)
  })

  describe('of many numbers', () => {
    /** A store that counts the keys in each answer. */
    const counting = () => {
      const read: number[] = []
      const watched: Fetch = async (url, init) => {
        const response = await (fetch as unknown as Fetch)(url, init)
        const text = await response.text()
        read.push(text.split('"mod_revision"').length - 1)
        return { ok: response.ok, status: response.status, headers: response.headers, text: async () => text }
      }
      return { read, store: etcdLeases({ endpoints: cluster.endpoints, prefix, fetch: watched }) }
    }
    const numbers = { min: 1, max: 65_535 }

    test('only a few are read, and the lowest one that was never leased is granted', async () => {
      await granted()
      const record = await cluster.get(`${prefix}sno/0000000001`)
      for (let number = 2; number <= 300; number++) {
        await cluster.put(`${prefix}sno/${String(number).padStart(10, '0')}`, record as object)
      }
      const { read, store: watched } = counting()
      expect(await watched.acquire(request({ numbers }))).toMatchObject({ number: 301 })
      expect(Math.max(...read)).toBeLessThanOrEqual(65)
    })

    test('concurrent requests get different ones', async () => {
      const patient = etcdLeases({ endpoints: cluster.endpoints, prefix, timeoutMs: 60_000 })
      const grants = await Promise.all(
        Array.from({ length: 30 }, () => patient.acquire(request({ numbers }))),
      )
      expect(new Set(grants.map((grant) => (grant as LeaseGrant).number)).size).toBe(30)
    })

    test('one that was released is granted once all were leased; if none was, the answer says when one may be', async () => {
      const hundred = { numbers: { min: 1, max: 100 } }
      const grants: LeaseGrant[] = []
      for (let i = 0; i < 100; i++) grants.push(await granted(hundred))
      expect(await store.acquire(request(hundred))).toEqual({ retryMs: expect.any(Number) })
      const { token, startMs } = grants[70] as LeaseGrant
      await store.release(token, startMs)
      expect(await granted(hundred)).toMatchObject({ number: 71 })
    })

    test('none is granted before the floor', async () => {
      await store.adopt(sno)
      const { retryMs } = (await store.acquire(request({ numbers }))) as { retryMs: number }
      expect(retryMs).toBeGreaterThan(60_000)
    })
  })

  test('shards of a number are leased separately, and a number keeps its shards and its epoch', async () => {
    const both = [await granted({ shards: 2 }), await granted({ shards: 2 })]
    expect(both.map(({ shard }) => shard)).toEqual([0, 1])
    for (const { token, startMs } of both) await store.release(token, startMs)
    expect(await store.acquire(request({ shards: 1 }))).toEqual({ retryMs: undefined })
    expect(await store.acquire(request({ shards: 2, epochMs: 0 }))).toEqual({ retryMs: undefined })
  })

  test('a lost answer costs no number', async () => {
    let losses = 0
    const losing: Fetch = async (url, init) => {
      const response = await (fetch as unknown as Fetch)(url, init)
      if (init.body.includes('request_put') && losses++ === 0) throw new Error('lost')
      return response
    }
    // Two names of one member: the second is asked when the first fails.
    const [endpoint = ''] = cluster.endpoints
    const twice = etcdLeases({ endpoints: [endpoint, endpoint], prefix, fetch: losing })
    expect(await twice.acquire(request({ numbers: { min: 1, max: 2 } }))).toMatchObject({ number: 1 })
    expect(losses).toBe(2)
    expect(await cluster.get(`${prefix}sno/0000000002`)).toBeUndefined()
  })

  test('without a record nothing is granted, and begin() does not change an existing one', async () => {
    const other = etcdLeases({ endpoints: cluster.endpoints, prefix: `${prefix}other ` })
    await expect(other.acquire(request())).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      message: expect.stringContaining('call begin() if sno has never had leases there, else adopt()'),
    })
    const before = await cluster.get(`${prefix}sno`)
    await store.begin(sno)
    expect(await cluster.get(`${prefix}sno`)).toEqual(before)
  })

  test('another cluster grants nothing before adopt(), and then only times after all possible leases', async () => {
    const held = await granted()
    const record = (await cluster.get(`${prefix}sno`)) as object
    await cluster.put(`${prefix}sno`, { ...record, cluster: '1' })
    const refused = { code: 'LEASE_UNAVAILABLE', message: expect.stringContaining('call adopt()') }
    await expect(store.acquire(request())).rejects.toMatchObject(refused)
    await expect(store.renew(held.token, 30_000, 0)).rejects.toMatchObject(refused)

    const before = Date.now()
    await store.adopt(sno)
    expect(await store.renew(held.token, 30_000, 0)).toBeUndefined()
    const { retryMs } = (await store.acquire(request())) as { retryMs: number }
    expect(retryMs).toBeGreaterThan(60_000)
    const { floorMs } = (await cluster.get(`${prefix}sno`)) as { floorMs: number }
    expect(floorMs).toBeGreaterThanOrEqual(before + 120_000)
  })

  test("a lease of more than a minute, and a clock far from the member's, are refused", async () => {
    await expect(store.acquire(request({ ttlMs: 60_001 }))).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    const late: Fetch = async (url, init) => {
      const response = await (fetch as unknown as Fetch)(url, init)
      const date = new Date(Date.now() - 3_600_000).toUTCString()
      return {
        ok: response.ok,
        status: response.status,
        text: () => response.text(),
        headers: { get: () => date },
      }
    }
    const behind = etcdLeases({ endpoints: cluster.endpoints, prefix, fetch: late })
    await expect(behind.acquire(request())).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      message: expect.stringMatching(/^sno: this machine's clock is 3\d{6} ms or more from that of etcd/),
    })
  })

  test('a member that does not answer is skipped, and if none answers the error says so', async () => {
    const [server] = cluster.servers
    const proxy = await startProxy(server as { host: string; port: number }, { trouble: 0 })
    const dead = `http://127.0.0.1:${proxy.address.port}`
    proxy.cut()
    try {
      const rest = etcdLeases({ endpoints: [dead, ...cluster.endpoints], prefix })
      expect(await rest.acquire(request())).toMatchObject({ number: 1 })
      const none = etcdLeases({ endpoints: [dead], prefix, timeoutMs: 200 })
      const error: IdError = await none.acquire(request()).then(
        () => undefined as never,
        (thrown) => thrown,
      )
      expect(error).toMatchObject({ code: 'LEASE_UNAVAILABLE', family: 'sno' })
      expect(error.message).toMatch(/^sno: no member of etcd answered: .*timeout/)
      const wrong = etcdLeases({ endpoints: [`${cluster.endpoints[0]}/nowhere`], prefix })
      await expect(wrong.acquire(request())).rejects.toThrow(/answered 404/)
    } finally {
      await proxy.close()
    }
  })
})
