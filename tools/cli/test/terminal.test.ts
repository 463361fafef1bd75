import { flax, IdError } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import type { Report } from './reports.js'
import { cli, json } from './running.js'

const SECRET = 'hunter2secret'

test.each([
  `prisma://accelerate.prisma-data.net/?api_key=${SECRET}`,
  `prisma+postgres://localhost:51213/?api_key=${SECRET}`,
  `postgresql+asyncpg://u:${SECRET}@db.example/shop`,
  `mysql2://u:${SECRET}@db.example/shop`,
  `libsql://db.turso.io?authToken=${SECRET}`,
  `sqlserver://db.example:1433;database=shop;user=sa;password=${SECRET}`,
  `postgres:/u:${SECRET}@db.example/shop`,
  `u:${SECRET}@db.example/shop`,
  ` postgres://u:${SECRET}@127.0.0.1:1/shop`,
  `"prisma://x/?api_key=${SECRET}"`,
  `POSTGRES://u:${SECRET}@127.0.0.1:1/shop`,
  `postgres://u:a/b${SECRET}@127.0.0.1:1/shop`,
  `postgres://u:a b${SECRET}@127.0.0.1:1/shop`,
  `mysql://u:%zz${SECRET}@127.0.0.1:1/shop?password=${SECRET}`,
  `mariadb://u:p@${SECRET}/@127.0.0.1:1/shop`,
  `host=db.example password=${SECRET}`,
  `sqlite:missing.db?key=${SECRET}`,
])('nothing of %s is printed beyond scheme and host', async (url) => {
  for (const [argv, env] of [
    [['doctor', url], {}],
    [['doctor'], { DATABASE_URL: url }],
  ] as const) {
    const { code, out, err } = await cli(argv, { env })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/cannot be reached|a database must be/)
    expect(err).not.toContain(SECRET)
  }
})

test('scheme and host of a URL are printed', async () => {
  const { err } = await cli(['doctor', `libsql://u:${SECRET}@db.turso.io:80/x?authToken=${SECRET}`])
  expect(err).toMatch(/, not libsql:\/\/db\.turso\.io\n$/)
})

test('without an argument doctor reads DATABASE_URL, and says so if there is neither', async () => {
  const database = await sqlite.open()
  expect(await cli(['doctor'], { env: { DATABASE_URL: database.file } })).toMatchObject({ code: 3 })
  expect(await cli(['doctor'])).toMatchObject({
    code: 2,
    err: 'snoflax: no database: set DATABASE_URL, or pass a URL or an SQLite file\n',
  })
  await database.close()
})

// Escape, OSC, carriage return, line feed, delete, C1 and an override of the direction.
const EVIL = 'a\x1b[31m\x1b]0;x\x07\r\nno findings\x7f\x9b31m\u202e\u2066b'
const SHOWN = 'a\\u001b[31m\\u001b]0;x\\u0007\\u000d\\u000ano findings\\u007f\\u009b31m\\u202e\\u2066b'
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be printed
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/

test('names and values from a database are printed escaped, and as they are to programs', async () => {
  const database = await sqlite.open()
  const quoted = `"${EVIL}"`
  database.connection.exec(`CREATE TABLE ${quoted} (${quoted} TEXT PRIMARY KEY NOT NULL, note TEXT)`)
  const insert = database.connection.prepare(`INSERT INTO ${quoted} VALUES (?, 'x')`)
  for (let n = 0; n < 30; n++) insert.run(flax.generate())
  insert.run(EVIL)
  database.connection.exec(
    `CREATE TRIGGER "t${EVIL}" AFTER INSERT ON ${quoted} BEGIN UPDATE ${quoted} SET ${quoted} = 'x' WHERE ${quoted} = NEW.${quoted}; END`,
  )
  const { code, out } = await cli(['doctor', database.file])
  expect(code).toBe(1)
  expect(out).not.toMatch(RAW)
  expect(out).toContain(`${SHOWN}.${SHOWN}`)
  expect(out.split('\n')).not.toContain('no findings')
  const coloured = await cli(['doctor', database.file], { env: { FORCE_COLOR: '1' } })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
  expect(coloured.out.replace(/\x1b\[(?:\d+)m/g, '')).toBe(out)
  const printed = await cli(['doctor', database.file, '--json'])
  expect(printed.out).not.toMatch(RAW)
  expect(json<Report>(printed).columns[0]?.place).toBe(`${EVIL}.${EVIL}`)
  await database.close()
})

test.each([
  [['inspect', EVIL]],
  [['convert', '--to', 'text', EVIL]],
  [['range', EVIL, '--from', 'now', '--to', 'now']],
  [['range', '--from', EVIL, '--to', 'now']],
  [['range', '--from', '2026-01-01', '--to', '2026-02-01', '--column', EVIL]],
  [['generate', EVIL]],
  [['generate', '--count', EVIL]],
  [['generate', '--prefix', EVIL]],
  [['sql', '--for', EVIL]],
  [['sql', '--schema', EVIL]],
  [['adopt', 'plan', '--config', EVIL]],
  [['adopt', EVIL]],
  [['doctor', EVIL]],
  [['doctor', `${EVIL}://x/y`]],
  [[EVIL]],
  [[`--${EVIL}`]],
])('arguments are printed escaped: %j', async (argv) => {
  const { out, err } = await cli(argv)
  expect(out + err).not.toMatch(RAW)
  expect((out + err).split('\n')).not.toContainEqual(expect.stringMatching(/^no findings/))
})

test('messages of IdError escape what could change a terminal', () => {
  for (const text of ['\x9b31m', '\u202e', '\u2066', '\x7f'])
    expect(new IdError('INVALID_OPTION', `x ${text}`).message).toMatch(/^x \\u[\da-f]{4}/)
})

test('a database or a schema in which nothing was checked has an exit code of its own', async () => {
  const database = await sqlite.open()
  database.connection.exec('CREATE TABLE a (n INTEGER)')
  const empty = await cli(['doctor', database.file])
  expect(empty).toMatchObject({ code: 3, err: '' })
  expect(empty.out).toContain('nothing was checked: no id column was found')
  expect(empty.out).not.toContain('no findings')
  database.connection.exec('CREATE TABLE b (id TEXT PRIMARY KEY NOT NULL)')
  const options = ['--column', 'b.id=flax']
  expect(await cli(['doctor', database.file, ...options])).toMatchObject({ code: 0 })
  const mistyped = await cli(['doctor', database.file, ...options, '--schema', 'snoflx'])
  expect(mistyped.code).toBe(3)
  expect(mistyped.out).toContain('nothing was checked: schema snoflx has no functions of ours')
  await database.close()
})
