import { hostname } from 'node:os'
import { flake, IdError, sno } from '@snoflax/core'
import { type LeaseOptions, type LeaseWindow, leasePartitionFrom } from '@snoflax/leases'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ScriptedStore } from './scripted-store.js'

// Clock and store are scripted: what the holder does with its lease, to the millisecond.

const START_MS = Date.UTC(2026, 10, 1)
const TTL_MS = 30_000

let store: ScriptedStore
beforeEach(() => {
  vi.useFakeTimers({ now: START_MS })
  store = new ScriptedStore()
  store.acquires = [grant()]
  store.renewals = [new Error('no connection')]
})
afterEach(() => {
  vi.useRealTimers()
})

function grant(window: Partial<LeaseWindow> = {}) {
  return { token: 't', number: 7, shard: 0, startMs: START_MS, untilMs: START_MS + TTL_MS, ...window }
}

const window = (untilMs: number, startMs = 0): LeaseWindow => ({
  startMs: START_MS + startMs,
  untilMs: START_MS + untilMs,
})

const numbers = { min: 1, max: 64 }
const lease = (options: Partial<LeaseOptions<typeof sno>> = {}) =>
  leasePartitionFrom(store, { family: sno, numbers, ...options })

function refusal(call: () => unknown): IdError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(IdError)
    return error as IdError
  }
  return expect.fail('not refused')
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('the window', () => {
  test('allows ids of the units that are wholly inside it, and no others', async () => {
    store.acquires = [grant(window(10_003, -5))]
    const { generator, window: seen } = await lease()
    expect(seen).toEqual(window(10_003, -5))
    const timeAt = (ms: number): number => {
      vi.setSystemTime(START_MS + ms)
      return sno.timeMs(generator.generate()) - START_MS
    }
    expect(timeAt(0)).toBe(0)
    expect(timeAt(9999)).toBe(9996)
    // An id tells its unit of 4 ms, and that unit is not wholly inside.
    expect(refusal(() => timeAt(10_000))).toMatchObject({ code: 'LEASE_EXPIRED', waitMs: undefined })
    expect(timeAt(-3)).toBe(-4)
    expect(refusal(() => timeAt(-5))).toMatchObject({ code: 'LEASE_EXPIRED', waitMs: 1 })
    expect(timeAt(9998)).toBe(9996)
  })

  test('is checked for each id of a batch, and by waiting calls', async () => {
    const { generator } = await leasePartitionFrom(store, { family: flake, numbers })
    vi.setSystemTime(START_MS + TTL_MS - 1)
    expect(generator.batch(4096)).toHaveLength(4096)
    const waiting = generator.generateAsync()
    waiting.catch(() => {})
    await pass(1)
    await expect(waiting).rejects.toMatchObject({ code: 'LEASE_EXPIRED' })
    expect(refusal(() => generator.batch(1)).code).toBe('LEASE_EXPIRED')
  })

  test("is not checked with bad readings of the clock: these are the family's errors, and do not count as used", async () => {
    let nowMs = START_MS
    const held = await lease({ clock: () => nowMs })
    held.generator.generate()
    nowMs = Number.NaN
    expect(refusal(() => held.generator.generate()).code).toBe('INVALID_TIME')
    nowMs = Number.POSITIVE_INFINITY
    expect(refusal(() => held.generator.generate()).code).toBe('LEASE_EXPIRED')
    await held.release()
    expect(store.used).toEqual([START_MS + 4])
  })

  test('allows no ids of other times', async () => {
    const { generator } = await lease()
    expect(refusal(() => generator.generateAt(START_MS)).code).toBe('INVALID_OPTION')
  })
})

