import { flax, prefixed } from '@snoflax/core'
import { find, flaxId, idColumn, snoId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, expectTypeOf, test } from 'vitest'

const customers = sqliteTable('customers', { id: flaxId({ prefix: 'cus' }).primaryKey(), name: text() })
const orders = sqliteTable('orders', { key: snoId('id', { storage: 'binary' }).primaryKey() })
const profiles = sqliteTable('profiles', { id: idColumn.ref(() => customers.id).primaryKey() })
const schema = { customers, orders, profiles, other: 1 }

test('find() returns table, key and row of an id, and rows that share it', async () => {
  const statements: string[] = []
  const client = new Database(':memory:')
  client.exec(`create table customers (id text primary key, name text); create table orders (id blob primary key);
    create table profiles (id text primary key)`)
  const db = drizzle({ client, logger: { logQuery: (query) => statements.push(query) } })
  const ada = db.insert(customers).values({ name: 'Ada' }).returning().get()
  const order = db.insert(orders).values({}).returning().get()
  statements.length = 0
  const found = await find(db, schema, order.key)
  expect(found).toEqual({ model: 'orders', column: 'key', row: order, also: [] })
  expect(statements).toHaveLength(1)
  expectTypeOf(found?.model).toEqualTypeOf<'orders' | undefined>()
  db.insert(profiles).values({ id: ada.id }).run()
  const shared = await find(db, schema, ada.id)
  const also = [{ model: 'profiles', column: 'id', row: { id: ada.id } }]
  expect(shared).toEqual({ model: 'customers', column: 'id', row: ada, also })
  expect(await find(db, schema, prefixed(flax, 'cus').generate())).toBeNull()
  expect(await find(db, schema, `inv_${flax.generate()}`)).toBeNull()
  await expect(find(db, schema, 'cus_Kpcan0M1FakODT4')).rejects.toThrow('cus')
  client.close()
})
