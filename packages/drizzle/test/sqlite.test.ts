import { createClient } from '@libsql/client'
import { type FlakeId, type FlaxId, flake, flax, type SnoId, sno } from '@snoflax/core'
import {
  createdAfter,
  createdAt,
  createdBetween,
  flakeId,
  flaxId,
  keyset,
  parameter,
  snoId,
  wasCreatedBetween,
} from '@snoflax/drizzle/sqlite-core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { asc, eq, max, min, relations, sql } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { drizzle as overLibsql } from 'drizzle-orm/libsql'
import { type AnySQLiteColumn, integer, sqliteTable, sqliteView, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqliteStatements } from './generated-sql.js'

const generator = flake.generator({ datacenter: 1, worker: 2 })
const posts = sqliteTable('posts', {
  id: flakeId({ generator, storage: 'bigint', exactBigint: true }).primaryKey(),
  parentId: flakeId.ref('parent_id').references((): AnySQLiteColumn => posts.id),
  title: text().notNull().unique(),
  score: integer().notNull().default(0),
})
const marks = sqliteTable('marks', {
  id: snoId({ storage: 'binary', meta: 4 }).primaryKey(),
  postId: flakeId.ref('post_id').references(() => posts.id),
})
const latest = sqliteView('latest').as((query) => query.select({ id: marks.id }).from(marks))
const postRelations = relations(posts, ({ one, many }) => ({
  parent: one(posts, { fields: [posts.parentId], references: [posts.id] }),
  marks: many(marks),
}))
const markRelations = relations(marks, ({ one }) => ({
  post: one(posts, { fields: [marks.postId], references: [posts.id] }),
}))
const schema = { posts, marks, postRelations, markRelations }

let database: SqliteDatabase
beforeEach(async () => {
  database = await sqlite.open()
  for (const statement of await sqliteStatements({ posts, marks, latest })) await database.query(statement)
})
afterEach(() => database.close())

describe('better-sqlite3', () => {
  const open = () => {
    database.connection.defaultSafeIntegers(true)
    return overBetterSqlite3(database.connection, { schema })
  }

  test('SQL that is mapped with an id column is read as ids', () => {
    const db = open()
    const own = db
      .insert(posts)
      .values({ title: 'a' })
      .returning({ id: sql`${posts.id}`.mapWith(posts.id) })
      .get().id as FlakeId
    const { id } = db.insert(marks).values({ postId: own }).returning().get()
    const selected = {
      named: sql<SnoId>`coalesce(${marks.id}, ${marks.id})`.mapWith(marks.id).as('named'),
      chosen:
        sql<SnoId>`case when ${marks.postId} = ${parameter(marks.postId, own)} then ${marks.id} end`.mapWith(
          marks.id,
        ),
      is: sql`${marks.id} = ${parameter(marks.id, id)}`,
      hex: sql`hex(${marks.id})`,
    }
    const hex = Buffer.from(sno.decode(id)).toString('hex').toUpperCase()
    expect(db.select(selected).from(marks).get()).toEqual({ named: id, chosen: id, is: 1n, hex })
    const sub = db
      .select({ x: sql`max(${marks.id})`.mapWith(marks.id).as('x') })
      .from(marks)
      .as('sub')
    expect(
      db
        .select()
        .from(sub)
        .where(eq(sub.x, parameter(marks.id, id)))
        .all(),
    ).toEqual([{ x: id }])
  })

  test('the synchronous calls run, get, all, values and transaction convert ids', () => {
    const db = open()
    const id = db.transaction((tx) => {
      const { id } = tx.insert(posts).values({ title: 'a' }).returning({ id: posts.id }).get()
      tx.insert(posts).values({ title: 'b', parentId: id }).run()
      return id
    })
    expect(flake.unpack(id)).toMatchObject({ datacenter: 1, worker: 2 })
    const byParent = db.select().from(posts).where(eq(posts.parentId, id))
    expect(byParent.get()?.parentId).toBe(id)
    expect(byParent.all()).toHaveLength(1)
    // Drizzle maps nothing in values().
    expect(db.select({ id: posts.id }).from(posts).where(eq(posts.id, id)).values()).toEqual([[BigInt(id)]])
    expect(() =>
      db.transaction((tx) =>
        tx
          .insert(posts)
          .values({ title: 'c', parentId: 'x' as FlakeId })
          .run(),
      ),
    ).toThrow('posts.parent_id: flake')
    expect(db.select().from(posts).all()).toHaveLength(2)
  })

  test('bigints above 2^53 are exact', () => {
    const db = open()
    const [parent, child] = generator.batch(2) as [FlakeId, FlakeId]
    expect(BigInt(parent)).toBeGreaterThan(2n ** 53n)
    db.insert(posts)
      .values([
        { id: parent, title: 'a' },
        { id: child, title: 'b', parentId: parent },
      ])
      .run()
    db.insert(marks)
      .values([{ postId: child }, { postId: child }])
      .run()
    const ends = db
      .select({ first: min(posts.id), last: max(posts.id) })
      .from(posts)
      .get()
    expect(ends).toEqual({ first: parent, last: child })
    expect(
      db
        .select({ at: createdAt(latest.id) })
        .from(latest)
        .all(),
    ).toHaveLength(2)
  })

  test('a connection that rounds numbers causes an error, not another id', () => {
    const db = overBetterSqlite3(database.connection, { schema })
    db.insert(posts).values({ title: 'a' }).run()
    expect(() => db.select().from(posts).all()).toThrow(/posts\.id: flake: the integer \d+ was rounded/)
  })
})