describe('renewal', () => {
  test('happens after a third of the lease at the latest, and extends the window', async () => {
    store.renewals = [window(40_000), window(50_000), window(60_000)]
    const held = await lease()
    await pass(7999)
    expect(store.count('renew')).toBe(0)
    await pass(2001)
    expect(store.count('renew')).toBe(1)
    expect(held.window).toEqual(window(40_000))
    await pass(20_000)
    expect(store.count('renew')).toBeGreaterThanOrEqual(3)
    vi.setSystemTime(START_MS + 59_999)
    held.generator.generate()
  })

  test('reports the end of the last unit used', async () => {
    store.renewals = [window(60_000)]
    const held = await lease()
    await pass(10_000)
    vi.setSystemTime(START_MS + 12_345)
    held.generator.generate()
    await pass(10_000)
    expect(store.used.slice(0, 2)).toEqual([START_MS, START_MS + 12_348])
  })

  test('does not count if it fails', async () => {
    const { generator } = await lease()
    await pass(TTL_MS - 1)
    generator.generate()
    expect(store.count('renew')).toBeGreaterThan(3)
    await pass(1)
    const error = refusal(() => generator.generate())
    expect(error).toMatchObject({ code: 'LEASE_EXPIRED', family: 'sno', cause: new Error('no connection') })
    expect(error.message).toBe(
      "sno: the lease of number 7 expired at 2026-11-01T00:00:30.000Z; this process's clock is at 2026-11-01T00:00:30.000Z",
    )
  })

  test('does not count if it is not answered, and is tried again meanwhile', async () => {
    store.renewals = [new Promise(() => {})]
    const failures: unknown[] = []
    const { generator } = await lease({ onRenewalFailed: (error) => failures.push(error) })
    await pass(TTL_MS)
    expect(refusal(() => generator.generate()).code).toBe('LEASE_EXPIRED')
    expect(failures[0]).toEqual(new Error('no answer within 10000 ms'))
    store.renewals = [window(100_000)]
    await pass(20_000)
    generator.generate()
  })

  test('is tried again sooner if it fails', async () => {
    const failures: unknown[] = []
    await lease({ onRenewalFailed: (error) => failures.push(error) })
    await pass(10_000 + 2500 + 5000)
    expect(store.count('renew')).toBeGreaterThanOrEqual(3)
    expect(failures).toHaveLength(store.count('renew'))
    await pass(600_000)
    expect(store.count('renew')).toBeGreaterThanOrEqual(60)
    expect(store.count('renew')).toBeLessThanOrEqual(80)
  })

  test('reopens the generator if it succeeds after the lease expired', async () => {
    const held = await lease()
    await pass(100_000)
    expect(refusal(() => held.generator.generate()).code).toBe('LEASE_EXPIRED')
    expect(held.signal.aborted).toBe(false)
    store.renewals = [window(140_000)]
    await pass(10_000)
    held.generator.generate()
  })

  test('may return a window that begins later, as after a failover', async () => {
    store.renewals = [window(50_000, 40_000), window(90_000, 40_000)]
    const { generator } = await lease()
    await pass(10_000)
    expect(refusal(() => generator.generate())).toMatchObject({ code: 'LEASE_EXPIRED', waitMs: 30_000 })
    await pass(30_000)
    generator.generate()
  })

  test('closes the generator and aborts the signal once if the lease was lost', async () => {
    store.renewals = [undefined]
    const held = await lease()
    const told = vi.fn()
    held.signal.addEventListener('abort', told)
    await pass(10_000)
    expect(told).toHaveBeenCalledTimes(1)
    expect(held.signal.reason).toMatchObject({ code: 'LEASE_EXPIRED' })
    expect(refusal(() => held.generator.generate()).message).toContain('was lost')
    await pass(100_000)
    expect(store.count('renew')).toBe(1)
    // There is nothing to give back.
    await held.release()
    expect(store.count('release')).toBe(0)
  })

  test('is spread out for leases that were acquired at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => lease()))
    await pass(9000)
    expect(store.count('renew')).toBeGreaterThan(0)
    expect(store.count('renew')).toBeLessThan(20)
  })
})

