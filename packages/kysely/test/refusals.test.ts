import { flax, prefixed } from '@snoflax/core'
import { asText, createdAt, createdBetween, flaxId, idColumn, idPlugin, keyset, snoId } from '@snoflax/kysely'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { CamelCasePlugin, Kysely, type RawBuilder, SqliteDialect, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dialectFor } from './contract/session.js'
import { type CustomerId, type OpenShop, type OrderId, openShop } from './shop.js'

// What would be wrong rows, no rows, bytes or lost keys without an error. Ids are bytes here, so text finds nothing.

let database: SqliteDatabase
let shop: OpenShop
let ada: CustomerId
let order: OrderId
const db = () => shop.db

beforeAll(async () => {
  database = await sqlite.open()
  shop = await openShop(database, 'binary')
  const row = await db()
    .selectFrom('customers')
    .innerJoin('orders', 'orders.customer_id', 'customers.id')
    .select(['customers.id', 'orders.id as order'])
    .where('name', '=', 'Ada')
    .orderBy('total')
    .executeTakeFirstOrThrow()
  ada = row.id
  order = row.order
})
afterAll(() => database?.close())

/** Runs the query, which must fail with an IdError that says this. */
async function refused(run: () => Promise<unknown>, message: RegExp): Promise<void> {
  const error = await Promise.resolve()
    .then(run)
    .then(
      (rows) => expect.fail(`answered ${JSON.stringify(rows)}`),
      (cause: unknown) => cause as Error,
    )
  expect(error.message).toMatch(message)
  expect(error).toMatchObject({ name: 'IdError' })
}

// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse
type Any = any
const any = (): Kysely<Any> => db() as unknown as Kysely<Any>
const renaming = (): Kysely<Any> => any().withPlugin(new CamelCasePlugin())

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'an id in the text, beside a column',
    () =>
      db()
        .selectFrom('customers')
        .select('name')
        .where('id', '=', sql.raw<CustomerId>(`'${ada}'`))
        .execute(),
    /^customers\.id: the id .* stands beside no column/,
  ],
  [
    'an id in the text of a literal',
    () =>
      db()
        .selectFrom('customers')
        .select('name')
        .where(sql<boolean>`${sql.ref('id')} = ${sql.lit(ada)}${sql.raw(` or id = '${ada}'`)}`)
        .execute(),
    /^customers\.id: the id .* is written into the SQL/,
  ],
  [
    'a statement with an id in it',
    () => sql.raw(`select name from customers where customers.id = '${ada}'`).execute(db()),
    /^customers\.id: the id .* is written into the SQL/,
  ],
  [
    'an insert with an id in it',
    () => sql.raw(`insert into customers (name, id) values ('x', '${flax.generate()}')`).execute(db()),
    /^customers\.id: the id .* is written into the SQL/,
  ],
  [
    'ids in JSON',
    () =>
      db()
        .selectFrom('customers')
        .select('name')
        .where(
          sql<boolean>`${sql.ref('customers.id')} in (select value from json_each(${JSON.stringify([ada])}))`,
        )
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'ids in JSON beside a column',
    () =>
      db()
        .selectFrom('customers')
        .select('name')
        .where('id', 'in', sql<CustomerId>`(select value from json_each(${JSON.stringify([ada])}))`)
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'an id in a query of raw SQL that is joined by a name',
    () =>
      sql`with w as (select ${ada} as ref) select name from customers join w on w.ref = customers.id`.execute(
        db(),
      ),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'an id that an INSERT of raw SQL selects',
    () => sql`insert into customers (id, name) select ${ada}, 'x' where true`.execute(db()),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'ids in JSON by a table function',
    () =>
      any()
        .selectFrom('customers')
        .innerJoin(sql`json_each(${JSON.stringify([ada])})`.as('j'), 'j.value', 'customers.id')
        .select('name')
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
])('refused, not ignored: %s', (_, run, message) => refused(run, message))

