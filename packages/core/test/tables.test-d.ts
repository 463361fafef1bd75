import {
  type FlaxId,
  flake,
  flax,
  type Id,
  type IdFamily,
  type IdOf,
  type IdRange,
  prefixed,
  registry,
  type SnoId,
  sno,
} from '@snoflax/core'
import { uid } from '@snoflax/families'
import { expectTypeOf, test } from 'vitest'

type CustomerId = Id<'flax', 'customer'>
type ProductId = Id<'flax', 'product'>

declare const customerId: CustomerId
declare const productId: ProductId
declare const flaxId: FlaxId
declare const text: string
declare const unknownValue: unknown
declare function loadCustomer(id: CustomerId): void
declare function isCustomer(id: CustomerId): id is CustomerId

test('ids of two tables do not mix, and functions of the family accept both', () => {
  expectTypeOf<CustomerId>().toExtend<FlaxId>()
  expectTypeOf<CustomerId>().toExtend<Id>()
  expectTypeOf<CustomerId>().toExtend<string>()
  expectTypeOf<CustomerId>().not.toExtend<ProductId>()
  expectTypeOf<FlaxId>().not.toExtend<CustomerId>()
  expectTypeOf<Id<'sno', 'customer'>>().not.toExtend<CustomerId>()
  expectTypeOf<Id<'flax'>>().toEqualTypeOf<FlaxId>()
  expectTypeOf<IdOf<FlaxId, 'customer'>>().toEqualTypeOf<CustomerId>()
  expectTypeOf<IdOf<CustomerId, 'product'>>().toEqualTypeOf<ProductId>()
  expectTypeOf<IdOf<FlaxId, string>>().toEqualTypeOf<FlaxId>()
  flax.time(customerId)
  flax.compare(customerId, productId)
  flax.unpack(productId)
  loadCustomer(customerId)
  // @ts-expect-error a product is no customer
  loadCustomer(productId)
  // @ts-expect-error a flax of any table is none of customers
  loadCustomer(flaxId)
  // @ts-expect-error a text is no id before it was parsed
  loadCustomer(text)
})

test('the table of a generated or parsed id is inferred from the expected type', async () => {
  const generated: CustomerId = flax.generate()
  const parsed: CustomerId = flax.parse(unknownValue)
  const generators = { flax: flax.generator({ monotonic: true }), sno: sno.generator({ partition: 7 }) }
  const fromGenerator: CustomerId = generators.flax.generate()
  const batch: CustomerId[] = generators.flax.batch(10)
  const backfilled: CustomerId = flax.generateAt(0)
  const read: CustomerId = flax.encode(new Uint8Array(12))
  const order: Id<'sno', 'order'> = await generators.sno.generateAsync(3)
  const row: { id: ProductId; parentId: ProductId | null } = {
    id: flax.generate(),
    parentId: flax.parse(text),
  }
  loadCustomer(flax.generate())
  loadCustomer(flax.parse(text))
  // @ts-expect-error a sno is no flax, whatever its table
  loadCustomer(sno.generate())
  expectTypeOf([generated, parsed, fromGenerator, backfilled, read, ...batch]).toEqualTypeOf<CustomerId[]>()
  expectTypeOf([order.length, row.id.length]).toEqualTypeOf<number[]>()
})

test('the table of an id can be passed as a type argument', () => {
  expectTypeOf(flax.generate<'customer'>()).toEqualTypeOf<CustomerId>()
  expectTypeOf(flax.parse<'customer'>(text)).toEqualTypeOf<CustomerId>()
  expectTypeOf(flake.generator({ id: 1 }).generate<'tweet'>()).toEqualTypeOf<Id<'flake', 'tweet'>>()
  expectTypeOf(uid.generator({ node: 1 }).batch<'event'>(2)).toEqualTypeOf<Id<'uid', 'event'>[]>()
  expectTypeOf(flax.range<'customer'>(0, 1)).toEqualTypeOf<IdRange<CustomerId>>()
  if (flax.is<'customer'>(unknownValue)) expectTypeOf(unknownValue).toEqualTypeOf<CustomerId>()
})

test('ids without a table are of the family only', () => {
  expectTypeOf(flax.generate()).toEqualTypeOf<FlaxId>()
  expectTypeOf(flax.parse(text)).toEqualTypeOf<FlaxId>()
  expectTypeOf(flax.encode(new Uint8Array(12))).toEqualTypeOf<FlaxId>()
  expectTypeOf(flax.lowerBound(0)).toEqualTypeOf<FlaxId>()
  expectTypeOf(sno.generator().batch(3)).toEqualTypeOf<SnoId[]>()
  const isText = (value: CustomerId | 'none'): CustomerId | undefined => (flax.is(value) ? value : undefined)
  expectTypeOf(isText).returns.toEqualTypeOf<CustomerId | undefined>()
  expectTypeOf([customerId].filter(isCustomer)).toEqualTypeOf<CustomerId[]>()
})

test('bounds have the table that they are compared with', () => {
  const between = (gte: CustomerId, lt: CustomerId | undefined): void => void [gte, lt]
  between(flax.lowerBound(0), flax.upperBound(1))
  const { gte, lt } = flax.range<'customer'>(0, 1)
  between(gte, lt)
  const range: IdRange<CustomerId> = flax.range(0, 1)
  between(range.gte, range.lt)
  // @ts-expect-error bounds of products
  between(flax.lowerBound<'product'>(0), undefined)
})

/** Code that knows no family by name. */
const parseAll = <AnId extends string>(family: IdFamily<AnId>, values: readonly unknown[]): AnId[] =>
  values.map((value) => family.parse(value))

test('generic code over families accepts ids without a table', () => {
  expectTypeOf(parseAll(flax, [])).toEqualTypeOf<FlaxId[]>()
  const family = Math.random() < 0.5 ? flax : sno
  expectTypeOf(family.parse(text)).toEqualTypeOf<FlaxId | SnoId>()
})

test('ids with a prefix can have a table, too', () => {
  const cus = prefixed(flax, 'cus')
  const id: Id<'cus', 'customer'> = cus.generate()
  expectTypeOf(cus.generate()).toEqualTypeOf<Id<'cus'>>()
  expectTypeOf(cus.withoutPrefix(id)).toEqualTypeOf<CustomerId>()
  expectTypeOf(cus.withPrefix(customerId)).toEqualTypeOf<Id<'cus', 'customer'>>()
  expectTypeOf(cus.monotonic.generate<'customer'>()).toEqualTypeOf<Id<'cus', 'customer'>>()
  expectTypeOf(prefixed(sno, 'ord').generateAt<'order'>(0, 3)).toEqualTypeOf<Id<'ord', 'order'>>()
  expectTypeOf(registry({ cus, sno }).parse(text).id).toEqualTypeOf<Id<'cus'> | SnoId>()
})
