import { flax, type Id, opaque, prefixed } from '@snoflax/core'
import { createdAt, createdBefore, createdBetween, idColumn, keyset } from '@snoflax/drizzle/pg-core'
import { pgTable } from 'drizzle-orm/pg-core'
import { expectTypeOf, test } from 'vitest'

const orgs = pgTable('orgs', {
  id: idColumn(opaque('org', { pattern: /org_\d+/, generate: () => 'org_1' })).primaryKey(),
})
const members = pgTable('members', {
  id: idColumn(prefixed(flax, 'mem')).primaryKey(),
  orgId: idColumn.ref('org_id', () => orgs.id).notNull(),
})

test('columns of opaque ids are typed, and have no time', () => {
  expectTypeOf<typeof orgs.$inferSelect>().toExtend<{ id: Id<'org'> }>()
  expectTypeOf<{ id: Id<'org'> }>().toExtend<typeof orgs.$inferInsert>()
  expectTypeOf<Id<'mem'>>().not.toExtend<typeof members.$inferSelect.orgId>()
  keyset(orgs.id, { after: undefined })
  createdBetween(members.id, 0, 1)
  createdAt(members.id)
  // @ts-expect-error no time
  createdBetween(orgs.id, 0, 1)
  // @ts-expect-error no time
  createdBetween(members.orgId, 0, 1)
  // @ts-expect-error no time
  createdBefore(orgs.id, 0)
  // @ts-expect-error no time
  createdAt(orgs.id)
})
