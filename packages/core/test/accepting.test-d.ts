import { accepting, type FlaxId, fixedId, flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { expectTypeOf, test } from 'vitest'

test('a family that accepts another one has ids of both', () => {
  const both = accepting(flax, sno)
  expectTypeOf(both.parse('x')).toEqualTypeOf<FlaxId | SnoId>()
  expectTypeOf(both.generate()).toEqualTypeOf<FlaxId>()
  expectTypeOf(both.own).toEqualTypeOf<typeof flax>()
  expectTypeOf(accepting(prefixed(flax, 'cus'), [sno, flax]).min).toEqualTypeOf<Id<'cus'> | SnoId | FlaxId>()
  expectTypeOf(accepting(sno, flax).meta).toEqualTypeOf(sno.meta)
})

test('with a pattern they are strings', () => {
  expectTypeOf(accepting(flax, /x/).parse('x')).toEqualTypeOf<string>()
  expectTypeOf(accepting(flax, [sno, /x/]).parse('x')).toEqualTypeOf<string>()
})

test('an id from a label has the type that is expected', () => {
  expectTypeOf(fixedId(flax, 'user-1')).toEqualTypeOf<FlaxId>()
  const typed: Id<'flax', 'customers'> = fixedId(flax, 'user-1')
  expectTypeOf(typed).toExtend<FlaxId>()
  expectTypeOf(fixedId(prefixed(flax, 'cus'), 'x')).toEqualTypeOf<Id<'cus'>>()
})
