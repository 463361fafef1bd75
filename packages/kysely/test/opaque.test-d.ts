import { flax, type Id, opaque, prefixed } from '@snoflax/core'
import { idColumn, idPlugin } from '@snoflax/kysely'
import { expectTypeOf, test } from 'vitest'

const ids = idPlugin({
  database: 'sqlite',
  tables: {
    orgs: { id: idColumn(opaque('org', { pattern: /org_\d+/, generate: () => 'org_1' })) },
    members: { id: idColumn(prefixed(flax, 'mem')), org_id: idColumn.ref('orgs.id') },
  },
})

test('columns of opaque ids are typed, and have no time', () => {
  const id = ids.generate('orgs.id')
  expectTypeOf(id).toExtend<Id<'org'>>()
  expectTypeOf<Id<'org'>>().toExtend<typeof id>()
  ids.keyset('orgs.id', { after: id })
  ids.createdBetween('members.id', 0, 1)
  ids.createdAt('members.id', ids.generate('members.id'))
  // @ts-expect-error no time
  ids.createdBetween('orgs.id', 0, 1)
  // @ts-expect-error no time
  ids.createdAfter('members.org_id', 0)
  // @ts-expect-error no time
  ids.createdAt('orgs.id', id)
  // @ts-expect-error no time
  ids.wasCreatedBetween('orgs.id', id, 0, 1)
})
