import { flax, type Id, opaque, prefixed } from '@snoflax/core'
import { idColumn, idPlugin, type WithIds } from '@snoflax/kysely'
import type { Generated, Insertable, Selectable } from 'kysely'
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

test('a plain column keeps whether an insert needs it', () => {
  const uuid = opaque('uuid', { pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/ })
  const passed = opaque('slug', { pattern: /slug_[a-z]+/ })
  const plugin = idPlugin({
    database: 'postgres',
    tables: { notes: { id: idColumn.plain(uuid), slug: idColumn.plain(passed) } },
  })
  interface DB {
    notes: { id: Generated<string>; slug: string }
  }
  type Notes = WithIds<DB, typeof plugin>['notes']
  expectTypeOf<Insertable<Notes>>().branded.toEqualTypeOf<{
    id?: Id<'uuid'> | undefined
    slug: Id<'slug'>
  }>()
  expectTypeOf<Selectable<Notes>>().branded.toEqualTypeOf<{ id: Id<'uuid'>; slug: Id<'slug'> }>()
})
