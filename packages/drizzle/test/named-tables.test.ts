import { flax } from '@snoflax/core'
import * as pgIds from '@snoflax/drizzle/pg-core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { eq, relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { MySqlDialect } from 'drizzle-orm/mysql-core'
import { PgDialect, pgTable } from 'drizzle-orm/pg-core'
import { alias, blob, SQLiteSyncDialect, sqliteTable, sqliteView, text } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

// Raw SQL that names a column means those of its own tables, whatever else the process has defined.

const parcels = sqliteTable('parcels', { id: flaxId({ storage: 'binary' }).primaryKey() })
const memos = sqliteTable('memos', {
  id: flaxId({ storage: 'text' }).primaryKey(),
  parcelId: flaxId.ref('parcel_id', () => parcels.id),
})
const trips = sqliteTable('trips', { tripId: flaxId('trip_id', { storage: 'binary' }).primaryKey() })
/** Its ids are another program's, and just look like ours. */
const legacy = sqliteTable('legacy', { id: text().primaryKey(), name: text() })
/** Another database has a table of the same name. */
const inUuid = { storage: 'uuid' } as const
pgTable('memos', {
  id: pgIds.flaxId(inUuid).primaryKey(),
  onlyThere: pgIds.flaxId.plain('only_there', inUuid),
})
const legacyRelations = relations(legacy, () => ({}))
const view = sqliteView('parcel_view').as((query) => query.select().from(parcels))

const client = new Database(':memory:')
client.exec(`create table parcels (id blob primary key); create table memos (id text primary key, parcel_id blob);
  create table legacy (id text primary key, name text); create view parcel_view as select * from parcels`)
const db = drizzle({ client, schema: { legacy, legacyRelations } })
const id = flax.generate()
db.insert(legacy).values({ id, name: 'x' }).run()
db.insert(memos).values({ id }).run()

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
  ['ids stored as text', () => db.select().from(memos).where(isIt).all()],
  ['the same in a text', () => db.all(sql`select * from memos where id = ${id}`)],
  ['a table in a template', () => db.all(sql`select * from ${legacy} where id = ${id}`)],
])('an id is sent unchanged if no table of the SQL has such an id column: %s', (_, query) => {
  expect(query()).toHaveLength(1)
})

test.each<[string, () => unknown]>([
  ['an id column', () => db.select().from(parcels).where(isIt).all()],
  ['one in a join', () => db.select().from(legacy).leftJoin(parcels, sql`1`).where(isIt).all()],
  ['a qualified one', () => db.select().from(legacy).leftJoin(parcels, sql`parcels.id = ${id}`).all()],
  ['a reference', () => db.select().from(memos).where(sql`parcel_id = ${id}`).all()],
  [
    'in a subquery',
    () => db.select().from(legacy).where(sql`exists (select 1 from parcels where id = ${id})`).all(),
  ],
  ['in a view', () => db.select().from(view).where(isIt).all()],
  ['in a view of the database', () => db.all(sql`select * from trip_view where trip_id = ${id}`)],
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
    /^(?:parcels\.id|memos\.parcel_id|trips\.trip_id)(?: as id| or memos\.id)?: the text of the SQL names the column/,
  )
})

test('eq finds an id in a table whose raw SQL condition needs no conversion', () => {
  expect(db.select().from(memos).where(eq(memos.id, id)).all()).toHaveLength(1)
})

/** Its keys look as if they were stored ids. */
const files = sqliteTable('files', { id: blob({ mode: 'buffer' }).primaryKey() })
const [stored, other] = [id, flax.generate()].map((one) => Buffer.from(flax.decode(one))) as [Buffer, Buffer]
client.exec(
  'create table files (id blob primary key); create table trips (trip_id blob primary key); create view trip_view as select * from trips',
)
db.insert(files).values({ id: stored }).run()
db.insert(parcels).values({ id: flax.generate() }).run()
db.insert(trips).values({ tripId: flax.generate() }).run()
const rawId = () => sql`id`

