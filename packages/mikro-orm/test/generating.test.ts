import 'reflect-metadata'
import { defineEntity, EntitySchema, p } from '@mikro-orm/core'
import { Entity, ManyToOne, PrimaryKey } from '@mikro-orm/decorators/legacy'
import { MikroORM } from '@mikro-orm/sqlite'
import { accepting, flax, prefixed, sno } from '@snoflax/core'
import { flaxId, idProperty } from '@snoflax/mikro-orm'
import { expect, onTestFinished, test } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: many shapes
type Any = any
const customerId = prefixed(flax, 'cus')
const orderId = prefixed(flax, 'ord')
const key = { id: p.integer().primary() }
const Customer = defineEntity({ name: 'Customer', properties: { id: idProperty(customerId) } })
const entity = (name: string, properties: Any, more: Any = {}): Any =>
  defineEntity({ name, properties, ...more })

async function init(entities: readonly object[]) {
  const orm = await MikroORM.init({ entities: entities as never, dbName: ':memory:' })
  onTestFinished(() => orm.close())
  return orm
}

@Entity()
class Wrong {
  @PrimaryKey(idProperty(orderId)) id!: string
  @ManyToOne(() => Customer, { ...(idProperty(customerId, { primary: false }) as Any) }) customer!: object
}

const COPY =
  /^Order\.customerId: generates ids with the prefix cus, as Customer\.id does; if it refers to Customer\.id, declare it as a relation, \(\) => p\.manyToOne\(Customer\), or as idProperty\.plain\(definition\); /
const order = (customerId: Any) => entity('Order', { id: idProperty(orderId), customerId })

test.each<[name: string, message: RegExp, entities: readonly object[]]>([
  [
    'a foreign key that is declared like the key',
    COPY,
    [Customer, order(idProperty(customerId, { primary: false }))],
  ],
  ['by a short form', COPY, [Customer, order(flaxId({ prefix: 'cus', primary: false }))]],
  [
    'keys that are kept',
    COPY,
    [Customer, order(idProperty(accepting(customerId, /[a-z]{5}/), { primary: false }))],
  ],
  [
    'the key of another table',
    /^Supplier\.id: generates ids with the prefix cus, as Customer\.id does/,
    [Customer, entity('Supplier', { id: idProperty(customerId) })],
  ],
  [
    'an EntitySchema',
    /^Supplier\.id: generates/,
    [Customer, new EntitySchema<Any>({ name: 'Supplier', properties: { id: idProperty(customerId) } })],
  ],
  [
    'a column of a relation',
    /^Order\.customerId: references Customer\.id, but is declared to generate ids, of rows that don't exist; declare it as a relation/,
    [
      entity('Customer', { id: flaxId() }),
      entity('Order', {
        id: flaxId(),
        customerId: flaxId({ primary: false }),
        customer: () => (p.manyToOne('Customer' as Any) as Any).persist(false).fieldName('customer_id'),
      }),
    ],
  ],
  ['a relation', /^Wrong\.customer: references Customer\.id, but is declared to generate/, [Customer, Wrong]],
  [
    'both columns of a key',
    /^PostTag\.tagId: generates ids, as PostTag\.postId does, and both are in one primary key; declare .*idProperty\.plain/,
    [entity('PostTag', { postId: flaxId(), tagId: flaxId() })],
  ],
  [
    'an embeddable of two entities',
    /^B\.part\.token: generates ids with the prefix tok, as A\.part\.token does/,
    (() => {
      const Part = entity('Part', { token: flaxId({ prefix: 'tok', primary: false }) }, { embeddable: true })
      const part = () => p.embedded(Part)
      return [Part, entity('A', { ...key, part }), entity('B', { ...key, part })]
    })(),
  ],
])('%s is refused at init', async (_, message, entities) => {
  const error = await MikroORM.init({ entities: entities as never, dbName: ':memory:' }).catch(
    (thrown) => thrown,
  )
  expect(error).toMatchObject({
    name: 'IdError',
    code: 'INVALID_OPTION',
    path: message.source.slice(1).split(':')[0]?.replaceAll('\\', ''),
  })
  expect(error.message).toMatch(message)
  expect(() => new MikroORM({ entities: entities as never, dbName: ':memory:' })).toThrow(message)
})