describe('release', () => {
  test('closes the generator first, reports the last unit used, and ends renewals', async () => {
    const held = await lease()
    vi.setSystemTime(START_MS + 1001)
    held.generator.generate()
    store.releasing = () => {
      expect(refusal(() => held.generator.generate()).message).toBe('sno: the lease of number 7 was released')
    }
    await held.release()
    expect(store.used).toEqual([START_MS + 1004])
    await pass(100_000)
    expect(store.asked).toEqual(['acquire', 'release'])
    expect(held.signal.aborted).toBe(false)
  })

  test('may be called repeatedly, and by `await using`', async () => {
    const held = await lease()
    await Promise.all([held.release(), held.release(), held[Symbol.asyncDispose]()])
    expect(store.count('release')).toBe(1)
  })

  test('asks again if it failed before, until it has succeeded', async () => {
    const held = await lease()
    store.releasing = () => Promise.reject(new Error('gone'))
    const both = [held.release(), held[Symbol.asyncDispose]()]
    for (const one of both) await expect(one).rejects.toThrow('gone')
    expect(store.count('release')).toBe(1)
    store.releasing = () => {}
    await held.release()
    await held.release()
    expect(store.count('release')).toBe(2)
    expect(refusal(() => held.generator.generate()).message).toContain('was released')
  })

  test.each([undefined, window(100_000)])(
    'is not changed by a renewal that is answered later: %o',
    async (late) => {
      let answer: (window: LeaseWindow | undefined) => void = () => {}
      store.renewals = [new Promise((resolve) => (answer = resolve))]
      const held = await lease()
      await pass(10_000)
      await held.release()
      answer(late)
      await pass(0)
      expect(held.signal.aborted).toBe(false)
      expect(refusal(() => held.generator.generate()).message).toContain('was released')
    },
  )
})

describe('waiting', () => {
  test('for the clock lasts until it reaches the window', async () => {
    store.acquires = [grant(window(30_000, 3000))]
    const waits: number[] = []
    const promise = lease({ onWait: ({ retryMs }) => waits.push(retryMs as number) })
    await pass(2000)
    expect(waits[0]).toBe(3000)
    await pass(1000)
    expect(sno.timeMs((await promise).generator.generate())).toBe(START_MS + 3000)
  })

  test('for a clock that is too far behind ends with an error, and the number is given back', async () => {
    store.acquires = [grant(window(90_000, 60_000))]
    const promise = lease()
    const outcome = expect(promise).rejects.toMatchObject({ code: 'LEASE_UNAVAILABLE', waitMs: 50_000 })
    await pass(10_000)
    await outcome
    expect(store.asked.at(-1)).toBe('release')
    expect(store.used.at(-1)).toBe(START_MS + 60_000)
  })

  test('does not happen for a clock that is ahead of the lease, which is refused', async () => {
    const promise = lease({ clock: () => Date.now() + 40_000 })
    await expect(promise).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      message: expect.stringContaining("compare it with the database's clock"),
    })
    expect(store.asked).toEqual(['acquire', 'release'])
  })

  test('for a number continues until one is free', async () => {
    await pass(5000)
    store.acquires = [{ retryMs: 20_000 }, { retryMs: 19_000 }, grant()]
    const waits: unknown[] = []
    const promise = lease({ onWait: (wait) => waits.push(wait) })
    await pass(2000)
    expect((await promise).partition).toBe(7)
    expect(waits).toEqual([
      { waitedMs: 0, retryMs: 20_000 },
      { waitedMs: expect.any(Number), retryMs: 19_000 },
    ])
  })

  test('for a number ends with an error that says when one may be free', async () => {
    store.acquires = [{ retryMs: 20_000 }]
    const promise = lease({ waitMs: 5000, shards: 4 })
    const outcome = expect(promise).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      family: 'sno',
      field: 'numbers',
      value: numbers,
      waitMs: 20_000,
      message: expect.stringMatching(
        /^sno: no free number from 1 to 64 in 4 shards after 5000 ms; .* 20000 ms/,
      ),
    })
    await pass(5000)
    await outcome
  })

  test('does not happen with waitMs 0, or if no lease exists that could end', async () => {
    store.acquires = [{ retryMs: 20_000 }]
    await expect(lease({ waitMs: 0 })).rejects.toMatchObject({ code: 'LEASE_UNAVAILABLE' })
    store.acquires = [{ retryMs: undefined }]
    await expect(lease()).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      waitMs: undefined,
      message: expect.stringMatching(/^sno: no free number from 1 to 64: the database uses them itself/),
    })
    expect(store.count('acquire')).toBe(2)
  })

  test('ends if the caller aborts', async () => {
    const controller = new AbortController()
    store.acquires = [{ retryMs: 20_000 }]
    const promise = lease({ signal: controller.signal })
    const outcome = expect(promise).rejects.toThrow('enough')
    await pass(10)
    controller.abort(new Error('enough'))
    await outcome
    await expect(lease({ signal: controller.signal })).rejects.toThrow('enough')
    expect(store.count('acquire')).toBe(1)
  })

  test('ends at once if the caller aborts in onWait', async () => {
    const controller = new AbortController()
    store.acquires = [{ retryMs: 20_000 }]
    const promise = lease({ signal: controller.signal, onWait: () => controller.abort(new Error('enough')) })
    await expect(promise).rejects.toThrow('enough')
  })

  test('gives back a number that comes after the caller has aborted', async () => {
    const controller = new AbortController()
    let give: (grant: never) => void = () => {}
    store.acquires = [new Promise((resolve) => (give = resolve))]
    const promise = lease({ signal: controller.signal })
    const outcome = expect(promise).rejects.toThrow('enough')
    controller.abort(new Error('enough'))
    await outcome
    give(grant() as never)
    await pass(0)
    expect(store.asked).toEqual(['acquire', 'release'])
  })

  test.each([
    ['gives back a number that comes later', () => grant(), ['acquire', 'release']],
    ['nothing if the late answer has no number', () => ({ retryMs: 5 }), ['acquire']],
  ])('for an answer ends a third of the lease after waitMs, and %s', async (_, late, asked) => {
    let answer: (late: never) => void = () => {}
    store.acquires = [new Promise((resolve) => (answer = resolve))]
    const outcome = expect(lease({ waitMs: 5000 })).rejects.toMatchObject({
      code: 'LEASE_UNAVAILABLE',
      family: 'sno',
      message: expect.stringContaining('no answer from the lease store for 15000 ms'),
    })
    await pass(15_000)
    await outcome
    answer(late() as never)
    await pass(0)
    expect(store.asked).toEqual(asked)
  })

  test('does not happen for an error of the database, which is thrown', async () => {
    store.acquires = [new Error('ECONNREFUSED')]
    await expect(lease()).rejects.toThrow('ECONNREFUSED')
  })
})

