import { flax, sno } from '@snoflax/core'
import { asText, createdAt, createdBetween, keyset } from '@snoflax/kysely'
import { type OpenDatabase, pglite, sqlite } from '@snoflax/test'
import { DeduplicateJoinsPlugin, Kysely, ParseJSONResultsPlugin, sql } from 'kysely'
import * as pgHelpers from 'kysely/helpers/postgres'
import * as sqliteHelpers from 'kysely/helpers/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialectFor, PGliteDialect } from './contract/session.js'
import { type CustomerId, itemFamily, type OpenShop, type OrderId, openShop } from './shop.js'

const KINDS = [
  ['SQLite, binary', sqlite, 'binary'],
  ['SQLite, text', sqlite, 'text'],
  ...(PGliteDialect
    ? ([
        ['PGlite, uuid', pglite, 'uuid'],
        ['PGlite, binary', pglite, 'binary'],
      ] as const)
    : []),
] as const

describe.each(KINDS)('%s', (_, kind, storage) => {
  let database: OpenDatabase
  let shop: OpenShop
  let ada: CustomerId
  let bob: CustomerId
  let eve: CustomerId
  let orders: readonly { id: OrderId; total: number; customer_id: CustomerId }[]

  const isPostgres = kind === pglite
  const db = () => shop.db
  const { jsonArrayFrom, jsonBuildObject } = isPostgres ? pgHelpers : sqliteHelpers

  beforeAll(async () => {
    database = await kind.open()
    shop = await openShop(database, storage)
    const customers = await db().selectFrom('customers').selectAll().orderBy('name').execute()
    ;[ada, bob, eve] = customers.map(({ id }) => id) as [CustomerId, CustomerId, CustomerId]
    orders = await db().selectFrom('orders').selectAll().orderBy('total').execute()
  })
  afterAll(() => database?.close())

  test('a cast of a key is compared with its id, or refused beside bytes', async () => {
    const query = db()
      .selectFrom('customers')
      .select('name')
      .where((eb) => eb(eb.cast<string>('id', 'text'), '=', ada))
    if (storage === 'binary') await expect(query.execute()).rejects.toThrow('stands beside no column')
    else expect(await query.execute()).toEqual([{ name: 'Ada' }])
  })

  test('a recursive CTE', async () => {
    const rows = await db()
      .withRecursive('chain(id, up, depth)', (qb) =>
        qb
          .selectFrom('customers')
          .select((eb) => ['id', 'referrer_id as up', eb.lit(0).as('depth')])
          .where('id', '=', bob)
          .unionAll((eb) =>
            eb
              .selectFrom('customers as c')
              .innerJoin('chain', 'chain.up', 'c.id')
              .select(['c.id', 'c.referrer_id as up', sql<0>`chain.depth + 1`.as('depth')]),
          ),
      )
      .selectFrom('chain')
      .select(['id', 'up'])
      .orderBy('depth')
      .execute()
    expect(rows).toEqual([
      { id: bob, up: ada },
      { id: ada, up: null },
    ])
  })

  // SQLite refuses it.
  test.runIf(isPostgres)('a CTE can have the name of the table that it reads', async () => {
    const rows = await db()
      .with('customers', (qb) =>
        qb.selectFrom('customers').select(['name as id', 'id as name']).where('id', '=', ada),
      )
      .selectFrom('customers')
      .selectAll()
      .execute()
    expect(rows).toEqual([{ id: 'Ada', name: ada }])
  })

  test.runIf(isPostgres)('an insert in a CTE', async () => {
    const rows = await db()
      .with('made', (qb) => qb.insertInto('customers').values({ name: 'Cte' }).returning(['id as new_id']))
      .selectFrom('made')
      .selectAll()
      .execute()
    expect(rows.map(({ new_id }) => flax.is(new_id))).toEqual([true])
    const [made] = rows
    await db()
      .deleteFrom('customers')
      .where('id', '=', made?.new_id as CustomerId)
      .execute()
  })

  test('times in the JSON of helpers, and objects', async () => {
    const row = await db()
      .selectFrom('customers as c')
      .select((eb) => [
        jsonArrayFrom(
          eb
            .selectFrom('orders as o')
            .select(['o.id', createdAt('o.id').as('at')])
            .whereRef('o.customer_id', '=', 'c.id')
            .orderBy('o.total'),
        ).as('orders'),
        jsonBuildObject({ me: eb.ref('c.id'), name: eb.ref('c.name') }).as('built'),
      ])
      .where('c.id', '=', bob)
      .executeTakeFirstOrThrow()
    expect(row.orders).toEqual(orders.slice(2).map(({ id }) => ({ id, at: sno.time(id) })))
    expect(row.built).toEqual({ me: bob, name: 'Bob' })
  })

  test('JSON of helpers beside a default, in coalesce() and case', async () => {
    const { id } = orders[0] as { id: OrderId }
    const row = await db()
      .selectFrom('customers as c')
      .select((eb) => {
        const made = jsonArrayFrom(eb.selectFrom('orders as o').select('o.id').where('o.id', '=', id))
        const none = jsonArrayFrom(eb.selectFrom('orders as o').select('o.id').where('o.total', '<', 0))
        const other = sql<object>`${sql.lit('{"ids":"none"}')}${sql.raw(isPostgres ? '::json' : '')}`
        return [
          eb.fn.coalesce(made, sql`'[]'`).as('coalesced'),
          eb.fn.coalesce(none, sql`'[]'`).as('empty'),
          eb.case().when('c.id', '=', ada).then(made).else(other).end().as('cased'),
          eb.case().when('c.id', '=', bob).then(made).else(other).end().as('otherwise'),
        ]
      })
      .where('c.id', '=', ada)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ coalesced: [{ id }], empty: [], cased: [{ id }], otherwise: { ids: 'none' } })
  })

  test('a column of text is not set to ids in another form, unless asText() marks them', async () => {
    const none = flax.generate<'customers'>() as unknown as CustomerId
    // biome-ignore lint/suspicious/noExplicitAny: names are texts of another type than ids
    const set = (expression: (eb: any) => any) =>
      db()
        .updateTable('customers')
        .set((eb) => ({ name: expression(eb) }))
        .where('id', '=', none)
        .execute()
    const inserted = () =>
      db()
        .insertInto('customers')
        .columns(['id', 'name'])
        .expression((eb) => eb.selectFrom('customers').select(['id', 'id as name']).where('id', '=', none))
        .execute()
    await set((eb) => asText(eb.ref('customers.id')))
    for (const write of [
      () => set((eb) => eb.ref('customers.id')),
      () => set((eb) => eb.selectFrom('orders').select('orders.id').limit(1)),
      inserted,
    ]) {
      if (storage === 'text') await write()
      else await expect(write()).rejects.toThrow(/name is not declared as an id column/)
    }
  })

  test('JSON helpers with ParseJSONResultsPlugin', async () => {
    const others = new Kysely<never>({
      dialect: dialectFor(database),
      plugins: [new ParseJSONResultsPlugin(), shop.ids, new DeduplicateJoinsPlugin()],
    }) as unknown as typeof shop.db
    const row = await others
      .selectFrom('customers')
      .select((eb) =>
        jsonArrayFrom(
          eb
            .selectFrom('orders')
            .select('orders.id')
            .whereRef('orders.customer_id', '=', 'customers.id')
            .orderBy('total'),
        ).as('orders'),
      )
      .where('customers.id', '=', ada)
      .executeTakeFirstOrThrow()
    expect(row.orders.map(({ id }) => id)).toEqual(orders.slice(0, 2).map(({ id }) => id))
  })

  test('rows of one insert, with and without an id', async () => {
    const id = shop.ids.generate('items.id')
    const order_id = orders[0]?.id as OrderId
    const rows = [
      { order_id, label: 'new' },
      { id, order_id, label: 'new' },
    ]
    const made = await db().insertInto('items').values(rows).returning('id').execute()
    expect(made.map((one) => one.id)).toEqual([expect.stringMatching(itemFamily.pattern), id])
    await db().deleteFrom('items').where('label', '=', 'new').execute()
  })

  test('an update from a subquery', async () => {
    const last = db().selectFrom('customers as o').select('o.id').where('o.name', '=', 'Bob').limit(1)
    await db().updateTable('customers').set({ referrer_id: last }).where('id', '=', eve).execute()
    const found = db().selectFrom('customers').select('referrer_id').where('id', '=', eve)
    expect(await found.execute()).toEqual([{ referrer_id: bob }])
    await db().updateTable('customers').set({ referrer_id: null }).where('id', '=', eve).execute()
  })

  test.runIf(isPostgres)('a delete using another table', async () => {
    const { id } = await db()
      .insertInto('orders')
      .values({ customer_id: eve, total: 9 })
      .returning('id')
      .executeTakeFirstOrThrow()
    const removed = await db()
      .deleteFrom('orders')
      .using('customers')
      .whereRef('customers.id', '=', 'orders.customer_id')
      .where('customers.id', '=', eve)
      .returning(['orders.id', 'customers.id as whose'])
      .execute()
    expect(removed).toEqual([{ id, whose: eve }])
  })

  test('raw SQL with rows(), coalesce, lists and tables', async () => {
    const found = await db()
      .selectFrom('customers as c')
      .select(
        shop.ids
          .typed(
            'customers.id',
            sql`coalesce(${sql.ref('c.referrer_id')}, ${shop.ids.parameter('customers.id', eve)})`,
          )
          .as('either'),
      )
      .where(
        sql<boolean>`(${sql.ref('c.id')}, ${sql.ref('c.name')}) in ((${ada}, ${'Ada'}), (${bob}, ${'Bob'}))`,
      )
      .orderBy('c.name')
      .execute()
    expect(found.map(({ either }) => either)).toEqual([eve, ada])
    const { rows } = await shop.ids
      .rows(
        { id: 'customers.id', name: null },
        sql`select id, name from ${sql.table('customers')} where ${sql.ref('id')} = ${bob}`,
      )
      .execute(db())
    expect(rows).toEqual([{ id: bob, name: 'Bob' }])
  })

  test('createdAt, createdBetween and keyset', async () => {
    const times = await db()
      .selectFrom('orders as o')
      .select(['o.id', createdAt('o.id').as('at')])
      .where(createdBetween('o.id', Date.now() - 3_600_000, Date.now() + 60_000))
      .execute()
    expect(times.map(({ id, at }) => sno.timeMs(id) - at.getTime())).toEqual([0, 0, 0, 0])
    const page = db().selectFrom('customers').select('id')
    const first = await page.$call(keyset('id', { order: 'desc', take: 2 })).execute()
    const second = await page.$call(keyset('id', { after: first[1]?.id, order: 'desc', take: 2 })).execute()
    expect([...first, ...second].map(({ id }) => id)).toEqual([ada, bob, eve].sort(flax.compare).reverse())
  })

  test('a query used in two places is converted once in each', async () => {
    const inner = db()
      .selectFrom('customers')
      .select((eb) => ['customers.id', jsonBuildObject({ me: eb.ref('customers.id') }).as('built')])
      .where('id', '=', bob)
    const rows = await db().selectFrom(inner.as('one')).selectAll().execute()
    expect(rows).toEqual([{ id: bob, built: { me: bob } }])
    expect(await inner.execute()).toEqual(rows)
    const named = await db()
      .selectFrom('customers')
      .select('name')
      .where('id', 'in', db().selectFrom('customers').select('id').where('id', '=', eve))
      .execute()
    expect(named).toEqual([{ name: 'Eve' }])
  })
})
