import { createClient } from '@libsql/client'
import { type FlakeId, type FlaxId, flake, flax, type SnoId, sno, type Time } from '@snoflax/core'
import {
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  flakeId,
  flaxId,
  idColumn,
  keyset,
  placeholder,
  snoId,
  wasCreatedBetween,
} from '@snoflax/drizzle/sqlite-core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { asc, eq, like, max, min, relations, type SQL, sql } from 'drizzle-orm'
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
type Post = typeof posts.$inferSelect
type Mark = typeof marks.$inferSelect
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
      chosen: sql<SnoId>`case when ${marks.postId} = ${own} then ${marks.id} end`.mapWith(marks.id),
      is: sql`${marks.id} = ${id}`,
      hex: sql`hex(${marks.id})`,
    }
    const hex = Buffer.from(sno.decode(id)).toString('hex').toUpperCase()
    expect(db.select(selected).from(marks).get()).toEqual({ named: id, chosen: id, is: 1n, hex })
    const sub = db
      .select({ x: sql`max(${marks.id})`.mapWith(marks.id).as('x') })
      .from(marks)
      .as('sub')
    expect(db.select().from(sub).where(eq(sub.x, id)).all()).toEqual([{ x: id }])
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

  test('values compared with an id column in raw SQL are encoded', () => {
    const db = open()
    const { id, postId } = marks
    const post = db.insert(posts).values({ title: 'a' }).returning().get()
    const [a, b] = db
      .insert(marks)
      .values([{ postId: post.id }, {}])
      .returning()
      .all() as [Mark, Mark]
    const found = (condition: SQL) =>
      db
        .select()
        .from(marks)
        .where(condition)
        .orderBy(id)
        .all()
        .map((row) => row.id)
    expect(found(sql`${id} is ${a.id}`)).toEqual([a.id])
    expect(found(sql`${id} is not ${a.id}`)).toEqual([b.id])
    expect(found(sql`${postId} is not distinct from ${post.id}`)).toEqual([a.id])
    expect(found(sql`${postId} is distinct from ${post.id}`)).toEqual([b.id])
    expect(found(sql`${id} == ${b.id} and ${'a'} = ${'a'}`)).toEqual([b.id])
    expect(found(sql`${id} not between ${a.id} and ${a.id}`)).toEqual([b.id])
    expect(found(sql`(${id}, ${postId}) = (${a.id}, ${post.id})`)).toEqual([a.id])
    expect(found(sql`${id} in (${sql.join([sql`${a.id}`, sql`${b.id}`], sql`, `)})`)).toEqual([a.id, b.id])
    const mine = sql<bigint>`${postId} is ${post.id}`
    expect(db.select({ id, mine }).from(marks).orderBy(id).all()).toEqual([
      { id: a.id, mine: 1n },
      { id: b.id, mine: 0n },
    ])
    expect(() => found(like(id, `${a.id}%`))).toThrow('marks.id: like matches text')
    expect(() => found(sql`${postId} is ${'wrong'}`)).toThrow('marks.post_id: flake')
  })

  test('values compared with an expression or field mapped with an id column are encoded', () => {
    const db = open()
    const [post, other] = db
      .insert(posts)
      .values([{ title: 'a' }, { title: 'b' }])
      .returning()
      .all() as [Post, Post]
    const [mark] = db
      .insert(marks)
      .values([{ postId: post.id }, { postId: other.id }])
      .returning()
      .all() as [Mark]
    const last = max(marks.id)
    const groups = db.select({ postId: marks.postId }).from(marks).groupBy(marks.postId)
    expect(groups.having(eq(last, mark.id)).all()).toEqual([{ postId: post.id }])
    const newest = db
      .select({ id: last.as('newest') })
      .from(marks)
      .where(eq(marks.postId, post.id))
      .as('newest')
    expect(db.select().from(newest).where(eq(newest.id, mark.id)).all()).toEqual([{ id: mark.id }])
    expect(() =>
      db
        .select()
        .from(newest)
        .where(eq(newest.id, 'wrong' as SnoId))
        .all(),
    ).toThrow('marks.id: sno')
    const same = sql`coalesce(null, ${marks.id})`.mapWith(marks.id)
    expect(db.select().from(marks).where(eq(same, mark.id)).get()).toEqual(mark)
  })

  test('extras of nested rows that return ids are read as ids', () => {
    const db = open()
    const [parent] = generator.batch(1)
    const post = db.insert(posts).values({ id: parent, title: 'a' }).returning().get()
    const mark = db.insert(marks).values({ postId: post.id }).returning().get()
    const found = db.query.posts
      .findFirst({
        with: {
          marks: {
            columns: { id: false },
            extras: {
              same: sql`coalesce(null, ${marks.id})`.mapWith(marks.id).as('same'),
              of: sql`coalesce(null, ${marks.postId})`.mapWith(marks.postId).as('of'),
              none: sql`nullif(${marks.id}, ${marks.id})`.mapWith(marks.id).as('none'),
            },
          },
        },
      })
      .sync()
    expect(found?.marks).toEqual([{ postId: post.id, same: mark.id, of: post.id, none: null }])
  })

  test('bigints above 2^53 are exact, nested too', () => {
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
    const found = db.query.posts
      .findFirst({ where: eq(posts.id, child), with: { parent: true, marks: true } })
      .sync()
    expect(found).toMatchObject({ id: child, parent: { id: parent, parentId: null } })
    expect(found?.marks.map(({ id, postId }) => [sno.meta(id), postId])).toEqual([
      [4, child],
      [4, child],
    ])
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

  test('nested rows may select some of their columns', () => {
    const db = open()
    const { id } = db.insert(posts).values({ title: 'a', score: 1 }).returning().get()
    const mark = db.insert(marks).values({ postId: id }).returning().get()
    const nested = (columns: { postId?: boolean; id?: boolean }) =>
      db.query.posts.findFirst({ columns: { title: true }, with: { marks: { columns } } }).sync()
    expect(nested({ id: true })).toEqual({ title: 'a', marks: [{ id: mark.id }] })
    expect(nested({ id: false })).toEqual({ title: 'a', marks: [{ postId: id }] })
    expect(nested({ id: true, postId: false })).toEqual({ title: 'a', marks: [{ id: mark.id }] })
    const none = { columns: {}, extras: { one: sql<number>`1`.as('one') } }
    expect(db.query.posts.findFirst({ columns: {}, with: { marks: none } }).sync()).toEqual({
      marks: [{ one: 1 }],
    })
  })

  test('a connection that rounds numbers causes an error, not another id', () => {
    const db = overBetterSqlite3(database.connection, { schema })
    db.insert(posts).values({ title: 'a' }).run()
    expect(() => db.select().from(posts).all()).toThrow(/posts\.id: flake: the integer \d+ was rounded/)
  })

  test('a prepared statement takes an id as placeholder', () => {
    const db = open()
    const { id } = db.insert(posts).values({ title: 'a' }).returning().get()
    const byId = db
      .select()
      .from(posts)
      .where(eq(posts.id, placeholder(posts.id, 'id')))
      .prepare()
    expect(byId.get({ id })?.title).toBe('a')
    expect(() => byId.get({ id: 'wrong' })).toThrow('posts.id: flake')
  })

  test('an upsert returns the id of the existing row', () => {
    const db = open()
    const upsert = (score: number) =>
      db
        .insert(posts)
        .values({ title: 'a', score })
        .onConflictDoUpdate({ target: posts.title, set: { score: sql`excluded.score` } })
        .returning()
        .get()
    const first = upsert(1)
    // With safe integers every number of the driver is a bigint.
    expect(upsert(2)).toEqual({ ...first, score: 2n })
  })
})

