import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { flaxId as pgFlaxId } from '@snoflax/drizzle/pg-core'
import { asText, flaxId, parameter, snoId } from '@snoflax/drizzle/sqlite-core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { eq, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as overPg } from 'drizzle-orm/node-postgres'
import { pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

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

describe('SQL written to an id column is encoded as the column', () => {
  test('values, and what an update and an upsert set', () => {
    db.insert(people)
      .values([
        { id: sql`${a}`, referrer: sql`coalesce(null, ${parameter(id, b)})`, trace: sql`${sql.param(s)}` },
        { id: sql`(${b})`, referrer: a, trace: s },
      ])
      .run()
    expect(stored()).toEqual([
      { id: a, referrer: b, trace: s, name: null },
      { id: b, referrer: a, trace: s, name: null },
    ])
    db.update(people)
      .set({ referrer: sql`${c}`, trace: sql`coalesce(${parameter(people.trace, t)}, ${people.trace})` })
      .where(eq(id, a))
      .run()
    expect(stored()[0]).toMatchObject({ referrer: c, trace: t })
    const set = { referrer: sql`${a}`, name: sql`${a}` }
    db.insert(people).values({ id: a }).onConflictDoUpdate({ target: id, set }).run()
    expect(stored()[0]).toMatchObject({ referrer: a, name: a })
  })

  test('insert().select()', () => {
    db.insert(people).values({ id: a, referrer: a, trace: s, name: 'a' }).run()
    const copy = (given: FlaxId) =>
      db
        .select({
          id: sql`${parameter(id, given)}`.as('id'),
          referrer: people.id,
          trace: sql`${parameter(people.trace, t)}`.as('trace'),
          name: sql`${asText(given)}`.as('name'),
        })
        .from(people)
        .where(eq(people.id, a))
    db.insert(people)
      .select(copy(b).union(copy(c)))
      .run()
    db.insert(people)
      .select((query) => query.select().from(people).where(sql`false`))
      .run()
    expect(stored()).toEqual([
      { id: a, referrer: a, trace: s, name: 'a' },
      { id: b, referrer: a, trace: t, name: b },
      { id: c, referrer: a, trace: t, name: c },
    ])
  })

  test('placeholders and defaults', () => {
    const insert = db
      .insert(people)
      .values({ id: sql`${sql.placeholder('id')}`, referrer: sql.placeholder('id') })
    insert.prepare().run({ id: a })
    expect(stored()).toMatchObject([{ id: a, referrer: a }])
    expect(() => insert.prepare().run({ id: 'wrong' })).toThrow('people.id: flax')
    const own = sqliteTable('people', {
      id: flaxId({ storage: 'binary' }).$defaultFn(() => sql`${b}`),
      referrer: flaxId.plain({ storage: 'binary' }).$onUpdateFn(() => sql`${c}`),
      trace: snoId.plain({ storage: 'binary' }).default(sql`${s}`),
    })
    db.insert(own).values({}).run()
    db.update(own)
      .set({ trace: sql`${t}` })
      .where(eq(own.id, b))
      .run()
    expect(stored()[1]).toMatchObject({ id: b, referrer: c, trace: t })
  })

  test('an id that stands beside no column is refused', () => {
    const insert = (given: unknown) => () =>
      db
        .insert(people)
        .values({ id: given as never })
        .run()
    expect(insert(sql`my_function(${a})`)).toThrow('parameter(column, id)')
    expect(() => db.insert(people).select(sql`select ${a}, ${b}, ${s}, 'x'`).run()).toThrow(
      'parameter(column, id)',
    )
    expect(insert(sql`unhex(${Buffer.from(flax.decode(a)).toString('hex')})`)).not.toThrow()
    expect(db.select({ id }).from(people).all()).toEqual([{ id: a }])
  })
})

describe('a prepared insert has a new id for each execution', () => {
  test('in SQLite, also in columns that are not the key', () => {
    const insert = db
      .insert(people)
      .values([{ name: sql.placeholder('name') }, { id: a, name: 'given' }])
      .onConflictDoNothing()
      .prepare()
    for (const name of ['x', 'y', 'z']) insert.run({ name })
    const rows = db.select().from(people).all()
    expect(rows.map(({ name }) => name).sort()).toEqual(['given', 'x', 'y', 'z'])
    expect(new Set(rows.map(({ trace }) => trace)).size).toBe(4)
    expect(rows.every(({ trace }) => sno.is(trace))).toBe(true)
    expect(db.insert(people).values({ name: 'x' }).toSQL().params[0]).toBeInstanceOf(Uint8Array)
  })

  test('in PostgreSQL, by name', async () => {
    const t = pgTable('t', { id: pgFlaxId(), name: pgText() })
    const executed: unknown[][] = []
    const client = { query: async (_: unknown, params: unknown[]) => executed.push(params) && { rows: [] } }
    const insert = overPg({ client: client as never })
      .insert(t)
      .values({ name: 'x' })
      .prepare('insert_t')
    await insert.execute()
    await insert.execute()
    expect(new Set(executed.map(([id]) => id)).size).toBe(2)
  })
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
