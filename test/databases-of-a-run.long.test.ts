// The life of a run's databases, seen from outside: each test starts a vitest run of its own.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mysql, onConnection, startServer } from './databases.js'
import type { Report } from './fixtures/report.js'
import { reportsIn } from './fixtures/report.js'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

const hasDocker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0

function startRun(filter: string, env: Record<string, string> = {}) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|SNOFLAX_|NODE_OPTIONS|CI$)/.test(name),
  )
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.config.ts', filter], {
    cwd: join(import.meta.dirname, 'fixtures'),
    env: { ...Object.fromEntries(own), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void run.kill('SIGKILL'))
  let output = ''
  const listen = (chunk: Buffer) => {
    output += chunk
  }
  run.stdout.on('data', listen)
  run.stderr.on('data', listen)
  const ended = new Promise<{ code: number | null; output: string; reports: Report[] }>((resolve) => {
    run.once('close', (code) => resolve({ code, output, reports: reportsIn(output) }))
  })
  return { run, ended, reports: () => reportsIn(output) }
}

const wholeRun = (filter: string, env?: Record<string, string>) => startRun(filter, env).ended

/** What there still is of the run's files and processes. */
function left({ pid, directory, folder, forgotten }: Report): (string | number)[] {
  const folders = [directory, forgotten?.directory].flatMap((data) => (data ? [dirname(data)] : []))
  const processes = [pid, forgotten?.pid].filter((one) => one !== undefined)
  return [...[...folders, folder].filter((path) => existsSync(path)), ...processes.filter(isAlive)]
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// Where the run cannot clean up, its guards do, and nobody can wait for them.
async function nothingSoonLeft(report: Report): Promise<void> {
  for (const started = performance.now(); performance.now() - started < 120_000; await sleep(20)) {
    if (left(report).length === 0) return
  }
  expect(left(report)).toEqual([])
}

describe('the embedded server', () => {
  test('is stopped after a failed run, also private servers that the run did not stop', async () => {
    const { code, output, reports } = await wholeRun('failing')
    expect(code).toBe(1)
    expect(output).toMatch(/^databases: PostgreSQL 17\.\d+ \(embedded binaries\), there after [\d.]+ s$/m)
    expect(output).toMatch(/^databases: no MySQL or MariaDB selected \(SNOFLAX_MYSQL_URL names none\)$/m)
    expect(output).toContain("expected 'this test' to be 'one that fails'")
    const [report] = reports
    if (!report) throw new Error(output)
    expect(report.forgotten?.pid).toBeGreaterThan(0)
    await nothingSoonLeft(report)
  })

  test.runIf(mysql.selected())('runs beside MySQL, which keeps nothing of a failed run', async () => {
    const url = process.env['SNOFLAX_MYSQL_URL'] ?? ''
    const { output, reports } = await wholeRun('failing', { SNOFLAX_MYSQL_URL: url })
    expect(output).toMatch(/^databases: (MariaDB|MySQL) [\d.]+, by SNOFLAX_MYSQL_URL$/m)
    const [report] = reports
    if (!report) throw new Error(output)
    expect(report.mysqlDatabase).toMatch(/^snoflax_/)
    const database = await mysql.open()
    onTestFinished(() => database.close())
    const sql = 'SELECT schema_name FROM information_schema.schemata WHERE schema_name = ?'
    expect(await database.query(sql, [database.name])).toHaveLength(1)
    expect(await database.query(sql, [report.mysqlDatabase])).toEqual([])
    await nothingSoonLeft(report)
  })

  test.each(['SIGINT', 'SIGKILL'] as const)('is stopped after %s', async (signal) => {
    const { run, ended, reports } = startRun('endless')
    while (reports().length === 0 && run.exitCode === null) await sleep(20)
    const [report] = reports()
    if (!report) throw new Error((await ended).output)
    expect(left(report)).toHaveLength(3)
    run.kill(signal)
    await ended
    await nothingSoonLeft(report)
  })
})

describe('a server in a container', () => {
  test.each(['SNOFLAX_POSTGRES_PROVIDER', 'SNOFLAX_MYSQL_PROVIDER'])(
    '%s needs a known provider',
    async (name) => {
      const { code, output, reports } = await wholeRun('failing', { [name]: 'docker' })
      expect(code).toBe(1)
      expect(output).toContain(`${name} is docker, and must be testcontainers, or unset`)
      expect(reports).toEqual([])
    },
  )

  test.runIf(!hasDocker)('fails the run where there is no Docker', async () => {
    const { code, output, reports } = await wholeRun('failing', {
      SNOFLAX_POSTGRES_PROVIDER: 'testcontainers',
    })
    expect(code).toBe(1)
    expect(output).toMatch(
      /SNOFLAX_POSTGRES_PROVIDER is testcontainers, and postgres:17 did not start: Could not find/,
    )
    expect(reports).toEqual([])
  })
})

describe('a server named by a URL', () => {
  test('is used, keeps nothing of a failed run, and is not stopped', async () => {
    const server = await startServer()
    onTestFinished(() => server.stop())
    const { code, output, reports } = await wholeRun('failing', { SNOFLAX_POSTGRES_URL: server.url })
    expect(code).toBe(1)
    expect(output).toContain(`(postgres://postgres:***@127.0.0.1:${server.port}/postgres)`)
    expect(reports).toMatchObject([{ pid: server.pid(), database: expect.stringMatching(/^snoflax_/) }])
    const { rows } = await onConnection(server.url, (client) =>
      client.query('SELECT datname AS name FROM pg_database ORDER BY 1'),
    )
    expect(rows.map(({ name }) => name)).toEqual(['postgres', 'template0', 'template1'])
  })

  test.each([
    ['SNOFLAX_POSTGRES_URL', 'postgres'],
    ['SNOFLAX_MYSQL_URL', 'mysql'],
  ])('fails the run if it does not answer: %s', async (name, scheme) => {
    const { code, output, reports } = await wholeRun('failing', {
      [name]: `${scheme}://ada:secret@127.0.0.1:1/x`,
    })
    expect(code).toBe(1)
    expect(output).toContain(
      `${name} names ${scheme}://ada:***@127.0.0.1:1/x, which cannot be reached: connect ECONNREFUSED`,
    )
    expect(output).not.toContain('secret')
    expect(reports).toEqual([])
  })
})
