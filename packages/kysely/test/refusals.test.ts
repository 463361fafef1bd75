import { flax, prefixed } from '@snoflax/core'
import { uidLocal } from '@snoflax/families'
import { asText, createdAt, createdBetween, flaxId, idColumn, idPlugin, keyset } from '@snoflax/kysely'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialectFor } from './contract/session.js'
import { type CustomerId, type OpenShop, type OrderId, openShop } from './shop.js'

// What would be wrong rows, no rows, bytes or lost keys without an error. Ids are bytes here, so text finds nothing.

let database: SqliteDatabase
let shop: OpenShop
let ada: CustomerId
let order: OrderId
// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse
type Any = any
/** A query, or raw SQL. */
type Ask = { execute(executor?: Any): Promise<unknown> }
const db = (): Kysely<Any> => shop.db as unknown as Kysely<Any>
const customers = (): Any => db().selectFrom('customers').select('name')
const orders = () => db().selectFrom('orders').selectAll()
const where = (...condition: readonly Any[]): Any => customers().where(...condition)
const insert = (values: object) => db().insertInto('customers').values(values)
const update = (values: Any) => db().updateTable('customers').set(values)
const renaming = () => db().withPlugin(new CamelCasePlugin())
/** The column, named by raw SQL. */
const text = sql<CustomerId>`customers.id`

