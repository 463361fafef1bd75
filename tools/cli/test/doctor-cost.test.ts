import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { flax, typeid, ulid, uuid7 } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { expect, test, vi } from 'vitest'
import { doctor } from './reports.js'

const many = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n))

test('what only looks like ids causes no finding, and of such columns only UUIDv7, ULID and TypeID are listed', async () => {
  const database = await sqlite.open()
  const kinds: Record<string, (n: number) => string | bigint> = {
    uuid4: () => randomUUID(),
    token16: () => randomBytes(12).toString('base64url'),
    nanoid: () => randomBytes(16).toString('base64url').slice(0, 21),
    object_id: (n) => (1_790_000_000 + n).toString(16) + randomBytes(8).toString('hex'),
    md5: () => randomBytes(16).toString('hex'),
    code16: () => randomBytes(8).toString('hex'),
    upper16: () => randomBytes(8).toString('hex').toUpperCase(),
    numbered: (n) => `Inv-2024-${String(n).padStart(7, '0')}`,
    youtube: () => randomBytes(8).toString('base64url'),
    serial: (n) => BigInt(n + 1),
    micros: (n) => BigInt(Date.now()) * 1000n + BigInt(n),
    random63: (n) => BigInt(randomInt(2 ** 47)) * 65_536n + BigInt(n),
    card: (n) => String(4_111_111_111_110_000n + BigInt(n)),
    uuid7: () => uuid7.generate(),
    ulid: () => ulid.generate(),
    typeid: () => typeid('user').generate(),
  }
  for (const [name, make] of Object.entries(kinds)) {
    const type = typeof make(0) === 'bigint' ? 'INTEGER' : 'TEXT COLLATE NOCASE'
    database.connection.exec(`CREATE TABLE ${name} (id ${type} PRIMARY KEY, other_id TEXT)`)
    const insert = database.connection.prepare(`INSERT INTO ${name} VALUES (?, ?)`)
    for (let n = 0; n < 60; n++) insert.run(make(n), randomBytes(12).toString('base64url'))
  }
  const { columns, findings, advice, notes } = await doctor(database.file)
  expect(columns.map(({ place, family }) => `${place} ${family}`)).toEqual([
    'uuid7.id uuid7',
    'ulid.id ulid',
    'typeid.id typeid',
  ])
  expect({ findings, advice, notes }).toEqual({ findings: [], advice: [], notes: [] })
  await database.close()
})

test('each table is read once, and keys are compared without further queries', async () => {
  const database = await sqlite.open()
  const tables = 60
  for (let t = 0; t < tables; t++) {
    database.connection.exec(`CREATE TABLE t${t} (id TEXT PRIMARY KEY)`)
    const insert = database.connection.prepare(`INSERT INTO t${t} VALUES (?)`)
    for (let n = 0; n < 10; n++) insert.run(flax.generate())
  }
  const twin = flax.generate()
  for (const t of [3, 40]) database.connection.exec(`INSERT INTO t${t} VALUES ('${twin}')`)
  const prototype = Object.getPrototypeOf(database.connection) as typeof database.connection
  const asked = async (...options: string[]): Promise<[queries: number, findings: number]> => {
    const prepare = vi.spyOn(prototype, 'prepare')
    const { findings } = await doctor(database.file, ...options)
    const queries = prepare.mock.calls.length
    prepare.mockRestore()
    return [queries, findings.length]
  }
  const [all, found] = await asked()
  const [without, none] = await asked('--skip', 'duplicate')
  expect([found, none]).toEqual([1, 0])
  expect(all).toBeLessThan(8 * tables)
  const unread = await doctor(database.file, '--skip', 'malformed', 'future', 'duplicate', 'reference')
  expect(unread.columns.every(({ rowsRead }) => rowsRead === 0)).toBe(true)
  expect(all - without).toBe(0)
  await database.close()
})

test('--full finds an id shared by two large tables', async () => {
  const database = await sqlite.open()
  const shared = many(3, () => flax.generate())
  for (const name of ['a', 'b', 'c']) {
    database.connection.exec(`CREATE TABLE ${name} (id TEXT PRIMARY KEY)`)
    const insert = database.connection.prepare(`INSERT INTO ${name} VALUES (?)`)
    database.connection.transaction(() => {
      for (let n = 0; n < 7000; n++) insert.run(flax.generate())
    })()
  }
  const add = (name: string, id: string) => database.connection.exec(`INSERT INTO ${name} VALUES ('${id}')`)
  for (const id of shared) for (const name of ['a', 'c']) add(name, id)
  add('b', shared[0] as string)
  const { findings } = await doctor(database.file, '--full')
  expect(findings.map(({ message }) => message.replace(/; the first.*/, '')).sort()).toEqual([
    'ids that are also keys of a.id, without a foreign key: 1',
    'ids that are also keys of a.id, without a foreign key: 3',
  ])
  await database.close()
})
