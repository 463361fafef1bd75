import { Collection, defineEntity, EntitySchema, type InferEntity, p } from '@mikro-orm/core'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import { type FlaxId, flax, type Id, type IdOf, prefixed, type SnoId, type Uuid7, uuid7 } from '@snoflax/core'
import { createdAfter, createdBetween, find, flaxId, idProperty, keyset, snoId } from '@snoflax/mikro-orm'
import { expectTypeOf, test } from 'vitest'

const Customer = defineEntity({
  name: 'Customer',
  properties: {
    id: idProperty(prefixed(flax, 'cus')),
    formerId: idProperty.plain(prefixed(flax, 'cus'), { nullable: true }),
    name: p.string(),
    visits: () => p.oneToMany(Visit).mappedBy('customer'),
  },
})
const Visit = defineEntity({
  name: 'Visit',
  properties: {
    id: flaxId<'Visit'>(),
    token: idProperty(uuid7, { primary: false }),
    traceId: snoId.plain({ nullable: true }),
    customer: () => p.manyToOne(Customer),
  },
})
type Customer = InferEntity<typeof Customer>
type Visit = InferEntity<typeof Visit>
declare const em: SqlEntityManager

test('ids are typed by prefix, by entity and by family', () => {
  expectTypeOf<Customer['id']>().toExtend<Id<'cus'>>()
  expectTypeOf<Visit['id']>().toExtend<IdOf<FlaxId, 'Visit'>>()
  expectTypeOf<Visit['token']>().toExtend<Uuid7>()
  expectTypeOf<SnoId | null | undefined>().toExtend<Visit['traceId']>()
  // @ts-expect-error: of another entity
  expectTypeOf<Customer['id']>().toExtend<Visit['id']>()
})

test('a short form is the same', () => {
  expectTypeOf(flaxId({ prefix: 'cus' })).toEqualTypeOf(idProperty(prefixed(flax, 'cus'), {}))
})

test('generated ids are optional in new rows, and others are not accepted', async () => {
  const ada = em.create(Customer, { name: 'Ada' })
  em.create(Visit, { customer: ada })
  em.create(Customer, { id: prefixed(flax, 'cus').generate(), name: 'Ada' })
  // @ts-expect-error: no name
  em.create(Customer, {})
  // @ts-expect-error: without the prefix
  em.create(Customer, { id: flax.generate(), name: 'Ada' })
})

test('conditions take ids of the property', () => {
  const id = prefixed(flax, 'cus').generate()
  em.find(Customer, { id })
  em.find(Visit, { customer: id })
  em.find(Customer, { id: createdBetween(Customer, 'id', 0, 1) })
  em.find(Visit, { id: createdBetween(Visit, 'id', 0, 1), customer: createdBetween(Visit, 'customer', 0, 1) })
  em.find(Visit, { customer: createdBetween(Customer, 'id', 0, 1) })
  // @ts-expect-error: a text that nobody checked
  em.find(Customer, { id: 'cus_Kpcan0M1FakODT4k' })
  // @ts-expect-error: a range of another entity
  em.find(Customer, { id: createdBetween(Visit, 'id', 0, 1) })
  // @ts-expect-error: a family has no column
  em.nativeDelete(Customer, { id: createdAfter(flax, 0) })
  // @ts-expect-error: no id
  createdBetween(Customer, 'visits', 0, 1)
  // @ts-expect-error: no property
  createdBetween(Customer, 'idd', 0, 1)
})

test('pages take ids of their entity', () => {
  const id = prefixed(flax, 'cus').generate()
  em.findAll(Customer, keyset(Customer, { take: 2, after: id, where: { name: 'Ada' } }))
  // @ts-expect-error: of another family
  keyset(Customer, { take: 2, after: flax.generate() })
})

test('find() knows the entities of the manager, by prefix', async () => {
  const orm = await MikroORM.init({ entities: [Customer, Visit] })
  const found = await find(orm.em.fork(), prefixed(flax, 'cus').generate())
  expectTypeOf(found?.model).toEqualTypeOf<'Customer' | undefined>()
  expectTypeOf(found?.row.name).toEqualTypeOf<string | undefined>()
  const visit = await find(orm.em, uuid7.generate())
  expectTypeOf(visit?.model).toEqualTypeOf<'Visit' | undefined>()
  const any = await find(orm.em, 'text' as string)
  expectTypeOf(any?.model).toEqualTypeOf<'Customer' | 'Visit' | undefined>()
  if (any?.model === 'Customer') expectTypeOf(any.row.name).toEqualTypeOf<string>()
})

test('keys that are kept are typed by what the property accepts', () => {
  const Kept = defineEntity({
    name: 'Kept',
    properties: {
      id: flaxId({ prefix: 'cus', accept: uuid7 }),
      pattern: idProperty.plain(flax, { accept: /x/ }),
      text: flaxId.plain({ prefix: 'cus', branded: false, nullable: true }),
      other: () => p.manyToOne(Plain),
    },
  })
  const Plain = defineEntity({ name: 'Plain', properties: { id: idProperty(flax, { branded: false }) } })
  type Kept = InferEntity<typeof Kept>
  expectTypeOf<Id<'cus'> | Uuid7>().toExtend<Kept['id']>()
  expectTypeOf<Kept['id']>().toExtend<Id<'cus'> | Uuid7>()
  expectTypeOf<string>().toExtend<Kept['pattern']>()
  expectTypeOf<string | null | undefined>().toExtend<Kept['text']>()
  em.find(Kept, { other: 'user-1' })
  em.find(Kept, { id: createdBetween(Kept, 'id', 0, 1), text: createdBetween(Kept, 'text', 0, 1) })
  // @ts-expect-error: of another prefix
  em.find(Kept, { id: prefixed(flax, 'ord').generate() })
})

test('options that are not there do not compile', () => {
  // @ts-expect-error: flax has no metabyte
  flaxId({ meta: 2 })
  // @ts-expect-error: misspelled
  flaxId({ storge: 'text' })
  new EntitySchema<{ id: FlaxId }>({ name: 'Plain', properties: { id: flaxId() } })
  expectTypeOf(new Collection<Visit>({})).toBeObject()
})
