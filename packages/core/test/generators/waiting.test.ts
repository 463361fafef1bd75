import { flake, type IdGenerator, sno, type WaitOptions } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import { describe, expect, test, vi } from 'vitest'
import { START_MS, wallClock } from './clocks.js'
import { virtualTime } from './virtual-time.js'

virtualTime()

interface Waiting extends IdGenerator<string> {
  wait(options?: WaitOptions): Promise<string>
}

const GENERATORS: Record<string, (clock: () => number) => Waiting> = {
  flake: (clock) => {
    // These are for generate() only.
    const throwing = { onOverflow: 'throw', onClockBack: 'throw' } as const
    const generator = flake.generator({ worker: 1, counterMask: 1, ...throwing, clock })
    return { ...generator, wait: generator.generateAsync }
  },
  sno: (clock) => {
    const generator = sno.generator({ partition: 1, sequenceMin: 0, sequenceMax: 5, clock })
    const { family, generate, batch } = generator
    return { family, generate, batch, wait: (options) => generator.generateAsync(undefined, options) }
  },
  uidLocal: (clock) => {
    const generator = uidLocal.generator({ clock })
    return { ...generator, wait: generator.generateAsync }
  },
}

describe.each(Object.entries(GENERATORS))('waiting calls of %s', (_, make) => {
  /** A generator whose unit is used up and whose clock is then an hour behind, twice. */
  function behind() {
    const clock = { ...wallClock(), reads: 0 }
    const generator = make(() => {
      clock.reads++
      return clock.nowMs
    })
    for (const ms of [7_200_000, 3_600_000]) {
      clock.nowMs = START_MS + ms
      try {
        for (;;) {
          clock.nowMs = START_MS + ms
          generator.generate()
        }
      } catch {}
    }
    clock.nowMs = START_MS
    return { clock, generator }
  }

  test('get ids in order, by one timer that does not hurry', async () => {
    const { clock, generator } = behind()
    const order: number[] = []
    const ids = Array.from({ length: 1000 }, (_, i) =>
      generator.wait().then((id) => {
        order.push(i)
        return id
      }),
    )
    expect(vi.getTimerCount()).toBe(1)
    const reads = clock.reads
    await vi.advanceTimersByTimeAsync(1000)
    expect(order).toEqual([])
    // One attempt every 50 ms, whatever the number of calls.
    expect(clock.reads - reads).toBeLessThanOrEqual(21)
    clock.nowMs = START_MS + 7_200_000
    while (order.length < ids.length) {
      clock.nowMs += 4
      await vi.advanceTimersByTimeAsync(50)
    }
    const made = await Promise.all(ids)
    expect(order).toEqual(ids.map((_, i) => i))
    expect(made).toEqual([...made].sort(generator.family.compare))
    expect(new Set(made).size).toBe(1000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are aborted by a signal and use no id, while other calls go on waiting', async () => {
    const { clock, generator } = behind()
    const other = behind()
    const first = new AbortController()
    const calls = [
      generator.wait({ signal: first.signal }),
      generator.wait(),
      generator.wait({ signal: first.signal }),
    ]
    first.abort(new Error('enough'))
    await expect(calls[0]).rejects.toThrow('enough')
    await expect(calls[2]).rejects.toThrow('enough')
    await expect(generator.wait({ signal: first.signal })).rejects.toThrow('enough')
    clock.nowMs = START_MS + 7_300_000
    await vi.advanceTimersByTimeAsync(50)
    // The ids of a generator at which nothing was aborted.
    const waited = other.generator.wait()
    other.clock.nowMs = clock.nowMs
    await vi.advanceTimersByTimeAsync(50)
    expect([await calls[1], generator.generate()]).toEqual([await waited, other.generator.generate()])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('share one timer, also with calls that were aborted before', async () => {
    const { clock, generator } = behind()
    for (let call = 0; call < 100; call++) {
      const ended = new AbortController()
      const waiting = generator.wait({ signal: ended.signal })
      ended.abort(new Error('enough'))
      await expect(waiting).rejects.toThrow('enough')
    }
    const last = generator.wait()
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(vi.getTimerCount()).toBe(1)
    clock.nowMs = START_MS + 7_300_000
    await vi.advanceTimersByTimeAsync(50)
    expect(generator.family.is(await last)).toBe(true)
  })
})
