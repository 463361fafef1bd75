import { accepting, fixedId, flax, opaque, prefixed } from '@snoflax/core'
import { flaxId, idColumn, idPlugin } from '@snoflax/kysely'
import Database from 'better-sqlite3'
import { Kysely, type KyselyPlugin, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'

const CUID = 'tz4a98xxat96iws9zmbrgj3a'
const accept = [/[a-z0-9]{24}/, /user-\d+/]
const userId = prefixed(flax, 'usr')

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

function open(plugins: KyselyPlugin[] = [ids]): Db {
  const database = new Database(':memory:')
  database.exec('create table users (id text primary key, email text, friend_id text)')
  return new Kysely<DB>({ dialect: new SqliteDialect({ database }), plugins })
}

const all = (db: Db) => db.selectFrom('users').selectAll().orderBy('id')

test('rows get ids of ours', async () => {
  const db = open()
  const row = await db
    .insertInto('users')
    .values({ email: 'a' } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(userId.is(row.id)).toBe(true)
})

test('times are those of our ids, and a page begins after any key', async () => {
  const db = open()
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

test("with onMismatch: 'notFound' other texts are written, also to references, and nothing else is", async () => {
  const own = opaque('user', { pattern: /user_\d+/ })
  const plugin = idPlugin({
    database: 'sqlite',
    tables: {
      users: {
        id: idColumn.plain(own, { onMismatch: 'notFound', branded: false }),
        friend_id: idColumn.ref('users.id'),
      },
    },
  })
  const db = open([plugin])
  await db
    .insertInto('users')
    .values([
      { id: 'label', friend_id: null },
      { id: 'user_1', friend_id: 'label' },
    ] as never)
    .execute()
  await db.updateTable('users').set({ friend_id: 'other' }).where('id', '=', 'user_1').execute()
  expect(await all(db).execute()).toMatchObject([
    { id: 'label', friend_id: null },
    { id: 'user_1', friend_id: 'other' },
  ])
  const number = db.insertInto('users').values({ id: 1 } as never)
  await expect(number.execute()).rejects.toThrow('users.id: user: an id must be a string')
  expect(await plugin.find(db, 'user_1')).toMatchObject({ model: 'users', row: { friend_id: 'other' } })
})
