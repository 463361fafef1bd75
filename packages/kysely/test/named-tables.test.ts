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

type Ask = { execute(executor?: unknown): Promise<unknown> }
const of = (table: string) => db.selectFrom(table).selectAll()
const rowsOf = async (ask: Ask): Promise<unknown> => {
  if (!('isRawBuilder' in ask)) return ask.execute()
  return ((await ask.execute(db)) as { rows: unknown }).rows
}

test.each<[string, () => Ask]>([
  ['sent unchanged: of a table without ids', () => of('legacy').where(isIt)],
  ['sent unchanged: by an alias', () => of('legacy as l').where(sql<boolean>`l.id = ${id}`)],
  ['sent unchanged: of a table with ids as text', () => of('notes').where(isIt)],
  ['sent unchanged: in a subquery', () => db.selectFrom(of('legacy').where(isIt).as('x')).selectAll()],
  [
    'sent unchanged: in a subquery beside an id column',
    () =>
      db
        .selectFrom('parcels')
        .innerJoin(of('legacy').where('id', '=', id).as('l'), (join) => join.onTrue())
        .select('l.id'),
  ],
  ['converted: of an id column', () => of('parcels').where(isIt)],
  ['converted: of a reference', () => of('notes').where(sql<boolean>`parcel_id = ${id}`)],
  [
    'converted: around a subquery',
    () =>
      of('parcels').where((eb) =>
        eb.exists(db.selectFrom('legacy').select('id').where(sql<boolean>`parcels.id = ${id}`)),
      ),
  ],
  ['converted: in a text', () => sql`select * from notes where parcel_id = ${id}`],
  [
    'compared with what may be an id: in an outer table that is not declared',
    () =>
      of('pages').where((eb) =>
        eb.exists(eb.selectFrom('parcels').select('id').whereRef('id', '=', 'parcel')),
      ),
  ],
  [
    'compared with what may be an id: the alias of an id in the same query',
    () =>
      db
        .selectFrom('notes')
        .select((eb) => ['parcel_id', eb.fn.max('parcel_id').as('last')])
        .groupBy('parcel_id')
        .havingRef('last', '=', 'parcel_id'),
  ],
])('an id is %s', async (_, ask) => {
  expect(await rowsOf(ask())).toHaveLength(1)
})

test.each<[string, () => Ask]>([
  [
    'in a subquery of the text',
    () => of('legacy').where(sql<boolean>`exists (select 1 from parcels where id = ${id})`),
  ],
  ['in a text', () => sql`select * from parcels where id = ${id}`],
  [
    'in a CTE of raw SQL',
    () =>
      db
        .with('x', () => sql`select * from parcels`)
        .selectFrom('x')
        .selectAll()
        .where(isIt),
  ],
  ['in a table that is not declared', () => sql`select * from parcel_view where id = ${id}`],
])('an id is refused if the name is one of columns of several forms: %s', async (_, ask) => {
  await expect(async () => rowsOf(ask())).rejects.toThrow(
    /^parcels\.id: the id .* can be one of several columns/,
  )
})
