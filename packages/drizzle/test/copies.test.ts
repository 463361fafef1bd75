import { createRequire } from 'node:module'
import { flax } from '@snoflax/core'
import { createdAt, flaxId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { getTableConfig, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

// Two copies of this package, as a program has them with `import` beside `require`.
const other: typeof import('@snoflax/drizzle/sqlite-core') = createRequire(import.meta.url)(
  '@snoflax/drizzle/sqlite-core',
)

test('the columns of one table, and the tables of one query, can be of both copies', () => {
  expect(other.flaxId).not.toBe(flaxId)
  const shops = sqliteTable('shops', { id: flaxId({ storage: 'binary' }).primaryKey() })
  const doors = sqliteTable('doors', {
    id: other.flaxId({ storage: 'binary', check: true }).primaryKey(),
    shopId: flaxId.ref('shop_id', () => shops.id, { check: true }),
  })
  const checks = getTableConfig(doors).checks.map(({ name }) => name)
  expect(checks).toEqual(['doors_id_check', 'doors_shop_id_check'])
  const client = new Database(':memory:')
  client.exec('create table shops (id blob); create table doors (id blob, shop_id blob)')
  const db = drizzle({ client })
  const shop = db.insert(shops).values({}).returning().get()
  const door = db.insert(doors).values({ shopId: shop.id }).returning().get()
  const found = db
    .select({ shop: shops.id, door: doors.id, at: createdAt(doors.id) })
    .from(doors)
    .innerJoin(shops, eq(shops.id, doors.shopId))
    .where(eq(doors.id, door.id))
  expect(found.all()).toEqual([{ shop: shop.id, door: door.id, at: flax.time(door.id) }])
})
