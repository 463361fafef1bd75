import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/sqlite'
import { flax, prefixed, uuid7 } from '@snoflax/core'
import { find, flaxId, idProperty, snoId } from '@snoflax/mikro-orm'
import { databases, type OpenDatabase, type SqliteDatabase } from '@snoflax/test'
import { type Finder, testFind } from '@snoflax/test/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { ormOnServer } from './drivers.js'

const customerId = prefixed(flax, 'cus')
const Customer = defineEntity({
  name: 'Customer',
  properties: {
    id: idProperty(customerId),
    name: p.string().unique(),
    token: idProperty(uuid7, { primary: false, unique: true }),
  },
})
const Visit = defineEntity({
  name: 'Visit',
  properties: { id: snoId({ meta: 2 }), customer: () => p.manyToOne(Customer) },
})

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function open(entities: readonly object[] = [Customer, Visit]) {
  const orm = await MikroORM.init({ entities: entities as never, dbName: ':memory:' })
  opened.push(orm)
  await orm.schema.create()
  return { orm, em: orm.em.fork() }
}

async function ormOn(
  database: OpenDatabase,
  options: object,
  entities: readonly object[],
): Promise<MikroORM> {
  const all = { entities: entities as never, ...options }
  const orm = database.kind === 'sqlite' ? await MikroORM.init(all) : await ormOnServer(database, all)
  opened.push(orm)
  return orm
}

describe('find()', () => {
  test('finds each row of entities that share their keys, and one of those that share a table', async () => {
    const Animal = defineEntity({
      name: 'Animal',
      discriminatorColumn: 'kind',
      discriminatorMap: { dog: 'Dog' } as never,
      abstract: true,
      properties: { id: flaxId(), kind: p.string() },
    })
    const Dog = defineEntity({ name: 'Dog', extends: Animal, properties: { tag: p.string().nullable() } })
    const Chip = defineEntity({ name: 'Chip', properties: { dog: () => p.oneToOne(Dog).primary() } })
    const { em } = await open([Animal, Dog, Chip])
    const dog = em.create(Dog, {} as never)
    em.create(Chip, { dog })
    await em.flush()
    const found = await find(em.fork(), dog.id)
    expect([found?.model, found?.also.map(({ model }) => model)]).toEqual(['Animal', ['Chip']])
  })

  test('finds rows that wait for a flush, and those of the identity map', async () => {
    const shared = () => ({ id: idProperty(uuid7) })
    const Person = defineEntity({ name: 'Person', properties: shared() })
    const Account = defineEntity({ name: 'Account', properties: shared() })
    const { em } = await open([Person, Account])
    const id = uuid7.generate()
    const account = em.create(Account, { id })
    em.persist(account)
    expect(await find(em, id)).toMatchObject({ model: 'Account', row: { id } })
    await em.fork().nativeDelete(Account, { id })
    expect((await find(em, id))?.row).toBe(account)
    expect(await find(em.fork(), id)).toBeNull()
  })

  testFind(
    databases.filter(({ name }) => name !== 'pglite'),
    async (database, tables, log) => {
      const entities = tables.map((name) => defineEntity({ name, properties: { id: idProperty(uuid7) } }))
      const { em } = await ormOn(
        database,
        {
          ...(database.kind === 'sqlite' ? { dbName: (database as SqliteDatabase).file } : {}),
          onQuery: (sql: string, parameters: unknown[]) => {
            log(em.getPlatform().formatQuery(sql, parameters))
            return sql
          },
        },
        entities,
      )
      await em.getConnection().execute('select 1')
      const finder = (on: typeof em): Finder => ({
        insert: (name, id) => on.insert(entities[tables.indexOf(name)] as never, { id } as never),
        find: (id) => find(on.fork({ keepTransactionContext: true }), id) as never,
      })
      return {
        ...finder(em.fork()),
        transaction: (work) => em.fork().transactional((on) => work(finder(on))),
      }
    },
  )
})
