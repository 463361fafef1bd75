import {
  type FlakeId,
  type FlaxFields,
  type FlaxId,
  flake,
  flax,
  type Id,
  type IdFamily,
  type IdRange,
  type SnoFields,
  type SnoId,
  sno,
  type Time,
} from '@snoflax/core'
import { type UidId, type UidLocalId, uid, uidLocal } from '@snoflax/families'
import { expectTypeOf, test } from 'vitest'

declare const flaxId: FlaxId
declare const snoId: SnoId
declare const flakeId: FlakeId
declare const uidId: UidId
declare const uidLocalId: UidLocalId
declare const text: string
declare const unknownValue: unknown

test('an id must be a string with a brand of its family', () => {
  expectTypeOf(flaxId).toExtend<string>()
  expectTypeOf<FlaxId>().toEqualTypeOf<Id<'flax'>>()
  expectTypeOf<SnoId>().toEqualTypeOf<Id<'sno'>>()
  expectTypeOf<string>().not.toExtend<FlaxId>()
  expectTypeOf<FlaxId>().not.toExtend<SnoId>()
  expectTypeOf<SnoId>().not.toExtend<FlaxId>()
  expectTypeOf<UidId>().not.toExtend<UidLocalId>()
  expectTypeOf<UidLocalId>().not.toExtend<FlakeId>()
  expectTypeOf<FlakeId>().not.toExtend<UidId>()
  expectTypeOf<FlaxId>().toExtend<Id>()
})

test('functions accept only ids of their own family', () => {
  flax.time(flaxId)
  // @ts-expect-error a sno is no flax
  flax.time(snoId)
  // @ts-expect-error a text is no flax before it was parsed
  flax.time(text)
  // @ts-expect-error a literal neither
  flax.time('Kpcan0M1FakODT4k')
  // @ts-expect-error a flax is no sno
  sno.meta(flaxId)
  // @ts-expect-error a text is no sno
  sno.withMeta(text, 1)
  // @ts-expect-error a global id is no local one
  uid.fromLocal(uidId, { node: 'a@h' })
  // @ts-expect-error a local id is no global one
  uid.toLocal(uidLocalId, { node: 'a@h' })
  // @ts-expect-error ids of two families have no distance
  uidLocal.distance(uidLocalId, flakeId)
  // @ts-expect-error ids of two families don't compare
  flake.compare(flakeId, snoId)
  // @ts-expect-error a number is no flake
  flake.toBigInt(5n)
  // @ts-expect-error vector clocks are of global ids
  uid.vclock.join([uidLocalId], [])
})

test('values from outside are text, bytes or unknown', () => {
  expectTypeOf(flax.parse(unknownValue)).toEqualTypeOf<FlaxId>()
  expectTypeOf(sno.encode(new Uint8Array(10))).toEqualTypeOf<SnoId>()
  expectTypeOf(flax.decode(text)).toEqualTypeOf<Uint8Array>()
  expectTypeOf(flax.unpack(flaxId)).toEqualTypeOf<FlaxFields>()
  expectTypeOf(sno.unpack).parameter(0).toEqualTypeOf<SnoId>()
  expectTypeOf(sno.pack).parameter(0).toEqualTypeOf<SnoFields>()
  expectTypeOf(flax.range(0, new Date())).toEqualTypeOf<IdRange<FlaxId>>()
  expectTypeOf(flax.lowerBound).parameter(0).toEqualTypeOf<Time>()
  // @ts-expect-error a text is no time
  flax.lowerBound('2026-11-01')
  // @ts-expect-error flax has no partition
  flax.pack({ timeMs: 0, random: new Uint8Array(7), partition: 1 })
  // @ts-expect-error every field is needed
  sno.pack({ timeMs: 0, meta: 0, partition: 0, sequence: 0 })
  // @ts-expect-error there are two values of tickTock
  sno.pack({ timeMs: 0, tickTock: 2, meta: 0, partition: 0, sequence: 0 })
})

test('is() narrows to an id', () => {
  if (flax.is(unknownValue)) expectTypeOf(unknownValue).toEqualTypeOf<FlaxId>()
  else expectTypeOf(unknownValue).toEqualTypeOf<unknown>()
  const ids = [text, text].filter((value) => sno.is(value))
  expectTypeOf(ids).toEqualTypeOf<SnoId[]>()
})

test('an id is assignable to string', () => {
  const map = new Map<FlaxId, number>([[flaxId, 1]])
  expectTypeOf(map.get(flaxId)).toEqualTypeOf<number | undefined>()
  // @ts-expect-error the key is a flax
  map.get(snoId)
  expectTypeOf(`/orders/${flaxId}`).toBeString()
  expectTypeOf(flaxId.length).toBeNumber()
})

/** Code that knows no family by name. */
function newest<AnId extends string>(family: IdFamily<AnId>, ids: readonly AnId[]): AnId | undefined {
  return [...ids].sort(family.compare).at(-1)
}

test('generic code over families keeps the id type', () => {
  expectTypeOf(newest(flax, [flaxId])).toEqualTypeOf<FlaxId | undefined>()
  expectTypeOf(newest(uid, [uidId])).toEqualTypeOf<UidId | undefined>()
  // @ts-expect-error the ids are of another family
  newest(flax, [snoId])
  const families: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]
  expectTypeOf(families[0]?.parse(text)).toEqualTypeOf<string | undefined>()
  expectTypeOf(flax).toExtend<IdFamily<FlaxId, FlaxFields>>()
  expectTypeOf(flax).toExtend<IdFamily>()
  expectTypeOf(sno).not.toExtend<IdFamily<FlaxId>>()
})

class Rows<Of extends string> {
  find(id: Id<'flax', Of>): Id<'flax', Of> {
    return id
  }
  ofAnyTable(): Rows<string> {
    return this
  }
}
type TableOf<AnId> = AnId extends Id<string, infer Of> ? Of : never

test('generic code over tables keeps the id type', () => {
  const wider = <Name extends string, Of extends string>(id: Id<Name, Of>): Id<Name> => id
  const same = <Of extends string>(id: Id<'flax', Of>): Id<'flax', Of> => id
  const id = flax.generate<'customer'>()
  expectTypeOf(wider(id)).toEqualTypeOf<FlaxId>()
  expectTypeOf(same(id)).toEqualTypeOf<Id<'flax', 'customer'>>()
  expectTypeOf(new Rows<'customer'>().find(id)).toExtend<Id<'flax', 'customer' | 'shop'>>()
  expectTypeOf<TableOf<typeof id>>().toEqualTypeOf<'customer'>()
})

test('variants of a family have its id type', () => {
  expectTypeOf(flake.withEpoch(0)).toEqualTypeOf(flake)
  expectTypeOf(uid.withNeighbourhood(5)).toEqualTypeOf(uid)
  expectTypeOf(uid.toLocal(uidId, { node: 1 })).toEqualTypeOf<UidLocalId>()
  expectTypeOf(uid.fromLocal(uidLocalId, { node: 'a@h' })).toEqualTypeOf<UidId>()
  expectTypeOf(sno.toJson(snoId)).toEqualTypeOf<SnoId | null>()
  expectTypeOf(sno.fromJson(unknownValue)).toEqualTypeOf<SnoId>()
})