test('columns of undeclared tables are written, and compared with ids if typed() or asText() marks them', async () => {
  await any()
    .updateTable('logs')
    .set({ raw: db().selectFrom('customers').select('id').where('name', '=', 'Ada') })
    .execute()
  const names = any().selectFrom('customers').select('name')
  await refused(
    () => names.innerJoin('logs', 'logs.raw', 'customers.id').execute(),
    /^customers\.id: .*logs\.raw is not declared as an id column/,
  )
  const raw = (eb: Any) => eb('customers.id', '=', shop.ids.typed('customers.id', eb.ref('logs.raw')))
  expect(await names.innerJoin('logs', (join) => join.on(raw)).execute()).toEqual([{ name: 'Ada' }])
  expect(await names.where((eb) => eb('id', '=', asText(eb.ref('name')))).execute()).toEqual([])
  for (const typed of [
    (eb: Any) => eb.ref('name'),
    () => sql.ref('name'),
    (eb: Any) => eb.cast('name', 'blob'),
    (eb: Any) => eb.case().when('name', '=', 'Ada').then(eb.ref('name')).else(eb.ref('id')).end(),
  ]) {
    const found = names
      .where((eb) => eb('id', '=', shop.ids.typed('customers.id', typed(eb))))
      .orderBy('name')
    expect((await found.execute()).every(({ name }) => name !== 'Ada')).toBe(true)
  }
  await any().updateTable('logs').set({ raw: null }).execute()
})

test('raw SQL without a value, or with a declared column, is compared with ids', async () => {
  const names = db().selectFrom('customers').select('name').where('name', '=', 'Ada')
  const found = [{ name: 'Ada' }]
  expect(await names.where('id', 'in', sql<CustomerId>`(select customer_id from orders)`).execute()).toEqual(
    found,
  )
  expect(
    await names
      .where(
        'id',
        '=',
        sql<CustomerId>`(select max(o.customer_id) from orders o where o.customer_id = customers.id)`,
      )
      .execute(),
  ).toEqual(found)
  expect(await names.where('id', '!=', sql<CustomerId>`x'00'`).execute()).toEqual(found)
  expect(await names.where('id', 'is not', sql<null>`null`).execute()).toEqual(found)
  expect(
    await names
      .where(
        'id',
        '=',
        shop.ids.typed(
          'customers.id',
          sql`(select c.id as somebody from customers c where c.name = ${'Ada'})`,
        ),
      )
      .execute(),
  ).toEqual(found)
  const named = sql<string>`case when ${sql.ref('id')} is null then 'nobody is there' else ${sql.ref('name')} end`
  expect(await names.select(named.as('named')).execute()).toEqual([{ name: 'Ada', named: 'Ada' }])
})

test.each<[string, () => RawBuilder<unknown>]>([
  ['a name in the text', () => sql`select name from customers where name <> '' and id = ${ada}`],
  ['its table', () => sql`select name from ${sql.table('customers')} where ${ada} = customers.id limit 1`],
  [
    'sql.ref()',
    () => sql`select name from customers where ${sql.ref('customers.id')} in (${sql.join([ada])})`,
  ],
  ['its list', () => sql`select name from customers where id in (${sql.join([flax.generate(), ada])})`],
  [
    'its list with other values',
    () => sql`select name from customers where id in (${sql.join(['', 5, ada])})`,
  ],
  [
    'its list with other values behind it',
    () => sql`select name from customers where id in (${sql.join([ada, '', 5, flax.generate()])}, ${ada})`,
  ],
  ['sql.id()', () => sql`select name from customers where ${sql.id('customers', 'id')} = ${ada}`],
  ['an alias in the text', () => sql`select name from customers as c where ${sql.ref('c.id')} = ${ada}`],
  [
    'a subquery',
    () =>
      sql`select name from customers where id = (${db().selectFrom('customers').select('id').where('id', '=', ada)})`,
  ],
])('an id in raw SQL beside %s is converted', async (_, query) => {
  const { rows } = await query().execute(db())
  expect(rows).toEqual([{ name: 'Ada' }])
})

