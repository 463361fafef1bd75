import {
  accepting,
  type FlaxId,
  fixedId,
  flax,
  type Id,
  type IdFamily,
  type IdsOf,
  type OpaqueFamily,
  type OpaqueId,
  opaque,
  prefixed,
  registry,
  type StandardSchema,
  storageFor,
  uuid7,
} from '@snoflax/core'
import { expectTypeOf, test } from 'vitest'

const orgId = opaque('org', { pattern: /org_[a-z0-9]{24}/, generate: () => 'org_' })

test('ids are branded by their name, as those with a prefix are', () => {
  type OrgId = OpaqueId<'org'>
  expectTypeOf(orgId).toEqualTypeOf<OpaqueFamily<'org'>>()
  expectTypeOf(orgId.generate()).toEqualTypeOf<OrgId>()
  expectTypeOf(orgId.parse('x')).toEqualTypeOf<OrgId>()
  expectTypeOf<IdsOf<typeof orgId>>().toEqualTypeOf<OrgId>()
  expectTypeOf(orgId).toExtend<IdFamily<OrgId>>()
  expectTypeOf(orgId).toExtend<StandardSchema<OrgId>>()
  expectTypeOf<typeof orgId extends IdFamily<infer AnId> ? AnId : never>().toEqualTypeOf<OrgId>()
  expectTypeOf(fixedId(orgId, 'x')).toEqualTypeOf<OrgId>()
  expectTypeOf(storageFor(orgId, 'postgres').fromDatabase('x')).toEqualTypeOf<OrgId>()
  // The same as Id<'org'>, also that of going to flax later.
  const same: Id<'org'> = orgId.generate()
  const back: OrgId = same
  const flaxes: OrgId[] = [prefixed(flax, 'org').generate(), back]
  expectTypeOf(flaxes).toExtend<Id<'org'>[]>()
  expectTypeOf<Id<'org'>[]>().toExtend<OrgId[]>()
  expectTypeOf(orgId.generate<'orgs'>()).toEqualTypeOf<OpaqueId<'org', 'orgs'>>()
  // @ts-expect-error of another table
  const other: OrgId = prefixed(flax, 'team').generate()
  orgId.is(other)
  const found = registry({ org: orgId, order: flax }).parse('x')
  if (found.name === 'org') expectTypeOf(found.id).toEqualTypeOf<OrgId>()
  // @ts-expect-error a string is no id
  const id: OrgId = 'org_1'
  orgId.is(id)
})

test('without a function there is no generate', () => {
  const known = opaque('org', { pattern: /org_[a-z0-9]{24}/ })
  expectTypeOf(known).toExtend<IdFamily<OpaqueId<'org'>>>()
  expectTypeOf(known.parse('x')).toEqualTypeOf<OpaqueId<'org'>>()
  // @ts-expect-error others generate them
  known.generate()
})

test('what needs a time does not compile', () => {
  const id = orgId.generate()
  // @ts-expect-error no time
  orgId.time(id)
  // @ts-expect-error no time
  orgId.timeMs(id)
  // @ts-expect-error no time
  orgId.range(0, 1)
  // @ts-expect-error no time
  orgId.lowerBound(0)
  // @ts-expect-error no time
  orgId.upperBound(0)
  // @ts-expect-error no time
  orgId.generateAt(0)
  // @ts-expect-error no bytes
  orgId.decode(id)
  // @ts-expect-error no fields
  orgId.unpack(id)
  // @ts-expect-error no smallest id
  orgId.min.length
  // @ts-expect-error still none with other keys
  accepting(orgId, /old/).time(id)
  flax.time(flax.generate())
})

test('a pattern is required', () => {
  // @ts-expect-error without a pattern
  opaque('org', { generate: () => 'x' })
  // @ts-expect-error a promise
  opaque('org', { pattern: /x/, generate: async () => 'x' })
})

test('they accept, and are accepted', () => {
  expectTypeOf(accepting(orgId, uuid7).parse('x')).toEqualTypeOf<OpaqueId<'org'> | Id<'uuid7'>>()
  expectTypeOf(accepting(flax, orgId).parse('x')).toEqualTypeOf<FlaxId | OpaqueId<'org'>>()
  expectTypeOf(accepting(prefixed(flax, 'org'), orgId).parse('x')).toExtend<Id<'org'>>()
})
