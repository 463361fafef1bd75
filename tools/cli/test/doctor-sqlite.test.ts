import { flake, flax, prefixed, sno } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { doctor, told } from './reports.js'
import { bin, cli } from './running.js'

const customerId = prefixed(flax, 'cus')

let database: SqliteDatabase
beforeEach(async () => {
  database = await sqlite.open()
})
afterEach(() => database.close())

const insert = (table: string, ...values: unknown[]) =>
  database.connection
    .prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`)
    .run(...values)

const SCHEMA = `
  CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE "order" (id BLOB PRIMARY KEY, customer_id TEXT REFERENCES customer, "note, old" TEXT COLLATE NOCASE);
  CREATE TABLE event (id INTEGER PRIMARY KEY, token TEXT);
  CREATE TABLE plain (id INTEGER PRIMARY KEY, big INTEGER, at INTEGER);`

function fill(): void {
  database.connection.exec(SCHEMA)
  const local = uidLocal.generator()
  for (let n = 0; n < 20; n++) {
    const customer = flax.generate()
    insert('customer', customer, `n${n}`)
    insert('"order"', sno.decode(sno.generate()), customer, 'x'.repeat(16))
    insert('event', toBigInt(uidLocal.decode(local.generate())), 'deadbeefdeadbeef')
    insert('plain', n, 2n ** 40n + BigInt(n), Date.now() * 1000)
  }
}

const toBigInt = (bytes: Uint8Array): bigint => Buffer.from(bytes).readBigUInt64BE()

test('a healthy database has no findings, and each column of ids is found', async () => {
  fill()
  const report = await doctor(database.file)
  expect(report.findings).toEqual([])
  expect(
    report.columns.map(({ place, family, storage, evidence }) => [place, family, storage, evidence]),
  ).toEqual([
    ['customer.id', 'flax', 'text', 'values'],
    ['order.id', 'sno', 'binary', 'values'],
    ['order.customer_id', 'flax', 'text', 'values'],
    ['event.id', 'uidLocal', 'bigint', 'values'],
  ])
})

test('text columns that store a prefix are recognized or declared, and other prefixes in them are found', async () => {
  const customers = Array.from({ length: 20 }, () => customerId.generate())
  database.connection.exec('CREATE TABLE log (customer TEXT, actor TEXT)')
  for (const id of customers) insert('log', id, null)
  insert('log', prefixed(sno, 'ord').generate(), customers[0])
  insert('log', customerId.withoutPrefix(customerId.generate()), prefixed(flax, 'usr').generate())
  const { columns, findings } = await doctor(database.file, '--column', 'log.actor=flax:usr_')
  expect(columns).toMatchObject([
    { place: 'log.customer', family: 'flax', prefix: 'cus', storage: 'text', evidence: 'values' },
    { place: 'log.actor', family: 'flax', prefix: 'usr', storage: 'text', evidence: 'option' },
  ])
  const malformed = findings.filter(({ check }) => check === 'malformed')
  expect(malformed.map(({ where }) => where).sort()).toEqual(['log.actor', 'log.customer'])
  expect(malformed.map(({ message }) => message).join('\n')).toContain(
    'an id must begin with "cus_", not with "ord_"',
  )
})

test('the file can be named in any way', async () => {
  fill()
  const { file } = database
  for (const url of [
    `sqlite:${file}`,
    `sqlite://${file}`,
    `file:${file}`,
    `file://${file}`,
    `file:${file}?mode=ro`,
  ]) {
    expect((await doctor(url)).columns).toHaveLength(4)
  }
})

test('bytes in base64 are not read as a text id of another time', async () => {
  database.connection.exec('CREATE TABLE a (id BLOB PRIMARY KEY)')
  for (let n = 0; n < 20; n++) insert('a', flax.decode(flax.generate()))
  const base64 = Buffer.from(flax.decode(flax.generate())).toString('base64')
  insert('a', base64)
  const { findings } = await doctor(database.file)
  expect(findings).toMatchObject([{ check: 'malformed', message: expect.stringContaining(`"${base64}"`) }])
  expect(findings[0]?.cure.sql).toBeUndefined()
})

test('a key may be a reference without a foreign key, until an id of it references nothing', async () => {
  database.connection.exec(
    'CREATE TABLE user (id TEXT PRIMARY KEY); CREATE TABLE profile (user_id TEXT PRIMARY KEY)',
  )
  for (const id of Array.from({ length: 20 }, () => flax.generate())) {
    insert('user', id)
    insert('profile', id)
  }
  insert('user', flax.generate())
  expect((await doctor(database.file)).findings).toEqual([])
  insert('profile', flax.generate())
  expect(told(await doctor(database.file))).toHaveLength(1)
})

test('collations and functions of the application, which this connection does not have, hide no other column', async () => {
  const { connection } = database
  connection.function('shortened', { deterministic: true }, (text) => text)
  connection.exec(`
    CREATE TABLE customer (id TEXT COLLATE "nocase", name TEXT COLLATE RTRIM, mail TEXT COLLATE BINARY COLLATE NOCASE, short AS (shortened(name)));
    CREATE TABLE seat (id [text] PRIMARY KEY CHECK (id <> 'a' COLLATE NOCASE)) WITHOUT ROWID`)
  for (let n = 0; n < 20; n++) {
    connection.prepare('INSERT INTO customer (id, mail) VALUES (?, ?)').run(flax.generate(), flax.generate())
    insert('seat', flax.generate())
  }
  connection.unsafeMode().pragma('writable_schema = ON')
  connection.exec("UPDATE sqlite_master SET sql = replace(sql, 'RTRIM', 'german')")
  const report = await doctor(database.file)
  expect(report.columns.map(({ place }) => place)).toEqual(['customer.id', 'customer.mail', 'seat.id'])
  expect(told(report)).toEqual(['collation customer.id', 'collation customer.mail'])
})

