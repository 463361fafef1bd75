import { flake } from '@snoflax/core'
import type { LeaseGrant, LeaseRequest, LeaseStore } from '@snoflax/leases'
import { beforeEach, describe, expect, test } from 'vitest'
import { flakeRequest, granted, randomFrom, request, TTL_MS } from '../databases.js'

export const START_MS = Date.UTC(2026, 10, 1)

/** A store in a database with a scripted clock, which stands at START_MS before each test. */
export interface ScriptedStore {
  readonly store: LeaseStore
  /** One that uses several sessions, with any clock. */
  readonly pooled: LeaseStore
  setClock(ms: number): Promise<void>
  /** Calls a function of the owner: `lease_adopt('sno')`. */
  call(call: string): Promise<unknown>
  isHeld(token: string): Promise<boolean>
  /** The rows of the view. */
  leases(): Promise<Record<string, unknown>[]>
  /** The error of the database; PostgreSQL has this SQLSTATE. */
  refusal(message: RegExp, sqlState: string): object
}

/** Who gets which number, and which window, in every database that has SQL for leases. */
export function testStore(open: () => ScriptedStore): void {
  let scripted: ScriptedStore
  let store: LeaseStore
  let nowMs: number
  beforeEach(() => {
    scripted = open()
    store = scripted.store
    nowMs = START_MS
  })

  const pass = async (ms: number): Promise<void> => {
    nowMs += ms
    await scripted.setClock(nowMs)
  }
  const acquire = (asked: LeaseRequest): Promise<LeaseGrant> => granted(store.acquire(asked))
  const get = (holder: string, changes: Partial<LeaseRequest> = {}) => acquire(request(holder, changes))

  describe('numbers', () => {
    test('never used are granted first, in order; all in use are refused until the first may be free', async () => {
      expect(await get('a')).toMatchObject({
        number: 1,
        shard: 0,
        startMs: START_MS - TTL_MS,
        untilMs: START_MS + TTL_MS,
      })
      await pass(1000)
      expect(await get('b')).toMatchObject({ number: 2 })
      await pass(1000)
      expect(await store.acquire(request('c'))).toEqual({ retryMs: TTL_MS - 2000 })
      expect(await store.acquire(request('c', { numbers: { min: 2, max: 2 } }))).toEqual({
        retryMs: TTL_MS - 1000,
      })
      // Those of other families do not count.
      expect(await acquire(flakeRequest('c'))).toMatchObject({ number: 1 })
    })

    test('that were left out are granted once the last one was used', async () => {
      await get('a', { numbers: { min: 2, max: 2 } })
      const numbers = { min: 1, max: 4 }
      expect(await get('b', { numbers })).toMatchObject({ number: 3 })
      expect(await get('c', { numbers })).toMatchObject({ number: 4 })
      expect(await get('d', { numbers })).toMatchObject({ number: 1 })
    })

    test('least recently used come next', async () => {
      const [a, b] = [await get('a'), await get('b')]
      await pass(5000)
      await store.release(a.token, START_MS + 4000)
      await store.release(b.token, START_MS + 3000)
      expect(await get('c')).toMatchObject({ number: 2 })
      expect(await get('d')).toMatchObject({ number: 1 })
    })

    test('are granted to concurrent requests, one to each', async () => {
      const asked = Array.from({ length: 40 }, (_, i) =>
        scripted.pooled.acquire(request(`holder ${i}`, { numbers: { min: 100, max: 129 } })),
      )
      const leased = (await Promise.all(asked)).flatMap((one) => ('token' in one ? [one.number] : []))
      expect(leased.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => 100 + i))
    })
  })

  describe('shards', () => {
    const quarters = { numbers: { min: 7, max: 8 }, shards: 4 }

    test('of one number are granted before the next number', async () => {
      const leased = []
      for (const holder of ['a', 'b', 'c', 'd', 'e']) leased.push(await get(holder, quarters))
      expect(leased.map(({ number, shard }) => [number, shard])).toEqual([
        [7, 0],
        [7, 1],
        [7, 2],
        [7, 3],
        [8, 0],
      ])
    })

    test('are divided again when all of a number are free, after the last of their windows', async () => {
      const [a, b] = [await get('a', quarters), await get('b', quarters)]
      const halves = { ...quarters, shards: 2, numbers: { min: 7, max: 7 } }
      await pass(3000)
      await store.renew(b.token, TTL_MS, START_MS)
      await pass(TTL_MS - 2000)
      // One has run out, the other goes on.
      expect(await store.acquire(request('c', halves))).toEqual({ retryMs: 2000 })
      expect(await get('c', { ...halves, numbers: { min: 7, max: 8 } })).toMatchObject({ number: 8 })
      await pass(2000)
      const c = await get('c', halves)
      expect(c).toMatchObject({ number: 7, shard: 0, startMs: START_MS + 3000 + TTL_MS })
      expect(await get('d', halves)).toMatchObject({ number: 7, shard: 1, startMs: c.startMs })
      for (const { token } of [a, b]) expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
    })

    test('are refused for flake', async () => {
      const asked = store.acquire({ ...flakeRequest('a'), shards: 2 })
      await expect(asked).rejects.toMatchObject(scripted.refusal(/shards 2/, '22003'))
    })
  })

  test('a number keeps its epoch, since the same time has other bits with another one', async () => {
    const other = flake.withEpoch(Date.UTC(2020, 0, 1))
    const { token } = await acquire(flakeRequest('a'))
    await store.release(token, START_MS)
    await pass(60_000)
    const numbers = { min: 1, max: 1 }
    expect(await store.acquire({ ...flakeRequest('b', other), numbers })).toEqual({ retryMs: undefined })
    expect(await acquire(flakeRequest('b', other))).toMatchObject({ number: 2 })
    expect(await acquire({ ...flakeRequest('c'), numbers })).toMatchObject({ number: 1 })
  })

  describe('lease_reset', () => {
    const reset = (min: number, max: number) => scripted.call(`lease_reset('flake', ${min}, ${max})`)

    test('frees numbers leased for another epoch, after the end of their windows', async () => {
      const wrong = flake.withEpoch(Date.UTC(2020, 0, 1))
      const numbers = { min: 1, max: 3 }
      const held = []
      for (const holder of ['a', 'b', 'c']) {
        held.push(await acquire({ ...flakeRequest(holder, wrong), numbers }))
      }
      await pass(TTL_MS)
      const asked = { ...flakeRequest('right'), numbers }
      expect(await store.acquire(asked)).toEqual({ retryMs: undefined })
      await reset(1, 2)
      expect(await acquire(asked)).toMatchObject({ number: 1, startMs: START_MS + TTL_MS })
      expect(await store.renew(held[1]?.token as string, TTL_MS, START_MS)).toBe(undefined)
      expect(await store.renew(held[2]?.token as string, TTL_MS, START_MS)).toMatchObject({
        startMs: held[2]?.startMs,
      })
    })

    test('frees numbers that are in use, but only after the end of their windows', async () => {
      const held = await acquire({ ...flakeRequest('a'), numbers: { min: 1, max: 1 } })
      await reset(0, 1023)
      expect(await store.renew(held.token, TTL_MS, START_MS)).toBe(undefined)
      expect(await acquire({ ...flakeRequest('b'), numbers: { min: 1, max: 1 } })).toMatchObject({
        startMs: held.untilMs,
      })
    })
  })

  describe('windows', () => {
    test("are extended by renewals, from the database's clock, and never shortened if that moves back", async () => {
      const { token, startMs } = await get('a')
      await pass(4000)
      const untilMs = START_MS + 4000 + TTL_MS
      expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs })
      await pass(-3_600_000)
      expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs })
      // After the window has ended too, if nobody else has the number.
      await pass(7_200_000)
      expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs: untilMs + 3_600_000 })
    })

    test('begin after that of a holder that did not return', async () => {
      const numbers = { min: 1, max: 1 }
      const { token } = await get('a', { numbers })
      await pass(4000)
      await store.renew(token, TTL_MS, START_MS)
      await pass(TTL_MS - 1)
      expect(await store.acquire(request('b', { numbers }))).toEqual({ retryMs: 1 })
      await pass(1)
      expect(await get('b', { numbers })).toMatchObject({ startMs: START_MS + 4000 + TTL_MS })
      // The first one wakes up.
      expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
      await store.release(token, START_MS)
      expect(await scripted.leases()).toMatchObject([{ holder: 'b', state: 'held' }])
    })

    test('begin after a release where ids ended', async () => {
      const numbers = { min: 1, max: 1 }
      const { token } = await get('a', { numbers })
      await store.release(token, START_MS + 504)
      await store.release(token, START_MS)
      expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
      expect(await get('b', { numbers })).toMatchObject({
        startMs: START_MS + 504,
        untilMs: START_MS + TTL_MS,
      })
    })

    test('are neither cut below what was used nor extended by a release', async () => {
      const numbers = { min: 1, max: 1 }
      const a = await get('a', { numbers })
      await store.renew(a.token, TTL_MS, START_MS + 2000)
      await store.release(a.token, START_MS - 3_600_000)
      const b = await get('b', { numbers })
      expect(b).toMatchObject({ startMs: START_MS + 2000 })
      await store.release(b.token, START_MS + 3_600_000)
      expect(await get('c', { numbers })).toMatchObject({ startMs: b.untilMs })
    })

    test('hold what a holder may have used, whatever it reports', async () => {
      const numbers = { min: 1, max: 1 }
      const { token, startMs, untilMs } = await get('a', { numbers })
      for (const [reported, usedMs] of [
        [-1e16, startMs],
        [1e16, untilMs],
      ] as const) {
        await store.renew(token, TTL_MS, reported)
        expect(await scripted.leases()).toMatchObject([{ used_until: new Date(usedMs) }])
      }
      await store.release(token, 8.64e15)
      expect(await scripted.leases()).toMatchObject([{ used_until: new Date(untilMs) }])
      expect(await get('b', { numbers })).toMatchObject({ startMs: untilMs })
    })

    test('never overlap, whatever the clock, holders and the owner do', async () => {
      const drawn = randomFrom(Number(process.env['SNOFLAX_SEED'] ?? 7))
      const random = () => drawn(2 ** 32) / 2 ** 32
      const windows: { number: number; shard: number; startMs: number; untilMs: number; usedMs: number }[] =
        []
      const held: (LeaseGrant & { window: (typeof windows)[number] })[] = []
      const steps = Number(process.env['SNOFLAX_CASES'] ?? 300)
      for (let step = 0; step < steps; step++) {
        await pass(Math.floor((random() - 0.4) * 6000))
        const at = Math.floor(random() * held.length)
        const one = held[at]
        const choice = random()
        if (choice < 0.45 || one === undefined) {
          const found = await store.acquire(request('x', { numbers: { min: 1, max: 3 }, ttlMs: 4000 }))
          if (!('token' in found)) continue
          const window = { ...found, usedMs: found.startMs }
          windows.push(window)
          held.push({ ...found, window })
        } else if (choice < 0.8) {
          const renewed = await store.renew(one.token, 4000, one.window.usedMs)
          if (renewed === undefined) held.splice(at, 1)
          else if (renewed.startMs === one.window.startMs) one.window.untilMs = renewed.untilMs
          else {
            one.window = { ...one.window, ...renewed, usedMs: renewed.startMs }
            windows.push(one.window)
          }
        } else if (choice < 0.95) {
          // What it used was in its window.
          const { window } = one
          window.usedMs = window.startMs + Math.floor(random() * (window.untilMs - window.startMs))
          const isHeld = await scripted.isHeld(one.token)
          await store.release(one.token, window.usedMs)
          if (isHeld) window.untilMs = window.usedMs
          held.splice(at, 1)
        } else if (choice < 0.98) await scripted.call("lease_adopt('sno')")
        else await scripted.call("lease_reset('sno', 2, 3)")
      }
      expect(windows.length).toBeGreaterThan(steps / 10)
      const meeting = windows.flatMap((a, i) =>
        windows
          .slice(i + 1)
          .filter((b) => a.number === b.number && a.startMs < b.untilMs && b.startMs < a.untilMs),
      )
      expect(meeting).toEqual([])
    })
  })

  test.each([
    ['a lease that is too long', { ttlMs: 30_001 }, '22003', /ttl_ms 30001 is not from 100 to 30000/],
    ['a lease that is too short', { ttlMs: 99 }, '22003', /ttl_ms 99/],
    ['numbers that the family has not', { numbers: { min: 1, max: 65_536 } }, '22003', /last_number 65536/],
    ['no numbers', { numbers: { min: 2, max: 1 } }, '22003', /first_number 2/],
    ['too many shards', { shards: 1025 }, '22003', /shards 1025/],
    ['no shards', { shards: 0 }, '22003', /shards 0/],
    ['a holder without a name', { holder: '' }, '22023', /holder is missing/],
    ['a family without numbers', { family: 'flax' }, '22023', /flax. has no numbers to lease/],
  ])('refuses %s', async (_, changes, code, message) => {
    await expect(store.acquire(request('a', changes))).rejects.toMatchObject(scripted.refusal(message, code))
    expect(await scripted.leases()).toEqual([])
  })

  test('the owner allows longer leases in two steps', async () => {
    await scripted.call("lease_set_max_ttl('sno', 60000)")
    await expect(get('a', { ttlMs: 60_000 })).rejects.toMatchObject(scripted.refusal(/ttl_ms 60000/, '22003'))
    await scripted.call("lease_confirm_max_ttl('sno')")
    const { token, untilMs } = await get('a', { ttlMs: 60_000 })
    expect(untilMs).toBe(START_MS + 60_000)
    await scripted.call("lease_set_max_ttl('sno', 1000)")
    for (const work of [() => get('a', { ttlMs: 1001 }), () => store.renew(token, 1001, START_MS)])
      await expect(work()).rejects.toMatchObject(scripted.refusal(/ttl_ms 1001/, '22003'))
    await scripted.call("lease_set_max_ttl('sno', 30000)")
    await scripted.call("lease_confirm_max_ttl('sno')")
  })
}
