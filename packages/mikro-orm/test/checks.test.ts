import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/sqlite'
import { flax, prefixed, sno, uuid7 } from '@snoflax/core'
import { flaxId, idProperty, snoId } from '@snoflax/mikro-orm'
import { databases, mysql, type OpenDatabase } from '@snoflax/test'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ormOnServer } from './drivers.js'

const customerId = prefixed(flax, 'cus')

/** Entities share the declaration. */
const shared = { id: flaxId({ check: true }) }

const Place = defineEntity({
  name: 'Place',
  embeddable: true,
  properties: { visitId: snoId.plain({ nullable: true, check: true }) },
})

function entitiesIn(schema: string | undefined) {
  const of = schema === undefined ? {} : { schema }
  const Customer = defineEntity({
    name: 'Customer',
    ...of,
    properties: { id: idProperty(customerId, { check: true }), note: p.string().nullable() },
  })
  const Supplier = defineEntity({ name: 'Supplier', ...of, properties: shared })
  const Animal = defineEntity({
    name: 'Animal',
    discriminatorColumn: 'kind',
    properties: {
      ...shared,
      owner: () => p.manyToOne(Customer).nullable(),
      friends: () => p.manyToMany(Customer),
      token: idProperty.plain(uuid7, { nullable: true, check: true }),
      place: () => p.embedded(Place).nullable(),
      places: () => p.embedded(Place).array().nullable(),
    },
  })
  const Dog = defineEntity({
    name: 'Dog',
    extends: Animal,
    discriminatorValue: 'dog',
    properties: {
      seller: flaxId.plain({ prefix: 'cus', nullable: true, check: true, fieldName: 'sold "by"' }),
    },
  })
  return [Customer, Supplier, Animal, Dog, Place]
}

async function ormOn(database: OpenDatabase, entities: readonly object[]): Promise<MikroORM> {
  const options = { entities: entities as never }
  const orm =
    database.kind === 'sqlite'
      ? await MikroORM.init({ ...options, dbName: ':memory:' })
      : await ormOnServer(database, options)
  onTestFinished(() => orm.close())
  return orm
}

const quoted = (text: string) => `'${text}'`
const blob = (text: string) => `x'${Buffer.from(text).toString('hex')}'`

