import { accepting, fixedId, flax, IdError, prefixed } from '@snoflax/core'
import { createdAt, createdBetween, flaxId, idColumn, idPlugin, keyset } from '@snoflax/kysely'
import Database from 'better-sqlite3'
import { Kysely, type KyselyPlugin, SqliteDialect, sql } from 'kysely'
import { describe, expect, test } from 'vitest'

const CUID = 'tz4a98xxat96iws9zmbrgj3a'
const accept = [/[a-z0-9]{24}/, /user-\d+/]
const userId = prefixed(flax, 'usr')
/** What is neither one of our ids nor an accepted key. */
const OTHERS = ['', 'user-', 'usr_1', "o'clock", 'ä😀', 'x'.repeat(300), fixedId(flax, 'no user')]
const ROWS = ['user-1', 'user-2', CUID, fixedId(userId, 'user-3'), fixedId(userId, 'user-4')]

interface DB {
  users: { id: string; email: string | null; friend_id: string | null }
}
type Db = Kysely<DB>

const ids = idPlugin({
  database: 'sqlite',
  tables: {
    users: {
      id: flaxId({ prefix: 'usr', accept, onMismatch: 'notFound', branded: false }),
      friend_id: flaxId.ref('users.id'),
    },
  },
})

function open(plugins: KyselyPlugin[] = []): Db {
  const database = new Database(':memory:')
  database.exec('create table users (id text primary key, email text, friend_id text)')
  return new Kysely<DB>({ dialect: new SqliteDialect({ database }), plugins })
}

async function filled(db: Db): Promise<Db> {
  await db
    .insertInto('users')
    .values(ROWS.map((id, n) => ({ id, email: `${n}@x` })))
    .execute()
  await db
    .insertInto('users')
    .values(OTHERS.map((email, n) => ({ id: `user-${100 + n}`, email })))
    .execute()
  await db.updateTable('users').set({ friend_id: 'user-1' }).where('id', '=', CUID).execute()
  return db
}

const all = (db: Db) => db.selectFrom('users').selectAll().orderBy('id')

type Ask = { execute(): Promise<unknown> }
// biome-ignore lint/suspicious/noExplicitAny: of any query
type Eb = any
const where = (db: Db, condition: (eb: Eb) => Eb) => all(db).where(condition)

/** What an application does with its keys, among them some of an old address. */
const PROGRAMS: Readonly<Record<string, (db: Db, text: string) => Ask>> = {
  '=': (db, text) => all(db).where('id', '=', text),
  'of another column': (db, text) => all(db).where('friend_id', '=', text),
  'or an email': (db, text) => where(db, (eb) => eb.or([eb('id', '=', text), eb('email', '=', text)])),
  in: (db, text) => all(db).where('id', 'in', [text, 'user-1']),
  'not in': (db, text) => all(db).where('id', 'not in', [text, 'user-1']),
  between: (db, text) => where(db, (eb) => eb.or([eb('id', '>', text), eb.between('id', 'a', text)])),
  template: (db, text) => all(db).where(sql<boolean>`${sql.ref('id')} = ${text}`),
  join: (db, text) =>
    db
      .selectFrom('users')
      .innerJoin('users as f', (join) => join.onRef('f.id', '=', 'users.friend_id').on('f.id', '=', text))
      .select('users.id'),
  cte: (db, text) =>
    db
      .with('some', (one) => one.selectFrom('users').selectAll().where('id', '=', text))
      .selectFrom('some')
      .selectAll()
      .where('id', '!=', 'user-1'),
  case: (db, text) => all(db).select((eb) => eb.case().when('id', '=', text).then(1).else(0).end().as('is')),
  exists: (db, text) =>
    where(db, (eb) => eb.exists(eb.selectFrom('users').select('id').where('id', '=', text))),
  tuple: (db, text) => where(db, (eb) => eb(eb.refTuple('id', 'email'), '=', eb.tuple(text, '0@x'))),
  'update where': (db, text) =>
    db.updateTable('users').set({ email: 'x' }).where('id', '=', text).returningAll(),
  'update by a query': (db, text) => {
    const query = db.selectFrom('users').select('id').where('id', '=', text)
    return db.updateTable('users').set({ friend_id: query }).returningAll()
  },
  'delete where': (db, text) => db.deleteFrom('users').where('id', '=', text).returningAll(),
}