describe('a leased generator', () => {
  test('has the number, the shard and the options passed', async () => {
    store.acquires = [{ ...grant(), number: 513, shard: 2 }]
    const { generator, partition, shard } = await lease({ shards: 4, generator: { meta: 9 } })
    expect([partition, shard]).toEqual([513, 2])
    expect(generator).toMatchObject({ partition: 513, sequenceMin: 32_768, sequenceMax: 49_151 })
    expect(sno.unpack(generator.generate())).toMatchObject({ meta: 9, partition: 513, sequence: 32_768 })
  })

  test('has no number of another shard, however many there are', async () => {
    for (const shards of [1, 2, 3, 7, 1024]) {
      let next = 0
      for (let shard = 0; shard < shards; shard++) {
        store.acquires = [{ ...grant(), shard }]
        const { generator } = await lease({ shards })
        expect(generator.sequenceMin).toBe(next)
        next = generator.sequenceMax + 1
      }
      expect(next).toBeGreaterThan(0x10000 - shards)
      expect(next).toBeLessThanOrEqual(0x10000)
    }
  })

  test('names the shard in errors, if there are several', async () => {
    for (const [shards, named] of [
      [1, 'the lease of number 7'],
      [4, 'the lease of shard 2 of number 7'],
    ] as const) {
      store.acquires = [{ ...grant(), shard: shards >> 1 }]
      const { generator } = await lease({ shards })
      vi.setSystemTime(Date.now() - 60_000)
      expect(refusal(() => generator.generate()).message).toContain(named)
      vi.setSystemTime(START_MS)
    }
  })

  test('of flake may have its own epoch', async () => {
    store.acquires = [{ ...grant(), number: 37 }]
    const family = flake.withEpoch(Date.UTC(2020, 0, 1))
    const { generator } = await leasePartitionFrom(store, { family, numbers })
    const id = generator.generate()
    expect(generator).toMatchObject({ datacenter: 1, worker: 5 })
    expect(family.unpack(id)).toMatchObject({ timeMs: START_MS, datacenter: 1, worker: 5 })
  })
})

