import { flax } from '@snoflax/core'
import Database from 'better-sqlite3'
import { relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { pgTable } from 'drizzle-orm/pg-core'
import { getTableConfig, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { isBefore1 } from './contract/version.js'

// Two copies of this package, as a server that loads a changed module again has them, and as `import` and `require` load
// them. One has patched how Drizzle builds SQL, the other SQLite's dialect.

const { flaxId: pgId } = await import('@snoflax/drizzle/pg-core')
pgTable('first', { id: pgId({ storage: 'uuid' }) })
const other = await import('@snoflax/drizzle/sqlite-core')
vi.resetModules()
const { createdAt, flaxId } = await import('@snoflax/drizzle/sqlite-core')

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
  expect(other.flaxId).not.toBe(flaxId)
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

test('the columns of one table, and the tables and times of one query, can be of both', async () => {
  const doors = sqliteTable('doors', {
    id: other.flaxId({ storage: 'binary', check: true }).primaryKey(),
    shopId: flaxId.ref('shop_id', { check: true }).references(() => shops.id),
  })
  expect(getTableConfig(doors).checks.map(({ name }) => name)).toEqual([
    'doors_id_check',
    'doors_shop_id_check',
  ])
  if (!isBefore1) return
  client.exec('create table doors (id blob primary key, shop_id blob)')
  const doorRelations = relations(doors, ({ one }) => ({
    shop: one(shops, { fields: [doors.shopId], references: [shops.id] }),
  }))
  const related = drizzle({ client, schema: { shops, doors, doorRelations } })
  const [door] = await related.insert(doors).values({ shopId: id }).returning()
  const found = await related.query.doors.findFirst({
    extras: (fields) => ({ at: createdAt(fields.id).as('at') }),
    with: { shop: { extras: (fields) => ({ at: other.createdAt(fields.id).as('at') }) } },
  })
  const shop = { id, name: 'corner', at: flax.time(id) }
  expect(found).toEqual({ ...door, at: flax.time(door?.id as never), shop })
})
