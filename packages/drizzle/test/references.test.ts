import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteFlaxId } from '@snoflax/drizzle/sqlite-core'
import { getTableConfig, pgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

test('a target passed to ref() is what references() would be passed', () => {
  const customers = pgTable('customers', { id: flaxId({ storage: 'binary' }).primaryKey() })
  const orders = pgTable('orders', {
    customerId: flaxId.ref('customer_id', () => customers.id, { onDelete: 'cascade', onUpdate: 'no action' }),
    other: flaxId.ref(() => customers.id),
    own: flaxId.ref(() => customers.id, { storage: 'binary', onDelete: 'set null' }),
  })
  const [first, second, third] = getTableConfig(orders).foreignKeys
  expect([first, second, third].map((key) => [key?.onDelete, key?.onUpdate])).toEqual([
    ['cascade', 'no action'],
    ['no action', 'no action'],
    ['set null', 'no action'],
  ])
  expect(first?.reference().foreignColumns).toEqual([customers.id])
  expect(orders.customerId.name).toBe('customer_id')
  expect(orders.other.getSQLType()).toBe('bytea')
  expect(orders.own.mapToDriverValue(flax.generate())).toBeInstanceOf(Uint8Array)
})

test("in SQLite, ref() takes a target and check, and another storage than the target's is refused", () => {
  const customers = sqliteTable('customers', { id: sqliteFlaxId({ storage: 'binary' }).primaryKey() })
  const orders = sqliteTable('orders', {
    customerId: sqliteFlaxId.ref(() => customers.id, { check: true }).notNull(),
    other: sqliteFlaxId.ref('other', () => customers.id, { storage: 'text' }),
  })
  expect(sqliteConfig(orders).checks).toHaveLength(1)
  expect(orders.customerId.getSQLType()).toBe('blob')
  expect(() => orders.other.getSQLType()).toThrow('orders.other')
})
