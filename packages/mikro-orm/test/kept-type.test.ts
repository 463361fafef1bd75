import { defineEntity, p } from '@mikro-orm/core'
import { Entity, ManyToOne, PrimaryKey } from '@mikro-orm/decorators/legacy'
import { MikroORM } from '@mikro-orm/sqlite'
import { flax, opaque, prefixed } from '@snoflax/core'
import { idProperty } from '@snoflax/mikro-orm'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, describe, expect, test } from 'vitest'
import { ormOnServer } from './drivers.js'

let count = 0
const orgId = opaque('org', {
  pattern: /org_\d{4}/,
  generate: () => `org_${String(++count).padStart(4, '0')}`,
})
const noteId = opaque('note', {
  pattern: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  generate: () => crypto.randomUUID(),
})

/** The entities of an application, with these keys. */
const entities = (org: object, note: object) => {
  const Org = defineEntity({
    name: 'Org',
    properties: { id: org as ReturnType<typeof idProperty<string>>, name: p.string() },
  })
  const Note = defineEntity({
    name: 'Note',
    properties: {
      id: note as ReturnType<typeof idProperty<string>>,
      org: () => p.manyToOne(Org),
      parent: () => p.manyToOne(Note).nullable(),
      readers: () => p.manyToMany(Org),
    },
  })
  return [Org, Note] as const
}

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

async function open(database: OpenDatabase, own: readonly unknown[]): Promise<MikroORM> {
  const orm =
    database.kind === 'sqlite'
      ? await MikroORM.init({
          entities: own as never,
          dbName: (database as { file?: string }).file ?? ':memory:',
        })
      : await ormOnServer(database, { entities: own })
  closing.push(() => orm.close())
  return orm
}

describe.each([sqlite, postgres, mysql].filter((kind) => kind.selected()))('$name', (kind) => {
  test('a kept type has an empty second diff, and the ids are checked', async () => {
    const database = await kind.open()
    closing.push(() => database.close())
    const length = { type: 'string', columnType: 'varchar(40)', primary: true }
    const before = await open(database, entities(length, { ...length, columnType: 'varchar(36)' }))
    await before.schema.create()
    const [Org, Note] = entities(
      idProperty(orgId, { columnType: 'varchar(40)' }),
      idProperty(noteId, { columnType: 'varchar(36)', onMismatch: 'notFound' }),
    )
    const orm = await open(database, [Org, Note])
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    const em = orm.em.fork()
    const org = em.create(Org, { name: 'Ada' })
    const parent = em.create(Note, { org, readers: [org] })
    const note = em.create(Note, { org, parent })
    await em.flush()
    expect(orgId.is(org.id)).toBe(true)
    const found = await orm.em.fork().find(Note, {}, { populate: ['readers'] })
    expect(found.map(({ id }) => id).sort()).toEqual([parent.id, note.id].sort())
    for (const { id } of found) expect(noteId.is(id)).toBe(true)
    await expect(orm.em.fork().insert(Org, { id: 'nobody', name: 'x' })).rejects.toThrow(/Org\.id/)
    await expect(orm.em.fork().insert(Note, { id: 'note-1', org: 'nobody' })).rejects.toThrow(/Note\.org/)
    await orm.em.fork().insert(Note, { id: 'note-1', org: org.id })
    expect(await orm.em.fork().count(Note, { id: 'note-1' })).toBe(1)
  })
})

test('a DEFAULT stays beside ids that the application generates', async () => {
  const Token = defineEntity({
    name: 'Token',
    properties: {
      id: { ...idProperty(noteId, { branded: false }), defaultRaw: 'gen_random_uuid()' },
      name: p.string(),
    },
  })
  const database = await postgres.open()
  closing.push(() => database.close())
  const orm = await open(database, [Token])
  await orm.schema.create()
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
  const em = orm.em.fork()
  const token = em.create(Token, { name: 'Ada' })
  await em.flush()
  const id: string = token.id
  expect(await em.fork().findOne(Token, id)).toMatchObject({ id, name: 'Ada' })
  await em.execute("insert into token (name) values ('Bob')")
  expect(noteId.is((await em.fork().findOneOrFail(Token, { name: 'Bob' })).id)).toBe(true)
})

test('relations follow a key that takes any text', async () => {
  @Entity()
  class Shop {
    @PrimaryKey(idProperty(orgId, { columnType: 'varchar(40)', onMismatch: 'notFound', branded: false }))
    id!: string
  }
  @Entity()
  class Sale {
    @PrimaryKey(idProperty(prefixed(flax, 'sale'), { branded: false })) id!: string
    @ManyToOne(() => Shop) shop!: Shop
  }
  const database = await sqlite.open()
  closing.push(() => database.close())
  const orm = await open(database, [Shop, Sale])
  await orm.schema.create()
  const em = orm.em.fork()
  await em.insert(Shop, { id: 'shop-1' })
  await em.insert(Sale, { shop: 'shop-1' })
  const [sale] = await em.fork().find(Sale, { shop: 'shop-1' }, { populate: ['shop'] })
  expect(sale?.shop.id).toBe('shop-1')
  await expect(em.insert(Sale, { id: 'sale-1', shop: 'shop-1' })).rejects.toThrow(/Sale\.id/)
})

test("what such a column can't be is refused", async () => {
  expect(() => idProperty(flax, { columnType: 'varchar(16)' })).toThrow(/columnType is for ids of opaque\(\)/)
  const database = await postgres.open()
  closing.push(() => database.close())
  const [Org] = entities(idProperty(noteId, { onMismatch: 'notFound' }), idProperty(orgId))
  await expect(open(database, [Org])).rejects.toThrow(
    /Org\.id: note: onMismatch 'notFound' needs storage text/,
  )
})
