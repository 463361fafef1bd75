import { flax, IdError } from '@snoflax/core'
import { flaxId, placeholder } from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { drizzle } from 'drizzle-orm/node-postgres'
import { customType, integer, pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { Pool } from 'pg'
import { expect, test } from 'vitest'

// That every path rejects is in the contract; here is what must stay as it was, and the columns of others.

const shops = pgTable('shops', {
  id: flaxId().primaryKey(),
  rating: customType<{ data: string; driverData: string }>({
    dataType: () => 'text',
    toDriver() {
      throw new TypeError('no rating')
    },
  })('rating'),
  size: integer(),
})
/** Nothing connects to it: all of this is refused before. */
const db = drizzle({ client: new Pool({ host: '/nowhere' }) })
const malformed = db
  .select()
  .from(shops)
  .where(eq(shops.id, 'malformed' as never))

test('what another column refuses rejects too, as it is', async () => {
  const query = db.insert(shops).values({ rating: 'good' })
  await expect(query.catch((error) => Promise.reject(error))).rejects.toThrow(new TypeError('no rating'))
  await expect(query.execute().catch((error) => Promise.reject(error))).rejects.toThrow('no rating')
})

test('SQL and prepared statements are refused at once', () => {
  expect(() => malformed.toSQL()).toThrow(IdError)
  expect(() => malformed.prepare('malformed')).toThrow(IdError)
})

test('a prepared statement rejects', async () => {
  const byId = db
    .select()
    .from(shops)
    .where(eq(shops.id, placeholder(shops.id, 'id')))
    .prepare('by_id')
  await expect(byId.execute({ id: 'malformed' }).catch((error) => Promise.reject(error))).rejects.toThrow(
    IdError,
  )
})

test('a refused query is nothing until somebody waits for it, and can be run again', async () => {
  const query = db.execute(malformed.getSQL())
  await expect(query).rejects.toThrow(IdError)
  await expect(query.execute()).rejects.toThrow(IdError)
})

test('where the driver is synchronous, it throws', async () => {
  const things = sqliteTable('things', { id: sqliteId({ storage: 'binary' }).primaryKey() })
  const client = new Database(':memory:')
  client.exec('create table things (id blob primary key)')
  const sync = overBetterSqlite3({ client })
  const id = flax.generate()
  sync.insert(things).values({ id }).run()
  expect(sync.select().from(things).where(eq(things.id, id)).all()).toEqual([{ id }])
  const wrong = sync
    .select()
    .from(things)
    .where(eq(things.id, 'malformed' as never))
  for (const run of ['all', 'get', 'values', 'run'] as const) expect(() => wrong[run]()).toThrow(IdError)
  expect(() => sync.all(wrong.getSQL())).toThrow(IdError)
  await expect(wrong).rejects.toThrow(IdError)
})
