import 'reflect-metadata'
import { defineEntity, EntitySchema, p, raw } from '@mikro-orm/core'
import { Entity, ManyToOne, PrimaryKey } from '@mikro-orm/decorators/legacy'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import { accepting, type FlaxId, flax, type Id, prefixed, sno } from '@snoflax/core'
import { createdAfter, createdBefore, createdBetween, flaxId, idProperty, keyset } from '@snoflax/mikro-orm'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const noteId = prefixed(flax, 'not')
const oldKey = accepting(prefixed(flax, 'old'), /[a-z]{24}/)

const Place = defineEntity({
  name: 'Place',
  embeddable: true,
  properties: { visitId: idProperty.plain(sno, { nullable: true }) },
})
const Note = defineEntity({
  name: 'Note',
  properties: {
    id: idProperty(noteId),
    text: p.string(),
    formerId: idProperty.plain(oldKey, { nullable: true }),
    answers: () => p.manyToOne(Note).nullable(),
    place: () => p.embedded(Place).nullable(),
    pin: () => p.manyToOne(Pin).nullable(),
    tags: () => p.manyToMany(Note),
  },
})
const Pin = defineEntity({
  name: 'Pin',
  properties: { id: p.integer().primary(), note: () => p.manyToOne(Note) },
})
const Schema = new EntitySchema<{ id: FlaxId }>({ name: 'Schema', properties: { id: flaxId() } })

@Entity()
class Decorated {
  @PrimaryKey(flaxId({ prefix: 'dec' })) id!: Id<'dec'>
  @ManyToOne(() => Decorated, { nullable: true }) next?: Decorated
}

