import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sno } from '@snoflax/core'
import { afterEach, expect, test } from 'vitest'
import { picture } from './chinook.js'
import { type Opened, plan } from './moves.js'
import { openShop as openPostgres } from './postgres-chinook.js'
import { openShop as openSqlite } from './sqlite-chinook.js'

const SCRIPT = fileURLToPath(new URL('killed.js', import.meta.url))

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

/** Runs the backfill in a process of its own and kills it within the batch after so many. Says how far it came. */
async function killed(kind: string, address: string, batches: number): Promise<string> {
  const child = spawn(process.execPath, [SCRIPT, kind, address], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit')
  let last = ''
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    last = line
    count++
    child.stdin.write('\n')
    if (count === batches) child.kill('SIGKILL')
  }
  await exited
  return last
}

test.each([
  ['postgres', openPostgres],
  ['sqlite', openSqlite],
] as const)('%s: killed again and again, the backfill goes on where it was', async (kind, open) => {
  const database: Opened = await open('serial')
  opened.push(database)
  const before = await picture(database.query)
  const order = await database.query('SELECT total FROM invoice ORDER BY invoice_date, id')
  const address = database.kind === 'sqlite' ? database.file : (database as { url: string }).url

  const reached: number[] = []
  for (const batches of [1, 4, 9, 16]) reached.push(Number(await killed(kind, address, batches)))
  for (const [i, done] of reached.entries())
    expect(done).toBeGreaterThan(i === 0 ? 0 : (reached[i - 1] as number))
  expect(reached.at(-1)).toBeLessThan(500)
  expect(await killed(kind, address, 10_000)).toBe('through')

  const generator = (clock: () => number) => sno.generator({ partition: 900, clock })
  const adoption = await plan(database, [{ table: 'invoice', createdAt: 'invoice_date', generator }])
  expect(adoption.phase).toBe('backfilling')
  await adoption.switchKeys()
  const { faults, tables } = await adoption.verify()
  expect(faults).toEqual([])
  expect(tables).toMatchObject([{ rows: 500 }])
  expect(tables[0]?.maxDriftMs).toBeLessThanOrEqual(4 * reached.length)
  expect(await picture(database.query)).toEqual(before)
  expect(await database.query('SELECT total FROM invoice ORDER BY id')).toEqual(order)
})