/** MySQL gives texts in a CHECK back with escapes, which MikroORM doesn't read: it repeats its own such CHECKs, too. */
const REPEATED = /^alter table `\w+` (?:drop|add) constraint `.*_check`(?: check \(.*'.*)?;\n/gm

describe.each(databases.filter(({ name }) => name !== 'pglite'))('check: true in $name', (kind) => {
  test('refuses what other programs write, and has no second diff', async () => {
    const database = await kind.open()
    onTestFinished(() => database.close())
    const isSqlite = database.kind === 'sqlite'
    const orm = await ormOn(database, entitiesIn(database.kind === 'postgres' ? 'shop' : undefined))
    const create = await orm.schema.getCreateSchemaSQL()
    expect(create.match(/length\(/g)).toHaveLength(isSqlite || database.kind === 'mysql' ? 6 : 5)
    await orm.schema.create()
    const isMysql = database.kind === 'mysql' && !database.label.startsWith('MariaDB')
    const update = await orm.schema.getUpdateSchemaSQL()
    expect(isMysql ? update.replace(REPEATED, '').trim() : update).toBe(isMysql ? 'set names utf8mb4;' : '')

    const cus = customerId.generate()
    const wrong = [prefixed(flax, 'ord').generate(), cus.slice(0, -1)].map(quoted)
    const blobs = isSqlite ? [blob(cus)] : []
    const id = flax.generate()
    const cases: [entity: string, property: string, right: string, wrong: string[]][] = [
      ['Customer', 'id', quoted(cus), [...wrong, ...blobs]],
      ['Supplier', 'id', quoted(id), [quoted(id.slice(1)), ...(isSqlite ? [blob(id)] : [])]],
      ['Animal', 'id', quoted(id), [quoted(id.slice(1)), ...(isSqlite ? [blob(id)] : [])]],
      ['Animal', 'place_visitId', quoted(sno.generate()), [quoted('short')]],
      ['Animal', 'token', quoted(uuid7.generate()), isSqlite ? [quoted(id), blob(uuid7.generate())] : []],
      ['Dog', 'seller', quoted(cus), [...wrong, ...blobs]],
    ]
    const em = orm.em.fork()
    for (const name of ['Customer', 'Supplier', 'Dog']) em.create(name as never, {} as never)
    await em.flush()
    for (const [entity, property, right, refused] of cases) {
      const meta = [...orm.getMetadata().getAll().values()].find(({ className }) => className === entity)
      const [field = ''] = meta?.properties[property as never]?.fieldNames ?? []
      const { platform } = orm.em.getDriver() as unknown as {
        platform: { quoteIdentifier(id: string): string }
      }
      const [table, column] = [[meta?.schema, meta?.tableName].filter(Boolean).join('.'), field].map((name) =>
        platform.quoteIdentifier(name),
      )
      const write = (value: string) => em.execute(`UPDATE ${table} SET ${column} = ${value}`)
      for (const value of refused) {
        await expect(write(value), `${entity}.${property} = ${value}`).rejects.toThrow(/constraint/i)
      }
      await write(right)
    }
  })
})

test('is added to tables that are there, and dropped', async () => {
  const define = (check: boolean) => defineEntity({ name: 'Thing', properties: { id: flaxId({ check }) } })
  let Thing = define(false)
  const orm = await MikroORM.init({ entities: [Thing], dbName: ':memory:' })
  onTestFinished(() => orm.close())
  await orm.schema.create()
  const connection = orm.em.getConnection()
  for (const check of [true, false]) {
    const before = Thing
    Thing = define(check)
    orm.discoverEntity(Thing, before)
    await orm.schema.update()
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    const insert = connection.execute("INSERT INTO thing (id) VALUES ('short')")
    if (check) await expect(insert).rejects.toThrow(/constraint/i)
    else await insert
  }
})

test('each table of a hierarchy has one of its key', async () => {
  const properties = { id: flaxId({ check: true }), token: idProperty.plain(uuid7, { check: true }) }
  const Person = defineEntity({ name: 'Person', inheritance: 'tpt', properties })
  const Worker = defineEntity({ name: 'Worker', extends: Person, properties: { badge: p.string() } })
  const orm = await MikroORM.init({ entities: [Person, Worker], dbName: ':memory:' })
  onTestFinished(() => orm.close())
  const create = await orm.schema.getCreateSchemaSQL()
  expect(create.match(/\w+_check(?=` check)/g)).toEqual([
    'person_id_check',
    'person_token_check',
    'worker_id_check',
  ])
  await orm.schema.create()
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
})

test.each([
  [
    { ...flaxId.plain({ check: true }), array: true },
    "flax: check: true can't check arrays; leave check out",
  ],
])('what it can not say is refused', async (other, message) => {
  const Thing = defineEntity({ name: 'Thing', properties: { id: flaxId(), other: other as never } })
  await expect(MikroORM.init({ entities: [Thing], dbName: ':memory:' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    path: 'Thing.other',
    message: expect.stringContaining(`Thing.other: ${message}`),
  })
})

test.runIf(mysql.selected())("MikroORM repeats a CHECK with a text in MySQL, which isn't ours", async () => {
  const database = await mysql.open()
  onTestFinished(() => database.close())
  const Plain = defineEntity({
    name: 'Plain',
    checks: [{ name: 'plain_check', expression: "name <> 'x'" }],
    properties: { n: p.integer().primary(), name: p.string() },
  })
  const orm = await ormOn(database, [Plain])
  await orm.schema.create()
  const isMariaDb = database.label.startsWith('MariaDB')
  expect((await orm.schema.getUpdateSchemaSQL()) === '').toBe(isMariaDb)
})
