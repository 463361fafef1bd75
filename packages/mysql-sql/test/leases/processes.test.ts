import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SnoId, sno } from '@snoflax/core'
import { install } from '@snoflax/mysql-sql'
import { mysql } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasMariadb, MariadbServer } from '../mariadb-server.js'

// Processes that are stopped and killed, beside a server that is killed and started again: see docs/leases.md.

const SECONDS = Number(process.env['SNOFLAX_LEASE_SECONDS'] ?? 6)
const TTL_MS = 1500
const PARTITIONS = 4
const HOLDERS = 8
const PROGRAM = fileURLToPath(new URL('programs/hold.js', import.meta.url))

interface Window {
  readonly holder: string
  readonly number: number
  readonly startMs: number
  readonly untilMs: number
}

describe.runIf(mysql.selected() && hasMariadb())('processes', () => {
  let server: MariadbServer
  let folder: string
  const running = new Map<string, ChildProcess>()
  let started = 0
  beforeEach(async () => {
    if (!existsSync(new URL('../../dist/index.js', import.meta.url)))
      throw new Error('run `npm run build` first')
    folder = mkdtempSync(join(tmpdir(), 'snoflax-leases-'))
    server = await MariadbServer.start()
    await install(server.pool)
    await server.query(`CREATE TABLE snoflax.window_of (
      token char(36) PRIMARY KEY, holder varchar(255), number int, start_ms bigint, until_ms bigint)`)
    // A release takes the token away, and lowers what was reserved.
    await server.query(`CREATE TRIGGER snoflax.record AFTER UPDATE ON snoflax._lease FOR EACH ROW
      INSERT INTO snoflax.window_of VALUES
        (coalesce(NEW.token, OLD.token), NEW.holder, NEW.number, NEW.start_ms, NEW.reserved_until_ms)
      ON DUPLICATE KEY UPDATE until_ms = NEW.reserved_until_ms`)
  })
  afterEach(async () => {
    for (const child of running.values()) child.kill('SIGKILL')
    await server.end('SIGKILL')
    MariadbServer.remove(server.folder, folder)
  })

  function start(checked: boolean): void {
    const name = `holder ${++started}`
    const numbers = { min: 1, max: PARTITIONS }
    const task = {
      name,
      url: server.url,
      file: join(folder, name),
      checked,
      numbers,
      ttlMs: TTL_MS,
      skewMs: 500,
    }
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    running.set(name, child)
    child.once('exit', () => running.delete(name))
  }

  const seen = { stopped: 0, killed: 0 }
  async function disturb(checked: boolean, seconds: number): Promise<void> {
    const untilMs = performance.now() + seconds * 1000
    while (performance.now() < untilMs) {
      const held = "SELECT holder FROM snoflax.leases WHERE state = 'held' ORDER BY rand() LIMIT 1"
      const [row] = await server.query(held).catch(() => [])
      const child = running.get(row?.['holder'] as string)
      if (child && (seen.stopped + seen.killed) % 4 === 3) {
        child.kill('SIGKILL')
        start(checked)
        seen.killed++
      } else if (child) {
        child.kill('SIGSTOP')
        setTimeout(() => child.kill('SIGCONT'), TTL_MS * (1 + Math.random() * 1.5))
        seen.stopped++
      }
      await sleep((2 * TTL_MS * 1.75) / PARTITIONS)
    }
  }

  async function end(): Promise<void> {
    const ends = [...running.values()].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of running.values())
      for (const signal of ['SIGCONT', 'SIGTERM'] as const) child.kill(signal)
    const late = setTimeout(() => {
      for (const child of running.values()) child.kill('SIGKILL')
    }, 10_000)
    await Promise.all(ends)
    clearTimeout(late)
  }

  async function inspect() {
    const rows = await server.query('SELECT * FROM snoflax.window_of ORDER BY number, start_ms, until_ms')
    const windows = rows.map(
      (row): Window => ({
        holder: row['holder'] as string,
        number: Number(row['number']),
        startMs: Number(row['start_ms']),
        untilMs: Number(row['until_ms']),
      }),
    )
    const all = new Set<string>()
    let [count, strays] = [0, 0]
    for (const name of readdirSync(folder)) {
      const own = windows.filter(({ holder }) => holder === name)
      // A line that a kill has cut off counts for nothing.
      for (const id of readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)) {
        const { timeMs, partition } = sno.unpack(id as SnoId)
        const fits = ({ number, startMs, untilMs }: Window) =>
          number === partition && startMs <= timeMs && timeMs < untilMs
        if (!own.some(fits)) strays++
        all.add(id)
        count++
      }
    }
    const meeting = windows.filter((window, i) => {
      const next = windows[i + 1]
      return next?.number === window.number && next.startMs < window.untilMs
    })
    return { windows: windows.length, meeting, count, strays, repeats: count - all.size }
  }

  test('killed, stopped, with clocks that are off, and a server that is killed: no id twice', async () => {
    for (let i = 0; i < HOLDERS; i++) start(true)
    await expect.poll(() => server.query('SELECT * FROM snoflax.window_of')).toHaveLength(PARTITIONS)
    await disturb(true, SECONDS / 2)
    const { port, folder: data } = server
    await server.end('SIGKILL')
    server = await MariadbServer.start({ folder: data, port })
    await disturb(true, SECONDS / 2)
    await expect.poll(async () => (await inspect()).windows).toBeGreaterThan(PARTITIONS * 2)
    await end()
    const { windows, meeting, count, strays, repeats } = await inspect()
    console.log(
      `leases in MariaDB: ${count} ids, ${repeats} repeats; ${windows} windows, ${seen.stopped} SIGSTOP, ` +
        `${seen.killed} SIGKILL, 1 server killed`,
    )
    expect({ meeting, strays, repeats }).toEqual({ meeting: [], strays: 0, repeats: 0 })
    expect(count).toBeGreaterThan(10_000)
  })

  test('the same without the check of the window is seen', async () => {
    for (let i = 0; i < HOLDERS; i++) start(false)
    await expect.poll(() => server.query('SELECT * FROM snoflax.window_of')).toHaveLength(PARTITIONS)
    for (let round = 0; round < 20; round++) {
      await disturb(false, 3)
      if ((await inspect()).strays > 0) break
    }
    await end()
    expect((await inspect()).strays).toBeGreaterThan(0)
  })
})