test('--epoch makes flakes of that epoch known', async () => {
  database.connection.exec('CREATE TABLE tweet (id INTEGER PRIMARY KEY)')
  const twitter = flake.withEpoch(1_288_834_974_657).generator({ worker: 3 })
  for (let n = 0; n < 20; n++) insert('tweet', BigInt(twitter.generate()))
  expect((await doctor(database.file)).columns).toMatchObject([{ place: 'tweet.id', family: 'twitter' }])
  expect(await doctor(database.file, '--epoch', '1288834974657')).toMatchObject({
    findings: [],
    columns: [{ place: 'tweet.id', family: 'flake', storage: 'bigint' }],
  })
})

test('the report as text', async () => {
  fill()
  database.connection.exec("DROP TABLE \"order\"; UPDATE customer SET id = 'short' WHERE name = 'n0'")
  const { code, out, err } = await bin(['doctor', database.file])
  expect({ code, err }).toEqual({ code: 1, err: '' })
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^SQLite 3/),
    '  customer.id  flax as text, by its values; all 20 ids read',
    '  event.id  uidLocal as bigint, by its values; all 20 ids read',
    '',
    'error malformed  customer.id',
    '  values that are not flax in storage text: 1; the first: flax: an id has 16 characters, not 5 ("short")',
    '  no cure: correct them, with what references them, or declare a column that accepts them',
    '',
    'errors: 1, warnings: 0',
    '',
  ])
  expect(await cli(['doctor', database.file, '--skip', 'malformed'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('\nno findings\n'),
  })
})

test('what is not a database is refused', async () => {
  const { code, err } = await cli(['doctor', '/nowhere/at/all.db'])
  expect({ code, err }).toEqual({
    code: 2,
    err: 'snoflax: a database must be postgres://…, mysql://…, mariadb://… or the path of an existing SQLite file, not /nowhere/at/all.db\n',
  })
  const own = new URL(import.meta.url).pathname
  expect(await cli(['doctor', own])).toMatchObject({
    code: 2,
    err: `snoflax: ${own} cannot be opened: file is not a database\n`,
  })
})

test('a server that does not answer is named without the password', async () => {
  for (const scheme of ['postgres', 'mysql']) {
    const { code, err } = await cli(['doctor', `${scheme}://me:secret@127.0.0.1:1/shop`])
    expect(code).toBe(2)
    expect(err).toMatch(new RegExp(`^snoflax: ${scheme}://127\\.0\\.0\\.1 cannot be reached: .*ECONNREFUSED`))
  }
})

test('a URL that cannot be parsed is printed without the password', async () => {
  for (const scheme of ['postgres', 'mysql']) {
    const { code, err } = await cli(['doctor', `${scheme}://me:sec/ret@127.0.0.1/shop`])
    expect({ code, err }).toEqual({
      code: 2,
      err: `snoflax: ${scheme}://… cannot be reached: Invalid URL\n`,
    })
  }
})

/** An environment in which importing a driver fails with this code. */
function failingDrivers(code: string) {
  const failing = `export const resolve = (name, context, next) => {
    if (!['pg', 'mysql2', 'better-sqlite3'].includes(name)) return next(name, context)
    throw Object.assign(new Error(name), { code: '${code}' })
  }`
  const module = (text: string) => `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  const hook = module(`import { register } from 'node:module'; register('${module(failing)}')`)
  // Node 26 warns of `register`, for which Node 20 has nothing else.
  return { NODE_OPTIONS: `--no-deprecation --import=${hook}` }
}

test('an unexpected error ends with code 2, since 1 means findings', async () => {
  const { code, out, err } = await bin(['doctor', 'postgres://localhost/x'], {
    env: failingDrivers('ERR_BROKEN'),
  })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('ERR_BROKEN')
})

test('a driver that is not installed is named with the command to install it', async () => {
  const env = failingDrivers('ERR_MODULE_NOT_FOUND')
  for (const [url, name] of [
    ['postgres://localhost/x', 'pg'],
    ['mysql://localhost/x', 'mysql2'],
    [database.file, 'better-sqlite3'],
  ] as const) {
    expect(await bin(['doctor', url], { env })).toEqual({
      code: 2,
      out: '',
      err: `snoflax: ${name} is not installed; install it beside snoflax: npm install ${name}\n`,
    })
  }
})

test('wrong options are refused', async () => {
  fill()
  const refusals = [
    [['--column', 'nowhere.id=flax'], 'no column nowhere.id'],
    [
      ['--column', 'customer.id'],
      '--column must be table.column=family, table.column=family:storage or table.column=family:prefix_, not customer.id',
    ],
    [
      ['--column', 'customer.id=cuid'],
      'family must be one of sno, uid, flax, uidLocal, flake, uuid7, ulid, typeid, twitter, discord, not cuid',
    ],
    [
      ['--column', 'customer.id=flax:hex'],
      'storage must be one of text, binary, uuid, uuid8, bigint, not hex; for a text column with the prefix hex_, pass customer.id=flax:hex_',
    ],
    [
      ['--column', 'customer.id=flax:uuid-8'],
      'storage must be one of text, binary, uuid, uuid8, bigint, not uuid-8',
    ],
    [
      ['--sample', 'many'],
      "option '--sample <rows>' argument 'many' is invalid. It must be an integer, 0 or more, in digits.",
    ],
  ] as const
  for (const [options, message] of refusals) {
    expect(await cli(['doctor', database.file, ...options])).toEqual({
      code: 2,
      out: '',
      err: `snoflax: ${message}\n`,
    })
  }
  expect(await cli(['doctor', database.file, '--skip', 'everything'])).toMatchObject({ code: 2, out: '' })
})