test.each([
  [{ family: { ...sno, name: 'flax' } as never }, 'INVALID_OPTION', 'family'],
  [{ family: { ...sno, name: 'toString' } as never }, 'INVALID_OPTION', 'family'],
  [{ numbers: { min: 5, max: 4 } }, 'INVALID_OPTION', 'numbers'],
  [{ ttlMs: 2 ** 31 }, 'FIELD_OUT_OF_RANGE', 'ttlMs'],
  // Two holders would generate the same ids.
  [{ family: flake, shards: 2 } as never, 'INVALID_OPTION', 'shards'],
  [{ numbers: { min: 1, max: 1.5 } }, 'FIELD_OUT_OF_RANGE', 'numbers.max'],
  [{ numbers: { min: -1, max: 4 } }, 'FIELD_OUT_OF_RANGE', 'numbers.min'],
  [{ shards: Number.NaN }, 'FIELD_OUT_OF_RANGE', 'shards'],
  [{ shards: 0 }, 'FIELD_OUT_OF_RANGE', 'shards'],
  [{ ttlMs: '30s' as never }, 'INVALID_TYPE', 'ttlMs'],
  [{ waitMs: Number.NaN }, 'FIELD_OUT_OF_RANGE', 'waitMs'],
  [{ numbers: { min: 1, max: 65_536 } }, 'FIELD_OUT_OF_RANGE', 'partition'],
  [{ generator: { meta: 256 } }, 'FIELD_OUT_OF_RANGE', 'meta'],
  [{ ttl: 5000 } as never, 'INVALID_OPTION', 'ttl'],
  [{ ttlMs: undefined } as never, 'INVALID_OPTION', 'ttlMs'],
  [{ onWait: 5 } as never, 'INVALID_OPTION', 'onWait'],
  [{ family: undefined } as never, 'INVALID_OPTION', 'family'],
  [{ numbers: 64 } as never, 'INVALID_OPTION', 'numbers'],
  [{ numbers: undefined } as never, 'INVALID_TYPE', 'numbers.min'],
  // The lease decides these, and a shard for other moments could repeat another holder's ids.
  [{ generator: { backfill: { sequenceMin: 0, sequenceMax: 9 } } } as never, 'INVALID_OPTION', 'backfill'],
  [
    {
      family: flake,
      generator: { backfill: { sequenceMin: 99, sequenceMax: 199 }, counterMask: 15 },
    } as never,
    'INVALID_OPTION',
    'backfill',
  ],
])('refuses %o', async (options, code, field) => {
  await expect(lease(options)).rejects.toMatchObject({ code, field })
  expect(store.asked).toEqual([])
})

describe('the request to the store', () => {
  test('may be for a single number, and names this process or the holder passed', async () => {
    await lease({ numbers: { min: 7, max: 7 } })
    await lease({ holder: 'importer' })
    expect(store.requests[0]?.numbers).toEqual({ min: 7, max: 7 })
    expect(store.requests.map(({ holder }) => holder)).toEqual([`${hostname()}:${process.pid}`, 'importer'])
  })
})

test('a released lease leaves no timer, and none of its listeners on the signal', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  const add = vi.spyOn(signal, 'addEventListener')
  add.mockImplementation((_, listener) => void listeners.add(listener))
  vi.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => void listeners.delete(listener))
  store.acquires = [{ retryMs: 100 }, grant()]
  const promise = lease({ signal })
  await pass(200)
  await (await promise).release()
  expect(add).toHaveBeenCalled()
  expect(listeners.size).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})
