import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { IdError, sno } from '@snoflax/core'
import { type LeaseNumbers, type LeaseStore, leasePartitionFrom } from '@snoflax/leases'
import { noting } from './account.js'
import type { Address } from './proxy.js'

/** The task of a process of {@link tryLeaseProcesses}, as JSON in its first argument. */
export interface Task {
  readonly file: string
  readonly addresses: readonly Address[]
  readonly numbers: LeaseNumbers
  readonly ttlMs: number
  readonly skewMs: number
  readonly unguarded: boolean
}

const [BATCHES, IDS_A_BATCH] = [8, 60]
const between = (from: number, to: number): number => from + Math.random() * (to - from)

/**
 * The work of one process of {@link tryLeaseProcesses}: it leases partitions and generates sno ids with them until it
 * is asked to end. Call it at the end of the program that you pass to that function.
 *
 * @param open creates the store. It must connect to these addresses only, which are those of the proxies.
 *
 * @example
 * const hold = () => holdLeases(([server]) => postgresLeases(new Pool({ ...server, user: 'postgres', max: 2 })))
 */
export async function holdLeases(open: (addresses: readonly Address[]) => LeaseStore): Promise<void> {
  const task: Task = JSON.parse(process.argv[2] ?? '')
  const { file, numbers, ttlMs, skewMs, unguarded } = task
  const out = openSync(file, 'a')
  const note = (line: string): void => void writeSync(out, `${line}\n`)
  const store = noting(open(task.addresses), (event) => note(JSON.stringify(event)))

  let stepMs = 0
  const offMs = between(-skewMs, skewMs)
  const clock = () => Date.now() + offMs + stepMs
  setInterval(() => {
    stepMs = between(-skewMs, skewMs)
  }, ttlMs).unref()

  let isEnding = false
  process.on('SIGTERM', () => {
    isEnding = true
  })
  // Exit with the process that started this one.
  process.on('disconnect', () => process.exit(1))

  const still = new Int32Array(new SharedArrayBuffer(4))
  /** Generates some batches, which block renewals; none if the generator throws. */
  const make = (generator: { batch(count: number): string[] }): void => {
    for (let i = 0; i < BATCHES; i++) {
      try {
        note(generator.batch(IDS_A_BATCH).join('\n'))
      } catch (error) {
        if (!(error instanceof IdError)) throw error
      }
      Atomics.wait(still, 0, 0, 3)
    }
  }

  while (!isEnding) {
    try {
      const lease = await leasePartitionFrom(store, {
        family: sno,
        numbers,
        ttlMs,
        // One name for all holders, since users may configure the same name twice by mistake.
        holder: 'trial',
        waitMs: ttlMs,
        clock,
      })
      const { partition, generator, signal } = lease
      const free = sno.generator({ partition, sequenceMin: 0, sequenceMax: 0xffff, clock })
      const unchecked = {
        batch(count: number) {
          // Reads the lease's clock, so that the lease records the time as used, if it allows it.
          try {
            generator.generate()
          } catch {}
          return free.batch(count)
        },
      }
      const untilMs = performance.now() + between(ttlMs / 3, 4 * ttlMs)
      while (!isEnding && !signal.aborted && performance.now() < untilMs) {
        make(unguarded ? unchecked : generator)
        await sleep(1)
      }
      await lease.release()
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      note(JSON.stringify({ failure: code ?? message }))
      await sleep(between(ttlMs / 30, ttlMs / 5))
    }
  }
  closeSync(out)
  // The store may still have open connections.
  process.exit(0)
}
