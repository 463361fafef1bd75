import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SnoId, sno } from '@snoflax/core'
import type { LeaseNumbers } from '@snoflax/leases'
import { Account, type Event, isHandedOver, type LeaseAccount } from './account.js'
import type { Task } from './hold.js'
import { type Address, type FaultCounts, type FaultOptions, type FaultyProxy, startProxy } from './proxy.js'

/** Options of {@link tryLeaseProcesses}. */
export interface LeaseProcesses {
  /** The file URL of a program for Node that ends with a call of `holdLeases`. */
  readonly program: { readonly href: string }
  /** Environment variables for the program, besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The servers of the store. Each gets a proxy; the program receives the proxies' addresses, in this order. */
  readonly servers: readonly Address[]
  /** Partitions of sno that nobody else uses. */
  readonly numbers: LeaseNumbers
  /** How many processes there are at a time. Default twice as many as numbers. */
  readonly processes?: number
  /** The length of a lease, in milliseconds. Default 1500. */
  readonly ttlMs?: number
  /** How long the trial lasts at least, in milliseconds. Default 20,000. */
  readonly lastsMs?: number
  /** How many ids must be generated before it ends, roughly. Default 0. */
  readonly atLeast?: number
  /**
   * Whether it may end, of what was seen so far, as on a busy machine little happens; asked until five times `lastsMs`.
   * Default once a lease was handed over.
   */
  readonly enough?: (seen: LeaseProcessesResult) => boolean
  /**
   * The largest error of the processes' clocks, and their largest step, in milliseconds. Default a third of `ttlMs`.
   */
  readonly skewMs?: number
  /** Network faults on the way to each server. `stallMs` is `ttlMs` by default. */
  readonly network?: FaultOptions
  /** Run one after the other, spread over `lastsMs`: stop a server, promote another, cut one off with its proxy. */
  readonly disturb?: readonly ((proxies: readonly FaultyProxy[]) => Promise<void>)[]
  /** Generates ids without asking the lease: the trial must then see strays and usually repeats. Default false. */
  readonly unguarded?: boolean
}

/** The result. A store passes if there are no repeats, strays and overlaps, and the other counts are large. */
export interface LeaseProcessesResult extends LeaseAccount, FaultCounts {
  /** Ids that were generated. */
  readonly ids: number
  /** Ids that were generated before. */
  readonly repeats: number
  /** Ids outside all windows of the process that generated them. */
  readonly strays: number
  /** How often processes were suspended by SIGSTOP, for 1 to 2.5 leases. */
  readonly stopped: number
  /** Processes that were killed by SIGKILL, and replaced. */
  readonly killed: number
  /** How often processes had no lease, by the error's code or message. */
  readonly failures: Readonly<Record<string, number>>
}

/**
 * Stress-tests a store with processes that are suspended and killed, wrong clocks that step, and connections that
 * stall, break half-way and lose answers. Needs Node and POSIX signals.
 *
 * @throws {Error} if a process exits by itself, and what `disturb` throws.
 *
 * @example
 * async function trial() {
 *   const seen = await tryLeaseProcesses({
 *     program: new URL('file:///srv/app/hold.js'),
 *     servers: [{ host: '127.0.0.1', port: 5432 }],
 *     numbers: { min: 1, max: 6 },
 *   })
 *   console.log(seen.ids, seen.repeats, seen.overlaps)
 * }
 */