describe('time', () => {
  const day = sqliteTable('day', { id: flaxId({ storage: 'binary' }).primaryKey() })
  const [from, to] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)]
  const times = [from - 1, from, from + 1, to - 1, to, to + 1]
  const ids = times.map((time) => flax.generateAt(time))
  const open = () => {
    const db = overBetterSqlite3(database.connection)
    db.run(sql`create table day (id blob primary key not null)`)
    db.insert(day)
      .values(ids.map((id) => ({ id })))
      .run()
    return db
  }

  test('bounds are exact to the millisecond: from is in, to is out', () => {
    const db = open()
    const at = (where: SQL) =>
      db
        .select()
        .from(day)
        .where(where)
        .all()
        .map(({ id }) => flax.timeMs(id))
        .sort()
    expect(at(createdBetween(day.id, from, to))).toEqual(times.slice(1, 4))
    expect(at(createdAfter(day.id, new Date(to)))).toEqual(times.slice(4))
    expect(at(createdBefore(day.id, from))).toEqual(times.slice(0, 1))
    const afterAll = new Date('9999-12-31')
    expect(at(createdBetween(day.id, to, afterAll))).toEqual(times.slice(4))
    expect(at(createdBefore(day.id, afterAll))).toEqual(times)
    expect(at(createdAfter(day.id, afterAll))).toEqual([])
    expect(wasCreatedBetween(day.id, ids[1] as FlaxId, from, to)).toBe(true)
    expect(wasCreatedBetween(day.id, ids[4] as FlaxId, from, to)).toBe(false)
    const [since, until] = [from, to].map((time) => ({ epochMilliseconds: Number(time) })) as [Time, Time]
    expect(wasCreatedBetween(day.id, ids[1] as FlaxId, since, until)).toBe(true)
    expect(wasCreatedBetween(day.id, ids[4] as FlaxId, since, until)).toBe(false)
  })

  test.each<[string, () => unknown, string]>([
    ['from after to', () => createdBetween(day.id, to, from), 'INVALID_OPTION'],
    [
      'a recheck with an invalid time',
      () => wasCreatedBetween(day.id, ids[1] as FlaxId, Number.NaN, to),
      'INVALID_TIME',
    ],
    [
      'a recheck of a malformed id',
      () => wasCreatedBetween(day.id, 'x' as FlaxId, from, to),
      'INVALID_LENGTH',
    ],
    ['an invalid time', () => createdAfter(day.id, Number.NaN), 'INVALID_TIME'],
    ['an unknown order', () => keyset(day.id, { order: 'up' as 'asc' }), 'INVALID_OPTION'],
  ])('%s is refused with the path of the column', (_, action, code) => {
    expect(action).toThrow(expect.objectContaining({ name: 'IdError', code, path: 'day.id' }))
    expect(action).toThrow(/^day\.id/)
  })

  test('keyset is refused for a column that may be null, since after null the first page would come again', () => {
    expect(() => keyset(marks.postId, { after: null })).toThrow(
      expect.objectContaining({ name: 'IdError', code: 'INVALID_OPTION', path: 'marks.post_id' }),
    )
  })

  test('keyset pages in both directions', () => {
    const db = open()
    const page = (order: 'asc' | 'desc', after?: FlaxId) => {
      const { where, orderBy } = keyset(day.id, { order, after })
      return db
        .select()
        .from(day)
        .where(where)
        .orderBy(orderBy)
        .limit(4)
        .all()
        .map(({ id }) => id)
    }
    expect([page('asc'), page('asc', ids[3])]).toEqual([ids.slice(0, 4), ids.slice(4)])
    const newest = [...ids].reverse()
    expect([page('desc'), page('desc', newest[3])]).toEqual([newest.slice(0, 4), newest.slice(4)])
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

describe('idColumn in SQLite', () => {
  test('accepts the options of its columns', async () => {
    const short = idColumn(flax)
    const table = sqliteTable('t', { id: short({ storage: 'binary' }).primaryKey(), other: flaxId.plain() })
    for (const statement of await sqliteStatements({ table })) await database.query(statement)
    const db = overBetterSqlite3(database.connection)
    const other = flax.generate()
    const { id } = db.insert(table).values({ other }).returning().get()
    expect(await database.query('SELECT id, other FROM t')).toEqual([
      { id: Buffer.from(flax.decode(id)), other },
    ])
  })
})
