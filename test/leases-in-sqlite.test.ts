import { registerSnoflax } from '@snoflax/better-sqlite3'
import { storageFor } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres, type SqliteDatabase, sqlite } from '@snoflax/test'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EXPIRED, LEASABLE } from './leasable.js'

// What docs/leases.md says, in SQLite; orm/leases.long.test.ts has the ORMs.

describe.each(Object.entries(LEASABLE))('better-sqlite3, %s', (name, { lease, family, numberOf }) => {
  let leases: PostgresDatabase
  let database: SqliteDatabase
  beforeAll(async () => {
    leases = await postgres.open()
    await install(leases.pool)
  })
  afterAll(() => leases?.close())
  beforeEach(async () => {
    database = await sqlite.open()
  })
  afterEach(() => database.close())

  const stored = storageFor(family, 'sqlite', { storage: 'binary' })

  test('defaults of a table contain the leased number, and no row is stored without the lease', async () => {
    const held = await lease(leases.pool)
    const db = registerSnoflax(database.connection, { generators: { [name]: held.generator } })
    db.exec(`CREATE TABLE event (id BLOB PRIMARY KEY DEFAULT (${name}_generate()), name TEXT) STRICT`)
    const insert = db.prepare('INSERT INTO event (name) VALUES (?)')
    for (const event of ['one', 'two', 'three']) insert.run(event)

    await held.release()
    expect(() => insert.run('late')).toThrow(expect.objectContaining(EXPIRED))
    const rows = await database.query('SELECT id FROM event')
    expect(rows.map(({ id }) => numberOf(stored.fromDatabase(id)))).toEqual(Array(3).fill(held.partition))
  })
})
