import { defineEntity, type InferEntity } from '@mikro-orm/core'
import { flax, type Id, type OpaqueId, opaque, prefixed } from '@snoflax/core'
import { createdBetween, idProperty } from '@snoflax/mikro-orm'
import { expectTypeOf, test } from 'vitest'

const Org = defineEntity({
  name: 'Org',
  properties: { id: idProperty(opaque('org', { pattern: /org_\d+/, generate: () => 'org_1' })) },
})
const Team = defineEntity({ name: 'Team', properties: { id: idProperty(prefixed(flax, 'team')) } })
class Decorated {
  id!: OpaqueId<'org'>
}

test('properties of opaque ids are typed, and have no time', () => {
  expectTypeOf<InferEntity<typeof Org>['id']>().toExtend<Id<'org'>>()
  createdBetween(Team, 'id', 0, 1)
  // @ts-expect-error no time
  createdBetween(Org, 'id', 0, 1)
  // @ts-expect-error no time
  createdBetween(Decorated, 'id', 0, 1)
})
