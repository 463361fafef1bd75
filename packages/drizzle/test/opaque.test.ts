import { accepting, flax, opaque, prefixed } from '@snoflax/core'
import { idColumn as mysqlIdColumn } from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import { checkColumns, createdAt, find, idColumn } from '@snoflax/drizzle/sqlite-core'
import { postgres } from '@snoflax/test'
import Database from 'better-sqlite3'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle as overPg } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

let next: unknown
let count = 0
const orgId = opaque('org', {
  pattern: /org_\d{4}/,
  generate: () => (next ?? `org_${String(++count).padStart(4, '0')}`) as string,
})
const keyId = opaque('key', {
  pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  generate: () => crypto.randomUUID(),
})
const orgs = sqliteTable('orgs', {
  id: idColumn(orgId, { check: true }).primaryKey(),
  name: text().notNull(),
})

function open() {
  const client = new Database(':memory:')
  client.exec('create table orgs (id text primary key not null, name text not null)')
  return overBetterSqlite3({ client })
}

test.each([
  ['org_1', 'orgs.id: org: generate returned "org_1", which does not match /org_\\d{4}/'],
  [1, 'orgs.id: org: generate returned 1, which is not a string'],
  [Promise.resolve('org_0001'), 'orgs.id: org: generate returned a promise; return the id itself'],
])('a generated %o is refused with its column, and nothing is written', async (wrong, message) => {
  const db = open()
  next = wrong
  try {
    const insert = () => db.insert(orgs).values([{ id: 'org_0001' as never, name: 'own' }, { name: 'new' }])
    await expect(Promise.resolve().then(insert)).rejects.toThrow(message)
    expect(await db.select().from(orgs)).toEqual([])
  } finally {
    next = undefined
  }
})

test('rows get ids of the function, are found by them, and have no time', async () => {
  const db = open()
  const [row] = await db.insert(orgs).values({ name: 'new' }).returning()
  expect(row?.id).toMatch(/^org_\d{4}$/)
  expect(await find(db, { orgs }, row?.id as string)).toMatchObject({ model: 'orgs', row })
  expect(() => createdAt(orgs.id as never)).toThrow(/^orgs\.id: org: time\(\) needs a family with a time/)
  expect(() => idColumn(orgId, { storage: 'binary' })).not.toThrow()
  expect(() => sqliteTable('orgs', { id: idColumn(orgId, { storage: 'binary' }) })).toThrow(
    /^orgs\.id: org in sqlite: cannot use storage binary: opaque ids are texts, without bytes/,
  )
  const later = accepting(prefixed(flax, 'org'), orgId)
  const grown = sqliteTable('orgs', { id: idColumn(later).primaryKey(), name: text().notNull() })
  await db.insert(grown).values({ name: 'flax' })
  expect((await db.select().from(grown)).map(({ id }) => later.own.is(id))).toEqual([false, true])
})

test('columns have the types that applications have, and checkColumns takes them', async () => {
  const database = await postgres.open()
  try {
    const db = overPg(database.pool)
    const tables = {
      orgs: pgTable('orgs', { id: pg.idColumn(orgId).primaryKey() }),
      keys: pgTable('keys', { id: pg.idColumn(keyId).primaryKey() }),
      texts: pgTable('texts', { id: pg.idColumn.plain(keyId, { storage: 'text' }).primaryKey() }),
    }
    const types = Object.values(tables).map(({ id }) => id.getSQLType())
    expect(types).toEqual(['text', 'uuid', 'text'])
    for (const [at, name] of Object.keys(tables).entries()) {
      await database.query(`create table ${name} (id ${types[at]} primary key)`)
    }
    await pg.checkColumns(db, tables)
    const [key] = await db.insert(tables.keys).values({}).returning()
    expect(keyId.is(key?.id)).toBe(true)
    const wrong = { keys: pgTable('keys', { id: pg.idColumn(orgId).primaryKey() }) }
    await expect(pg.checkColumns(db, wrong)).rejects.toThrow(
      'keys.id: column keys.id is uuid and must be text',
    )
    await expect(Promise.resolve().then(() => checkColumns(open(), { orgs }))).resolves.toBeUndefined()
  } finally {
    await database.close()
  }
  expect(mysqlTable('orgs', { id: mysqlIdColumn(orgId) }).id.getSQLType()).toMatch(/^char\(8\)/i)
})
