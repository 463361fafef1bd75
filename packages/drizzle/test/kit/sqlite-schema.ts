import { flax } from '@snoflax/core'
import { flakeId, flaxId } from '@snoflax/drizzle/sqlite-core'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

export const customers = sqliteTable('customers', { id: flaxId().primaryKey() })

export const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  customerId: flaxId.ref('customer_id').references(() => customers.id),
  jobId: flakeId.plain('job_id', { exactBigint: true }),
  lastId: flaxId.plain('last_id', { storage: 'binary' }).default(flax.min),
  total: integer(),
})
