import { type FlaxId, flax, type Id, type Uuid7 } from '@snoflax/core'
import * as light from '@snoflax/core/light'
import { expectTypeOf, test } from 'vitest'

test('ids have the types of the whole families', () => {
  expectTypeOf(light.flax.generate()).toEqualTypeOf<FlaxId>()
  expectTypeOf(light.uuid7.parse('')).toEqualTypeOf<Uuid7>()
  expectTypeOf(light.prefixed(light.flax, 'cus').generate()).toEqualTypeOf<Id<'cus'>>()
  expectTypeOf(light.typeid('user').parse('')).toEqualTypeOf<Id<'user'>>()
  const id: Id<'flax', 'customer'> = light.flax.generate()
  expectTypeOf(flax.time(id)).toEqualTypeOf<Date>()
})
