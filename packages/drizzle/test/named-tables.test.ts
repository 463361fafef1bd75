import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { eq, relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { alias, sqliteTable, sqliteView, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

// Raw SQL that names a column means those of its own tables, whatever else the process has defined.

const parcels = sqliteTable('parcels', { id: flaxId({ storage: 'binary' }).primaryKey() })
const notes = sqliteTable('notes', {
  id: flaxId({ storage: 'text' }).primaryKey(),
  parcelId: flaxId.ref('parcel_id', () => parcels.id),
})
const trips = sqliteTable('trips', { tripId: flaxId('trip_id', { storage: 'binary' }).primaryKey() })
/** Its ids are another program's, and just look like ours. */
const legacy = sqliteTable('legacy', { id: text().primaryKey(), name: text() })
const legacyRelations = relations(legacy, () => ({}))
const view = sqliteView('parcel_view').as((query) => query.select().from(parcels))

const client = new Database(':memory:')
client.exec(`create table parcels (id blob primary key); create table notes (id text primary key, parcel_id blob);
  create table legacy (id text primary key, name text); create view parcel_view as select * from parcels`)
const db = drizzle({ client, schema: { legacy, legacyRelations } })
const id = flax.generate()
db.insert(legacy).values({ id, name: 'x' }).run()
db.insert(notes).values({ id }).run()

const isIt = sql`id = ${id}`

test.each<[string, () => unknown]>([
  ['a table of Drizzle', () => db.select().from(legacy).where(isIt).all()],
  ['its alias', () => db.select().from(alias(legacy, 'l')).where(sql`l.id = ${id}`).all()],
  ['a relational query', () => db.query.legacy.findMany({ where: isIt }).sync()],
  [
    'a selected condition',
    () =>
      db
        .select({ is: sql<number>`max(id = ${id})` })
        .from(legacy)
        .all(),
  ],
  ['an update', () => db.update(legacy).set({ name: 'x' }).where(isIt).returning().all()],
  ['an update of SQL', () => db.update(legacy).set({ name: sql`'x'` }).where(isIt).returning().all()],
  [
    'a join whose other table has ids',
    () => db.select().from(legacy).leftJoin(parcels, sql`0`).where(sql`legacy.id = ${id}`).all(),
  ],
  ['a subquery', () => db.select().from(db.select().from(legacy).where(isIt).as('s')).all()],
  [
    'a query in a condition',
    () =>
      db
        .select()
        .from(legacy)
        .where(sql`exists ${db.select({ one: sql`1` }).from(legacy).where(isIt)}`)
        .all(),
  ],
  ['ids stored as text', () => db.select().from(notes).where(isIt).all()],
  ['the same in a text', () => db.all(sql`select * from notes where id = ${id}`)],
  ['a table in a template', () => db.all(sql`select * from ${legacy} where id = ${id}`)],
])('an id is sent unchanged if no table of the SQL has such an id column: %s', (_, query) => {
  expect(query()).toHaveLength(1)
})

test.each<[string, () => unknown]>([
  ['an id column', () => db.select().from(parcels).where(isIt).all()],
  ['one in a join', () => db.select().from(legacy).leftJoin(parcels, sql`1`).where(isIt).all()],
  ['a qualified one', () => db.select().from(legacy).leftJoin(parcels, sql`parcels.id = ${id}`).all()],
  ['a reference', () => db.select().from(notes).where(sql`parcel_id = ${id}`).all()],
  [
    'in a subquery',
    () => db.select().from(legacy).where(sql`exists (select 1 from parcels where id = ${id})`).all(),
  ],
  ['in a view', () => db.select().from(view).where(isIt).all()],
  ['in a view of the database', () => db.all(sql`select * from parcel_view where id = ${id}`)],
  ['in a text', () => db.all(sql`select * from parcels where id = ${id}`)],
  ['in an update', () => db.update(parcels).set({ id }).where(isIt).run()],
  ['in a delete', () => db.delete(parcels).where(isIt).run()],
  [
    'in a prepared one',
    () =>
      db
        .select()
        .from(parcels)
        .where(sql`id = ${sql.placeholder('id')}`)
        .prepare()
        .all({ id }),
  ],
  [
    'in a CTE',
    () => {
      const recent = db.$with('legacy').as(db.select().from(parcels))
      return db.with(recent).select().from(recent).where(isIt).all()
    },
  ],
  [
    'in a union that is a subquery',
    () => {
      const either = db
        .select({ id: legacy.id })
        .from(legacy)
        .unionAll(db.select({ id: sql<string>`trip_id` }).from(trips))
        .as('either')
      return db.select().from(either).where(isIt).all()
    },
  ],
  [
    'in a subquery with the name of a table',
    () =>
      db
        .select()
        .from(db.select().from(parcels).as('legacy'))
        .where(sql`legacy.id = ${id} and exists ${db.select({ one: sql`1` }).from(legacy)}`)
        .all(),
  ],
  [
    'in a union',
    () =>
      db
        .select({ id: sql`1` })
        .from(legacy)
        .union(db.select({ id: sql`1` }).from(parcels).where(isIt))
        .all(),
  ],
])('an id is refused if the SQL names an id column that would not find it: %s', (_, query) => {
  expect(query).toThrow(
    /^(?:parcels\.id|notes\.parcel_id|trips\.trip_id)(?: as id| or notes\.id)?: the text of the SQL names the column/,
  )
})

test('eq finds an id in a table whose raw SQL condition needs no conversion', () => {
  expect(db.select().from(notes).where(eq(notes.id, id)).all()).toHaveLength(1)
})
