import {
  type DatabaseValue,
  type FlaxId,
  flake,
  flax,
  type IdStorage,
  type SnoId,
  sno,
  storageFor,
} from '@snoflax/core'
import { expectTypeOf, test } from 'vitest'

declare const fromDriver: unknown

test('a storage keeps the id type of its family', () => {
  expectTypeOf(storageFor(flax, 'postgres')).toEqualTypeOf<IdStorage<FlaxId>>()
  expectTypeOf(storageFor(sno, 'sqlite', { storage: 'text' })).toEqualTypeOf<IdStorage<SnoId>>()
  expectTypeOf(storageFor(flake, 'sqlite', { storage: 'bigint', exactBigint: true }).family.name).toBeString()
  // @ts-expect-error no such database
  storageFor(flax, 'oracle')
  // @ts-expect-error no such storage
  storageFor(flax, 'postgres', { storage: 'hex' })
})

test('values come out as ids, null as null', () => {
  const storage = storageFor(flax, 'postgres')
  expectTypeOf(storage.fromDatabase(fromDriver)).toEqualTypeOf<FlaxId>()
  expectTypeOf(storage.fromDatabase(null)).toEqualTypeOf<null>()
  expectTypeOf(storage.fromDatabase(undefined)).toEqualTypeOf<null>()
  expectTypeOf(storage.toDatabase('x')).toEqualTypeOf<DatabaseValue>()
  expectTypeOf(storage.toDatabase(null)).toEqualTypeOf<null>()
  expectTypeOf<DatabaseValue>().toEqualTypeOf<string | Uint8Array | bigint>()
})
