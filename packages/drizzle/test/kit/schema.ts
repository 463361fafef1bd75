import { flake, uuid7 } from '@snoflax/core'
import { createdAfter, flakeId, flaxId, snoId } from '@snoflax/drizzle/pg-core'
import { type AnyPgColumn, integer, pgTable, pgView, text } from 'drizzle-orm/pg-core'

// What the command line of drizzle-kit reads.

export const customers = pgTable('customers', {
  id: flaxId().primaryKey(),
  name: text().notNull(),
  referrerId: flaxId.ref('referrer_id').references((): AnyPgColumn => customers.id),
})

export const orders = pgTable('orders', {
  id: snoId({ default: 'database', storage: 'text', meta: 2 }).primaryKey(),
  total: integer().notNull(),
  customerId: flaxId.ref('customer_id').references(() => customers.id),
  jobId: flakeId.plain('job_id', { storage: 'binary' }).default(flake.lowerBound(1_700_000_000_000)),
  past: flaxId.plain({ storage: 'text' }).array(),
})

export const users = pgTable('users', {
  id: flaxId({
    prefix: 'usr',
    accept: [/[a-z0-9]{24}/, /user-(?:\d{1,3}|x)/i, uuid7],
    onMismatch: 'notFound',
    branded: false,
    check: true,
  }).primaryKey(),
})

export const recentJobs = pgView('recent_jobs').as((query) =>
  query.select({ total: orders.total }).from(orders).where(createdAfter(orders.jobId, 1_600_000_000_000)),
)
