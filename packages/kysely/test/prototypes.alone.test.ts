import { flax, IdError } from '@snoflax/core'
import { flaxId, idPlugin, type WithIds } from '@snoflax/kysely'
import Database from 'better-sqlite3'
import * as kysely from 'kysely'
import { Kysely, type KyselyPlugin, type RootOperationNode, SqliteDialect, sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'

// What this package changes in Kysely: nothing. In a process of its own, since others could have changed it.

type Classes = readonly (readonly [name: string, owner: object])[]

/** Kysely's exported functions, classes and their prototypes. */
const CLASSES: Classes = Object.entries(kysely).flatMap(([name, one]) =>
  typeof one === 'function' || typeof one === 'object'
    ? [
        [name, one],
        ...(typeof one === 'function' && one.prototype
          ? [[`${name}.prototype`, one.prototype] as const]
          : []),
      ]
    : [],
) as Classes

const members = (classes: Classes) =>
  new Map(
    classes.flatMap(([name, owner]) => [
      [`${name}'s prototype`, Object.getPrototypeOf(owner)] as const,
      ...Reflect.ownKeys(owner).map((key) => {
        const { value, get } = Object.getOwnPropertyDescriptor(owner, key) as PropertyDescriptor
        return [`${name}.${String(key)}`, value ?? get] as const
      }),
    ]),
  )

/** The trees before and after this plugin, and the driver's rows. */
const seen = { input: [] as RootOperationNode[], sent: [] as RootOperationNode[], rows: [] as unknown[] }
const before: KyselyPlugin = {
  transformQuery: ({ node }) => {
    seen.input.push(node)
    return node
  },
  transformResult: async ({ result }) => {
    seen.rows.push(...result.rows)
    return result
  },
}
const after: KyselyPlugin = {
  transformQuery: ({ node }) => {
    seen.sent.push(node)
    return node
  },
  transformResult: async ({ result }) => result,
}

function open() {
  const client = new Database(':memory:')
  client.exec(`create table shops (id text, name text); create table doors (id text, shop_id text);
    create table logs (id text, note text)`)
  const ids = idPlugin({
    database: 'sqlite',
    tables: {
      shops: { id: flaxId() },
      doors: { id: flaxId(), shop_id: flaxId.ref('shops.id') },
    },
  })
  interface Tables {
    shops: { name: string }
    doors: object
    logs: { id: string; note: string }
  }
  const db = new Kysely<WithIds<Tables, typeof ids>>({
    dialect: new SqliteDialect({ database: client }),
    plugins: [before, ids, after],
  })
  return { client, ids, db }
}

beforeEach(() => {
  for (const list of Object.values(seen)) list.length = 0
})

test("Kysely's functions, classes and prototypes are untouched", async () => {
  const was = members(CLASSES)
  const { db, ids } = open()
  const shop = await db.insertInto('shops').values({ name: 'Ada' }).returningAll().executeTakeFirstOrThrow()
  await db
    .insertInto('doors')
    .values([{ shop_id: shop.id }, { shop_id: shop.id }])
    .execute()
  await db
    .updateTable('doors')
    .set({ shop_id: shop.id })
    .where(ids.createdBetween('doors.id', 0, Date.now() + 1e6))
    .execute()
  const page = ids.keyset('doors.id', { after: flax.min as never })
  const doors = await page(
    db.selectFrom('doors').innerJoin('shops', 'shops.id', 'doors.shop_id').select('doors.id'),
  ).execute()
  expect(doors).toHaveLength(2)
  const wrong = { shop_id: 'malformed' as never }
  await expect(db.insertInto('doors').values(wrong).execute()).rejects.toThrow(IdError)
  await db
    .deleteFrom('doors')
    .where('id', '=', doors[0]?.id as never)
    .execute()
  await sql`select ${shop.id} as it`.execute(db)
  await ids.checkColumns(db)

  const is = members(CLASSES)
  expect([...is].flatMap(([name, value]) => (was.get(name) === value ? [] : [name]))).toEqual([])
  expect(is.size).toBe(was.size)
})

test('a statement that writes to no declared table, or has all ids, is returned as it came', async () => {
  const { db, ids } = open()
  const like = sql<boolean>`lower(note) like ${'%a%'}`
  const statements = [
    db
      .insertInto('logs')
      .values([
        { id: '1', note: 'a' },
        { id: '2', note: 'Kpcan0M1Fakodt4' },
      ])
      .returningAll(),
    db.selectFrom('logs as l').selectAll().where('l.id', 'in', ['1', '2']).where(like).orderBy('id').limit(5),
    db
      .with('some', (qb) => qb.selectFrom('logs').select(['id', 'note']))
      .selectFrom('some')
      .innerJoin('logs', 'logs.id', 'some.id')
      .select('some.note'),
    db.updateTable('logs').set({ note: 'b' }).where('id', '=', '1').returning('id'),
    db
      .selectFrom('logs')
      .select((eb) => eb.fn.countAll().as('n'))
      .groupBy('note')
      .having((eb) => eb.fn.countAll(), '>', 0),
    db.selectFrom('logs').selectAll().union(db.selectFrom('logs').selectAll()),
    db
      .deleteFrom('logs')
      .where((eb) => eb.exists(eb.selectFrom('logs as o').select('o.id').whereRef('o.id', '=', 'logs.id'))),
  ]
  for (const statement of statements) await statement.execute()
  const [id, shop_id] = [ids.generate('doors.id'), ids.generate('shops.id')]
  await db.insertInto('doors').values({ id, shop_id }).execute()
  await db.updateTable('doors').set({ shop_id }).where('id', '=', id).execute()
  await db
    .selectFrom('doors as d')
    .innerJoin('shops as s', 's.id', 'd.shop_id')
    .selectAll()
    .where('s.id', '=', shop_id)
    .execute()
  await sql`select ${1} as one, ${'two'} as two`.execute(db)
  await db.schema.createTable('notes').addColumn('id', 'text').execute()
  expect(seen.sent.length).toBeGreaterThan(statements.length)
  expect(seen.sent.map((node, at) => node === seen.input[at])).toEqual(seen.sent.map(() => true))
})

test('rows with ids as text are the objects of the driver, unchanged', async () => {
  const { db, client } = open()
  const inserted = await db
    .insertInto('shops')
    .values([{ name: 'Ada' }, { name: 'Bob' }])
    .returningAll()
    .execute()
  // What another program wrote is returned as it is.
  client.exec("insert into shops values ('no id', 'Eve'), (null, 'Dan')")
  const all = await db.selectFrom('shops').selectAll().execute()
  const joined = await db
    .selectFrom('shops as s')
    .leftJoin('doors as d', 'd.shop_id', 's.id')
    .select(['s.id', 'd.id as door'])
    .execute()
  const rows = [...inserted, ...all, ...joined]
  expect(rows).toHaveLength(10)
  expect(rows.map((row, at) => row === seen.rows[at])).toEqual(rows.map(() => true))
  expect(all.map(({ id }) => id)).toEqual([...inserted.map(({ id }) => id), 'no id', null])
})