beforeAll(async () => {
  database = await sqlite.open()
  shop = await openShop(database, 'binary')
  const row = await shop.db
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

const run = (ask: Ask) => ('isRawBuilder' in ask ? ask.execute(db()) : ask.execute())

/** Runs the query, which must fail with an IdError that says this. */
async function refused(ask: () => Ask, message: RegExp): Promise<void> {
  const error = await Promise.resolve()
    .then(() => run(ask()))
    .then(
      (rows) => expect.fail(`answered ${JSON.stringify(rows)}`),
      (cause: unknown) => cause as Error,
    )
  expect(error.message).toMatch(message)
  expect(error).toMatchObject({ name: 'IdError' })
}

const rowsOf = async (ask: Ask): Promise<unknown> => {
  const answer = (await run(ask)) as { rows?: unknown }
  return answer.rows ?? answer
}

const NO_COLUMN = /^customers\.id: the id .* stands beside no column/
const WRITTEN = /^customers\.id: the id .* is written into the SQL/
const json = () => JSON.stringify([ada])

describe.each<[RegExp, Readonly<Record<string, () => Ask>>]>([
  [
    WRITTEN,
    {
      'an id in the text of a literal': () =>
        where(sql`${sql.ref('id')} = ${sql.lit(ada)}${sql.raw(` or id = '${ada}'`)}`),
      'a statement with an id in it': () =>
        sql.raw(`select name from customers where customers.id = '${ada}'`),
      'an insert with an id in it': () =>
        sql.raw(`insert into customers (name, id) values ('x', '${flax.generate()}')`),
    },
  ],
  [
    NO_COLUMN,
    {
      'an id in the text, beside a column': () => where('id', '=', sql.raw(`'${ada}'`)),
      'ids in JSON': () => where(sql`${sql.ref('customers.id')} in (select value from json_each(${json()}))`),
      'ids in JSON beside a column': () => where('id', 'in', sql`(select value from json_each(${json()}))`),
      'ids in JSON by a table function': () =>
        customers().innerJoin(sql`json_each(${json()})`.as('j'), 'j.value', 'customers.id'),
      'an id in a query of raw SQL that is joined by a name': () =>
        sql`with w as (select ${ada} as ref) select name from customers join w on w.ref = customers.id`,
      'an id that an INSERT of raw SQL selects': () =>
        sql`insert into customers (id, name) select ${ada}, 'x' where true`,
      'an insert from raw SQL with values': () =>
        db().insertInto('customers').columns(['id', 'name']).expression(sql`select ${ada}, 'x'`),
      'an operator that nobody knows beside an id': () => where('id', '||', ada),
      'a text beside a cast': () => where((eb: Any) => eb(eb.cast('id', 'text'), '=', ada)),
      'a text beside an unknown function': () =>
        where((eb: Any) => eb(eb.fn('substr', ['id', eb.lit(1)]), '=', ada)),
      'a text beside a column in raw SQL that no rule reads': () =>
        where(sql`instr(${sql.ref('id')}, ${ada}) > 0`),
      'a value of an unknown function, written': () =>
        update((eb: Any) => ({ referrer_id: eb.fn('trim', [eb.val(ada)]) })),
      'a value beside a column of raw SQL in FROM': () =>
        db().selectFrom(sql`(select * from customers)`.as('c')).select('c.name').where('c.id', '=', ada),
      'a name without its table, in a subquery': () =>
        where((eb: Any) => eb.exists(eb.selectFrom('logs').select('note').where('id', '=', ada))),
    },
  ],
  [
    /^customers\.id: flax: an id (?:has 16 characters|must be a string, not undefined)/,
    {
      'a malformed id': () => where('id', '=', 'x'),
      undefined: () => where('id', '=', undefined),
      'a malformed literal': () => where('id', '=', sql.lit('x')),
      'a malformed cursor': () => customers().$call(keyset('id', { after: 'x' })),
      'a malformed parameter': () =>
        sql`select * from customers where id = ${shop.ids.parameter('customers.id', 'x' as never)}`,
    },
  ],
  [
    /^\w+\.\w+: .* is not declared as an id column/,
    {
      'an undeclared column of a declared table beside an id': () => customers().whereRef('id', '=', 'name'),
      'the same in a subquery': () => orders().where('customer_id', 'in', customers()),
      'the same in an update': () => update((eb: Any) => ({ referrer_id: eb.ref('name') })),
      'the same in an insert from a query': () =>
        db()
          .insertInto('items')
          .columns(['id', 'order_id'])
          .expression(db().selectFrom('items').select(['id', 'label as order_id'])),
    },
  ],
  [
    /declared as (?:id|customers|customer_id); use that name/,
    {
      'a column in another case, which SQLite takes': () => where('ID', '=', ada),
      'an insert of one': () => insert({ ID: ada, name: 'x' }),
      'a table in another case': () => db().selectFrom('Customers').selectAll(),
      'a column that a later plugin renames': () =>
        renaming().selectFrom('orders').selectAll().where('customerId', '=', ada),
      'an update of one': () => renaming().updateTable('orders').set({ customerId: ada }),
    },
  ],
  [
    /^customers\.id: a generated id cannot be null/,
    {
      'null for a generated id': () => insert({ id: null, name: 'x' }),
      'null in one row of two': () => insert([{ id: null, name: 'x' }, { name: 'y' }]),
      'an update to null': () => update({ id: null }),
    },
  ],
  [
    /are never equal in the database/,
    {
      'a column of another family': () => orders().whereRef('orders.id', '=', 'customer_id'),
      'a set operation of other columns': () =>
        db().selectFrom('customers').select('id').union(db().selectFrom('orders').select('id')),
    },
  ],
])('%s', (message, asks) => {
  test.each(Object.keys(asks))('%s is refused', (name) => refused(asks[name] as () => Ask, message))
})

test.each<[string, () => Ask, RegExp]>([
  [
    'an id of another family, prefixed ones too,',
    () => db().selectFrom('items').selectAll().where('id', '=', ada),
    /^items\.id: .*item_/,
  ],
  ['like', () => where('id', 'like', 'Kp%'), /^customers\.id: like matches text/],
  [
    'an insert from a query without ids',
    () => db().insertInto('customers').columns(['name']).expression(db().selectFrom('logs').select('note')),
    /^customers\.id: an insert from a query generates no ids/,
  ],
  [
    'two columns of one name',
    () => db().selectFrom('customers').innerJoin('orders', 'customer_id', 'customers.id').selectAll(),
    /^id: two columns of the result have this name, customers\.id and orders\.id/,
  ],
  [
    'a time beside a value',
    () => where((eb: Any) => eb(createdAt('id'), '>', new Date(0))),
    /^customers\.id: createdAt\(\) cannot be compared; use createdBetween\(\)/,
  ],
  [
    'createdBetween() of a column without ids',
    () => where(createdBetween('name', 0, 1)),
    /^createdBetween: its first argument must be an id column/,
  ],
])('%s is refused', (_, ask, message) => refused(ask, message))

/** A query that answers raw SQL by another name. */
const answering = (expression: (eb: Any) => Any) => customers().select((eb: Any) => expression(eb).as('ali'))
const from = (query: Any) => db().selectFrom(query.as('sub')).selectAll()

test.each<[string, (value: Any) => Ask]>([
  ['an operand', (value) => where(text, '=', value)],
  ['a list', (value) => where(text, 'in', [value])],
  ['between', (value) => where((eb: Any) => eb.between(text, value, value))],
  ['having', (value) => customers().groupBy('name').having(sql`max(id)`, '=', value)],
  ['brackets', (value) => where((eb: Any) => eb(eb.parens(text), '=', value))],
  ['a function', (value) => where((eb: Any) => eb(eb.fn.coalesce(text, text), '=', value))],
  ['a case', (value) => where((eb: Any) => eb(eb.case(text).when(value).then(1).end(), '=', 1))],
  [
    'a query in brackets',
    (value) => where((eb: Any) => eb(eb.val(value), 'in', sql`(select id from customers)`)),
  ],
  [
    'on',
    (value) =>
      db()
        .selectFrom('customers')
        .select('customers.name')
        .innerJoin('customers as c', (join: Any) => join.on(sql`c.id`, '=', value)),
  ],
  ['what the query answers', (value) => customers().select('id as ali').where('ali', '=', value)],
  ['a subquery', (value) => from(answering(() => text)).where('ali', '=', value)],
  ['a function in one', (value) => from(answering((eb) => eb.fn.max(text))).where('ali', 'in', [value])],
  [
    'a union with raw SQL',
    (value) =>
      from(
        db()
          .selectFrom('customers')
          .select('name as ali')
          .union(sql`select id as ali from customers` as Any),
      ).where('ali', '=', value),
  ],
  [
    'a CTE with names',
    (value) =>
      db()
        .with('cte(ali)', (): Any => db().selectFrom('customers').select(text.as('x')))
        .selectFrom('cte')
        .select('ali')
        .where('cte.ali', '=', value),
  ],
  [
    'a CTE of raw SQL',
    (value) =>
      db()
        .with('cte', () => sql<Any>`(select name, id as ali from customers)`)
        .selectFrom('cte')
        .select('name')
        .where('ali', '=', value),
  ],
  [
    'a raw subquery',
    (value) => from(sql`(select name, id as ali from customers)`).where('sub.ali', '=', value),
  ],
])(
  "an id compared with a column that only raw SQL names is refused, also by Kysely's own operator: %s",
  async (_, make) => {
    await refused(() => make(ada), NO_COLUMN)
    await run(make(asText(ada)))
  },
)

const renamed = () => db().selectFrom('customers').select('id as ali')

test.each<[string, (is: Any) => Ask]>([
  ['a CTE', (is) => db().with('cte', renamed).selectFrom('cte').selectAll().where(is)],
  [
    'a subquery',
    (is) =>
      from(
        db()
          .selectFrom('customers')
          .select((eb) => eb.fn.min('id').as('ali')),
      ).where(is),
  ],
  ['the query', (is) => renamed().groupBy('id').having(is)],
  ['a query in raw SQL', (is) => sql`select * from ${renamed().as('sub')} where ${is}`],
  [
    'raw SQL with the column',
    (is) => sql`select * from (select min(${sql.ref('customers.id')}) as ali from customers) t where ${is}`,
  ],
  [
    'raw SQL that names the column',
    (is) => sql`select * from (select min(customers.id) as ali from customers) t where ${is}`,
  ],
])('an id compared with an alias that raw SQL names, of %s, is converted or refused', async (_, make) => {
  const first = shop.db.selectFrom('customers').select('id').orderBy('id').limit(1)
  const { id } = await first.executeTakeFirstOrThrow()
  const rows = await rowsOf(make(sql`ali = ${id}`)).catch((error: Error) => error.message)
  if (typeof rows === 'string') expect(rows).toMatch(NO_COLUMN)
  else expect(rows).toHaveLength(1)
  await run(make(sql`ali = ${asText(ada)}`))
})

test('columns of undeclared tables are written, and compared with ids if typed() or asText() marks them', async () => {
  const bytes = shop.db.selectFrom('customers').select('id').where('name', '=', 'Ada')
  await db().updateTable('logs').set({ raw: bytes }).execute()
  await refused(
    () => customers().innerJoin('logs', 'logs.raw', 'customers.id'),
    /^customers\.id: .*logs\.raw is not declared as an id column/,
  )
  const { ids } = shop
  const raw = (eb: Any) => eb('customers.id', '=', ids.typed('customers.id', eb.ref('logs.raw')))
  expect(await rowsOf(customers().innerJoin('logs', (join: Any) => join.on(raw)))).toEqual([{ name: 'Ada' }])
  expect(await rowsOf(where((eb: Any) => eb('id', '=', asText(eb.ref('name')))))).toEqual([])
  for (const typed of [
    (eb: Any) => eb.ref('name'),
    () => sql.ref('name'),
    (eb: Any) => eb.cast('name', 'blob'),
    (eb: Any) => eb.case().when('name', '=', 'Ada').then(eb.ref('name')).else(eb.ref('id')).end(),
  ]) {
    const found = where((eb: Any) => eb('id', '=', ids.typed('customers.id', typed(eb))))
    expect(await rowsOf(found)).not.toContainEqual({ name: 'Ada' })
  }
  await db().updateTable('logs').set({ raw: null }).execute()
})

test.each<[string, () => Ask]>([
  ['a query of the column', () => where('id', 'in', sql`(select customer_id from orders)`)],
  [
    'a correlated one',
    () => where('id', '=', sql`(select max(o.customer_id) from orders o where o.customer_id = customers.id)`),
  ],
  ['bytes', () => where('id', '!=', sql`x'00'`)],
  ['null', () => where('id', 'is not', sql`null`)],
  [
    'a text of its own',
    () =>
      where(
        sql`case when ${sql.ref('id')} is null then 'nobody is there' else ${sql.ref('name')} end = 'Ada'`,
      ),
  ],
  [
    'what typed() declares',
    () => {
      const select = sql`(select c.id as somebody from customers c where c.name = ${'Ada'})`
      return where('id', '=', shop.ids.typed('customers.id', select))
    },
  ],
])('raw SQL without an id is compared with ids: %s', async (_, ask) => {
  expect(await rowsOf((ask() as Any).where('name', '=', 'Ada'))).toEqual([{ name: 'Ada' }])
})

test.each<[string, () => Ask]>([
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
    () => {
      const query = db().selectFrom('customers').select('id').where('id', '=', ada)
      return sql`select name from customers where id = (${query})`
    },
  ],
  ['a literal', () => where('id', '=', sql.lit(ada)).where((eb: Any) => eb('id', 'in', [sql.lit(ada)]))],
])('an id beside %s is converted', async (_, ask) => {
  expect(await rowsOf(ask())).toEqual([{ name: 'Ada' }])
})

test('raw SQL writes ids in their stored form, and values beside other columns as they are', async () => {
  const id = flax.generate() as CustomerId
  await sql`insert into customers (name, id, referrer_id) values (${ada}, ${id}, ${ada})`.execute(db())
  const named = sql`select name from customers where name = ${ada} and referrer_id = ${ada}`
  expect(await rowsOf(named)).toEqual([{ name: ada }])
  const found = await db().deleteFrom('customers').where('id', '=', id).returningAll().execute()
  expect(found).toEqual([{ id, name: ada, referrer_id: ada }])
})

test('DDL has the type of a column, and its ids as it stores them', () => {
  const statement = db().schema.alterTable('items').addColumn('other', shop.ids.columnType('items.order_id'))
  expect(statement.compile().sql).toBe('alter table "items" add column "other" BLOB')
  const index = db().schema.createIndex('mine').on('orders').column('total')
  const hex = Buffer.from(flax.decode(ada)).toString('hex')
  expect(index.where(sql.ref('customer_id'), '=', ada).compile().sql).toContain(`= (x'${hex}')`)
})

test('stored text in a binary column is an error that shows it', async () => {
  const bytes = shop.ids.toDatabase('orders.id', order)
  await database.query("INSERT INTO items (id, order_id) VALUES ('Kpcan0M1FakODT4k', ?)", [bytes])
  const items = () => db().selectFrom('items').selectAll()
  await refused(items, /^items\.id: .*the text "Kpcan0M1FakODT4k"/)
  await database.query("DELETE FROM items WHERE typeof(id) = 'text'")
})

test('what typed(), rows() and asText() declare is converted accordingly', async () => {
  const { ids } = shop
  const row = await shop.db
    .selectFrom('customers')
    .select((eb) => [
      asText(eb.fn<Uint8Array>('likely', ['id'])).as('bytes'),
      ids.typed('customers.id', eb.fn('likely', ['id'])).as('typed'),
    ])
    .where((eb) => eb(eb.fn<CustomerId>('likely', ['id']), '=', ids.parameter('customers.id', ada)))
    .executeTakeFirstOrThrow()
  expect(row.typed).toBe(ada)
  expect(Buffer.from(row.bytes).equals(flax.decode(ada))).toBe(true)
  const somebody = sql`(select max(k.key) from (select id as key from customers) as k)`
  const largest = where('id', '=', ids.typed('customers.id', somebody)).clearSelect().select('id')
  expect(await rowsOf(largest)).toEqual([{ id: expect.stringMatching(flax.pattern) }])
  const { rows } = await ids.rows({ foo: 'customers.id' }, sql`select id as foo from customers`).execute(db())
  expect(rows.every(({ foo }) => flax.is(foo))).toBe(true)
  const built = shop.db
    .selectFrom('customers')
    .select((eb) => jsonBuildObject({ a: eb.ref('id'), b: jsonBuildObject({ c: eb.ref('id') }) }).as('b'))
    .where('id', '=', ada)
  const once = { b: { a: ada, b: { c: ada } } }
  expect(await built.unionAll(built).execute()).toEqual([once, once])
})

test('streamed rows are converted', async () => {
  const seen: unknown[] = []
  for await (const row of db().selectFrom('customers').select('id').where('id', '=', ada).stream())
    seen.push(row)
  expect(seen).toEqual([{ id: ada }])
})

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
  [
    'an option of generated ids',
    { id: flaxId.plain({ generator: flax } as object) },
    /^orders\.id: flax: generator is only for/,
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

test('a text that can be an id or a number is refused, in a column of text too', () => {
  const ids = idPlugin({ database: 'sqlite', tables: { a: { id: idColumn(uidLocal).plain() } } })
  const id = '11111111113' as never
  expect(() => ids.toDatabase('a.id', id)).toThrow(/can be the text of an id or its number/)
})

test('columns whose prefix is not stored can be compared with bare ones, and are read with the prefix', async () => {
  const cus = prefixed(flax, 'cus')
  const ids = idPlugin({
    database: 'sqlite',
    tables: {
      people: { id: idColumn(cus)({ storage: 'binary' }), copy: flaxId.plain({ storage: 'binary' }) },
      notes: { of: flaxId.plain({ storage: 'binary' }), text: idColumn(cus).plain() },
    },
  })
  const own = await sqlite.open()
  const people = new Kysely<Any>({ dialect: dialectFor(own), plugins: [ids] })
  await sql`create table people (id blob primary key, copy blob)`.execute(people)
  await sql`create table notes ("of" blob, text text)`.execute(people)
  const id = cus.generate()
  const copy = cus.withoutPrefix(id)
  await people.insertInto('people').values({ id, copy }).execute()
  await people.insertInto('notes').values({ of: copy, text: id }).execute()
  const query = people.selectFrom('people').innerJoin('notes', 'notes.of', 'people.id')
  const compared = query
    .select(['people.id', 'copy', 'notes.text'])
    .whereRef('people.id', '=', 'copy')
    .where('people.id', 'in', (eb: Any) => eb.selectFrom('notes').select('of'))
    .where('people.id', '=', id)
  expect(await compared.execute()).toEqual([{ id, copy, text: id }])
  const taken = people.updateTable('notes').set((eb) => ({ of: eb.selectFrom('people').select('id') }))
  await taken.execute()
  expect(await people.selectFrom('notes').select('of').execute()).toEqual([{ of: copy }])
  await refused(
    () => query.selectAll().whereRef('notes.text', '=', 'people.id'),
    /notes\.text \(cus_flax as text\) and people\.id \(flax as binary\) are never equal/,
  )
  const mixed =
    /ids of people\.id \(cus\) and of notes\.of \(flax\), so some would be read as the other; .*ids\.typed/
  await refused(() => query.select((eb: Any) => eb.fn.coalesce('people.id', 'notes.of').as('one')), mixed)
  await refused(
    () => people.selectFrom('people').select('id').union(people.selectFrom('notes').select('of as id')),
    mixed,
  )
  const typed = ids.typed('notes.of', sql`coalesce(people.id, notes.of)`)
  expect(await query.select(typed.as('one')).execute()).toEqual([{ one: copy }])
  await own.close()
})

test('a plugin that renames columns is an inner plugin, whose names the text of SQL has; elsewhere it is refused', async () => {
  const own = await sqlite.open()
  const open = (isInner: boolean) => {
    const camel = new CamelCasePlugin()
    const tables = {
      people: { id: flaxId({ storage: 'binary' }), bossId: flaxId.ref('people.id') },
      bigTexts: { id: flaxId() },
    }
    const ids = idPlugin({ database: 'sqlite', tables, ...(isInner && { inner: [camel] }) })
    return new Kysely<Any>({ dialect: dialectFor(own), plugins: isInner ? [ids] : [ids, camel] })
  }
  const people = open(true)
  await sql`create table people (id blob primary key, boss_id blob, first_name text)`.execute(people)
  const values = { firstName: 'Ada' }
  const { id } = await people.insertInto('people').values(values).returningAll().executeTakeFirstOrThrow()
  const bob = { id: flax.generate(), bossId: id, firstName: 'Bob' }
  await people.insertInto('people').values(bob).execute()
  const found = (db: Kysely<Any>) => db.selectFrom('people').selectAll().where('bossId', '=', id)
  expect(await found(people).execute()).toEqual([bob])
  await refused(() => found(open(false)), /^bossId: .*inner: \[new CamelCasePlugin\(\)\]/)
  // The subquery was rewritten by itself, so its table has another name.
  const sub = people.selectFrom('bigTexts').select('id').as('sub')
  await refused(() => people.selectFrom(sub).selectAll().where('sub.id', '=', 'x'), /^bigTexts\.id: flax/)
  const select = people.selectFrom('people').select('id')
  for (const condition of [
    sql<boolean>`boss_id = ${id}`,
    sql<boolean>`people.boss_id in (${id})`,
    sql<boolean>`first_name = 'Bob' and ${id} = "boss_id"`,
  ]) {
    expect(await select.where(condition).execute()).toEqual([{ id: bob.id }])
  }
  const as = people.selectFrom('people as aBoss').select('aBoss.id')
  expect(await as.where(sql<boolean>`a_boss.boss_id = ${id}`).execute()).toEqual([{ id: bob.id }])
  const { rows } = await sql`select first_name from people where boss_id = ${id}`.execute(people)
  expect(rows).toEqual([{ firstName: 'Bob' }])
  const others = people.deleteFrom('people').where(sql<boolean>`boss_id <> ${id}`)
  expect(await others.returning('id').execute()).toEqual([])
  await refused(() => select.where(sql.raw<boolean>(`boss_id = '${id}'`)), /is written into the SQL/)
  await own.close()
})
