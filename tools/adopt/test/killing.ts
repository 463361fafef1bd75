import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TableOptions } from '@snoflax/adopt'
import { sno } from '@snoflax/core'
import type { Opened } from './moves.js'

const SCRIPT = fileURLToPath(new URL('killed.js', import.meta.url))

/** A table whose ids are made with a partition of their own. */
export type KilledTable = Pick<TableOptions, 'table' | 'createdAt'> & { readonly partition: number }

export const tablesOf = (tables: readonly KilledTable[]): TableOptions[] =>
  tables.map(({ partition, ...table }) => ({
    ...table,
    generator: (clock) => sno.generator({ partition, clock }),
  }))

export const STEPS = ['backfill', 'switchKeys', 'finish'] as const

/**
 * Runs a step in a process of its own and kills it at so many lines of it, or at the first like one: while it waits there,
 * or within what comes next. Says the last of them.
 */
export async function killed(
  database: Opened,
  step: (typeof STEPS)[number],
  tables: readonly KilledTable[],
  lines: number | RegExp,
  isWithin = false,
): Promise<string> {
  const address = database.kind === 'sqlite' ? database.file : (database as { url: string }).url
  const argv = [SCRIPT, database.kind, address, step, JSON.stringify(tables)]
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit')
  let last = ''
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    last = line
    count++
    const isLast = typeof lines === 'number' ? count === lines : lines.test(line)
    if (!isLast || isWithin) child.stdin.write('\n')
    if (!isLast) continue
    child.kill('SIGKILL')
    break
  }
  const [code] = await exited
  // One that is killed has none.
  if (code) throw new Error(`${step} ended with ${code} after: ${last}`)
  return last
}
