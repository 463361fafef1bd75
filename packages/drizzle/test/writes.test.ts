import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { flaxId, parameter, snoId } from '@snoflax/drizzle/sqlite-core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { eq, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, expect, test } from 'vitest'

// In SQLite a BLOB column takes text, so whatever is written unconverted stays there.

const people = sqliteTable('people', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  referrer: flaxId.plain({ storage: 'binary' }),
  trace: snoId({ storage: 'binary' }),
  name: text(),
})
const [a, b, c] = flax.generator().batch(3).sort() as [FlaxId, FlaxId, FlaxId]
const [s, t] = sno.generator().batch(2).sort() as [SnoId, SnoId]
const { id } = people

let database: SqliteDatabase
let db: BetterSQLite3Database
beforeEach(async () => {
  database = await sqlite.open()
  await database.query('create table people (id blob primary key, referrer blob, trace blob, name text)')
  db = drizzle({ client: database.connection })
})
afterEach(() => database.close())

/** The rows, all of whose ids are BLOBs. */
function stored() {
  const types = 'select distinct typeof(id) || typeof(referrer) || typeof(trace) from people'
  expect(database.connection.prepare(types).pluck().all()).toEqual(['blobblobblob'])
  return db.select().from(people).orderBy(id).all()
}

test('parameter() in SQL that an insert, an update, an upsert and insert().select() write', () => {
  db.insert(people)
    .values({ id: a, referrer: sql`coalesce(null, ${parameter(id, b)})`, trace: s })
    .run()
  const trace = sql`coalesce(${parameter(people.trace, t)}, ${people.trace})`
  db.update(people).set({ trace }).where(eq(id, a)).run()
  expect(stored()).toEqual([{ id: a, referrer: b, trace: t, name: null }])
  const set = { referrer: sql`${parameter(id, c)}`, name: sql`${a}` }
  db.insert(people).values({ id: a }).onConflictDoUpdate({ target: id, set }).run()
  const copied = { id: sql`${parameter(id, b)}`.as('id'), referrer: people.id, trace: people.trace }
  const copy = db.select({ ...copied, name: people.name }).from(people)
  db.insert(people).select(copy).run()
  expect(stored()).toEqual([
    { id: a, referrer: c, trace: t, name: a },
    { id: b, referrer: a, trace: t, name: a },
  ])
})

test('a prepared insert takes ids by placeholders; a default is made once, as every default of Drizzle', () => {
  const insert = db
    .insert(people)
    .values({ id: sql.placeholder('id'), referrer: sql.placeholder('id') })
    .prepare()
  insert.run({ id: a })
  insert.run({ id: b })
  const rows = stored()
  expect(rows).toMatchObject([
    { id: a, referrer: a },
    { id: b, referrer: b },
  ])
  expect(rows[0]?.trace).toBe(rows[1]?.trace)
  expect(() => insert.run({ id: 'wrong' })).toThrow('people.id: flax')
})

test('a stored value of another storage is refused with its hex digits, and read in every form of bytes', async () => {
  const hex = Buffer.from(a).toString('hex')
  for (const [value, shown] of [
    [`'${a}'`, hex],
    [`cast('${a}' as blob)`, hex],
    ['12345', 'the number 12345'],
  ] as const) {
    await database.query(`insert into people (id) values (${value})`)
    const refused = { path: 'people.id', message: expect.stringContaining(shown) }
    expect(() => db.select().from(people).all()).toThrow(expect.objectContaining(refused))
    await database.query('delete from people')
  }
  const bytes = flax.decode(a)
  const json = JSON.parse(JSON.stringify(Buffer.from(bytes)))
  for (const form of [bytes, Buffer.from(bytes), bytes.slice().buffer, [...bytes], json])
    expect(people.id.mapFromDriverValue(form as never)).toBe(a)
})
