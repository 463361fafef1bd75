import { fork } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Owner } from './owner.js'
import { quickFolder } from './quick-folder.js'

export type Exit = { code: number | null; signal: string | null }

/** A separate folder, with at most one process at a time in it. */
export interface GuardedProcess {
  readonly folder: string
  /** Starts the process and returns its pid. */
  start(file: string, args: string[], owner: Owner): Promise<number>
  /** Runs a command to its end. */
  run(file: string, args: string[], owner: Owner): Promise<Exit>
  /** Ends when the process does. */
  exited(): Promise<Exit>
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<void>
  /** Kills the process and its children at once, and waits until none is left. */
  kill9(): Promise<void>
  /** Stops what runs, removes the folder and ends the guard. */
  remove(): Promise<void>
}

type Reply = { id: number; result?: unknown; error?: string }

export function guardedProcess(name: string): GuardedProcess {
  const folder = mkdtempSync(join(quickFolder(), `snoflax-${name}-`))
  // Detached, so that an interrupt typed at the terminal reaches the run alone, which then ends in order.
  const guard = fork(fileURLToPath(new URL('server-guard.js', import.meta.url)), [folder], {
    detached: true,
    execArgv: [],
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0

  const settle = (id: number) => {
    const waiter = waiting.get(id)
    waiting.delete(id)
    // A guard that nobody waits for does not keep the run alive.
    if (waiting.size === 0) unref()
    return waiter
  }
  const unref = () => {
    guard.unref()
    guard.channel?.unref()
  }

  guard.on('message', ({ id, result, error }: Reply) => {
    const waiter = settle(id)
    if (error === undefined) waiter?.resolve(result)
    else waiter?.reject(new Error(error))
  })
  guard.on('exit', () => {
    for (const id of waiting.keys()) settle(id)?.reject(new Error(`the guard of ${folder} ended unasked`))
  })

  const ask = <Result>(command: string, ...args: unknown[]): Promise<Result> => {
    const id = ++last
    return new Promise<Result>((resolve, reject) => {
      if (!guard.connected) return reject(new Error(`${folder} is removed`))
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
      guard.ref()
      guard.channel?.ref()
      guard.send({ id, command, args })
    })
  }

  unref()
  let removed: Promise<void> | undefined

  return {
    folder,
    start: (...args) => ask('start', ...args),
    run: (...args) => ask('run', ...args),
    exited: () => ask('exited'),
    stop: (signal) => ask('stop', signal),
    kill9: () => ask('kill9'),
    remove: () => {
      removed ??= ask<void>('remove').finally(() => guard.connected && guard.disconnect())
      return removed
    },
  }
}
