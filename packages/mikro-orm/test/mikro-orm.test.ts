import 'reflect-metadata'
import { mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as core from '@mikro-orm/core'
import { Collection, defineEntity, p } from '@mikro-orm/core'
import * as es from '@mikro-orm/decorators/es'
import { Entity, ManyToMany, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { Migrator } from '@mikro-orm/migrations'
import * as sql from '@mikro-orm/sqlite'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import {
  accepting,
  type FlaxId,
  flake,
  flax,
  type Id,
  type IdFamily,
  type IdOf,
  prefixed,
  sno,
  typeid,
  ulid,
  uuid7,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { flaxId, idProperty, snoId } from '@snoflax/mikro-orm'
import { databases, type OpenDatabase, postgres } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { ormOnServer } from './drivers.js'

const customerId = prefixed(flax, 'cus')

const Customer = defineEntity({
  name: 'Customer',
  properties: {
    id: idProperty(customerId),
    name: p.string().unique(),
    token: idProperty(uuid7, { primary: false, unique: true }),
    friends: () => p.manyToMany(Customer),
    visits: () => p.oneToMany(Visit).mappedBy('customer'),
  },
})
const Visit = defineEntity({
  name: 'Visit',
  properties: {
    id: snoId({ meta: 2 }),
    customer: () => p.manyToOne(Customer),
    traceId: idProperty.plain(typeid('trace'), {
      nullable: true,
      fieldName: 'trace',
      comment: 'from outside',
    }),
  },
})
const ENTITIES = [Customer, Visit]

const Line = defineEntity({
  name: 'Line',
  properties: {
    visit: () => p.manyToOne(Visit).primary(),
    position: p.integer().primary(),
  },
})
const Place = defineEntity({
  name: 'Place',
  embeddable: true,
  properties: { visitId: idProperty.plain(sno, { nullable: true }) },
})
const Note = defineEntity({
  name: 'Note',
  properties: {
    id: flaxId(),
    line: () => p.manyToOne(Line).nullable(),
    place: () => p.embedded(Place).nullable(),
  },
})

interface Opened {
  close(): Promise<unknown>
}
const opened: Opened[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function init(entities: readonly object[] = ENTITIES, options: object = {}): Promise<MikroORM> {
  const orm = await MikroORM.init({ entities: entities as never, dbName: ':memory:', ...options })
  opened.push(orm)
  return orm
}

async function open(entities: readonly object[] = ENTITIES) {
  const orm = await init(entities)
  await orm.schema.create()
  return { orm, em: orm.em.fork() }
}

async function ormOn(
  database: OpenDatabase,
  options: object,
  entities: readonly object[] = ENTITIES,
): Promise<MikroORM> {
  if (database.kind === 'sqlite') return init(entities, options)
  const orm = await ormOnServer(database, { entities: entities as never, ...options })
  opened.push(orm)
  return orm
}

/** The columns of a key, a relation, and a uuid7 and a typeid that are not keys, in SQL. */
const COLUMNS: Partial<Record<string, readonly string[]>> = {
  sqlite: [
    '`id` text not null primary key',
    '`customer_id` text not null',
    '`token` text not null',
    '`trace` text null',
  ],
  postgres: [
    '"id" text collate "C" not null',
    '"customer_id" text collate "C" not null',
    '"token" uuid not null',
    '"trace" text collate "C" null',
    `"visit"."trace" is 'from outside'`,
  ],
  mysql: [
    '`id` char(20) collate utf8mb4_bin not null',
    '`id` char(16) collate utf8mb4_bin not null',
    '`customer_id` char(20) collate utf8mb4_bin not null',
    '`token` char(36) collate utf8mb4_bin not null',
    "`trace` char(32) collate utf8mb4_bin null comment 'from outside'",
  ],
}

describe('the schema', () => {
  const servers = databases.filter(({ name }) => name !== 'pglite')
  // MikroORM's migrator takes globSync() from node:fs.
  const isOld = Number(process.versions.node.split('.')[0]) < 22

  test.each(servers)('of $name has no second diff, nor have migrations', async ({ open: openDatabase }) => {
    const path = mkdtempSync(fileURLToPath(new URL('.migrations-', import.meta.url)))
    const database = await openDatabase()
    opened.push(database, { close: async () => rmSync(path, { recursive: true }) })
    const migrations = { path, emit: 'cjs' as const, glob: '*.cjs', snapshot: false }
    const orm = await ormOn(database, isOld ? {} : { extensions: [Migrator], migrations })
    const sql = await orm.schema.getCreateSchemaSQL()
    for (const column of COLUMNS[database.kind] ?? []) expect(sql).toContain(column)
    await orm.schema.create()
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    if (isOld) return
    await orm.schema.drop()
    expect((await orm.migrator.create()).diff.up.join('\n')).toMatch(/customer/)
    expect(await orm.migrator.up()).toHaveLength(1)
    expect((await orm.migrator.create()).diff.up).toEqual([])
  })

  test.each(servers)('of $name has none with any definition', async ({ open: openDatabase }) => {
    const database = await openDatabase()
    opened.push(database)
    const bases = [flax, sno, uid, uidLocal, uuid7, ulid, typeid('typ')]
    const definitions = bases.flatMap((base, at) => {
      const family = base as IdFamily<string>
      return base.name === 'typ'
        ? [family]
        : [family, prefixed(family, `p${at}`), accepting(family, /[a-z]{30}/)]
    })
    const entities = definitions.flatMap((definition, at) => {
      const generator = { family: definition, generate: () => definition.min }
      const of = database.kind === 'postgres' ? { schema: at % 2 ? 'shop' : 'public' } : {}
      const Parent = defineEntity({
        name: `Parent${at}`,
        ...of,
        properties: {
          id: idProperty(definition, { generator }),
          other: idProperty.plain(definition, { unique: true }),
          plain: idProperty.plain(definition, { nullable: true, comment: "it's" }),
        },
      })
      const properties = { parent: () => p.oneToOne(Parent).primary(), friends: () => p.manyToMany(Parent) }
      return [Parent, defineEntity({ name: `Child${at}`, ...of, properties })]
    })
    const orm = await ormOn(database, {}, entities)
    await orm.schema.create()
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    expect(entities).toHaveLength(38)
  })

  test('leaves the schema of our functions, if it is ignored', async () => {
    const database = await postgres.open()
    opened.push(database)
    await database.query('CREATE SCHEMA snoflax; CREATE TABLE snoflax.leases (id integer)')
    const updateOf = async (ignoreSchema: string[]) => {
      const orm = await ormOn(database, { schemaGenerator: { ignoreSchema } })
      return orm.schema.getUpdateSchemaSQL()
    }
    expect(await updateOf([])).toContain('drop schema')
    expect(await updateOf(['snoflax'])).not.toContain('drop schema')
  })
})

describe('inserts', () => {
  test('every generated property gets an id, keys or not, in every form', async () => {
    const { em } = await open()
    const created = em.create(Customer, { name: 'created' })
    expect(customerId.is(created.id)).toBe(true)
    await em.flush()
    await em.insert(Customer, { name: 'inserted' } as never)
    const id = customerId.generate()
    const ids = await em.insertMany(Customer, [{ id, name: 'many' }, { name: 'more' }] as never)
    expect(ids).toEqual([id, expect.stringMatching(/^cus_/)])
    await em
      .qb(Customer)
      .insert({ name: 'built' } as never)
      .execute()
    await em.upsert(Customer, { name: 'upserted' } as never)
    const rows = await em.fork().find(Customer, {})
    expect(rows).toHaveLength(6)
    for (const { id, token } of rows) expect([customerId.is(id), uuid7.is(token)]).toEqual([true, true])
  })

  test('each copy of an insert has ids of its own', async () => {
    const { em } = await open()
    const insert = em
      .qb(Visit)
      .insert([{ customer: (await em.upsert(Customer, { name: 'Ada' } as never)).id }] as never)
    const copies = [insert.clone(), insert, insert.clone()]
    for (const one of copies) await one.execute()
    expect(await em.count(Visit)).toBe(3)
  })

  test('rows of which nothing is given get ids, too', async () => {
    const Empty = defineEntity({ name: 'Empty', properties: { id: flaxId() } })
    const { em } = await open([Empty])
    await em.insertMany(Empty, [{}, {}] as never)
    await em
      .qb(Empty)
      .insert({} as never)
      .execute()
    await em
      .qb(Empty)
      .insert([{}, {}] as never)
      .execute()
    expect((await em.find(Empty, {})).filter(({ id }) => flax.is(id))).toHaveLength(5)
  })

  test('rows of an entity without id columns are answered as MikroORM itself answers', async () => {
    const properties = { name: p.string().primary(), note: p.string() }
    const Note = defineEntity({ name: 'Note', properties })
    const answers: unknown[] = []
    for (const entities of [[Note], [Note, ...ENTITIES]]) {
      const { em } = await open(entities)
      answers.push(
        await em.insertMany(
          Note,
          [1, 2, 3].map((at) => ({ name: `n${at}`, note: '' })),
        ),
      )
    }
    expect(answers[1]).toEqual(answers[0])
  })

  test('an onCreate of your own is left alone', async () => {
    const traceId = { ...flaxId.plain(), onCreate: () => flax.min }
    const Trace = defineEntity({ name: 'Trace', properties: { id: flaxId(), traceId } })
    const { orm, em } = await open([Trace])
    expect(em.create(Trace, {} as never)).toMatchObject({ traceId: flax.min })
    await expect(orm.em.fork().insert(Trace, {} as never)).rejects.toThrow('NOT NULL')
  })

  test('the driver of an ORM is changed once, and no class or module of MikroORM', async () => {
    const members = (one: object) =>
      Object.entries(Object.getOwnPropertyDescriptors(one)).flatMap(([name, { value, get, set }]) => [
        name,
        value,
        get,
        set,
      ])
    const state = () =>
      [core, sql].flatMap((module) =>
        Object.values(module).flatMap((one) =>
          typeof one === 'function' ? [one, ...members(one), ...members(one.prototype ?? {})] : [one],
        ),
      )
    const before = state()
    const { orm, em } = await open()
    const { nativeInsert } = orm.driver
    await orm.schema.update()
    expect(orm.driver.nativeInsert).toBe(nativeInsert)
    await em.insert(Customer, { name: 'Ada' } as never)
    await em
      .qb(Customer)
      .insert({ name: 'Bob' } as never)
      .execute()
    await em.find(Visit, { customer: { name: 'Ada' } })
    const after = state()
    expect(before.length).toBeGreaterThan(2_000)
    expect(after.length).toBe(before.length)
    // MikroORM counts its managers in a static member.
    const isChanged = (one: unknown, at: number) => typeof one !== 'number' && !Object.is(one, before[at])
    expect(after.filter(isChanged)).toEqual([])

    const plain = await init([defineEntity({ name: 'Plain', properties: { id: p.string().primary() } })])
    expect(Object.hasOwn(plain.driver, 'nativeInsert')).toBe(false)
  })

  test('a clone within the database has no id, and fails', async () => {
    const { em } = await open()
    const { id } = await em.upsert(Customer, { name: 'Ada' } as never)
    await expect(em.fork().clone(Customer, { id })).rejects.toThrow('NOT NULL')
  })

  test('two ORMs have the same entities', async () => {
    for (const { em } of [await open(), await open()]) {
      em.create(Customer, { name: 'Ada' })
      await em.flush()
      expect(await em.fork().count(Customer)).toBe(1)
    }
  })
})

describe('checks', () => {
  const WRONG = 'nobody' as never

  const visit = { customer: customerId.generate() }

  test.each<[path: string, call: (em: SqlEntityManager) => unknown]>([
    ['Visit.traceId', (em) => em.nativeUpdate(Visit, {}, { traceId: WRONG })],
    ['Visit.customer', (em) => em.insert(Visit, { customer: WRONG } as never)],
    ['Visit.customer', (em) => em.insertMany(Visit, [visit, { customer: WRONG }] as never)],
    ['Visit.customer', (em) => em.create(Visit, { customer: WRONG } as never) && em.flush()],
    ['Customer.token', (em) => em.upsert(Customer, { name: 'Ada', token: WRONG } as never)],
    ['Customer.token', (em) => em.upsertMany(Customer, [{ name: 'Ada', token: WRONG }] as never)],
    ['Visit.traceId', (em) => em.qb(Visit).insert({ ...visit, traceId: WRONG } as never)],
    ['Visit.traceId', (em) => em.qb(Visit).update({ traceId: WRONG })],
    [
      'Customer.token',
      (em) =>
        em
          .qb(Customer)
          .insert({ name: 'Ada' } as never)
          .onConflict('name')
          .merge({ token: WRONG } as never)
          .execute(),
    ],
    ['Note.line', (em) => em.insert(Note, { line: ['nobody', 1] } as never)],
    ['Note.place.visitId', (em) => em.insert(Note, { place: { visitId: WRONG } } as never)],
    ['Note.place.visitId', (em) => em.create(Note, { place: { visitId: WRONG } } as never) && em.flush()],
  ])('%s is named: %s', async (path, call) => {
    const { em } = await open([...ENTITIES, Line, Note])
    const error = await (async () => call(em))().then(
      () => expect.fail('not refused'),
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ name: 'IdError', path, statusCode: 400 })
  })

  test('a value that is no text is refused', async () => {
    const { em } = await open()
    for (const wrong of [5, new Date(), Buffer.from(customerId.min), true, {}]) {
      const row = { name: 'Ada', id: wrong as never } as never
      await expect(em.insert(Customer, row)).rejects.toMatchObject({ code: 'INVALID_TYPE' })
    }
  })

  test('what MikroORM reads are the texts in the database', async () => {
    const { em } = await open()
    await em.execute("insert into customer (id, name, token) values ('legacy', 'Ada', '1')")
    const [read] = await em.find(Customer, {})
    expect(read).toMatchObject({ id: 'legacy', token: '1' })
  })
})

test.each<[object, string]>([
  [
    flaxId({ storage: 'binary' }),
    'Wrong.id: flax in sqlite: cannot use storage binary: MikroORM compares ids as they are stored; use text',
  ],
  [
    flaxId({ storage: 'uuid' }),
    'Wrong.id: flax in sqlite: cannot use storage uuid: SQLite has no uuid type; use text',
  ],
  [
    idProperty(flake, { generator: flake.generator({ id: 1 }), storage: 'binary' }),
    'MikroORM compares ids as they are stored; use another family',
  ],
])('storages that convert are refused, with the reason (%#)', async (id, message) => {
  const wrong = init([defineEntity({ name: 'Wrong', properties: { id } as never })])
  const path = 'Wrong.id'
  await expect(wrong).rejects.toMatchObject({
    code: 'STORAGE_REFUSED',
    path,
    message: expect.stringContaining(message),
  })
})

describe('decorators', () => {
  @Entity()
  class Tag {
    @PrimaryKey(flaxId()) id!: FlaxId
    @Property({ type: 'string' }) label!: string
  }

  @Entity()
  class Post {
    @PrimaryKey(flaxId({ prefix: 'pst' })) id!: Id<'pst'>
    @Property({ ...snoId.plain({ nullable: true }), lazy: true }) traceId?: IdOf<FlaxId, 'Post'> | null
    @ManyToOne(() => Post, { nullable: true }) answerTo?: Post
    @ManyToMany(() => Tag) tags = new Collection<Tag>(this)
    get createdAt(): Date {
      return prefixed(flax, 'pst').time(this.id)
    }
  }

  test('with experimental decorators', async () => {
    const { em } = await open([Post, Tag])
    const first = em.create(Post, {} as never)
    em.create(Post, { answerTo: first, tags: [{ label: 'new' }] } as never)
    await em.flush()
    const [answer] = await em
      .fork()
      .find(Post, { answerTo: { $ne: null } }, { populate: ['answerTo', 'tags'] })
    expect(answer?.answerTo?.id).toBe(first.id)
    expect(answer?.tags.getItems().map(({ id }) => flax.is(id))).toEqual([true])
    expect(answer?.createdAt.getTime()).toBeGreaterThan(Date.now() - 60_000)
  })

  test('with the decorators of ECMAScript', () => {
    const { primary, type } = flaxId({ prefix: 'pst' }) as unknown as { primary: boolean; type: object }
    expect([primary, type]).toEqual([true, expect.anything()])
    expect(es.PrimaryKey(flaxId())).toEqual(expect.any(Function))
  })
})
