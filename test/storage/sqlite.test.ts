import { flake, IdError, storageFor } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COUNT, candidates, inByteOrder, randomIds } from './random-ids.js'

const database = new Database(':memory:')
afterAll(() => {
  database.close()
})

const STORED_AS = { text: 'text', binary: 'blob', bigint: 'integer' } as Record<string, string>

describe.each(candidates(['text', 'binary', 'bigint']))('$name in $storage, better-sqlite3', (candidate) => {
  const { name, family, storage: storageName } = candidate
  const storage = storageFor(family, 'sqlite', { storage: storageName, exactBigint: true })
  const table = `${name}_${storageName}`
  const ids = randomIds(candidate)

  const select = (sql: string, ...parameters: unknown[]): string[] =>
    database
      .prepare<unknown[], { id: unknown }>(sql)
      .safeIntegers()
      .all(...parameters)
      .map(({ id }) => storage.fromDatabase(id))

  beforeAll(() => {
    database.exec(`CREATE TABLE ${table} (id ${storage.column.sql} PRIMARY KEY, nth INTEGER) WITHOUT ROWID`)
    const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`)
    database.transaction(() => {
      for (const [nth, id] of ids.entries()) insert.run(storage.toDatabase(id), nth)
    })()
  })

  test('every id is read back, and stored with the type of the storage', () => {
    expect(select(`SELECT id FROM ${table} ORDER BY nth`)).toEqual(ids)
    const types = database.prepare(`SELECT DISTINCT typeof(id) AS type FROM ${table}`).pluck().all()
    expect(types).toEqual([STORED_AS[storageName]])
  })

  test('ORDER BY is the order of bytes', () => {
    expect(select(`SELECT id FROM ${table} ORDER BY id`)).toEqual(inByteOrder(family, ids))
  })

  test('a range between two ids contains the ids between them', () => {
    const sorted = inByteOrder(family, ids)
    const [from, to] = [sorted[100], sorted[400]] as [string, string]
    const found = select(
      `SELECT id FROM ${table} WHERE id >= ? AND id < ? ORDER BY id`,
      storage.toDatabase(from),
      storage.toDatabase(to),
    )
    expect(found).toEqual(sorted.slice(100, 400))
  })

  test('each id is found by itself, and by the stored value', () => {
    const found = database.prepare<[unknown], { nth: number; id: unknown }>(
      `SELECT * FROM ${table} WHERE id = ?`,
    )
    for (const [nth, id] of ids.entries()) {
      const row = found.safeIntegers().get(storage.toDatabase(id))
      expect(row?.nth).toBe(BigInt(nth))
      expect(found.safeIntegers().get(storage.toDatabase(row?.id))?.nth).toBe(BigInt(nth))
    }
    expect(ids).toHaveLength(COUNT)
  })

  test('null is read as null', () => {
    const value = database.prepare('SELECT ? AS id').pluck().get(storage.toDatabase(null))
    expect(storage.fromDatabase(value as null)).toBe(null)
  })
})

test.each([flake, uidLocal])('$name: a driver that rounds causes an error, never another id', (family) => {
  const storage = storageFor(family as never, 'sqlite', { storage: 'bigint', exactBigint: true })
  const id = storage.fromDatabase(2n ** 62n + 1n)
  const rounded = database.prepare('SELECT ? AS id').pluck().get(storage.toDatabase(id))
  expect(typeof rounded).toBe('number')
  expect(() => storage.fromDatabase(rounded)).toThrow(IdError)
})
