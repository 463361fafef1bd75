import { flax, prefixed, sno, uuid7 } from '@snoflax/core'
import { find } from '@snoflax/drizzle/sqlite-core'
import { type Finder, testFind } from '@snoflax/test/contract'
import { getTableName } from 'drizzle-orm'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { dialects } from './dialects.js'

const customerId = prefixed(flax, 'cus')
const rowId = prefixed(flax, 'row')

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

test.each(dialects)('find() finds rows by every key, however it is declared, $name', async (dialect) => {
  const { table, core, ids } = dialect
  const { primaryKey, unique, uniqueIndex, index, integer } = core
  const database = await dialect.open()
  onTestFinished(() => database.close())
  const db = dialect.over(database)
  let tables = 0
  const made = (
    extra: (of: { n: never; id: never }) => object[],
    column: 'generated' | 'plain' | 'unique' | 'primary' = 'plain',
    number = integer(),
  ) => {
    const id = column === 'generated' ? ids.flaxId({ prefix: 'row' }) : ids.flaxId.plain({ prefix: 'row' })
    const key = column === 'unique' ? id.unique() : column === 'primary' ? id.primaryKey() : id
    return table(`t${tables++}`, { n: number, id: key.notNull() }, extra as never)
  }
  const found = {
    'composite primary key': made(({ n, id }) => [primaryKey({ columns: [n, id] })], 'generated'),
    'composite primary key, id first': made(({ n, id }) => [primaryKey({ columns: [id, n] })]),
    'primary key at the table': made(({ id }) => [primaryKey({ columns: [id] } as never)]),
    'unique at the table': made(({ id }) => [unique().on(id)]),
    'unique with another column': made(({ n, id }) => [unique('with_n').on(n, id)]),
    'unique index': made(({ id }) => [uniqueIndex('one').on(id)]),
    'unique index with another column': made(({ n, id }) => [uniqueIndex('two').on(n, id)]),
    'unique column beside a numeric key': made(() => [], 'unique', integer().primaryKey() as never),
    'generated beside a numeric key': made(() => [], 'generated', integer().primaryKey() as never),
    'primary column': made(() => [], 'primary'),
  }
  for (const [name, rows] of Object.entries(found)) {
    await database.query(`create table ${getTableName(rows)} (n integer, id ${rows.id.getSQLType()})`)
    const row = { n: 1, id: rowId.generate() }
    await db.insert(rows).values(row)
    const one = { model: 'rows', column: 'id' }
    expect(await find(db, { rows }, row.id), name).toEqual({ ...one, row, also: [], hasMore: false })
    // Versions of one id, as many as are listed, and one more.
    const versions = Array.from({ length: 11 }, (_, at) => ({ ...row, n: at + 1 }))
    await db.insert(rows).values(versions.slice(1))
    const all = await find(db, { rows }, row.id)
    const found = [all?.row, ...(all?.also ?? []).map(({ row }) => row)]
    expect(found, name).toHaveLength(11)
    expect(found).toEqual(expect.arrayContaining(versions))
    await db.insert(rows).values({ ...row, n: 12 })
    const more = await find(db, { rows }, row.id)
    expect([all?.hasMore, more?.hasMore, more?.also.length], name).toEqual([false, true, 10])
  }
  const none = { index: made(({ id }) => [index('by_id').on(id)]), plain: made(() => []) }
  expect(await find(db, none, rowId.generate())).toBeNull()
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
