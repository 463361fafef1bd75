import { flakeId, flaxId } from '@snoflax/drizzle/mysql-core'
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core'

export const customers = mysqlTable('customers', {
  id: flaxId({ prefix: 'cus' }).primaryKey(),
  name: varchar({ length: 40 }),
})

export const orders = mysqlTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  customerId: flaxId.ref('customer_id').references(() => customers.id),
  jobId: flakeId.plain('job_id'),
  total: int(),
})