export async function tryLeaseProcesses(trial: LeaseProcesses): Promise<LeaseProcessesResult> {
  const { numbers, ttlMs = 1500, lastsMs = 20_000, atLeast = 0, disturb = [], unguarded = false } = trial
  const { processes = 2 * (numbers.max - numbers.min + 1), skewMs = ttlMs / 3, enough = isHandedOver } = trial
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-leases-'))
  const proxies: FaultyProxy[] = []
  const running = new Map<string, ChildProcess>()
  const stopped = new Set<ChildProcess>()
  const counts = { stopped: 0, killed: 0 }
  let started = 0
  let crash: Error | undefined

  const start = (): void => {
    const name = `holder ${++started}`
    const addresses = proxies.map(({ address }) => address)
    const task: Task = { file: join(folder, name), addresses, numbers, ttlMs, skewMs, unguarded }
    const child = spawn(process.execPath, [fileURLToPath(trial.program.href), JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...trial.env },
    })
    running.set(name, child)
    child.once('exit', (code) => {
      running.delete(name)
      if (code !== null && code !== 0) crash = new Error(`${name} ended with ${code}`)
    })
  }

  /** Suspends one of them; every fourth time, kills it. */
  const hinder = (turn: number): void => {
    const awake = [...running.values()].filter((child) => !stopped.has(child))
    const child = awake[Math.floor(Math.random() * awake.length)]
    if (child === undefined) return
    if (turn % 4 === 3) {
      child.kill('SIGKILL')
      start()
      counts.killed++
      return
    }
    child.kill('SIGSTOP')
    stopped.add(child)
    counts.stopped++
    setTimeout(
      () => {
        child.kill('SIGCONT')
        stopped.delete(child)
      },
      ttlMs * (1 + Math.random() * 1.5),
    )
  }

  /** Approximate number of ids. */
  const written = (): number =>
    readdirSync(folder).reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0) /
    (sno.max.length + 1)

  const seen = async (): Promise<LeaseProcessesResult> => {
    const network = { stalls: 0, halves: 0, lostAnswers: 0 }
    for (const { counts: passed } of proxies) {
      for (const kind of ['stalls', 'halves', 'lostAnswers'] as const) network[kind] += passed[kind]
    }
    return { ...(await inspect(folder)), ...counts, ...network }
  }

  const end = async (): Promise<void> => {
    const ends = [...running.values()].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of running.values()) {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
    }
    const late = setTimeout(() => kill(), 10_000)
    await Promise.all(ends)
    clearTimeout(late)
  }
  const kill = (): void => {
    for (const child of running.values()) child.kill('SIGKILL')
  }

  try {
    for (const server of trial.servers) {
      proxies.push(await startProxy(server, { stallMs: ttlMs, ...trial.network }))
    }
    for (let i = 0; i < processes; i++) start()
    const beganMs = performance.now()
    const lasted = (): number => performance.now() - beganMs
    let done = 0
    let disturbing: Promise<void> | undefined
    const isOver = async (): Promise<boolean> =>
      lasted() >= lastsMs &&
      written() >= atLeast &&
      done === disturb.length &&
      (lasted() > 5 * lastsMs || enough(await seen()))
    for (let turn = 0; !(await isOver()); turn++) {
      // About a third of the processes are suspended.
      await sleep((4 * ttlMs) / processes)
      if (crash) throw crash
      const next = disturb[done]
      if (
        next !== undefined &&
        disturbing === undefined &&
        lasted() > (lastsMs * (done + 1)) / (disturb.length + 1)
      ) {
        done++
        disturbing = next(proxies)
          .catch((error) => {
            crash = error
          })
          .finally(() => {
            disturbing = undefined
          })
      }
      hinder(turn)
    }
    await disturbing
    for (const proxy of proxies) proxy.calm()
    await end()
    if (crash) throw crash
    return await seen()
  } finally {
    kill()
    await Promise.all(proxies.map((proxy) => proxy.close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the windows and ids that the processes have recorded. */
async function inspect(folder: string) {
  const account = new Account()
  const made = new Set<string>()
  const failures: Record<string, number> = {}
  const holders: { tokens: Set<string>; ids: string[] }[] = []
  for (const name of readdirSync(folder)) {
    const holder = { tokens: new Set<string>(), ids: [] as string[] }
    holders.push(holder)
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      if (!line.startsWith('{')) holder.ids.push(line)
      // Skips a line that a kill has truncated.
      else if (line.endsWith('}')) {
        const noted: Event | { readonly failure: string } = JSON.parse(line)
        if ('failure' in noted) failures[noted.failure] = (failures[noted.failure] ?? 0) + 1
        else {
          account.add(noted)
          holder.tokens.add(noted.token)
        }
      }
    }
  }
  let [ids, strays] = [0, 0]
  for (const { tokens, ids: own } of holders) {
    for (const id of own) {
      if (!sno.is(id)) continue
      const { timeMs, partition } = sno.unpack(id as SnoId)
      if (!account.covers(tokens, partition, timeMs)) strays++
      made.add(id)
      ids++
    }
  }
  return { ids, repeats: ids - made.size, strays, failures, ...account.result() }
}
