import { accepting, fixedId, flax, prefixed } from '@snoflax/core'
import { flaxId, idColumn, idPlugin } from '@snoflax/kysely'
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
      id: flaxId({ prefix: 'usr', accept, branded: false }),
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
  })
})

test('times are those of our ids, and a page begins after any key', async () => {
  const db = open([ids])
  const at = new Date('2026-11-01')
  const id = fixedId(userId, 'new', { at })
  await db
    .insertInto('users')
    .values([{ id }, { id: CUID }])
    .execute()
  expect([CUID, id].map((one) => ids.createdAt('users.id', one))).toEqual([null, at])
  expect(ids.wasCreatedBetween('users.id', id, at, at.getTime() + 1)).toBe(true)
  expect(ids.wasCreatedBetween('users.id', CUID, 0, Number.POSITIVE_INFINITY)).toBe(false)
  expect(
    await all(db)
      .where(ids.createdBetween('users.id', at, at.getTime() + 1))
      .execute(),
  ).toMatchObject([{ id }])
  const page = ids.keyset('users.id', { after: CUID, take: 1 })
  expect(await db.selectFrom('users').selectAll().$call(page).execute()).toMatchObject([{ id }])
})

test.each<[string, object, RegExp]>([
  ['a compact storage', { accept: /x/, storage: 'binary' }, /cannot use storage binary: it stores ids only/],
  ['no boolean', { branded: 'no' }, /branded must be a boolean/],
])('%s is refused', (_, options, message) => {
  const column = flaxId(options as never)
  const declare = () => idPlugin({ database: 'sqlite', tables: { users: { id: column } } })
  expect(declare).toThrow(message)
  expect(declare).toThrow(/^users\.id: /)
})

test('a family that accepts others is a family', async () => {
  const column = idColumn(accepting(flax, /user-\d{1,9}/))
  const db = open([idPlugin({ database: 'sqlite', tables: { users: { id: column } } })])
  await db.insertInto('users').values({ id: 'user-1' }).execute()
  expect(await all(db).where('id', '=', 'old').execute()).toEqual([])
})