test('raw SQL writes ids in their stored form, and values beside other columns as they are', async () => {
  const id = flax.generate() as CustomerId
  await sql`insert into customers (name, id, referrer_id) values (${ada}, ${id}, ${ada})`.execute(db())
  const { rows } = await sql`select name from customers where name = ${ada} and referrer_id = ${ada}`.execute(
    db(),
  )
  expect(rows).toEqual([{ name: ada }])
  const found = await db().deleteFrom('customers').where('id', '=', id).returningAll().execute()
  expect(found).toEqual([{ id, name: ada, referrer_id: ada }])
})

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'a malformed id',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where('id', '=', 'x' as CustomerId)
        .execute(),
    /^customers\.id: flax: an id has 16 characters/,
  ],
  [
    'an id of another family, prefixed ones too',
    () => any().selectFrom('items').selectAll().where('id', '=', ada).execute(),
    /^items\.id: .*item_/,
  ],
  [
    'a column of another family',
    () => db().selectFrom('orders').selectAll().whereRef('orders.id', '=', 'customer_id').execute(),
    /^orders\.id: .* are never equal in the database/,
  ],
  [
    'an undeclared column of a declared table beside an id',
    () => any().selectFrom('customers').selectAll().whereRef('id', '=', 'name').execute(),
    /^customers\.id: .* is not declared as an id column/,
  ],
  [
    'the same in a subquery',
    () =>
      any()
        .selectFrom('orders')
        .selectAll()
        .where('customer_id', 'in', db().selectFrom('customers').select('name'))
        .execute(),
    /^orders\.customer_id: .* is not declared as an id column/,
  ],
  [
    'the same in an update',
    () =>
      any()
        .updateTable('customers')
        .set((eb) => ({ referrer_id: eb.ref('name') }))
        .execute(),
    /^customers\.referrer_id: .* is not declared as an id column/,
  ],
  [
    'the same in an insert from a query',
    () =>
      any()
        .insertInto('items')
        .columns(['id', 'order_id'])
        .expression(db().selectFrom('items').select(['id', 'label as order_id']) as never)
        .execute(),
    /^items\.order_id: .* is not declared as an id column/,
  ],
  [
    'like',
    () => any().selectFrom('customers').selectAll().where('id', 'like', 'Kp%').execute(),
    /^customers\.id: like matches text/,
  ],
  [
    'a text beside a cast',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where((eb) => eb(eb.cast<string>('id', 'text'), '=', ada))
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'a text beside a function that nobody knows',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where((eb) => eb(eb.fn<string>('substr', ['id', eb.lit(1)]), '=', ada))
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'undefined',
    () => any().selectFrom('customers').selectAll().where('id', '=', undefined).execute(),
    /^customers\.id: flax: an id must be a string, not undefined/,
  ],
  [
    'a column in another case, which SQLite takes',
    () => any().selectFrom('customers').selectAll().where('ID', '=', ada).execute(),
    /^ID: declared as id/,
  ],
  [
    'an insert of a column in another case',
    () => any().insertInto('customers').values({ ID: ada, name: 'x' }).execute(),
    /^ID: declared as id/,
  ],
  [
    'a table in another case',
    () => any().selectFrom('Customers').selectAll().execute(),
    /^Customers: declared as customers/,
  ],
  [
    'a column that a later plugin renames',
    () => renaming().selectFrom('orders').selectAll().where('customerId', '=', ada).execute(),
    /^customerId: declared as customer_id; use that name, and pass a plugin that renames columns as inner: \[plugin\]/,
  ],
  [
    'an update of a column that a later plugin renames',
    () => renaming().updateTable('orders').set({ customerId: ada }).execute(),
    /^customerId: declared as customer_id/,
  ],
  [
    'a value beside a column of raw SQL in FROM',
    () =>
      any()
        .selectFrom(sql`(select * from customers)`.as('c'))
        .select('c.name')
        .where('c.id', '=', ada)
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'a text beside a column in raw SQL that no rule reads',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where(sql<boolean>`instr(${sql.ref('id')}, ${ada}) > 0`)
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'a name without its table, in a subquery',
    () =>
      any()
        .selectFrom('customers')
        .selectAll()
        .where((eb) => eb.exists(eb.selectFrom('logs').select('note').where('id', '=', ada)))
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'null for a generated id',
    () => any().insertInto('customers').values({ id: null, name: 'x' }).execute(),
    /^customers\.id: a generated id cannot be null/,
  ],
  [
    'null for a generated id, in one row of two',
    () =>
      any()
        .insertInto('customers')
        .values([{ id: null, name: 'x' }, { name: 'y' }])
        .execute(),
    /^customers\.id: a generated id cannot be null/,
  ],
  [
    'an update to null',
    () => any().updateTable('customers').set({ id: null }).execute(),
    /^customers\.id: a generated id cannot be null/,
  ],
  [
    'an insert from a query without ids',
    () =>
      db()
        .insertInto('customers')
        .columns(['name'])
        .expression((eb) => eb.selectFrom('logs').select('note'))
        .execute(),
    /^customers\.id: an insert from a query generates no ids/,
  ],
  [
    'an insert from raw SQL with values',
    () => db().insertInto('customers').columns(['id', 'name']).expression(sql`select ${ada}, 'x'`).execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'a value of a function that nobody knows, written',
    () =>
      db()
        .updateTable('customers')
        .set((eb) => ({ referrer_id: eb.fn<CustomerId>('trim', [eb.val(ada)]) }))
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'two columns of one name',
    () =>
      db().selectFrom('customers').innerJoin('orders', 'customer_id', 'customers.id').selectAll().execute(),
    /^id: two columns of the result have this name, customers\.id and orders\.id/,
  ],
  [
    'a set operation of other columns',
    () => any().selectFrom('customers').select('id').union(db().selectFrom('orders').select('id')).execute(),
    /are never equal/,
  ],
  [
    'a time beside a value',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where((eb) => eb(createdAt('id'), '>', new Date(0)))
        .execute(),
    /^customers\.id: createdAt\(\) cannot be compared; use createdBetween\(\)/,
  ],
  [
    'createdBetween() of a column without ids',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where(createdBetween('name', 0, 1))
        .execute(),
    /^createdBetween: its first argument must be an id column/,
  ],
  [
    'a malformed cursor',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .$call(keyset('id', { after: 'x' }))
        .execute(),
    /^customers\.id: flax/,
  ],
  [
    'an operator that nobody knows beside an id',
    () =>
      any()
        .selectFrom('customers')
        .selectAll()
        .where('id', '||' as '=', ada)
        .execute(),
    /^customers\.id: the id .* stands beside no column that is known/,
  ],
  [
    'an id as a literal',
    () =>
      db()
        .selectFrom('customers')
        .selectAll()
        .where('id', '=', sql.lit('x' as CustomerId))
        .execute(),
    /^customers\.id: flax/,
  ],
])('%s is refused', async (_, run, message) => refused(run, message))

