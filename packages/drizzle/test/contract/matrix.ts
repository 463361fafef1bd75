import type { Keyed, MatrixAdapter, Program } from '@snoflax/test/contract'
import {
  and,
  asc,
  between,
  count,
  countDistinct,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNull,
  lte,
  max,
  min,
  ne,
  not,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import { alias as pgAlias } from 'drizzle-orm/pg-core'
import { type Dialect, dialects } from '../dialects.js'
import { isBefore1, relations } from './version.js'

// biome-ignore lint/suspicious/noExplicitAny: the tables' types differ by mode and dialect
type Any = any

interface Session {
  readonly db: Any
  readonly people: Any
  readonly posts: Any
  readonly tags: Any
  readonly links: Any
  readonly isMysql: boolean
  readonly isSqlite: boolean
}

type Programs = Readonly<Record<string, Program<Session>>>

const eve = { email: 'eve@x.org', name: 'Eve' }
const fay = { email: 'fay@x.org', name: 'Fay' }
const returning = ({ isMysql }: Session, query: Any, fields?: object) =>
  isMysql ? query : fields ? query.returning(fields) : query.returning()

/** An insert that conflicts by email, in databases with ON CONFLICT. */
const conflicting = (s: Session, clause: (insert: Any) => Any) =>
  s.isMysql
    ? Promise.resolve()
    : returning(s, clause(s.db.insert(s.people).values([{ ...eve, email: 'bob@x.org' }, fay])))
const upserted = (s: Session, rows: Any, set: object, target = s.people.email) => {
  const insert = s.db.insert(s.people).values(rows)
  return s.isMysql
    ? insert.onDuplicateKeyUpdate({ set })
    : returning(s, insert.onConflictDoUpdate({ target, set }))
}
/** The value of the row that conflicts. */
const inserted = ({ isMysql }: Session, column: string) =>
  sql.raw(isMysql ? `values(${column})` : `excluded.${column}`)

const writes: Programs = {
  nothing: async () => {},
  'insert a row': ({ db, people }) => db.insert(people).values(eve),
  'insert rows': ({ db, people }) => db.insert(people).values([eve, fay]),
  'insert no rows': async ({ db, people }) => db.insert(people).values([]),
  'insert a row with a key': ({ db, people }, key) => db.insert(people).values({ ...eve, id: key(31) }),
  'insert rows with and without a key': ({ db, people }, key) =>
    db.insert(people).values([eve, { ...fay, id: key(31) }]),
  'insert a row that refers': ({ db, posts }, key) =>
    db.insert(posts).values({ title: 'New', likes: 0, authorId: key(2) }),
  'insert a row that refers to none': ({ db, posts }, key) =>
    db.insert(posts).values({ title: 'New', likes: 0, authorId: key(9) }),
  'insert a row with null': ({ db, people }) => db.insert(people).values({ ...eve, bossId: null }),
  'insert a row with undefined': ({ db, people }) =>
    db.insert(people).values({ ...eve, id: undefined, bossId: undefined }),
  'insert a key that is there': ({ db, people }, key) => db.insert(people).values({ ...eve, id: key(1) }),
  'insert returning': (s) => returning(s, s.db.insert(s.people).values([eve, fay])),
  'insert returning keys': (s) =>
    s.isMysql
      ? s.db.insert(s.people).values([eve, fay]).$returningId()
      : returning(s, s.db.insert(s.people).values([eve, fay]), { key: s.people.id }),
  'insert from a query': ({ db, posts, links, tags }, key) =>
    db.insert(links).select(
      db
        .select({ postId: posts.id, tagId: tags.id })
        .from(posts)
        .innerJoin(tags, eq(tags.label, 'blue'))
        .where(eq(posts.id, key(12))),
    ),
  'insert a subquery': ({ db, posts, people }) =>
    db.insert(posts).values({
      title: 'New',
      likes: 0,
      authorId: sql`(select ${people.id} from ${people} where ${people.name} = 'Cy')`,
    }),
  'insert, or do nothing': ({ db, people, isMysql }) => {
    const insert = db.insert(people)
    return isMysql
      ? insert.ignore().values([{ ...eve, email: 'ada@x.org' }, fay])
      : insert.values([{ ...eve, email: 'ada@x.org' }, fay]).onConflictDoNothing()
  },
  'insert, or do nothing for a column': (s) =>
    conflicting(s, (on) => on.onConflictDoNothing({ target: s.people.email })),
  'insert, or do nothing for the key': (s) =>
    conflicting(s, (on) => on.onConflictDoNothing({ target: s.people.id })),
  'insert keys, or do nothing': (s, key) => {
    const insert = s.db.insert(s.people)
    const rows = [
      { ...eve, id: key(1) },
      { ...fay, id: key(31) },
    ]
    return s.isMysql ? insert.ignore().values(rows) : returning(s, insert.values(rows).onConflictDoNothing())
  },
  'insert, or update': (s) => upserted(s, { ...eve, email: 'ada@x.org' }, { name: 'New' }),
  'insert, or update a reference': (s, key) =>
    upserted(s, { ...eve, email: 'bob@x.org' }, { bossId: key(3) }),
  'insert, or update to what was inserted': (s) =>
    upserted(s, { ...eve, email: 'ada@x.org' }, { name: inserted(s, 'name') }),
  'insert, or update to the inserted key': (s) =>
    upserted(s, { ...eve, email: 'dee@x.org' }, { id: inserted(s, 'id') }),
  'insert, or update the key': (s, key) => upserted(s, { ...eve, email: 'dee@x.org' }, { id: key(31) }),
  'insert, or update the key to itself': (s) =>
    upserted(s, { ...eve, email: 'ada@x.org' }, { id: sql`${s.people.id}`, name: 'New' }),
  'insert keys, or update': (s, key) =>
    upserted(
      s,
      [
        { ...eve, id: key(1) },
        { ...fay, id: key(31) },
      ],
      { name: 'New' },
      s.people.id,
    ),
  'insert, or update for a key that is new': (s) =>
    upserted(s, { ...eve, email: 'ada@x.org' }, { name: 'New' }, s.people.id),
  'insert, or update where': (s, key) =>
    conflicting(s, (on) =>
      on.onConflictDoUpdate({
        target: s.people.email,
        set: { name: 'New' },
        setWhere: eq(s.people.id, key(1)),
      }),
    ),
  'insert from a query, or update': (s, key) => {
    const { db, links, posts, tags, isMysql } = s
    const some = db.select({ postId: posts.id, tagId: tags.id }).from(posts).innerJoin(tags, sql`true`)
    const insert = db.insert(links).select(some.where(eq(posts.id, key(11))))
    const set = { tagId: sql`${links.tagId}` }
    return isMysql
      ? insert.onDuplicateKeyUpdate({ set })
      : returning(s, insert.onConflictDoUpdate({ target: [links.postId, links.tagId], set }))
  },
  'link rows': ({ db, links }, key) => db.insert(links).values({ postId: key(14), tagId: key(23) }),
  'link rows twice': ({ db, links }, key) => db.insert(links).values({ postId: key(11), tagId: key(21) }),
  'update by key': ({ db, people }, key) =>
    db
      .update(people)
      .set({ name: 'New' })
      .where(eq(people.id, key(2))),
  'update by keys': ({ db, people }, key) =>
    db
      .update(people)
      .set({ name: 'New' })
      .where(inArray(people.id, [key(1), key(9)])),
  'update by no keys': ({ db, people }) =>
    db.update(people).set({ name: 'New' }).where(inArray(people.id, [])),
  'update with undefined': ({ db, people }, key) =>
    db
      .update(people)
      .set({ id: undefined, name: 'New' })
      .where(eq(people.id, key(2))),
  'update a reference': ({ db, people }, key) =>
    db
      .update(people)
      .set({ bossId: key(4) })
      .where(eq(people.id, key(3))),
  'update a reference to null': ({ db, people }, key) =>
    db
      .update(people)
      .set({ bossId: null })
      .where(eq(people.id, key(4))),
  'update a key': ({ db, tags }, key) =>
    db
      .update(tags)
      .set({ id: key(51) })
      .where(eq(tags.id, key(23))),
  'update by an expression': ({ db, people }, key) =>
    db
      .update(people)
      .set({ bossId: sql`${people.id}` })
      .where(eq(people.id, key(1))),
  'update returning': (s, key) =>
    returning(
      s,
      s.db
        .update(s.people)
        .set({ name: 'New' })
        .where(eq(s.people.bossId, key(2))),
    ),
  'delete by key': ({ db, people }, key) => db.delete(people).where(eq(people.id, key(3))),
  'delete and cascade': ({ db, people }, key) => db.delete(people).where(eq(people.id, key(4))),
  'delete by keys': ({ db, tags }, key) => db.delete(tags).where(inArray(tags.id, [key(21), key(22)])),
  'delete by no keys': ({ db, tags }) => db.delete(tags).where(inArray(tags.id, [])),
  'delete by another key than': ({ db, tags }, key) => db.delete(tags).where(ne(tags.id, key(21))),
  'delete by a subquery': ({ db, links, posts }, key) =>
    db.delete(links).where(
      inArray(
        links.postId,
        db
          .select({ id: posts.id })
          .from(posts)
          .where(eq(posts.authorId, key(1))),
      ),
    ),
  'delete returning': (s, key) => returning(s, s.db.delete(s.tags).where(eq(s.tags.id, key(22)))),
  'delete a row that others refer to': ({ db, people }, key) =>
    db.delete(people).where(eq(people.id, key(1))),
  'a transaction': async ({ db, people, posts, isSqlite }, key) => {
    const rows = [
      (on: Any) => on.insert(people).values({ ...eve, id: key(32) }),
      (on: Any) => on.insert(posts).values({ title: 'New', likes: 0, authorId: key(32) }),
    ]
    // better-sqlite3's transactions are synchronous.
    if (isSqlite) return db.transaction((on: Any) => rows.map((row) => row(on).run()).length)
    return db.transaction(async (on: Any) => {
      for (const row of rows) await row(on)
    })
  },
  'a transaction that is rolled back': async ({ db, people, isSqlite }) =>
    isSqlite
      ? db.transaction((on: Any) => {
          on.insert(people).values(eve).run()
          on.rollback()
        })
      : db.transaction(async (on: Any) => {
          await on.insert(people).values(eve)
          on.rollback()
        }),
  'a savepoint': async ({ db, people, isSqlite }) =>
    isSqlite
      ? db.transaction((on: Any) => on.transaction((inner: Any) => inner.insert(people).values(eve).run()))
      : db.transaction((on: Any) => on.transaction((inner: Any) => inner.insert(people).values(eve))),
  'a prepared insert': ({ db, people }) =>
    db
      .insert(people)
      .values({ email: sql.placeholder('email'), name: 'Eve', id: sql.placeholder('id') })
      .prepare('insert')
      .execute({ email: 'eve@x.org', id: null })
      .catch((error: Error) => error.name),
  'raw SQL': ({ db, people, isSqlite }) => {
    const query = sql`update ${people} set name = 'Raw' where name = 'Bob'`
    return isSqlite ? db.run(query) : db.execute(query).then(() => undefined)
  },
}

const reads: Programs = {
  'all people': ({ db, people }) => db.select().from(people).orderBy(people.id),
  'all posts': ({ db, posts }) => db.select().from(posts).orderBy(posts.id),
  'all tags': ({ db, tags }) => db.select().from(tags).orderBy(tags.id),
  'all links': ({ db, links }) => db.select().from(links).orderBy(links.postId, links.tagId),
  'by key': ({ db, people }, key) =>
    db
      .select()
      .from(people)
      .where(eq(people.id, key(2))),
  'by a key that no row has': ({ db, people }, key) =>
    db
      .select()
      .from(people)
      .where(eq(people.id, key(9))),
  'by keys': ({ db, people }, key) =>
    db
      .select({ name: people.name })
      .from(people)
      .where(inArray(people.id, [key(1), key(4), key(9)]))
      .orderBy(people.id),
  'by no keys': ({ db, people }) => db.select().from(people).where(inArray(people.id, [])),
  'by other keys than none': ({ db, people }) =>
    db.select({ id: people.id }).from(people).where(notInArray(people.id, [])).orderBy(people.id),
  'by other keys': ({ db, people }, key) =>
    db
      .select({ id: people.id })
      .from(people)
      .where(notInArray(people.id, [key(1)]))
      .orderBy(people.id),
  'by a range': ({ db, posts }, key) =>
    db
      .select({ id: posts.id })
      .from(posts)
      .where(and(gt(posts.id, key(11)), lte(posts.id, key(13))))
      .orderBy(asc(posts.id)),
  between: ({ db, posts }, key) =>
    db
      .select({ id: posts.id })
      .from(posts)
      .where(between(posts.id, key(11), key(12)))
      .orderBy(posts.id),
  'the newest': ({ db, posts }) => db.select().from(posts).orderBy(desc(posts.id)).limit(1),
  'a page': ({ db, posts }, key) =>
    db
      .select()
      .from(posts)
      .where(gt(posts.id, key(12)))
      .orderBy(posts.id)
      .limit(2),
  'a page by offset': ({ db, posts }) => db.select().from(posts).orderBy(posts.id).limit(2).offset(1),
  'by a reference': ({ db, posts }, key) =>
    db
      .select({ title: posts.title })
      .from(posts)
      .where(eq(posts.authorId, key(1)))
      .orderBy(posts.id),
  'by no reference': ({ db, people }) =>
    db.select({ id: people.id }).from(people).where(isNull(people.bossId)).orderBy(people.id),
  or: ({ db, people }, key) =>
    db
      .select({ id: people.id })
      .from(people)
      .where(or(eq(people.id, key(1)), eq(people.bossId, key(2))))
      .orderBy(people.id),
  not: ({ db, people }, key) =>
    db
      .select({ id: people.id })
      .from(people)
      .where(not(eq(people.id, key(1))))
      .orderBy(people.id),
  'a join': ({ db, posts, people }) =>
    db.select().from(posts).innerJoin(people, eq(people.id, posts.authorId)).orderBy(posts.id),
  'a left join': ({ db, posts, people }) =>
    db
      .select({ person: people.id, post: posts.id })
      .from(people)
      .leftJoin(posts, eq(posts.authorId, people.id))
      .orderBy(people.id, posts.id),
  'a self join': ({ db, people }) => {
    const boss = pgAlias(people, 'boss') as Any
    return db
      .select({ id: people.id, boss: boss.id })
      .from(people)
      .leftJoin(boss, eq(boss.id, people.bossId))
      .orderBy(people.id)
  },
  'a join by key': ({ db, posts, people }, key) =>
    db
      .select({ name: people.name })
      .from(people)
      .innerJoin(posts, and(eq(posts.authorId, people.id), eq(posts.id, key(13)))),
  'many to many': ({ db, tags, links }, key) =>
    db
      .select({ id: tags.id, label: tags.label })
      .from(tags)
      .innerJoin(links, eq(links.tagId, tags.id))
      .where(eq(links.postId, key(11)))
      .orderBy(tags.id),
  'a subquery': ({ db, people, posts }, key) =>
    db
      .select({ name: people.name })
      .from(people)
      .where(
        inArray(
          people.id,
          db
            .select({ id: posts.authorId })
            .from(posts)
            .where(eq(posts.id, key(13))),
        ),
      ),
  exists: ({ db, people, posts }) =>
    db
      .select({ id: people.id })
      .from(people)
      .where(exists(db.select({ id: posts.id }).from(posts).where(eq(posts.authorId, people.id))))
      .orderBy(people.id),
  'a selected subquery': ({ db, people, posts }) => {
    const newest = db
      .select({ authorId: posts.authorId, newest: max(posts.likes).as('newest') })
      .from(posts)
      .groupBy(posts.authorId)
      .as('newest')
    return db
      .select({ id: people.id, newest: newest.newest })
      .from(people)
      .innerJoin(newest, eq(newest.authorId, people.id))
      .orderBy(people.id)
  },
  'a CTE': ({ db, posts }, key) => {
    const some = db.$with('some').as(
      db
        .select()
        .from(posts)
        .where(eq(posts.authorId, key(1))),
    )
    return db.with(some).select().from(some).orderBy(some.id)
  },
  'a union': ({ db, people }, key) =>
    db
      .select({ id: people.id })
      .from(people)
      .where(eq(people.id, key(1)))
      .union(
        db
          .select({ id: people.id })
          .from(people)
          .where(eq(people.id, key(3))),
      )
      .orderBy(sql`1`),
  count: ({ db, posts }, key) => db.$count(posts, eq(posts.authorId, key(1))),
  'count distinct': ({ db, posts }) => db.select({ n: countDistinct(posts.authorId) }).from(posts),
  'group by key': ({ db, posts }) =>
    db
      .select({ authorId: posts.authorId, n: count() })
      .from(posts)
      .groupBy(posts.authorId)
      .orderBy(posts.authorId),
  having: ({ db, posts }, key) =>
    db
      .select({ authorId: posts.authorId })
      .from(posts)
      .groupBy(posts.authorId)
      .having(ne(posts.authorId, key(2)))
      .orderBy(posts.authorId),
  // PostgreSQL has neither for all types of keys.
  'min and max': ({ db, posts, isSqlite }) =>
    !isSqlite ? [] : db.select({ a: min(posts.id), z: max(posts.id) }).from(posts),
  distinct: ({ db, posts }) => db.selectDistinct({ id: posts.authorId }).from(posts).orderBy(posts.authorId),
  'a case': ({ db, people }, key) =>
    db
      .select({ is: sql<string>`case when ${eq(people.id, key(1))} then 'first' else 'other' end` })
      .from(people)
      .orderBy(people.id),
  'a prepared query': ({ db, people }, key) =>
    db
      .select()
      .from(people)
      .where(gte(people.id, sql.param(sql.placeholder('id'), people.id)))
      .orderBy(people.id)
      .prepare('read')
      .execute({ id: key(3) }),
  'raw SQL': ({ db, people, isSqlite, isMysql }, key) => {
    const query = sql`select name from ${people} where ${eq(people.id, key(2))}`
    if (isSqlite) return db.all(query)
    return db.execute(query).then((found: Any) => (isMysql ? found[0] : found.rows))
  },
  findFirst: async ({ db }, key) => db.query?.people?.findFirst({ where: (of: Any) => eq(of.id, key(2)) }),
  'findMany with relations': async ({ db }) =>
    db.query?.people?.findMany({
      with: {
        posts: { with: { links: { orderBy: (of: Any) => of.tagId } }, orderBy: (of: Any) => of.id },
        boss: true,
      },
      orderBy: (of: Any) => of.id,
    }),
  'findMany with conditions in relations': async ({ db }, key) =>
    db.query?.posts?.findMany({
      with: { author: true, links: { where: (of: Any) => eq(of.tagId, key(21)) } },
      orderBy: (of: Any) => of.id,
    }),
  'findMany of columns': async ({ db }) =>
    db.query?.posts?.findMany({
      columns: { id: true },
      with: { author: { columns: { id: true } } },
      orderBy: (of: Any) => desc(of.id),
      limit: 2,
    }),
}

const adapter: MatrixAdapter<Session> = {
  orm: 'Drizzle',
  storages: {
    sqlite: ['text', 'binary'],
    postgres: ['text', 'uuid', 'binary'],
    mysql: ['text', 'binary'],
  },
  // Related rows are JSON there, which can't hold bytes.
  refused: (read, storage, database) =>
    isBefore1 && storage === 'binary' && / relations$|of columns$/.test(read)
      ? { sqlite: 'SqliteError', mysql: 'IdError' }[database as string]
      : undefined,
  async open(database, { ids: of, plainKey }, log) {
    const { core, table, ids, over } = dialects.find(({ name }) => name === database.kind) as Dialect
    const isMysql = database.kind === 'mysql'
    const text = (name: string): Any =>
      isMysql ? (core as Any).varchar(name, { length: 40 }) : core.text(name)
    const key = (keyed: Keyed): Any =>
      of
        ? ids.idColumn('id', of.of[keyed], { storage: of.storage as never }).primaryKey()
        : text('id').primaryKey().$defaultFn(plainKey)
    const ref = (name: string, target: () => Any): Any =>
      of ? ids.idColumn.ref(name, target) : text(name).references(target)
    const people: Any = table('people', {
      id: key('people'),
      email: text('email').notNull(),
      name: text('name').notNull(),
      bossId: ref('boss_id', () => people.id),
    })
    const posts: Any = table('posts', {
      id: key('posts'),
      title: text('title').notNull(),
      likes: core.integer('likes').notNull(),
      authorId: ref('author_id', () => people.id).notNull(),
    })
    const tags: Any = table('tags', { id: key('tags'), label: text('label').notNull() })
    const links: Any = table('posts_tags', {
      postId: ref('post_id', () => posts.id).notNull(),
      tagId: ref('tag_id', () => tags.id).notNull(),
    })
    const related = {
      ofPeople: relations(people, ({ one, many }) => ({
        boss: one(people, { fields: [people.bossId], references: [people.id] }),
        posts: many(posts),
      })),
      ofPosts: relations(posts, ({ one, many }) => ({
        author: one(people, { fields: [posts.authorId], references: [people.id] }),
        links: many(links),
      })),
      ofLinks: relations(links, ({ one }) => ({
        post: one(posts, { fields: [links.postId], references: [posts.id] }),
      })),
    }
    const logger = { logQuery: (query: string) => log('statement', query) }
    const db: Any = over(database, {
      logger,
      schema: { people, posts, tags, links, ...related },
      ...(isMysql && { mode: 'planetscale' }),
    })
    return {
      db,
      people,
      posts,
      tags,
      links,
      isMysql,
      isSqlite: database.kind === 'sqlite',
    }
  },
  close: async () => {},
  writes,
  reads,
}

export default adapter