describe('rows are those that plain keys have', () => {
  const dbs = Promise.all([[ids], []].map((plugins) => filled(open(plugins))))

  test.each(Object.entries(PROGRAMS))('%s', async (_, program) => {
    for (const key of [...OTHERS, ...ROWS]) {
      const answers: unknown[] = []
      for (const db of await dbs) {
        await sql`begin`.execute(db)
        answers.push([await program(db, key).execute(), await all(db).execute()])
        await sql`rollback`.execute(db)
      }
      expect(answers[0]).toEqual(answers[1])
    }
  })
})

describe('writes', () => {
  const insert = (db: Db, ...rows: { id: string; friend_id?: string }[]) =>
    db.insertInto('users').values(rows as never)
  const refused: Readonly<Record<string, (db: Db, id: string) => Ask>> = {
    insert: (db, id) => insert(db, { id }),
    'insert of several': (db, id) => insert(db, { id: 'user-7' }, { id }),
    'insert of a reference': (db, friend_id) => insert(db, { id: 'user-8', friend_id }),
    update: (db, id) => db.updateTable('users').set({ id }).where('id', '=', 'user-1'),
    'update of a reference': (db, friend_id) => db.updateTable('users').set({ friend_id }),
    'update by a case': (db, id) =>
      db
        .updateTable('users')
        .set((eb) => ({ friend_id: eb.case().when('id', '=', 'no').then('user-2').else(id).end() })),
    upsert: (db, id) =>
      insert(db, { id: 'user-1' }).onConflict((conflict) => conflict.column('id').doUpdateSet({ id })),
  }
  test.each(Object.entries(refused))('%s', async (_, write) => {
    const db = open([ids])
    await insert(db, { id: 'user-1' }).execute()
    for (const id of OTHERS) {
      await expect(async () => write(db, id).execute()).rejects.toThrow(
        /^users\.(?:id|friend_id): usr: .*; also accepted: \/\[a-z0-9\]\{24\}\/ or/,
      )
      expect(await all(db).execute()).toMatchObject([{ id: 'user-1', friend_id: null }])
    }
    for (const id of [CUID, fixedId(userId, 'new')]) {
      await sql`begin`.execute(db)
      await write(db, id).execute()
      expect((await all(db).execute()).some((row) => row.id === id || row.friend_id === id)).toBe(true)
      await sql`rollback`.execute(db)
    }
  })

  test('rows get ids of ours', async () => {
    const db = open([ids])
    const row = await db
      .insertInto('users')
      .values({ email: 'a' } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(userId.is(row.id)).toBe(true)
    expect(() => ids.toDatabase('users.id', 'other')).toThrow(IdError)
  })
})

test("onMismatch 'error' is the default; a reference may differ from its target", async () => {
  const strict = idPlugin({
    database: 'sqlite',
    tables: {
      users: {
        id: flaxId({ accept: /user-\d+/ }),
        friend_id: flaxId.ref('users.id', { onMismatch: 'notFound' }),
      },
    },
  })
  const db = open([strict])
  await db.insertInto('users').values({ id: 'user-1', friend_id: 'user-1' }).execute()
  expect(await all(db).where('id', '=', 'user-1').execute()).toHaveLength(1)
  expect(await all(db).where('id', 'like', 'user-%').execute()).toHaveLength(1)
  await expect(all(db).where('id', '=', 'old').execute()).rejects.toThrow(
    /^users\.id: flax: an id has 16 characters, not 3 \("old"\); also accepted: \/user/,
  )
  expect(await all(db).where('friend_id', '=', 'old').execute()).toEqual([])
  await expect(db.updateTable('users').set({ friend_id: 'old' }).execute()).rejects.toThrow('users.friend_id')
})

test('times are those of our ids, and a page begins after any key', async () => {
  const db = open([ids])
  const at = new Date('2026-11-01')
  const id = fixedId(userId, 'new', { at })
  await db
    .insertInto('users')
    .values([{ id }, { id: CUID }])
    .execute()
  expect(
    await all(db)
      .clearSelect()
      .select(['id', createdAt('id').as('at')])
      .execute(),
  ).toEqual([
    { id: CUID, at: null },
    { id, at },
  ])
  expect(ids.wasCreatedBetween('users.id', id, at, at.getTime() + 1)).toBe(true)
  expect(ids.wasCreatedBetween('users.id', CUID, 0, Number.POSITIVE_INFINITY)).toBe(false)
  expect(
    await all(db)
      .where(createdBetween('id', at, at.getTime() + 1))
      .execute(),
  ).toMatchObject([{ id }])
  const page = keyset('id', { after: 'u', take: 1 })
  expect(await db.selectFrom('users').selectAll().$call(page).execute()).toMatchObject([{ id }])
})

test.each<[string, object, RegExp]>([
  ['a compact storage', { accept: /x/, storage: 'binary' }, /cannot use storage binary: it stores ids only/],
  ['notFound in one', { onMismatch: 'notFound', storage: 'binary' }, /'notFound' needs storage text/],
  ['an unknown answer', { onMismatch: '404' }, /onMismatch must be "error" or "notFound"/],
  ['no boolean', { branded: 'no' }, /branded must be a boolean/],
])('%s is refused', (_, options, message) => {
  const column = flaxId(options as never)
  const declare = () => idPlugin({ database: 'sqlite', tables: { users: { id: column } } })
  expect(declare).toThrow(message)
  expect(declare).toThrow(/^users\.id: /)
})

test('references with their own storage may form a cycle', () => {
  const column = (target: string) => flaxId.ref(target, { storage: 'text' })
  const tables = { a: { id: column('b.id') }, b: { id: column('a.id') } }
  expect(idPlugin({ database: 'sqlite', tables }).columnType('a.id')).toBeDefined()
})

test('bytes are not compared with a column without ids, in whichever table', async () => {
  const blobs = idPlugin({ database: 'sqlite', tables: { users: { id: flaxId({ storage: 'binary' }) } } })
  // biome-ignore lint/suspicious/noExplicitAny: a table that is not declared
  const db = open([blobs]) as unknown as Kysely<any>
  const others = () => db.selectFrom('search').select('user_id')
  for (const compared of [
    db.selectFrom('users').innerJoin('search', 'search.user_id', 'users.id').select('users.id'),
    db.selectFrom('users').select('id').whereRef('users.id', '!=', 'users.email'),
    db.selectFrom('users').select('id').where('id', 'in', others()),
    db.deleteFrom('users').where('id', 'not in', others()),
    db.selectFrom('search').selectAll().where('user_id', 'not in', db.selectFrom('users').select('id')),
    db
      .selectFrom('users')
      .select('id')
      .where((eb) => eb.exists(others().whereRef('search.user_id', '=', 'users.id'))),
  ]) {
    expect(() => compared.compile()).toThrow(
      /^users\.id: users\.id stores ids as binary, and (?:search|users)\./,
    )
  }
})

test('a family that accepts others is a family', async () => {
  const column = idColumn(accepting(flax, /user-\d+/))({ onMismatch: 'notFound' })
  const db = open([idPlugin({ database: 'sqlite', tables: { users: { id: column } } })])
  await db.insertInto('users').values({ id: 'user-1' }).execute()
  expect(await all(db).where('id', '=', 'old').execute()).toEqual([])
})

test('texts of several columns can be returned alternatively', async () => {
  const owners = idPlugin({
    database: 'sqlite',
    tables: {
      users: { id: flaxId({ prefix: 'usr', branded: false }) },
      teams: { id: flaxId({ prefix: 'team', branded: false }) },
      posts: { user_id: flaxId.ref('users.id'), team_id: flaxId.ref('teams.id') },
    },
  })
  const database = new Database(':memory:')
  database.exec(
    'create table users (id text); create table teams (id text); create table posts (user_id text, team_id text)',
  )
  // biome-ignore lint/suspicious/noExplicitAny: tables don't matter here
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database }), plugins: [owners] })
  const [id, other] = [fixedId(userId, 'a'), fixedId(prefixed(flax, 'team'), 'b')]
  await db.insertInto('users').values({ id }).execute()
  await db.insertInto('teams').values({ id: other }).execute()
  const posts = [
    { user_id: id, team_id: null },
    { user_id: null, team_id: other },
  ]
  await db.insertInto('posts').values(posts).execute()
  const ofPosts = db.selectFrom('posts').select((eb) => {
    const same = eb.case().when('user_id', 'is not', null).then(eb.ref('user_id')).else(eb.ref('team_id'))
    return [eb.fn.coalesce('user_id', 'team_id').as('one'), same.end().as('same')]
  })
  expect(await ofPosts.execute()).toEqual([id, other].map((one) => ({ one, same: one })))
  const found = ofPosts.where((eb) => eb(eb.fn.coalesce('user_id', 'team_id'), '=', other))
  expect(await found.execute()).toEqual([{ one: other, same: other }])
  const all = db.selectFrom('users').select('id').unionAll(db.selectFrom('teams').select('id'))
  expect(await all.execute()).toEqual([{ id }, { id: other }])
  const last = db.selectFrom(all.as('all')).selectAll().where('all.id', '=', other)
  expect(await last.execute()).toEqual([{ id: other }])
  const compared = db.selectFrom('posts').selectAll().whereRef('user_id', '=', 'team_id')
  expect(() => compared.compile()).toThrow('are never equal')
  await db.destroy()
})
