import { flax, prefixed, sno, uuid7 } from '@snoflax/core'
import { find } from '@snoflax/drizzle/sqlite-core'
import { type Finder, testFind } from '@snoflax/test/contract'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { dialects } from './dialects.js'

const customerId = prefixed(flax, 'cus')

// Forms of keys are among the features of the contract.
test.each(dialects)('find() takes all exports of a schema, and types the row, $name', async (dialect) => {
  const { table, ids } = dialect
  const customers = table('customers', { id: ids.flaxId({ prefix: 'cus' }).primaryKey() })
  const orders = table('orders', { key: ids.snoId('id', { storage: 'binary' }).primaryKey() })
  const schema = { customers, orders, other: 1 }
  const database = await dialect.open()
  onTestFinished(() => database.close())
  await database.query(`create table customers (id ${customers.id.getSQLType()} primary key)`)
  await database.query(`create table orders (id ${orders.key.getSQLType()} primary key)`)
  const db = dialect.over(database)
  const order = { key: sno.generate() }
  await db.insert(orders).values(order)
  const found = await find(db, schema, order.key)
  expect(found).toEqual({ model: 'orders', column: 'key', row: order, also: [], hasMore: false })
  expectTypeOf(found?.model).toEqualTypeOf<'orders' | undefined>()
  expect(await find(db, schema, customerId.generate())).toBeNull()
  expect(await find(db, schema, `inv_${flax.generate()}`)).toBeNull()
  await expect(find(db, schema, 'cus_Kpcan0M1FakODT4')).rejects.toThrow('cus')
})

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