test('a literal id, and one in an index, is written as the column stores it', async () => {
  const found = await db()
    .selectFrom('customers')
    .select('name')
    .where('id', '=', sql.lit(ada))
    .where((eb) => eb('id', 'in', [sql.lit(ada)]))
    .execute()
  expect(found).toEqual([{ name: 'Ada' }])
  const statement = db()
    .schema.alterTable('items')
    .addColumn('other', shop.ids.columnType('items.order_id'))
    .compile()
  expect(statement.sql).toBe('alter table "items" add column "other" BLOB')
  const index = db()
    .schema.createIndex('mine')
    .on('orders')
    .column('total')
    .where(sql.ref('customer_id'), '=', ada)
    .compile()
  expect(index.sql).toContain(`= (x'${Buffer.from(flax.decode(ada)).toString('hex')}')`)
})

test('stored text in a binary column is an error that shows it', async () => {
  await database.query("INSERT INTO items (id, order_id) VALUES ('Kpcan0M1FakODT4k', ?)", [
    shop.ids.toDatabase('orders.id', order),
  ])
  await refused(
    () => db().selectFrom('items').selectAll().execute(),
    /^items\.id: .*the text "Kpcan0M1FakODT4k"/,
  )
  await database.query("DELETE FROM items WHERE typeof(id) = 'text'")
})

test('a plugin that renames columns works as an inner plugin, and is refused elsewhere', async () => {
  const tables = {
    orders: { id: snoId({ storage: 'binary' }), customerId: flaxId.plain({ storage: 'binary' }) },
  } as const
  const dialect = dialectFor(database)
  const open = (inner: boolean) => {
    const camel = new CamelCasePlugin()
    const ids = idPlugin({ database: 'sqlite', tables, ...(inner && { inner: [camel] }) })
    return new Kysely<Any>({ dialect, plugins: inner ? [ids] : [ids, camel] })
  }
  const find = (one: Kysely<Any>) =>
    one.selectFrom('orders').selectAll().where('customerId', '=', ada).orderBy('total').execute()
  await refused(() => find(open(false)), /^customerId: .*inner: \[new CamelCasePlugin\(\)\]/)
  const [first] = await find(open(true))
  expect(first).toEqual({ id: order, customerId: ada, total: 10 })
})