test.each<[name: string, entities: readonly object[]]>([
  [
    'bare families',
    [entity('A', { id: flaxId() }), entity('B', { id: flaxId(), token: flaxId({ primary: false }) })],
  ],
  ['a public id', [entity('A', { ...key, publicId: idProperty(customerId, { primary: false }) })]],
  [
    'ids that are not generated',
    [Customer, entity('B', { id: flaxId(), customerId: idProperty.plain(customerId) })],
  ],
  [
    'relations',
    [
      Customer,
      entity('B', { customer: () => p.oneToOne(Customer).primary(), others: () => p.manyToMany(Customer) }),
    ],
  ],
  [
    'single-table inheritance',
    (() => {
      const Animal = entity(
        'Animal',
        { id: idProperty(customerId) },
        { discriminatorColumn: 'kind', abstract: true },
      )
      const child = (name: string) =>
        entity(name, { [name]: p.string() }, { extends: Animal, discriminatorValue: name })
      return [Animal, child('Cat'), child('Dog')]
    })(),
  ],
  [
    'table-per-type inheritance',
    (() => {
      const Animal = entity(
        'Animal',
        { id: idProperty(customerId), token: flaxId({ prefix: 'tok', primary: false }) },
        { inheritance: 'tpt' },
      )
      const child = (name: string) => entity(name, { [name]: p.string() }, { extends: Animal })
      return [Animal, child('Cat'), child('Dog')]
    })(),
  ],
  [
    'one entity of an abstract base',
    (() => {
      const Base = entity('Base', { id: idProperty(customerId) }, { abstract: true })
      return [Base, entity('A', { name: p.string() }, { extends: Base })]
    })(),
  ],
  [
    'a table of one name in two schemas',
    [
      entity('A', { id: idProperty(customerId) }, { tableName: 't' }),
      entity('B', { id: idProperty(customerId) }, { tableName: 't', schema: 'other' }),
    ],
  ],
  [
    'a view',
    [
      Customer,
      entity('V', { id: idProperty(customerId) }, { view: true, expression: 'select id from customer' }),
    ],
  ],
  [
    'a row that refers to its own current version',
    (() => {
      const Doc: Any = entity('Doc', {
        id: idProperty(prefixed(flax, 'doc')),
        current: (p.integer() as Any).nullable().persist(false),
        version: () =>
          (p.manyToOne(Version) as Any)
            .joinColumns('id', 'current')
            .referencedColumnNames('doc_id', 'number')
            .ownColumns('current')
            .nullable(),
      })
      const Version: Any = entity('Version', {
        doc: () => p.manyToOne(Doc).primary(),
        number: p.integer().primary(),
      })
      return [Doc, Version]
    })(),
  ],
  [
    'other prefixes of one family',
    [entity('A', { id: flaxId({ prefix: 'a' }) }), entity('B', { id: idProperty(prefixed(sno, 'b')) })],
  ],
])('%s is not', async (_, entities) => {
  await init(entities)
})

test('an entity that is discovered later is not looked at', async () => {
  const orm = await init([Customer])
  orm.discoverEntity(entity('Supplier', { id: idProperty(customerId) }))
  expect(orm.getMetadata().getAll().size).toBe(2)
})

test('ids of a table-per-type parent are generated by its own table', async () => {
  const Animal = entity(
    'Animal',
    { id: idProperty(customerId), token: flaxId({ prefix: 'tok', primary: false }) },
    { inheritance: 'tpt' },
  )
  const Cat = entity(
    'Cat',
    { lives: p.integer(), chip: flaxId({ prefix: 'chp', primary: false }) },
    { extends: Animal },
  )
  const orm = await init([Animal, Cat])
  await orm.schema.create()
  const em = orm.em.fork()
  em.create(Cat, { lives: 9 } as Any)
  await em.flush()
  expect(await em.fork().find(Cat, {})).toMatchObject([
    {
      id: expect.stringMatching(/^cus_/),
      token: expect.stringMatching(/^tok_/),
      chip: expect.stringMatching(/^chp_/),
    },
  ])
})
