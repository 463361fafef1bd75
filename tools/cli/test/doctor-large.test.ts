import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { flax, sno } from '@snoflax/core'
import { type PostgresDatabase, postgres, type SqliteDatabase, sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { json } from './running.js'

const ROWS = Number(process.env['SNOFLAX_LARGE'])
const BIN = fileURLToPath(new URL('../bin/snoflax.js', import.meta.url))
const PEAK =
  "data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();console.error(u.maxRSS+' '+(u.userCPUTime+u.systemCPUTime))})"

/** Runs the built command; its seconds and its peak memory in MB. */
async function measured(name: string, ...argv: string[]) {
  const started = performance.now()
  const child = spawn(process.execPath, ['--import', PEAK, BIN, 'doctor', '--json', ...argv])
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  const seconds = (performance.now() - started) / 1000
  const [peak, cpu] = (err.trim().split('\n').at(-1) as string).split(' ').map(Number) as [number, number]
  console.log(
    `${name}: ${seconds.toFixed(1)} s (${(cpu / 1e6).toFixed(1)} of its CPU), ${Math.round(peak / 1024)} MB`,
  )
  if (code !== 0 && code !== 1) throw new Error(err)
  return json<{ findings: { message: string }[]; columns: { rowsRead: number }[] }>({ code, out, err })
}

async function checked(name: string, url: string): Promise<void> {
  const sampled = await measured(`${name}, a sample`, url)
  for (const { rowsRead } of sampled.columns) expect(rowsRead).toBe(10_002)
  const full = await measured(`${name}, --full`, url, '--full')
  expect(full.findings.map(({ message }) => message)).toEqual([
    expect.stringContaining('without a foreign key: 2'),
  ])
}

const idsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    Buffer.from(flax.decode(flax.generateAt(Date.now() - ROWS + start + n))).toString('hex'),
  )

test.runIf(ROWS > 0).each([
  ['PostgreSQL', postgres, 'bytea', (hex: string) => `'\\x${hex}'`],
  ['SQLite', sqlite, "BLOB CHECK (typeof(id) = 'blob')", (hex: string) => `X'${hex}'`],
] as const)('%s: a large table', { timeout: 3_600_000 }, async (name, kind, type, literal) => {
  const database: PostgresDatabase | SqliteDatabase = await kind.open()
  for (const table of ['a', 'b']) {
    await database.query(`CREATE TABLE ${table} (id ${type} PRIMARY KEY)`)
    for (let start = 0; start < ROWS; start += 50_000) {
      const rows = idsFrom(start, Math.min(50_000, ROWS - start)).map((hex) => `(${literal(hex)})`)
      await database.query(`INSERT INTO ${table} VALUES ${rows.join()}`)
    }
  }
  await database.query(
    'INSERT INTO b SELECT * FROM (SELECT id FROM a ORDER BY id DESC LIMIT 1) AS x UNION ALL SELECT * FROM (SELECT id FROM a ORDER BY id LIMIT 1) AS y',
  )
  await checked(name, database.kind === 'sqlite' ? database.file : database.url)
  await database.close()
})

test.runIf(ROWS > 0)('200 tables, in PostgreSQL and SQLite', { timeout: 3_600_000 }, async () => {
  const [one, other] = [await postgres.open(), await sqlite.open()]
  for (let t = 0; t < 200; t++) {
    const values = Array.from({ length: 10 }, () => `('${sno.generate()}', 'x')`).join()
    await one.query(
      `CREATE TABLE t${t} (id text COLLATE "C" PRIMARY KEY, name text); INSERT INTO t${t} VALUES ${values}`,
    )
    other.connection.exec(
      `CREATE TABLE t${t} (id text PRIMARY KEY, name text); INSERT INTO t${t} VALUES ${values}`,
    )
  }
  for (const [name, url] of [
    ['PostgreSQL', one.url],
    ['SQLite', other.file],
  ] as const) {
    const { findings, columns } = await measured(`${name}, 200 tables`, url)
    expect([findings, columns.length]).toEqual([[], 200])
  }
  await Promise.all([one.close(), other.close()])
})