test('what typed(), rows() and asText() declare is converted accordingly', async () => {
  const { ids } = shop
  const row = await db()
    .selectFrom('customers')
    .select((eb) => [
      asText(eb.fn<Uint8Array>('likely', ['id'])).as('bytes'),
      ids.typed('customers.id', eb.fn('likely', ['id'])).as('typed'),
    ])
    .where((eb) => eb(eb.fn<CustomerId>('likely', ['id']), '=', ids.parameter('customers.id', ada)))
    .executeTakeFirstOrThrow()
  expect(row.typed).toBe(ada)
  expect(Buffer.from(row.bytes).equals(flax.decode(ada))).toBe(true)
  const somebody = ids.typed(
    'customers.id',
    sql`(select max(k.key) from (select id as key from customers) as k)`,
  )
  const largest = db().selectFrom('customers').select('id').where('id', '=', somebody)
  expect(await largest.execute()).toEqual([{ id: expect.stringMatching(flax.pattern) }])
  const { rows } = await ids.rows({ foo: 'customers.id' }, sql`select id as foo from customers`).execute(db())
  expect(rows.every(({ foo }) => flax.is(foo))).toBe(true)
  const { rows: raw } = await sql<{ n: number }>`select count(*) as n from customers`.execute(db())
  expect(raw).toEqual([{ n: 3 }])
  const built = db()
    .selectFrom('customers')
    .select((eb) => jsonBuildObject({ a: eb.ref('id') }).as('b'))
    .where('id', '=', ada)
  const union = await built.unionAll(built).execute()
  expect(union).toEqual([{ b: { a: ada } }, { b: { a: ada } }])
  const nested = await db()
    .selectFrom('customers')
    .select((eb) => jsonBuildObject({ a: jsonBuildObject({ b: eb.ref('id') }) }).as('a'))
    .where('id', '=', ada)
    .executeTakeFirstOrThrow()
  expect(nested).toEqual({ a: { a: { b: ada } } })
})

test('streamed rows are converted', async () => {
  const stream = new Kysely<Any>({
    dialect: new SqliteDialect({ database: database.connection }),
    plugins: [shop.ids],
  })
  const seen: unknown[] = []
  const query = stream.selectFrom('customers').select('id').where('id', '=', ada)
  for await (const row of query.stream()) seen.push(row)
  expect(seen).toEqual([{ id: ada }])
})

test.each<[string, (is: RawBuilder<boolean>) => { execute(): Promise<unknown> }]>([
  [
    'a CTE',
    (is) =>
      db()
        .with('cte', (q) => q.selectFrom('customers').select('id as ali'))
        .selectFrom('cte')
        .selectAll()
        .where(is),
  ],
  [
    'a subquery',
    (is) =>
      db()
        .selectFrom((q) =>
          q
            .selectFrom('customers')
            .select((e) => e.fn.min('id').as('ali'))
            .as('sub'),
        )
        .selectAll()
        .where(is),
  ],
  ['the query', (is) => db().selectFrom('customers').select('id as ali').groupBy('id').having(is)],
  [
    'a query in raw SQL',
    (is) => raw(sql`select * from ${db().selectFrom('customers').select('id as ali').as('sub')} where ${is}`),
  ],
  [
    'raw SQL with the column',
    (is) =>
      raw(sql`select * from (select min(${sql.ref('customers.id')}) as ali from customers) t where ${is}`),
  ],
  [
    'raw SQL that names the column',
    (is) => raw(sql`select * from (select min(customers.id) as ali from customers) t where ${is}`),
  ],
])('an id compared with an alias that raw SQL names, of %s, is converted or refused', async (_, make) => {
  const first = db().selectFrom('customers').select('id').orderBy('id').limit(1)
  const { id } = await first.executeTakeFirstOrThrow()
  const rows = await make(sql<boolean>`ali = ${id}`)
    .execute()
    .then((result) => (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows))
    .catch((error: Error) => error.message)
  if (typeof rows === 'string') expect(rows).toMatch(/^customers\.id: the id .* stands beside no column/)
  else expect(rows).toHaveLength(1)
  await make(sql<boolean>`ali = ${asText(ada)}`).execute()
})
const raw = (query: RawBuilder<unknown>) => ({ execute: () => query.execute(db()) })

const loose = (): Any => db()
const customers = () => loose().selectFrom('customers')
/** A query that answers raw SQL by another name. */
const answering = (expression: (eb: Any) => Any) => customers().select((eb: Any) => expression(eb).as('ali'))
const text = sql<CustomerId>`customers.id`