test.each<[string, () => unknown]>([
  ['of a table of Drizzle', () => db.select({ id: rawId() }).from(files).all()],
  ['of a joined one', () => db.select({ id: rawId() }).from(trips).innerJoin(files, sql`1`).all()],
  [
    'under an alias',
    () =>
      db
        .select({ key: rawId().as('key') })
        .from(files)
        .all(),
  ],
  [
    'of a subquery',
    () =>
      db
        .select()
        .from(
          db
            .select({ key: rawId().as('key') })
            .from(files)
            .as('s'),
        )
        .all(),
  ],
  [
    'of a CTE',
    () => {
      const some = db.$with('some').as(db.select({ key: rawId().as('key') }).from(files))
      return db.with(some).select().from(some).all()
    },
  ],
  ['of an update', () => db.update(files).set({ id: stored }).returning({ id: rawId() }).all()],
  ['of an insert', () => db.insert(files).values({ id: other }).returning({ id: rawId() }).all()],
  ['of a delete', () => db.delete(files).where(eq(files.id, other)).returning({ id: rawId() }).all()],
])('what no table of the query has as ids is read as it is: %s', (_, query) => {
  expect(query).not.toThrow()
})

test.each<[string, () => unknown]>([
  ['of a table', () => db.select({ id: rawId() }).from(parcels).all()],
  ['of a joined one', () => db.select({ id: rawId() }).from(trips).rightJoin(parcels, sql`1`).all()],
  ['of an SQL text', () => db.select({ id: rawId() }).from(sql`parcels`).all()],
  [
    'of an SQL text that is inlined',
    () => db.select({ id: rawId() }).from(sql`parcels`.inlineParams()).all(),
  ],
  ['of an SQL subquery', () => db.select({ id: sql`(select id from parcels)` }).from(files).all()],
  [
    'of an inlined one',
    () => db.select({ id: sql`(select id from parcels)`.inlineParams() }).from(files).all(),
  ],
  ['of a view of the database', () => db.select({ id: rawId() }).from(sql`parcel_view`).all()],
  [
    'of a subquery',
    () =>
      db
        .select()
        .from(
          db
            .select({ key: rawId().as('key') })
            .from(parcels)
            .as('s'),
        )
        .all(),
  ],
  ['of one by the text', () => db.select({ id: rawId() }).from(db.select().from(parcels).as('s')).all()],
  [
    'of a CTE that has the name of a table',
    () => {
      const shadow = db.$with('files').as(db.select().from(parcels))
      return db.with(shadow).select({ id: rawId() }).from(sql`files`).all()
    },
  ],
  [
    'of the second part of a union',
    () =>
      db
        .select({ id: rawId() })
        .from(files)
        .where(sql`0`)
        .union(db.select({ id: sql`trip_id` }).from(trips))
        .all(),
  ],
  [
    'of such a union as a subquery',
    () => {
      const either = db
        .select({ key: rawId().as('key') })
        .from(files)
        .where(sql`0`)
        .union(db.select({ key: sql`trip_id`.as('key') }).from(trips))
      return db.select().from(either.as('either')).all()
    },
  ],
  [
    'of SQL that another query has selected from a table without ids',
    () => {
      const shared = rawId()
      db.select({ id: shared }).from(files).all()
      return db.select({ id: shared }).from(parcels).all()
    },
  ],
  ['of an update', () => db.update(parcels).set({ id }).returning({ id: rawId() }).all()],
  ['of an insert', () => db.insert(parcels).values({}).returning({ id: rawId() }).all()],
  ['of a delete', () => db.delete(parcels).returning({ id: rawId() }).all()],
])('a stored id that a text selects is refused: %s', (_, query) => {
  expect(query).toThrow(/^(?:\w+\.id|trips\.trip_id): an expression returns /)
})

test('a column of another database is not meant', () => {
  const [here, there] = [sql`trip_id = ${id}`, sql`only_there = ${id}`]
  for (const [dialect, its, others] of [
    [new SQLiteSyncDialect(), here, there],
    [new PgDialect(), there, here],
  ] as const) {
    expect(() => dialect.sqlToQuery(its)).toThrow('the text of the SQL names the column')
    expect(dialect.sqlToQuery(others).params).toEqual([id])
  }
  expect(new MySqlDialect().sqlToQuery(here).params).toEqual([id])
})

test('where no dialect builds the SQL, the columns of each database may be meant', () => {
  const writing = {
    escapeName: () => {
      throw new Error('no names')
    },
    escapeParam: () => '#',
    escapeString: String,
    casing: { getColumnCasing: () => '' } as never,
  }
  for (const query of [sql`trip_id = ${id}`, sql`only_there = ${id}`]) {
    expect(() => query.toQuery(writing)).toThrow('the text of the SQL names the column')
  }
})