const day = (at: number) => new Date(Date.UTC(2026, 10, at))
const ids = [1, 2, 3, 4, 5].map((at) => noteId.withPrefix(flax.generateAt(day(at).getTime())))
const visits = [1, 2, 3, 4, 5].map((at) => sno.generateAt(day(at).getTime()))
const entities = [Note, Pin, Schema, Decorated]

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  let em: SqlEntityManager
  let close: () => Promise<unknown>
  beforeAll(async () => {
    const database = kind === 'postgres' ? await postgres.open() : undefined
    const orm = database
      ? await PostgreSql.init({ entities, clientUrl: (database as PostgresDatabase).url })
      : await MikroORM.init({ entities, dbName: ':memory:' })
    close = async () => {
      await orm.close()
      await database?.close()
    }
    await orm.schema.create()
    em = orm.em.fork() as never
    const rows = ids.map((id, at) => ({ id, text: `${at}`, place: { visitId: visits[at] }, answers: ids[0] }))
    for (const row of rows) await em.insert(Note, row as never)
    await em.nativeUpdate(Note, { id: ids[4] as Id<'not'> }, {
      formerId: 'abcdefghijklmnopqrstuvwx',
    } as never)
    await em.nativeUpdate(Note, { id: ids[3] as Id<'not'> }, { answers: ids[3] } as never)
  })
  afterAll(() => close?.())

  const textsOf = async (where: object) =>
    (await em.fork().find(Note, where as never, { orderBy: { id: 'asc' } })).map(({ text }) => text).join('')

  test('a range of a property finds its rows', async () => {
    expect(await textsOf({ answers: createdAfter(Note, 'answers', day(2)) })).toBe('3')
    expect(await textsOf({ answers: { id: createdAfter(Note, 'answers', day(2)) } })).toBe('3')
    expect(await textsOf({ place: { visitId: createdBetween(Note, 'place.visitId', day(2), day(4)) } })).toBe(
      '12',
    )
    expect(await textsOf({ formerId: createdAfter(Note, 'formerId', 0) })).toBe('')
    expect(createdAfter(Decorated, 'next', 0).$gte).toMatch(/^dec_/)
    expect(createdAfter(Schema, 'id', 0)).toEqual({ $gte: flax.min })
    expect(createdBetween(Note, 'formerId', 0, 1).$gte).toMatch(/^old_/)
  })

  const CONDITIONS: Readonly<Record<string, unknown>> = {
    undefined: undefined,
    '{}': {},
    'a property': { text: { $ne: '2' } },
    $or: { $or: [{ text: '0' }, { text: '2' }, { text: '4' }] },
    'a condition on the id': { id: { $ne: ids[1] } },
    'a relation': { answers: ids[0] },
    '[]': [],
    'an id': ids[3],
    'a list of ids': [ids[1], ids[3], ids[4]],
    'a list of conditions': [{ text: '1' }, { text: '4' }, { id: ids[2] }],
    SQL: { [raw((alias) => `${alias}.text`)]: { $ne: '0' } },
  }

  test.each(Object.entries(CONDITIONS))('pages with the condition %s are its rows', async (_, input) => {
    const where = () => input as never
    for (const order of ['asc', 'desc'] as const) {
      const all = await em.fork().findAll(Note, { where: where() ?? {}, orderBy: { id: order } })
      for (const take of [1, 2, 5]) {
        const found: string[] = []
        for (let after: Id<'not'> | undefined; found.length <= all.length; ) {
          const rows = await em.fork().findAll(Note, keyset(Note, { after, take, order, where: where() }))
          found.push(...rows.map(({ id }) => id))
          after = rows.at(-1)?.id
          if (rows.length < take) break
        }
        expect(found).toEqual(all.map(({ id }) => id))
      }
    }
  })

  test('a page by another property', async () => {
    const rows = await em
      .fork()
      .findAll(Note, keyset(Note, { field: 'answers', take: 9, after: ids[1] as Id<'not'> }))
    expect(rows.map(({ text }) => text)).toEqual(['3'])
  })

  test('another key that the property accepts is a cursor', async () => {
    const page = keyset(Note, { field: 'formerId', take: 1, after: 'abcdefghijklmnopqrstuvwa' })
    expect(await em.fork().findAll(Note, page)).toMatchObject([{ text: '4' }])
  })

  test.each<[message: string, call: () => unknown]>([
    [
      "createdAfter(Order, 'id', time)",
      () => createdAfter(flax as never, day(1) as never, undefined as never),
    ],
    [
      "createdBetween(Order, 'id', from, to)",
      () => createdBetween(sno as never, day(1) as never, day(2), undefined as never),
    ],
    ["createdBefore(Order, 'id', time)", () => createdBefore('id' as never, Note as never, day(1))],
    ["createdAfter(Order, 'id', time)", () => createdAfter(Note, day(1) as never, 'id' as never)],
    ["createdAfter(Order, 'id', time)", () => createdAfter(undefined as never, 'id' as never, 0)],
    ['Note has no property idd', () => createdAfter(Note, 'idd' as never, 0)],
    ["Note.text isn't an id property", () => createdAfter(Note, 'text', 0)],
    ["Note.tags isn't an id property", () => createdAfter(Note, 'tags' as never, 0)],
    ["Note.pin isn't an id property", () => createdAfter(Note, 'pin' as never, 0)],
    ['Note.id: ', () => createdBetween(Note, 'id', day(2), day(1))],
    ['Note.id: ', () => createdAfter(Note, 'id', undefined as never)],
    ['keyset(Order, { take: 20 })', () => keyset({ take: 20 } as never, undefined as never)],
    ["Note.text isn't an id property", () => keyset(Note, { take: 1, field: 'text' })],
    ['take must be a positive integer', () => keyset(Note, {} as never)],
  ])('is refused with %s (%#)', (message, call) => {
    expect(call).toThrow(
      expect.objectContaining({ name: 'IdError', message: expect.stringContaining(message) }),
    )
  })
})

test('before init, ids of a schema are known, and relations are not', () => {
  const Early = defineEntity({
    name: 'Early',
    properties: { id: idProperty(noteId), next: () => p.manyToOne(Note) },
  })
  expect(createdAfter(Early, 'id', 0)).toEqual({ $gte: noteId.min })
  expect(() => createdAfter(Early, 'next', 0)).toThrow(
    "Early.next isn't an id property, or not before MikroORM.init()",
  )
  const schema = new EntitySchema<{ id: FlaxId }>({ name: 'Early', properties: { id: flaxId() } })
  expect(keyset(schema, { take: 1 })).toEqual({ where: {}, orderBy: { id: 'asc' }, limit: 1 })
  class Unknown {
    id!: FlaxId
  }
  expect(() => createdAfter(Unknown, 'id', 0)).toThrow('pass an entity of MikroORM.init()')
})