test.each<[string, (value: Any) => { execute(): Promise<unknown> }]>([
  ['an operand', (value) => customers().select('name').where(text, '=', value)],
  ['a list', (value) => customers().select('name').where(text, 'in', [value])],
  [
    'between',
    (value) =>
      customers()
        .select('name')
        .where((eb: Any) => eb.between(text, value, value)),
  ],
  ['having', (value) => customers().select('name').groupBy('name').having(sql`max(id)`, '=', value)],
  [
    'brackets',
    (value) =>
      customers()
        .select('name')
        .where((eb: Any) => eb(eb.parens(text), '=', value)),
  ],
  [
    'a function',
    (value) =>
      customers()
        .select('name')
        .where((eb: Any) => eb(eb.fn.coalesce(text, text), '=', value)),
  ],
  [
    'a case',
    (value) =>
      customers()
        .select('name')
        .where((eb: Any) => eb(eb.case(text).when(value).then(1).end(), '=', 1)),
  ],
  [
    'a query in brackets',
    (value) =>
      customers()
        .select('name')
        .where((eb: Any) => eb(eb.val(value), 'in', sql`(select id from customers)`)),
  ],
  [
    'on',
    (value) =>
      customers()
        .select('customers.name')
        .innerJoin('customers as c', (join: Any) => join.on(sql`c.id`, '=', value)),
  ],
  [
    'a union with raw SQL',
    (value) =>
      loose()
        .selectFrom(customers().select('name as ali').union(sql`select id as ali from customers`).as('sub'))
        .select('ali')
        .where('ali', '=', value),
  ],
  ['what the query answers', (value) => customers().select('id as ali').where('ali', '=', value)],
  [
    'a subquery',
    (value) =>
      loose()
        .selectFrom(answering(() => text).as('sub'))
        .select('ali')
        .where('ali', '=', value),
  ],
  [
    'a function in one',
    (value) =>
      loose()
        .selectFrom(answering((eb) => eb.fn.max(text)).as('sub'))
        .select('ali')
        .where('ali', 'in', [value]),
  ],
  [
    'a union',
    (value) =>
      loose()
        .selectFrom(
          answering(() => text)
            .union(answering(() => text))
            .as('sub'),
        )
        .select('ali')
        .where('ali', '=', value),
  ],
  [
    'a CTE',
    (value) =>
      loose()
        .with('cte', () => answering(() => text))
        .selectFrom('cte')
        .select('ali')
        .where('cte.ali', '=', value),
  ],
  [
    'a CTE with names',
    (value) =>
      loose()
        .with('cte(ali)', () => customers().select(text.as('x')))
        .selectFrom('cte')
        .select('ali')
        .where('ali', '=', value),
  ],
  [
    'a CTE of raw SQL',
    (value) =>
      loose()
        .with('cte', () => sql`(select name, id as ali from customers)`)
        .selectFrom('cte')
        .select('name')
        .where('ali', '=', value),
  ],
  [
    'a raw subquery',
    (value) =>
      loose()
        .selectFrom(sql`(select name, id as ali from customers)`.as('sub'))
        .select('sub.name')
        .where('sub.ali', '=', value),
  ],
])(
  "an id compared with a column that only raw SQL names is refused, also by Kysely's own operator: %s",
  async (_, make) => {
    await refused(() => make(ada).execute(), /^customers\.id: the id .* stands beside no column/)
    await make(asText(ada)).execute()
  },
)

test.each<[string, object, RegExp]>([
  [
    'a misspelled option',
    { database: 'sqlite', table: {} },
    /^idPlugin: no option "table"; options are database, tables, inner$/,
  ],
  [
    'a column that is not called',
    { id: flaxId },
    /^orders\.id: must be an id column such as flaxId\(\), not a function$/,
  ],
  ['no column', { id: undefined }, /^orders\.id: must be an id column such as flaxId\(\), not undefined$/],
  [
    'an option of generated ids',
    { id: flaxId.plain({ generator: flax } as object) },
    /^orders\.id: flax: generator is only for/,
  ],
  [
    'a misspelled option of a column',
    { id: flaxId({ defualt: 'database' } as object) },
    /^orders\.id: flax: no option "defualt"/,
  ],
  [
    'a misspelled option of a list',
    { id: flaxId.list({ storge: 'text' } as object) },
    /^orders\.id: flax: no option "storge"/,
  ],
])('a declaration with %s is refused', (_, given, message) => {
  const options = 'database' in given ? given : { database: 'sqlite', tables: { orders: given } }
  expect(() => idPlugin(options as Any)).toThrow(message)
})