describe('time', () => {
  const day = sqliteTable('day', {
    id: flaxId({ storage: 'binary' }).primaryKey(),
    next: flaxId.plain({ storage: 'binary' }),
  })
  const [from, to] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)]
  const times = [from - 1, from, from + 1, to - 1, to, to + 1]
  const ids = times.map((time) => flax.generateAt(time))

  // Ranges in queries are in the contract.
  test('a recheck is exact to the millisecond: from is in, to is out', () => {
    const exact = ids.map((id) => wasCreatedBetween(day.id, id, new Date(from), to))
    expect(exact).toEqual([false, true, true, true, false, false])
  })

  const id = ids[1] as FlaxId
  test.each<[string, () => unknown, string, string]>([
    ['from after to', () => createdBetween(day.id, to, from), 'INVALID_OPTION', 'day.id'],
    ['an invalid time', () => createdAfter(day.id, Number.NaN), 'INVALID_TIME', 'day.id'],
    [
      'a recheck with an invalid time',
      () => wasCreatedBetween(day.id, id, Number.NaN, to),
      'INVALID_TIME',
      'day.id',
    ],
    [
      'a recheck of a malformed id',
      () => wasCreatedBetween(day.id, 'x' as FlaxId, from, to),
      'INVALID_LENGTH',
      'day.id',
    ],
    // After null the first page would come again.
    [
      'keyset of a column that may be null',
      () => keyset(day.next, { after: null }),
      'INVALID_OPTION',
      'day.next',
    ],
  ])('%s is refused with the path of the column', (_, action, code, path) => {
    const message = expect.stringMatching(`^${path}: `)
    expect(action).toThrow(expect.objectContaining({ name: 'IdError', code, path, message }))
  })
})

describe('libSQL', () => {
  test('a batch converts the ids of all its queries', async () => {
    const client = createClient({ url: `file:${database.file}`, intMode: 'bigint' })
    const db = overLibsql(client, { schema })
    const [inserted, , all, nested] = await db.batch([
      db.insert(posts).values({ title: 'a' }).returning({ id: posts.id }),
      db.insert(marks).values({}),
      db
        .select({ id: marks.id, at: createdAt(marks.id) })
        .from(marks)
        .orderBy(asc(marks.id)),
      db.query.posts.findMany({ with: { marks: true } }),
    ])
    expect(flake.is(inserted[0]?.id)).toBe(true)
    expect(all[0]?.at).toEqual(sno.time(all[0]?.id as never))
    expect(nested).toMatchObject([{ id: inserted[0]?.id, marks: [] }])
    client.close()
  })
})
