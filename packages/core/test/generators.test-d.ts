import {
  type FlakeGeneratorOptions,
  type FlakeId,
  type FlaxId,
  flake,
  flax,
  type IdGenerator,
  type SnoId,
  type SnoSnapshot,
  sno,
} from '@snoflax/core'
import { type UidId, type UidLocalId, uid, uidLocal, type VectorClock } from '@snoflax/families'
import { expectTypeOf, test } from 'vitest'

declare const snapshot: SnoSnapshot

test('flax', () => {
  expectTypeOf(flax.generate()).toEqualTypeOf<FlaxId>()
  expectTypeOf(flax.generateAt(new Date())).toEqualTypeOf<FlaxId>()
  const generator = flax.generator({
    monotonic: true,
    clock: Date.now,
    random: (bytes) => bytes.set([...bytes.keys()]),
  })
  expectTypeOf(generator.batch(3)).toEqualTypeOf<FlaxId[]>()
  // @ts-expect-error flax has no partition
  flax.generator({ partition: 1 })
  // @ts-expect-error a clock gives numbers
  flax.generator({ clock: () => new Date() })
})

test('sno', () => {
  expectTypeOf(sno.generate(7)).toEqualTypeOf<SnoId>()
  const generator = sno.generator({ partition: 7, meta: 1, sequenceMin: 0, sequenceMax: 100 })
  expectTypeOf(generator.generateAsync(1)).toEqualTypeOf<Promise<SnoId>>()
  expectTypeOf(generator.snapshot()).toEqualTypeOf<SnoSnapshot>()
  expectTypeOf(generator.partition).toBeNumber()
  sno.generator({ snapshot })
  sno.generator({
    onOverflow: ({ count, ticks }) => {
      expectTypeOf(count).toBeNumber()
      expectTypeOf(ticks).toBeNumber()
    },
  })
  // @ts-expect-error a shard has both bounds
  sno.generator({ backfill: { sequenceMin: 0 } })
  // @ts-expect-error a metabyte is a number
  sno.generate('7')
})

test('flake: either id, or worker with or without datacenter', () => {
  expectTypeOf(flake.generator({ id: 7 }).generate()).toEqualTypeOf<FlakeId>()
  expectTypeOf(flake.generator({ worker: 1 }).generateAsync()).toEqualTypeOf<Promise<FlakeId>>()
  flake.generator({ datacenter: 1, worker: 2, counterMask: 1023, onOverflow: 'throw', onClockBack: 'wait' })
  // @ts-expect-error no identity at all
  flake.generator({})
  // @ts-expect-error no identity, only settings
  flake.generator({ counterMask: 1023 })
  // @ts-expect-error a datacenter alone is no identity
  flake.generator({ datacenter: 1 })
  // @ts-expect-error both forms
  flake.generator({ id: 7, worker: 1 })
  // @ts-expect-error both forms
  flake.generator({ id: 7, datacenter: 1 })
  // @ts-expect-error no options
  flake.generator()
  // @ts-expect-error there are two ways
  flake.generator({ id: 7, onOverflow: 'retry' })
  // @ts-expect-error flake has no default generator
  flake.generate
  expectTypeOf<{ id: number; worker: number }>().not.toExtend<FlakeGeneratorOptions>()
})

test('uid: a node is required; uidLocal takes none', () => {
  const generator = uid.generator({ node: 'orders@10.0.0.7' })
  expectTypeOf(generator.generate()).toEqualTypeOf<UidId>()
  expectTypeOf(uid.vclock.create(generator)).toEqualTypeOf<VectorClock>()
  uid.generator({ node: 0x03eb2731 })
  // @ts-expect-error no node
  uid.generator({})
  // @ts-expect-error no options
  uid.generator()
  // @ts-expect-error a node is a name or a number
  uid.generator({ node: 7n })
  // @ts-expect-error uid has no default generator
  uid.generate
  expectTypeOf(uidLocal.generator().generate()).toEqualTypeOf<UidLocalId>()
  // @ts-expect-error a local id has no node
  uidLocal.generator({ node: 'a@h' })
  // @ts-expect-error vector clocks need global ids
  uid.vclock.create(uidLocal.generator())
})

test('every generator is an IdGenerator of its family', () => {
  expectTypeOf(flax.generator()).toExtend<IdGenerator<FlaxId>>()
  expectTypeOf(sno.generator()).toExtend<IdGenerator<SnoId>>()
  expectTypeOf(flake.generator({ id: 1 })).toExtend<IdGenerator<FlakeId>>()
  expectTypeOf(uid.generator({ node: 1 })).toExtend<IdGenerator<UidId>>()
  expectTypeOf(uidLocal.generator()).toExtend<IdGenerator<UidLocalId>>()
  expectTypeOf(sno.generator()).not.toExtend<IdGenerator<FlaxId>>()
})
