import { flax, prefixed, sno, uuid7 } from '@snoflax/core'
import { find } from '@snoflax/drizzle/sqlite-core'
import { type Finder, testFind } from '@snoflax/test/contract'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { dialects } from './dialects.js'

const customerId = prefixed(flax, 'cus')

test.each(dialects)(
  'find() returns table, key and row of an id, and rows that share it, $name',
  async (dialect) => {
    const { table, ids } = dialect
    const customers = table('customers', { id: ids.flaxId({ prefix: 'cus' }).primaryKey() })
    const orders = table('orders', {
      key: ids.snoId('id', { storage: 'binary' }).primaryKey(),
      customerId: ids.idColumn.ref('customer_id', () => customers.id),
    })
    const profiles = table('profiles', { id: ids.idColumn.ref(() => customers.id).primaryKey() })
    const schema = { customers, orders, profiles, other: 1 }
    const database = await dialect.open()
    onTestFinished(() => database.close())
    const text = customers.id.getSQLType()
    await database.query(`create table customers (id ${text} primary key)`)
    await database.query(`create table profiles (id ${text} primary key)`)
    await database.query(
      `create table orders (id ${orders.key.getSQLType()} primary key, customer_id ${text})`,
    )
    const statements: string[] = []
    const db = dialect.over(database, { logger: { logQuery: (query: string) => statements.push(query) } })
    const ada = { id: customerId.generate() }
    const order = { key: sno.generate(), customerId: ada.id }
    await db.insert(customers).values(ada)
    await db.insert(orders).values(order)
    statements.length = 0
    const found = await find(db, schema, order.key)
    expect(found).toEqual({ model: 'orders', column: 'key', row: order, also: [], hasMore: false })
    expect(statements).toHaveLength(1)
    expectTypeOf(found?.model).toEqualTypeOf<'orders' | undefined>()
    await db.insert(profiles).values(ada)
    const also = [{ model: 'profiles', column: 'id', row: ada }]
    const ofAda = { model: 'customers', column: 'id', row: ada, also, hasMore: false }
    expect(await find(db, schema, ada.id)).toEqual(ofAda)
    expect(await find(db, { profiles, again: profiles, customers }, ada.id)).toEqual(ofAda)
    expect(await find(db, schema, customerId.generate())).toBeNull()
    expect(await find(db, schema, `inv_${flax.generate()}`)).toBeNull()
    await expect(find(db, schema, 'cus_Kpcan0M1FakODT4')).rejects.toThrow('cus')
  },
)

testFind(dialects, (database, tables, log) => {
  const { over, table, ids } = dialects.find(
    ({ name }) => name === database.kind,
  ) as (typeof dialects)[number]
  const schema = Object.fromEntries(
    tables.map((name) => [name, table(name, { id: ids.idColumn(uuid7).primaryKey() })] as const),
  )
  const db = over(database, { logger: { logQuery: log } })
  const finder = (on: typeof db): Finder => ({
    insert: (name, id) => on.insert(schema[name] as never).values({ id } as never),
    find: (id) => find(on, schema, id),
  })
  const transaction = (work: (finder: Finder) => Promise<void>) =>
    db.transaction((on) => work(finder(on as never)))
  return database.kind === 'sqlite' ? finder(db) : { ...finder(db), transaction }
})