test('columns whose prefix is not stored can be compared with bare ones, and are read with the prefix', async () => {
  const customerId = idColumn(prefixed(flax, 'cus'))
  const ids = idPlugin({
    database: 'sqlite',
    tables: {
      people: { id: customerId({ storage: 'binary' }), copy: flaxId.plain({ storage: 'binary' }) },
      notes: {
        of: flaxId.plain({ storage: 'binary' }),
        text: idColumn(prefixed(flax, 'cus')).plain(),
      },
    },
  })
  const own = await sqlite.open()
  const people = new Kysely<Any>({ dialect: dialectFor(own), plugins: [ids] })
  await sql`create table people (id blob primary key, copy blob)`.execute(people)
  await sql`create table notes ("of" blob, text text)`.execute(people)
  const id = prefixed(flax, 'cus').generate()
  const copy = prefixed(flax, 'cus').withoutPrefix(id)
  await people.insertInto('people').values({ id, copy }).execute()
  await people.insertInto('notes').values({ of: copy, text: id }).execute()
  const query = people.selectFrom('people').innerJoin('notes', 'notes.of', 'people.id')
  expect(
    await query
      .select(['people.id', 'copy', 'notes.text'])
      .whereRef('people.id', '=', 'copy')
      .where('people.id', 'in', (eb: Any) => eb.selectFrom('notes').select('of'))
      .where('people.id', '=', id)
      .execute(),
  ).toEqual([{ id, copy, text: id }])
  await people
    .updateTable('notes')
    .set((eb) => ({ of: eb.selectFrom('people').select('id') }))
    .execute()
  expect(await people.selectFrom('notes').select('of').execute()).toEqual([{ of: copy }])
  await refused(
    () => query.selectAll().whereRef('notes.text', '=', 'people.id').execute(),
    /notes\.text \(cus_flax as text\) and people\.id \(flax as binary\) are never equal/,
  )
  const mixed =
    /ids of people\.id \(cus\) and of notes\.of \(flax\), so some would be read as the other; .*ids\.typed/
  const parts = (eb: Any) => eb.fn.coalesce('people.id', 'notes.of')
  await refused(() => query.select((eb) => parts(eb).as('one')).execute(), mixed)
  await refused(
    () =>
      people.selectFrom('people').select('id').union(people.selectFrom('notes').select('of as id')).execute(),
    mixed,
  )
  const typed = ids.typed('notes.of', sql`coalesce(people.id, notes.of)`)
  expect(await query.select(typed.as('one')).execute()).toEqual([{ one: copy }])
  await own.close()
})

test('the text of SQL has the names that inner plugins give to columns', async () => {
  const own = await sqlite.open()
  const ids = idPlugin({
    database: 'sqlite',
    inner: [new CamelCasePlugin()],
    tables: { people: { id: flaxId({ storage: 'binary' }), bossId: flaxId.ref('people.id') } },
  })
  const people = new Kysely<Any>({ dialect: dialectFor(own), plugins: [ids] })
  await sql`create table people (id blob primary key, boss_id blob, first_name text)`.execute(people)
  const { id } = await people
    .insertInto('people')
    .values({ firstName: 'Ada' })
    .returningAll()
    .executeTakeFirstOrThrow()
  const bob = { id: ids.generate('people.id'), bossId: id, firstName: 'Bob' }
  await people.insertInto('people').values(bob).execute()
  const found = [{ id: bob.id }]
  const select = people.selectFrom('people').select('id')
  for (const condition of [
    sql<boolean>`boss_id = ${id}`,
    sql<boolean>`people.boss_id in (${id})`,
    sql<boolean>`first_name = 'Bob' and ${id} = "boss_id"`,
  ]) {
    expect(await select.where(condition).execute()).toEqual(found)
  }
  const as = people.selectFrom('people as aBoss').select('aBoss.id')
  expect(await as.where(sql<boolean>`a_boss.boss_id = ${id}`).execute()).toEqual(found)
  const { rows } = await sql`select first_name from people where boss_id = ${id}`.execute(people)
  expect(rows).toEqual([{ firstName: 'Bob' }])
  expect(
    await people.deleteFrom('people').where(sql<boolean>`boss_id <> ${id}`).returning('id').execute(),
  ).toEqual([])
  await refused(
    () => select.where(sql.raw<boolean>(`boss_id = '${id}'`)).execute(),
    /is written into the SQL/,
  )
  await own.close()
})
