import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as MariaDb } from '@mikro-orm/mariadb'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM } from '@mikro-orm/sqlite'
import { flax, type Id, type IdFamily, prefixed, sno, ulid, uuid7 } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { find, flaxId, idProperty, snoId } from '@snoflax/mikro-orm'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const customerId = prefixed(flax, 'cus')
const Customer = defineEntity({
  name: 'Customer',
  properties: {
    id: idProperty(customerId, { default: 'database' }),
    name: p.string().unique(),
    token: idProperty(uuid7, { default: 'database', primary: false }),
    orders: () => p.oneToMany(Order).mappedBy('customer'),
  },
})
const Order = defineEntity({
  name: 'Order',
  properties: {
    id: snoId({ default: 'database', meta: 9 }),
    total: p.integer(),
    customer: () => p.manyToOne(Customer),
  },
})

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  for (const schema of ['snoflax', 'ids']) {
    await install(database.pool, { schema })
    await database.query(`SELECT ${schema}.sno_set_partition(7), ${schema}.uid_set_node('test')`)
  }
})
afterAll(() => database.close())

async function connect(entities: readonly object[]) {
  const orm = await PostgreSql.init({
    entities: entities as never,
    clientUrl: database.url,
    schemaGenerator: { ignoreSchema: ['snoflax', 'ids'] },
  })
  onTestFinished(() => orm.close())
  await orm.schema.update()
  return orm
}

describe("default: 'database'", () => {
  test('entities, rows and query builders get ids of the database, which find finds', async () => {
    const orm = await connect([Customer, Order])
    const em = orm.em.fork()
    const ada = em.create(Customer, { name: 'Ada' })
    expect(ada.id).toBeUndefined()
    ada.orders.add([3, 5].map((total) => em.create(Order, { total, customer: ada })))
    await em.flush()
    expect(customerId.is(ada.id)).toBe(true)
    expect(uuid7.is(ada.token)).toBe(true)
    expect([...ada.orders].map(({ id }) => sno.meta(id))).toEqual([9, 9])

    const eve = await em.insert(Customer, { name: 'Eve' })
    const several = await em.insertMany(Customer, [{ name: 'Bob' }, { name: 'Zoe' }])
    await em.createQueryBuilder(Customer).insert({ name: 'Max' }).execute()
    const kim = await em.upsert(Customer, { name: 'Kim' })
    expect([eve, ...several, kim.id].every((id) => customerId.is(id))).toBe(true)
    const ownId = customerId.generate()
    await em.insert(Customer, { id: ownId, name: 'Amy' })
    await expect(em.insert(Customer, { id: 'wrong' as Id<'cus'>, name: 'Al' })).rejects.toMatchObject({
      path: 'Customer.id',
    })

    const rows = await orm.em.fork().findAll(Customer, { orderBy: { name: 'asc' } })
    expect(rows.map(({ name }) => name)).toEqual(['Ada', 'Amy', 'Bob', 'Eve', 'Kim', 'Max', 'Zoe'])
    expect(rows.every(({ id, token }) => customerId.is(id) && uuid7.is(token))).toBe(true)
    expect(rows[1]?.id).toBe(ownId)
    expect(await find(orm.em.fork(), ada.token)).toMatchObject({ column: 'token', row: { name: 'Ada' } })
  })

  test('a second diff is empty, whatever the family, prefix, schema and metabyte', async () => {
    const families: readonly IdFamily[] = [flax, sno, uuid7, ulid, uid]
    const all = families.flatMap((family) =>
      [undefined, `x${family.name}`].flatMap((prefix) =>
        [undefined, 'ids'].map((schema) => ({
          family,
          prefix: prefix && `${prefix}${schema ?? ''}`,
          schema,
        })),
      ),
    )
    const entities = all.map(({ family, prefix, schema }, i) =>
      defineEntity({
        name: `Made${i}`,
        properties: {
          id: idProperty(family, {
            default: 'database',
            ...(prefix && { prefix, storage: 'text' }),
            ...(schema && { schema }),
            ...(family.name === 'sno' && schema && { meta: 7 }),
          }),
          name: p.string(),
        },
      }),
    )
    const orm = await connect(entities)
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
    const em = orm.em.fork()
    const rows = entities.map((entity) => em.create(entity, { name: 'x' } as never) as { id: string })
    await em.flush()
    for (const [i, { family, prefix }] of all.entries())
      expect((prefix ? prefixed(family, prefix) : family).is(rows[i]?.id)).toBe(true)
  })

  test.each([
    [{ default: 'database', generator: flax }, "generator can't be used with default: 'database'"],
    [{ schema: 'ids' }, "schema is only for default: 'database'"],
    [{ default: 'application' }, 'default must be "database"'],
  ])('is refused as %o', (options, message) => {
    expect(() => flaxId(options as never)).toThrow(message)
  })

  test('is refused where the database generates no ids', async () => {
    const Visit = defineEntity({ name: 'Visit', properties: { id: flaxId({ default: 'database' }) } })
    await expect(MikroORM.init({ entities: [Visit], dbName: ':memory:' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Visit.id',
      message: expect.stringContaining('in sqlite let the application generate the ids'),
    })
    const options = { entities: [Visit], dbName: 'none', connect: false }
    await expect(MariaDb.init(options)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Visit.id',
      message: expect.stringContaining('RETURNING'),
    })
  })

  test('counts as the one column that generates the ids of a prefix', async () => {
    const Supplier = defineEntity({ name: 'Supplier', properties: { id: idProperty(customerId) } })
    await expect(connect([Customer, Order, Supplier])).rejects.toMatchObject({
      message: expect.stringContaining('generates ids with the prefix cus, as Customer.id does'),
    })
  })
})
