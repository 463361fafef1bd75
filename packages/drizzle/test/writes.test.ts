import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { flaxId, parameter, placeholder, snoId } from '@snoflax/drizzle/sqlite-core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import * as drizzleOrm from 'drizzle-orm'
import { between, eq, gt, inArray, ne, notInArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isBefore1, raw } from './contract/version.js'

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

// Drizzle gives a value beside a column the column's encoder, but not a bare placeholder: the text itself is compared.
describe('a placeholder in a condition on a compact column', () => {
  type Later = SQLWrapper & { readonly name: string }
  type Condition = readonly [name: string, where: (later: Later) => SQL, rows: readonly FlaxId[]]
  const CONDITIONS: readonly Condition[] = [
    ['eq', (later) => eq(id, later), [b]],
    ['ne', (later) => ne(id, later), [a, c]],
    ['gt', (later) => gt(id, later), [c]],
    ['inArray', (later) => inArray(id, [later as never]), [b]],
    ['notInArray', (later) => notInArray(id, [later as never]), [a, c]],
    ['between', (later) => between(id, later, later), [b]],
  ]
  const later = placeholder(id, 'id') as unknown as Later
  beforeEach(() =>
    db
      .insert(people)
      .values([a, b, c].map((id) => ({ id })))
      .run(),
  )

  test.each(CONDITIONS)(
    '%s finds by placeholder(column, name), and other rows by sql.placeholder(name)',
    (_, where, rows) => {
      const found = (one: Later) =>
        db
          .select({ id })
          .from(people)
          .where(where(one))
          .orderBy(id)
          .prepare()
          .all({ id: b })
          .map((row) => row.id)
      expect(found(later)).toEqual(rows)
      expect(found(sql.placeholder('id'))).not.toEqual(rows)
    },
  )

  const schema = { people }
  const { defineRelations } = drizzleOrm as unknown as { defineRelations(schema: object): object }
  type Queries = Record<
    'people',
    { findMany(config: object): { prepare(): { all(values: object): { id: FlaxId }[] } } }
  >
  const query = () =>
    (
      drizzle({
        client: database.connection,
        ...(isBefore1 ? { schema } : ({ relations: defineRelations(schema) } as object)),
      }) as unknown as { query: Queries }
    ).query.people
  const found = (where: unknown) =>
    query()
      .findMany({ where, orderBy: isBefore1 ? [id] : { id: 'asc' } })
      .prepare()
      .all({ id: b })
      .map((row) => row.id)

  test('db.query finds by placeholder(column, name)', () => {
    const where = isBefore1 ? ne(id, later) : (of: typeof people) => ne(of.id, later)
    expect(found(raw(where))).toEqual([a, c])
  })

  const bare = sql.placeholder('id')
  const FILTERS: readonly (readonly [filter: unknown, rows: readonly FlaxId[]])[] = [
    [bare, [b]],
    [{ eq: bare }, [b]],
    [{ ne: bare }, [a, c]],
    [{ in: [bare] }, [b]],
    [{ notIn: [bare] }, [a, c]],
    [{ NOT: { eq: bare } }, [a, c]],
  ]
  test.skipIf(isBefore1).each(FILTERS)(
    'a filter of Drizzle 1.0 finds other rows by sql.placeholder(name) %#',
    (filter, rows) => {
      expect(found({ id: filter })).not.toEqual(rows)
    },
  )

  test('an update and an insert are right with both', () => {
    db.update(people)
      .set({ referrer: sql.placeholder('to') as never })
      .where(eq(id, later))
      .prepare()
      .run({ id: b, to: c })
    expect(db.select().from(people).where(eq(id, b)).all()).toMatchObject([{ id: b, referrer: c }])
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
