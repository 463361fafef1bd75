import { type Id, type OpaqueId, opaque } from '@snoflax/core'
import { createdBetween, IdColumn, keyset } from '@snoflax/typeorm'
import { expectTypeOf, test } from 'vitest'

const orgId = opaque('org', { pattern: /org_\d+/, generate: () => 'org_1' })

class Org {
  @IdColumn(orgId) id!: OpaqueId<'org'>
  @IdColumn.plain(orgId) of!: Id<'org'>
  // @ts-expect-error of another table
  @IdColumn.plain(orgId) team!: Id<'team'>
}

test('properties of opaque ids are typed; declared as OpaqueId, they have no time', () => {
  expectTypeOf<Org['id']>().toExtend<Id<'org'>>()
  keyset(Org, { take: 1 })
  createdBetween(Org, 'of', 0, 1)
  // @ts-expect-error no time
  createdBetween(Org, 'id', 0, 1)
})
