import { flax } from '@snoflax/core'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { pgTable } from 'drizzle-orm/pg-core'
import { getTableConfig, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, test, vi } from 'vitest'

// Two copies of this package, as a server that loads a changed module again has them, and as `import` and `require` load
// them. One has patched how Drizzle builds SQL, the other SQLite's dialect.

const { flaxId: pgId } = await import('@snoflax/drizzle/pg-core')
pgTable('first', { id: pgId({ storage: 'uuid' }) })
const { flaxId: otherId } = await import('@snoflax/drizzle/sqlite-core')
vi.resetModules()
const { flaxId } = await import('@snoflax/drizzle/sqlite-core')

const shops = sqliteTable('shops', { id: flaxId({ storage: 'binary' }).primaryKey(), name: text() })
/** Its ids are another program's, and just look like ours. */
const legacy = sqliteTable('legacy', { id: text().primaryKey() })
const client = new Database(':memory:')
client.exec('create table shops (id blob primary key, name text); create table legacy (id text primary key)')
const db = drizzle({ client })
const id = flax.generate()

beforeAll(() => {
  db.insert(shops).values({ id, name: 'corner' }).run()
  db.insert(legacy).values({ id }).run()
})

test('two copies are loaded', () => {
  expect(otherId).not.toBe(flaxId)
})

test('an id is judged by the columns of both, whichever builds its query', () => {
  expect(() => db.select().from(shops).where(sql`lower(${shops.name}) = ${id}`).all()).toThrow(
    /^shops\.id: the id .* parameter\(column, id\)/,
  )
})

test('a name means a column of the tables of its query', () => {
  const isIt = sql`id = ${id}`
  expect(db.select().from(legacy).where(isIt).all()).toEqual([{ id }])
  expect(db.select().from(shops).where(isIt).all()).toEqual([{ id, name: 'corner' }])
  db.update(legacy)
    .set({ id: sql`${id}` })
    .run()
  expect(client.prepare('select id from legacy').all()).toEqual([{ id }])
})

test('the columns of one table can be of both', () => {
  const doors = sqliteTable('doors', {
    id: flaxId({ check: true }).primaryKey(),
    shopId: otherId('shop_id', { check: true }),
  })
  expect(getTableConfig(doors).checks.map(({ name }) => name)).toEqual([
    'doors_id_check',
    'doors_shop_id_check',
  ])
})
