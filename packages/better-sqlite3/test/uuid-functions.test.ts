import { registerSnoflax } from '@snoflax/better-sqlite3'
import { typeid, ulid, uuid7 } from '@snoflax/core'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'

const connection = new Database(':memory:')
registerSnoflax(connection, { families: [uuid7, ulid, typeid('user').base] })
const value = (sql: string, ...parameters: unknown[]) =>
  connection
    .prepare(sql)
    .pluck()
    .get(...parameters)

const COUNT = 500
const moments = Array.from({ length: COUNT }, () => Math.floor(Math.random() * Date.UTC(9999, 0)))

test.each([uuid7, ulid, typeid('user').base])('$name: SQL returns what TypeScript returns', (family) => {
  const { name } = family
  for (const timeMs of moments) {
    const id = family.generateAt(timeMs)
    const bytes = Buffer.from(family.decode(id as never))
    expect(value(`SELECT ${name}_encode(?)`, bytes)).toBe(id)
    expect(value(`SELECT ${name}_decode(?)`, id)).toEqual(bytes)
    expect(value(`SELECT ${name}_time_ms(?)`, id)).toBe(timeMs)
    const at = new Date(timeMs).toISOString()
    expect(value(`SELECT ${name}_lower_bound_text(?)`, at)).toBe(family.lowerBound(timeMs))
  }
  expect(() => value(`SELECT ${name}_decode('no')`)).toThrow(name)
})

test('SQL generates ids as text and bytes', () => {
  for (const family of [uuid7, ulid, typeid('user').base]) {
    const text = value(`SELECT ${family.name}_generate_text()`)
    expect(family.is(text)).toBe(true)
    const bytes = value(`SELECT ${family.name}_generate()`) as Buffer
    expect(family.is(family.encode(bytes))).toBe(true)
  }
})

test('rows of a table are found by bounds', () => {
  connection.exec('CREATE TABLE notes (id TEXT PRIMARY KEY) STRICT')
  const insert = connection.prepare('INSERT INTO notes VALUES (?)')
  for (let day = 1; day <= 9; day++) insert.run(uuid7.generateAt(Date.UTC(2026, 10, day)))
  const sql =
    'SELECT count(*) FROM notes WHERE id >= uuid7_lower_bound_text(?) AND id < uuid7_lower_bound_text(?)'
  expect(value(sql, '2026-11-03', '2026-11-06')).toBe(3)
})

test('a UUIDv4 has no time, if version 4 is allowed', () => {
  const old = '919108f7-52d1-4320-9bac-f847db4148a8'
  const mixed = registerSnoflax(new Database(':memory:'), { families: [uuid7.withVersion4()] })
  const sql = 'SELECT uuid7_is_valid(@id) AS valid, uuid7_time(@id) AS time, uuid7_time_ms(@id) AS ms'
  expect(mixed.prepare(sql).get({ id: old })).toEqual({ valid: 1, time: null, ms: null })
  mixed.close()
  expect(() => value('SELECT uuid7_time(?)', old)).toThrow('is not a UUIDv7')
})
