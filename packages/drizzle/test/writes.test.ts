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
import { isBefore1 } from './contract/version.js'

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

const types = () =>
  database.connection
    .prepare('select distinct typeof(id) id, typeof(referrer) referrer, typeof(trace) trace from people')
    .all()
const blobs = [{ id: 'blob', referrer: 'blob', trace: 'blob' }]

describe('SQL written to an id column is encoded as the column', () => {
  test('values', () => {
    db.insert(people)
      .values([
        { id: sql`${a}`, referrer: sql`coalesce(null, ${parameter(id, b)})`, trace: sql`${sql.param(s)}` },
        { id: sql`(${b})`, referrer: a, trace: s },
      ])
      .run()
    expect(types()).toEqual(blobs)
    expect(db.select().from(people).orderBy(id).all()).toEqual([
      { id: a, referrer: b, trace: s, name: null },
      { id: b, referrer: a, trace: s, name: null },
    ])
    expect(() =>
      db
        .insert(people)
        .values({ id: sql`${a}` })
        .run(),
    ).toThrow(isBefore1 ? 'UNIQUE' : 'Failed query: insert')
  })

  test('update', () => {
    db.insert(people).values({ id: a, referrer: a }).run()
    db.update(people)
      .set({ referrer: sql`${b}`, trace: sql`coalesce(${parameter(people.trace, s)}, ${people.trace})` })
      .run()
    expect(types()).toEqual(blobs)
    expect(db.select().from(people).get()).toMatchObject({ referrer: b, trace: s })
  })

  test('upsert', () => {
    const upsert = (given: FlaxId) =>
      db
        .insert(people)
        .values({ id: a, referrer: a, name: 'x' })
        .onConflictDoUpdate({ target: id, set: { referrer: sql`${given}`, name: sql`${given}` } })
        .run()
    upsert(b)
    upsert(c)
    expect(types()).toEqual(blobs)
    expect(db.select().from(people).get()).toMatchObject({ referrer: c, name: c })
  })

  test('insert().select()', () => {
    db.insert(people).values({ id: a, referrer: a, trace: s, name: 'a' }).run()
    const copy = (given: FlaxId, trace: SnoId) =>
      db
        .select({
          id: sql`${parameter(id, given)}`.as('id'),
          referrer: people.id,
          trace: sql`${parameter(people.trace, trace)}`.as('trace'),
          name: sql`${asText(given)}`.as('name'),
        })
        .from(people)
        .where(eq(people.id, a))
    db.insert(people)
      .select(copy(b, t).union(copy(c, t)))
      .run()
    db.insert(people)
      .select((query) => query.select().from(people).where(sql`false`))
      .run()
    expect(types()).toEqual(blobs)
    expect(db.select().from(people).orderBy(id).all()).toEqual([
      { id: a, referrer: a, trace: s, name: 'a' },
      { id: b, referrer: a, trace: t, name: b },
      { id: c, referrer: a, trace: t, name: c },
    ])
  })

  test('placeholders', () => {
    const insert = db
      .insert(people)
      .values({ id: sql`${sql.placeholder('id')}`, referrer: sql.placeholder('id') })
    insert.prepare().run({ id: a })
    expect(db.select().from(people).get()).toMatchObject({ id: a, referrer: a })
    expect(() => insert.prepare().run({ id: 'wrong' })).toThrow('people.id: flax')
  })

  test('defaults', () => {
    const t = sqliteTable('people', {
      id: flaxId({ storage: 'binary' }).$defaultFn(() => sql`${a}`),
      referrer: flaxId.plain({ storage: 'binary' }).$onUpdateFn(() => sql`${b}`),
      trace: snoId.plain({ storage: 'binary' }).default(sql`${s}`),
    })
    db.insert(t).values({}).run()
    db.update(t)
      .set({ trace: sql`${s}` })
      .run()
    expect(types()).toEqual(blobs)
    expect(db.select().from(t).all()).toEqual([{ id: a, referrer: b, trace: s }])
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

describe("a stored value that is not of the column's storage", () => {
  const stored = (value: string) => database.query(`insert into people (id) values (${value})`)

  test.each([
    ['text', `'${a}'`, Buffer.from(a).toString('hex')],
    ['bytes of the text', `cast('${a}' as blob)`, Buffer.from(a).toString('hex')],
    ['a number', '12345', 'the number 12345'],
  ])('%s is refused with its hex digits', async (_, value, hex) => {
    await stored(value)
    expect(() => db.select().from(people).all()).toThrow(
      expect.objectContaining({ path: 'people.id', message: expect.stringContaining(hex) }),
    )
  })

  test('is read if it is in another form of bytes', () => {
    const bytes = flax.decode(a)
    const { mapFromDriverValue } = people.id
    const json = JSON.parse(JSON.stringify(Buffer.from(bytes)))
    for (const form of [bytes, Buffer.from(bytes), bytes.slice().buffer, [...bytes], json]) {
      expect(mapFromDriverValue(form as never)).toBe(a)
    }
  })
})
