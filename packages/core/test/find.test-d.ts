import type { FlaxId, Id, Ulid } from '@snoflax/core'
import type { CanBeKey } from '@snoflax/core/adapter'
import { expectTypeOf, test } from 'vitest'

test('the prefix in the type of an id tells whose key it can be', () => {
  type Customer = Id<'cus', 'customers'>
  expectTypeOf<CanBeKey<Id<'cus'>, Customer>>().toEqualTypeOf<true>()
  expectTypeOf<CanBeKey<Id<'cus'>, Id<'ord'>>>().toEqualTypeOf<false>()
  expectTypeOf<CanBeKey<`cus_${string}`, Customer>>().toEqualTypeOf<true>()
  expectTypeOf<CanBeKey<'cus_Kpcan0M1FakODT4k', Id<'ord'>>>().toEqualTypeOf<false>()
  expectTypeOf<CanBeKey<string, Customer>>().toEqualTypeOf<true>()
  expectTypeOf<CanBeKey<Id, Customer>>().toEqualTypeOf<true>()
  expectTypeOf<CanBeKey<FlaxId, Ulid>>().toEqualTypeOf<false>()
  expectTypeOf<CanBeKey<Ulid, Customer | Ulid>>().toEqualTypeOf<true>()
  expectTypeOf<CanBeKey<Id<'cus'>, string>>().toEqualTypeOf<true>()
})
