import { flax } from '@snoflax/core'
import { flaxId, idPlugin } from '@snoflax/kysely'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { expect, test } from 'vitest'

// Raw SQL that names a column means those of the query around it, and a statement those of every table.

const client = new Database(':memory:')
client.exec(`create table parcels (id blob primary key); create table legacy (id text primary key);
  create table notes (id text primary key, parcel_id blob);
  create table pages (parcel blob)`)
const ids = idPlugin({
  database: 'sqlite',
  tables: {
    parcels: { id: flaxId({ storage: 'binary' }) },
    notes: { id: flaxId({ storage: 'text' }), parcel_id: flaxId.ref('parcels.id') },
  },
})
// biome-ignore lint/suspicious/noExplicitAny: tables don't matter here
const db = new Kysely<any>({ dialect: new SqliteDialect({ database: client }), plugins: [ids] })
const id = flax.generate()
await db.insertInto('legacy').values({ id }).execute()
await db.insertInto('notes').values({ id }).execute()
await db.insertInto('parcels').values({ id }).execute()
await db.insertInto('notes').values({ id: flax.generate(), parcel_id: id }).execute()
client.exec('insert into pages select id from parcels')
const isIt = sql<boolean>`id = ${id}`

test.each<[string, () => Promise<unknown>]>([
  ['a query of a table without ids', () => db.selectFrom('legacy').selectAll().where(isIt).execute()],
  ['its alias', () => db.selectFrom('legacy as l').selectAll().where(sql<boolean>`l.id = ${id}`).execute()],
  ['a table with ids as text', () => db.selectFrom('notes').selectAll().where(isIt).execute()],
  [
    'a subquery',
    () => db.selectFrom(db.selectFrom('legacy').selectAll().where(isIt).as('x')).selectAll().execute(),
  ],
])('an id is sent unchanged if no table of the SQL has such an id column: %s', async (_, query) => {
  expect(await query()).toHaveLength(1)
})

test.each<[string, () => Promise<unknown>]>([
  ['an id column', () => db.selectFrom('parcels').selectAll().where(isIt).execute()],
  ['a reference', () => db.selectFrom('notes').selectAll().where(sql<boolean>`parcel_id = ${id}`).execute()],
  [
    'around a subquery',
    () =>
      db
        .selectFrom('parcels')
        .selectAll()
        .where((eb) =>
          eb.exists(db.selectFrom('legacy').select('id').where(sql<boolean>`parcels.id = ${id}`)),
        )
        .execute(),
  ],
  ['in a text', async () => (await sql`select * from notes where parcel_id = ${id}`.execute(db)).rows],
])('an id is converted by the column that the SQL names: %s', async (_, query) => {
  expect(await query()).toHaveLength(1)
})

test.each<[string, () => Promise<unknown>]>([
  [
    'in a subquery of the text',
    () =>
      db
        .selectFrom('legacy')
        .selectAll()
        .where(sql<boolean>`exists (select 1 from parcels where id = ${id})`)
        .execute(),
  ],
  ['in a text', () => sql`select * from parcels where id = ${id}`.execute(db)],
  [
    'in a CTE of raw SQL',
    () =>
      db
        .with('x', () => sql`select * from parcels`)
        .selectFrom('x')
        .selectAll()
        .where(isIt)
        .execute(),
  ],
  ['in a table that is not declared', () => sql`select * from parcel_view where id = ${id}`.execute(db)],
])('an id is refused if the name is one of columns of several forms: %s', async (_, query) => {
  await expect(async () => query()).rejects.toThrow(/^parcels\.id: the id .* can be one of several columns/)
})

test.each<[string, () => Promise<unknown>]>([
  [
    'an outer table that is not declared',
    () =>
      db
        .selectFrom('pages')
        .selectAll()
        .where((eb) => eb.exists(eb.selectFrom('parcels').select('id').whereRef('id', '=', 'parcel')))
        .execute(),
  ],
  [
    'the alias of an id in the same query',
    () =>
      db
        .selectFrom('notes')
        .select((eb) => ['parcel_id', eb.fn.max('parcel_id').as('last')])
        .groupBy('parcel_id')
        .havingRef('last', '=', 'parcel_id')
        .execute(),
  ],
])('an id is compared with a column that may be an id column: %s', async (_, query) => {
  expect(await query()).toHaveLength(1)
})
