import { flax, prefixed, sno, uuid7 } from '@snoflax/core'
import { find } from '@snoflax/drizzle/sqlite-core'
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
    expect(found).toEqual({ model: 'orders', column: 'key', row: order, also: [] })
    expect(statements).toHaveLength(1)
    expectTypeOf(found?.model).toEqualTypeOf<'orders' | undefined>()
    await db.insert(profiles).values(ada)
    const also = [{ model: 'profiles', column: 'id', row: ada }]
    expect(await find(db, schema, ada.id)).toEqual({ model: 'customers', column: 'id', row: ada, also })
    expect(await find(db, schema, customerId.generate())).toBeNull()
    expect(await find(db, schema, `inv_${flax.generate()}`)).toBeNull()
    await expect(find(db, schema, 'cus_Kpcan0M1FakODT4')).rejects.toThrow('cus')
  },
)

test.each(dialects)(
  'tables that share a family without a prefix are asked in turn, $name',
  async (dialect) => {
    const { table, ids } = dialect
    const users = table('users', { id: ids.idColumn(uuid7).primaryKey() })
    const posts = table('posts', { id: ids.idColumn(uuid7).primaryKey() })
    const database = await dialect.open()
    onTestFinished(() => database.close())
    for (const name of ['users', 'posts'])
      await database.query(`create table ${name} (id ${users.id.getSQLType()} primary key)`)
    const statements: string[] = []
    const db = dialect.over(database, { logger: { logQuery: (query: string) => statements.push(query) } })
    const post = { id: uuid7.generate() }
    await db.insert(posts).values(post)
    statements.length = 0
    const found = await find(db, { users, posts }, post.id)
    expect(found).toEqual({ model: 'posts', column: 'id', row: post, also: [] })
    expect(statements).toHaveLength(2)
    await db.insert(users).values(post)
    const also = [{ model: 'posts', column: 'id', row: post }]
    expect(await find(db, { users, posts }, post.id)).toMatchObject({ model: 'users', also })
  },
)
