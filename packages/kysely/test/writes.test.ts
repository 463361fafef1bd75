import { flake, flax, IdError, prefixed, sno, type Time, typeid, uuid7 } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { flaxId, idColumn, idPlugin, snoId } from '@snoflax/kysely'
import Database from 'better-sqlite3'
import {
  CamelCasePlugin,
  type Compilable,
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  SqliteDialect,
  sql,
} from 'kysely'
import { expect, test } from 'vitest'

const customerId = prefixed(flax, 'cus')
const ids = idPlugin({
  database: 'sqlite',
  tables: {
    customers: { id: idColumn(customerId), friend_id: idColumn.ref('customers.id') },
    orders: { id: snoId({ meta: 2 }), customer_id: idColumn.ref('customers.id'), trace_id: snoId.plain() },
  },
})
const DDL = `create table customers (id text primary key not null, name text unique default 'nobody', friend_id text);
  create table orders (id text primary key not null, customer_id text, trace_id text, total integer default 0);
  create table logs (id text, note text)`

// biome-ignore lint/suspicious/noExplicitAny: tables don't matter here
type Db = Kysely<any>
function open(plugins: KyselyPlugin[] = [ids]): Db {
  const database = new Database(':memory:')
  database.exec(DDL)
  return new Kysely({ dialect: new SqliteDialect({ database }), plugins })
}
const mysql: Db = new Kysely({
  dialect: {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new MysqlIntrospector(db),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
  plugins: [ids],
})
const db = open()
const ADA = ids.generate('customers.id')
const WRONG = 'cus_wrong'

test('each row of an insert gets its own id, in its place', async () => {
  const rows = [{ name: 'a' }, { name: 'b', id: ADA }, { id: undefined, name: sql`'c'`, friend_id: ADA }]
  const made = await db.insertInto('customers').values(rows).returningAll().execute()
  expect(made).toEqual([
    { id: expect.stringMatching(customerId.pattern), name: 'a', friend_id: null },
    { id: ADA, name: 'b', friend_id: null },
    { id: expect.stringMatching(customerId.pattern), name: 'c', friend_id: ADA },
  ])
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
  const order = await db.insertInto('orders').values({ total: 1 }).returning('id').executeTakeFirstOrThrow()
  expect(sno.meta(order['id'])).toBe(2)
})

test('an insert in a template gets its ids, as the only statement or after others', async () => {
  const insert = (name: string) => db.insertInto('customers').values({ name })
  const { rows } = await sql<{ id: string }>`${insert('t')} returning id`.execute(db)
  expect(rows.every(({ id }) => customerId.is(id))).toBe(true)
  const { parameters } =
    sql`select ${1}; ${sql`${insert('u')}; ${insert('v')}`}; ${sql.join([2, 3])}`.compile(db)
  const made = parameters.filter((one) => customerId.is(one))
  expect([made.length, new Set(made).size, parameters.length]).toEqual([2, 2, 7])
})

test('defaultValues(), and a query that is compiled twice', async () => {
  const query = db.insertInto('orders').defaultValues().returning(['id', 'total'])
  const made = [await query.executeTakeFirstOrThrow(), await query.executeTakeFirstOrThrow()]
  expect(made.every(({ id, total }) => sno.is(id) && total === 0)).toBe(true)
  expect(made[0]?.['id']).not.toBe(made[1]?.['id'])
})

test('an insert from a query passes with an id by SQL, and is refused without one', async () => {
  const logs = db.selectFrom('logs').select(sql<string>`lower(id)`.as('id')).select('note')
  await db.insertInto('customers').columns(['id', 'name']).expression(logs).execute()
  await db
    .insertInto('customers')
    .expression(db.selectFrom('customers').selectAll().where('id', '=', 'x'))
    .execute()
  const without = db
    .insertInto('customers')
    .columns(['name'])
    .expression(db.selectFrom('logs').select('note'))
  await expect(without.execute()).rejects.toThrow(
    'customers.id: an insert from a query generates no ids; select one for each row, or let the database generate them',
  )
})

test('an update that renames a table, and of several in MySQL', () => {
  const sets = (query: Compilable) => query.compile().sql
  expect(sets(db.updateTable('orders as o').set({ customer_id: ADA }))).toContain(
    'update "orders" as "o" set',
  )
  expect(
    sets(mysql.updateTable(['orders as o', 'logs']).set('o.customer_id' as never, ADA as never)),
  ).toContain('`o`.`customer_id` = ?')
  // A column of another table may have the name.
  expect(
    sets(mysql.updateTable(['orders', 'logs as o']).set('o.customer_id' as never, 'any' as never)),
  ).toContain('= ?')
})

const refused: Readonly<Record<string, () => Compilable>> = {
  insert: () => db.insertInto('customers').values({ id: WRONG }),
  'insert, one of many': () =>
    db.insertInto('customers').values([{ name: 'x' }, { name: 'y', friend_id: WRONG }]),
  'insert beside SQL': () => db.insertInto('customers').values({ name: sql`1`, friend_id: WRONG }),
  'insert of val()': () => db.insertInto('customers').values((eb) => ({ friend_id: eb.val(WRONG) })),
  update: () => db.updateTable('customers').set({ friend_id: WRONG }),
  'update of an alias': () => db.updateTable('orders as o').set({ customer_id: WRONG }),
  'update by name and value': () => db.updateTable('orders').set('customer_id', WRONG),
  'update of two tables': () =>
    mysql.updateTable(['logs', 'orders as o']).set('o.customer_id' as never, WRONG as never),
  'update of a joined table': () =>
    mysql
      .updateTable('logs')
      .innerJoin('orders as o', 'o.id', 'logs.id')
      .set('o.customer_id' as never, WRONG as never),
  'on conflict': () =>
    db
      .insertInto('customers')
      .values({})
      .onConflict((one) => one.column('name').doUpdateSet({ friend_id: WRONG })),
  'on duplicate key': () =>
    mysql.insertInto('customers').values({}).onDuplicateKeyUpdate({ friend_id: WRONG }),
  'insert in a CTE': () =>
    db
      .with('made', (qb) => qb.insertInto('customers').values({ id: WRONG }))
      .selectFrom('made')
      .selectAll(),
  'update in a CTE of a delete': () =>
    db.with('made', (qb) => qb.updateTable('customers').set({ id: WRONG })).deleteFrom('logs'),
  'insert in raw SQL of a CTE': () =>
    db
      // biome-ignore lint/suspicious/noExplicitAny: what raw SQL returns
      .with('made', (qb) => sql<any>`${qb.insertInto('customers').values({ id: WRONG })} returning id` as any)
      .selectFrom('made')
      .selectAll(),
  'merge, insert': () => merge().whenNotMatched().thenInsertValues({ id: WRONG, name: 'x' }),
  'merge, update': () => merge().whenMatched().thenUpdateSet({ friend_id: WRONG }),
}
const merge = () => db.mergeInto('customers').using('logs', 'logs.id', 'customers.id')

test.each(Object.entries(refused))('a malformed id is refused: %s', (_, write) => {
  const error = (() => {
    try {
      return write().compile()
    } catch (cause) {
      return cause
    }
  })() as IdError
  expect(error).toBeInstanceOf(IdError)
  expect(error).toMatchObject({ statusCode: 400, path: expect.stringMatching(/^(?:customers|orders)\.\w+$/) })
  expect(error.message).toContain(`${error.path}: cus: "cus_wrong", after`)
})

test.each<[string, () => Compilable, string]>([
  [
    'null',
    () => db.insertInto('customers').values({ id: null }),
    'customers.id: a generated id cannot be null',
  ],
  [
    'null in an update',
    () => db.updateTable('customers').set({ id: null }),
    'customers.id: a generated id cannot be null',
  ],
  [
    'a number',
    () => db.insertInto('orders').values({ trace_id: 5 }),
    'orders.trace_id: sno: an id must be a string, not 5',
  ],
  [
    'an insert of merge without an id',
    () => merge().whenNotMatched().thenInsertValues({ name: 'x' }),
    'customers.id: the insert of a merge would write one id into every row; pass a column of the source',
  ],
])('%s is refused', (_, write, message) => {
  expect(() => write().compile()).toThrow(message)
})

test('an insert of merge takes an id of the source', () => {
  const { sql: text } = merge()
    .whenNotMatched()
    .thenInsertValues({ id: sql.ref('logs.id'), name: sql.ref('logs.note') })
    .compile()
  expect(text).toContain('insert ("id", "name") values ("logs"."id", "logs"."note")')
})

test('CamelCasePlugin stands after the plugin; before it, inserts are refused', () => {
  const camel = idPlugin({
    database: 'sqlite',
    tables: { paidOrders: { orderId: flaxId(), customerId: flaxId.plain() } },
  })
  const insert = (plugins: KyselyPlugin[]) =>
    open(plugins).insertInto('paidOrders').values({ total: 1 }).compile()
  expect(insert([camel, new CamelCasePlugin()]).sql).toBe(
    'insert into "paid_orders" ("total", "order_id") values (?, ?)',
  )
  expect(
    open([camel]).withPlugin(new CamelCasePlugin()).insertInto('paidOrders').values({ total: 1 }).compile()
      .sql,
  ).toContain('"paid_orders" ("total", "order_id")')
  expect(() => insert([new CamelCasePlugin(), camel])).toThrow(
    'paid_orders: declared as paidOrders; put the plugin of ids before plugins that rename, such as CamelCasePlugin',
  )
  // Declared by the names that reach the plugin, it may stand anywhere.
  const snake = idPlugin({ database: 'sqlite', tables: { paid_orders: { order_id: flaxId() } } })
  expect(insert([new CamelCasePlugin(), snake]).sql).toContain('"paid_orders" ("total", "order_id")')
})

test('a table is found in each schema, or in the one of its declaration', () => {
  const two = idPlugin({
    database: 'sqlite',
    tables: { users: { id: flaxId() }, 'audit.users': { id: snoId() } },
  })
  const inserted = (table: string, of = open([two])) =>
    of.insertInto(table).values({ a: 1 }).compile().parameters[1]
  expect(flax.is(inserted('users'))).toBe(true)
  expect(flax.is(inserted('users', open([two]).withSchema('shop')))).toBe(true)
  expect(sno.is(inserted('audit.users'))).toBe(true)
  expect(sno.is(inserted('users', open([two]).withSchema('audit')))).toBe(true)
})

test('times and pages, of a column by any name', async () => {
  const made = ids.generate('orders.id')
  await db.insertInto('orders').values({ id: made, total: 7 }).execute()
  const [from, to] = [sno.timeMs(made), sno.timeMs(made) + 1] as const
  const count = async (condition: ReturnType<typeof ids.createdBetween>, table = 'orders') =>
    (await db.selectFrom(table).select('total').where('total', '=', 7).where(condition).execute()).length
  expect(await count(ids.createdBetween('orders.id', from, to))).toBe(1)
  expect(await count(ids.createdBetween('orders.id', to, Number.POSITIVE_INFINITY))).toBe(0)
  expect(await count(ids.createdBetween('orders.id', from, to, { as: 'o.id' }), 'orders as o')).toBe(1)
  expect(await count(ids.createdBefore('orders.id', from, { as: sql.ref('id') }))).toBe(0)
  expect(await count(ids.createdAfter('orders.id', from))).toBe(1)
  expect(ids.createdAt('orders.id', made)).toEqual(sno.time(made))
  expect(ids.createdAt('customers.friend_id', null)).toBeNull()
  expect(ids.wasCreatedBetween('orders.id', made, from, to)).toBe(true)

  const all = await db.selectFrom('orders').select('id').orderBy('id', 'desc').execute()
  const page = db.selectFrom('orders as o').select('o.id')
  const first = await page.$call(ids.keyset('orders.id', { as: 'o.id', order: 'desc', take: 2 })).execute()
  const after = first[1]?.['id'] as never
  const rest = await page.$call(ids.keyset('orders.id', { as: 'o.id', order: 'desc', after })).execute()
  expect([...first, ...rest]).toEqual(all)
  expect(() => ids.keyset('orders.id', { after: 'x' as never })).toThrow(
    'orders.id: sno: an id has 16 characters',
  )
  for (const time of [Number.NaN, 'x'] as Time[])
    expect(() => ids.createdAfter('orders.id', time)).toThrow(IdError)
  expect(() => ids.createdBetween('orders.none' as never, 0, 1)).toThrow('orders.none: not an id column')
})

test('find() under CamelCasePlugin', async () => {
  const renamed = idPlugin({ database: 'sqlite', tables: { paidOrders: { orderId: flaxId() } } })
  const camel = open([renamed, new CamelCasePlugin()])
  await camel.schema.createTable('paidOrders').addColumn('orderId', 'text').execute()
  const { orderId } = await camel
    .insertInto('paidOrders')
    .defaultValues()
    .returningAll()
    .executeTakeFirstOrThrow()
  expect(await renamed.find(camel, orderId)).toMatchObject({
    model: 'paidOrders',
    column: 'orderId',
    row: { orderId },
  })
})

test('every form of a declaration', () => {
  const forms = idPlugin({
    database: 'postgres',
    tables: {
      a: {
        id: idColumn(flax),
        up: flaxId.ref('a.id'),
        typed: idColumn.plain(typeid('a')),
        all: idColumn.list(sno),
      },
      b: {
        id: idColumn(uuid7),
        a_id: idColumn.ref('a.up'),
        text: idColumn(flax, { prefix: 'cus' }),
        t: idColumn(uuid7, { storage: 'text' }),
      },
    },
  })
  const types = (paths: readonly Parameters<typeof forms.columnType>[0][]) =>
    paths.map((path) => forms.columnType(path).compile(db).sql)
  expect(types(['a.id', 'a.up', 'a.all', 'b.id', 'b.a_id', 'b.t'])).toEqual([
    'text COLLATE "C"',
    'text COLLATE "C"',
    'text[]',
    'uuid',
    'text COLLATE "C"',
    'text COLLATE "C"',
  ])
  expect(customerId.is(forms.generate('b.text'))).toBe(true)
})

test.each<[string, () => unknown, RegExp]>([
  [
    'bytes',
    () => flaxId({ storage: 'binary' }),
    /^t\.id: flax in postgres: cannot use storage binary: Kysely passes ids as they are stored; use text$/,
  ],
  [
    'a uuid of a family that converts',
    () => flaxId({ storage: 'uuid' }),
    /cannot use storage uuid: Kysely passes ids as they are stored; use text$/,
  ],
  [
    'a family of numbers',
    () => idColumn.plain(flake),
    /^t\.id: flake in postgres: cannot use storage bigint: .* as they are stored; use another family$/,
  ],
  [
    'bytes of one',
    () => idColumn.plain(flake, { storage: 'binary' }),
    /^t\.id: flake in postgres: cannot use storage binary: .*; use another family$/,
  ],
  [
    'a generated column without a generator',
    () => idColumn(uid),
    /^t\.id: uid has no default generator; pass \{ generator: /,
  ],
  [
    'a reference to nothing',
    () => idColumn.ref('t.none'),
    /^t\.id: references t\.none, which is not an id column$/,
  ],
  ['a reference to itself', () => idColumn.ref('t.id'), /^t\.id: its references form a cycle/],
  [
    'a mismatch of another name',
    () => flaxId({ onMismatch: 'ignore' as never }),
    /^t\.id: flax: onMismatch must be "error" or "notFound", not "ignore"/,
  ],
  [
    'texts that are no ids in a column that has none',
    () => idColumn.plain(uuid7, { onMismatch: 'notFound' }),
    /^t\.id: uuid7: onMismatch 'notFound' needs storage text/,
  ],
  ['a list outside PostgreSQL', () => flaxId.list(), /^t\.id: sqlite has no arrays; use a separate table$/],
  ['no column', () => flaxId, /^t\.id: must be an id column such as flaxId\(\), not a function/],
])('%s is refused', (_, column, message) => {
  const database = _.includes('outside') ? 'sqlite' : 'postgres'
  expect(() => idPlugin({ database, tables: { t: { id: column() as never } } })).toThrow(message)
})
