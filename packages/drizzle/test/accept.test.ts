import { Value } from '@sinclair/typebox/value'
import { accepting, fixedId, flax, IdError, prefixed } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import {
  checkColumns,
  createdAt,
  createdBetween,
  flaxId,
  idColumn,
  keyset,
  placeholder,
  snoId,
  wasCreatedBetween,
} from '@snoflax/drizzle/sqlite-core'
import * as typebox from '@snoflax/drizzle/typebox-legacy'
import * as valibot from '@snoflax/drizzle/valibot'
import * as zod from '@snoflax/drizzle/zod'
import { mysql, pglite } from '@snoflax/test'
import Database from 'better-sqlite3'
import * as drizzle from 'drizzle-orm'
import { asc, eq, inArray, or, type SQL } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core'
import { drizzle as overMysql2 } from 'drizzle-orm/mysql2'
import { pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { type AnySQLiteColumn, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { isBefore1, relations } from './contract/version.js'
import { mysqlStatements, postgresStatements } from './generated-sql.js'

const CUID = 'tz4a98xxat96iws9zmbrgj3a'
const KEYS = [/[a-z0-9]{24}/, /user-\d+/]
const userId = prefixed(flax, 'usr')
/** What is neither one of our ids nor an accepted key. */
const OTHERS = ['', 'user-', 'usr_1', "o'clock", 'ä😀', 'x'.repeat(300), fixedId(flax, 'no user')]

/** A table whose keys are ours or others: strings to the compiler, as a plain table's. */
const ours = sqliteTable('users', {
  id: flaxId({ prefix: 'usr', accept: KEYS, onMismatch: 'notFound', branded: false }).primaryKey(),
  email: text(),
  friendId: flaxId.ref('friend_id', (): AnySQLiteColumn => ours.id),
})
const plain = sqliteTable('users', {
  id: text()
    .$defaultFn(() => userId.generate())
    .primaryKey(),
  email: text(),
  friendId: text('friend_id'),
})
type Users = typeof plain

function open(users: Users) {
  const client = new Database(':memory:')
  client.exec('create table users (id text primary key, email text, friend_id text)')
  const schema = isBefore1
    ? {
        schema: {
          users,
          userRelations: relations(users, ({ one }) => ({
            friend: one(users, { fields: [users.friendId], references: [users.id] }),
          })),
        },
      }
    : {
        relations: (drizzle as never as { defineRelations: (...args: unknown[]) => object }).defineRelations(
          { users },
          (r: { one: { users(one: object): object }; users: Users }) => ({
            users: { friend: r.one.users({ from: r.users.friendId, to: r.users.id }) },
          }),
        ),
      }
  return overBetterSqlite3({ client, ...schema } as never) as never as ReturnType<typeof typed>
}
const typed = () => overBetterSqlite3({ client: new Database(':memory:'), schema: { users: plain } })

const ROWS = ['user-1', 'user-2', CUID, fixedId(userId, 'user-3'), fixedId(userId, 'user-4')]

test.each(['', 'nope', 'nobody@example.org', 5, 0, false, [], {}, `inv_${flax.generate()}`])(
  'keyset refuses a cursor that is no key of the column, also where conditions find nothing: %j',
  (after) => {
    const error = expect.objectContaining({ name: 'IdError', statusCode: 400, path: 'users.id' })
    expect(() => keyset(ours.id as never, { after: after as never })).toThrow(error)
    expect(keyset(ours.id as never, { after: CUID as never }).where).toBeDefined()
    expect(keyset(ours.id as never, { after: null }).where).toBeUndefined()
  },
)

// Conditions of every form are in the contract: whatever a column encodes, it encodes in all of them.
test('with notFound conditions take any text, as plain keys do', async () => {
  const users = ours as never as Users
  const db = open(users)
  await db.insert(users).values([{ id: 'user-1' }, { id: CUID, friendId: 'user-1' }])
  const found = (where: SQL | undefined) => db.select({ id: users.id }).from(users).where(where)
  const later = found(eq(users.id, placeholder(ours.id, 'id') as never)).prepare()
  for (const text of OTHERS) {
    expect(await found(or(eq(users.id, text), eq(users.friendId, text)))).toEqual([])
    expect(await found(inArray(users.id, [text, 'user-1']))).toEqual([{ id: 'user-1' }])
    expect(await later.execute({ id: text })).toEqual([])
    expect(await db.delete(users).where(eq(users.id, text)).returning()).toEqual([])
  }
  expect(await later.execute({ id: CUID })).toEqual([{ id: CUID }])
  const where = (isBefore1 ? eq(users.friendId, 'user-1') : { friendId: { in: ['user-1'] } }) as never
  expect(await db.query.users.findMany({ where, with: { friend: true } as never })).toMatchObject([
    { id: CUID, friend: { id: 'user-1' } },
  ])
})

test('with notFound writes take any text, as plain keys do', async () => {
  const users = ours as never as Users
  const db = open(users)
  const rows = await db
    .insert(users)
    .values([{}, { id: 'any' }])
    .returning()
  expect(userId.is(rows[0]?.id)).toBe(true)
  await db.update(users).set({ friendId: 'other' }).where(eq(users.id, 'any'))
  expect(await db.$count(users, eq(users.friendId, 'other'))).toBe(1)
})

test("onMismatch 'error' is the default, and refuses with the path; a reference may differ from its target", async () => {
  const users = sqliteTable('users', {
    id: flaxId({ accept: /user-\d{1,9}/ }).primaryKey(),
    email: text(),
    friendId: flaxId.ref('friend_id', (): AnySQLiteColumn => users.id, { onMismatch: 'notFound' }),
  })
  const db = open(users as never)
  await db.insert(users).values({ id: 'user-1', friendId: 'user-1' as never })
  expect(await db.$count(users, eq(users.id, 'user-1'))).toBe(1)
  await expect(async () => db.select().from(users).where(eq(users.id, 'old'))).rejects.toThrow(
    /^users\.id: flax: an id has 16 characters, not 3 \("old"\); also accepted: \/user/,
  )
  expect(await db.$count(users, eq(users.friendId, 'old' as never))).toBe(0)
  await expect(async () => db.update(users).set({ id: 'old' })).rejects.toThrow('users.id: flax')
})

test('times are those of our ids', async () => {
  const db = open(ours as never)
  const users = ours as never as Users
  const at = new Date('2026-11-01')
  const id = fixedId(userId, 'new', { at })
  await db.insert(users).values([{ id }, { id: CUID }])
  const times = db.select({ id: plain.id, at: createdAt(ours.id) }).from(users)
  expect(await times.orderBy(asc(plain.id))).toEqual([
    { id: CUID, at: null },
    { id, at },
  ])
  expect(wasCreatedBetween(ours.id, id, at, at.getTime() + 1)).toBe(true)
  expect(wasCreatedBetween(ours.id, CUID, 0, Number.POSITIVE_INFINITY)).toBe(false)
  expect(await db.$count(users, createdBetween(ours.id, at, at.getTime() + 1))).toBe(1)
})

describe('declarations', () => {
  test('refuse what is no definition, and wrong options', () => {
    for (const wrong of [{ storage: 'blob' }, { meta: 1 }, { branded: 1 }, null, 'binary'] as never[]) {
      expect(() => sqliteTable('t', { id: idColumn(flax, wrong) })).toThrow(IdError)
    }
    for (const none of [undefined, 'id', { prefix: 'cus' }] as never[])
      expect(() => idColumn(none)).toThrow('idColumn: definition must be a family')
  })

  const compact = sqliteTable('compact', { id: snoId({ storage: 'binary' }).primaryKey() })
  test.each<[string, () => unknown, string]>([
    [
      'accepted keys as bytes',
      () => flaxId({ accept: /x/, storage: 'binary' }),
      'flax in sqlite: cannot use storage binary: it stores ids only',
    ],
    [
      'notFound with bytes',
      () => flaxId({ onMismatch: 'notFound', storage: 'binary' }),
      "flax: onMismatch 'notFound' needs storage text",
    ],
    [
      'notFound with the bytes of a target',
      () => snoId.ref(() => compact.id, { onMismatch: 'notFound' }),
      "sno: onMismatch 'notFound' needs storage text",
    ],
    ['a pattern with flags', () => flaxId({ accept: /x/g }), 'flax: accept takes patterns with the flags'],
    [
      'a check of other keys',
      () => flaxId({ accept: /x./, check: true }),
      "flax: check: true can't write /x./",
    ],
  ])('refuse %s', (_, column, message) => {
    const define = () => sqliteTable('t', { id: column() as ReturnType<typeof flaxId> }).id.getSQLType()
    expect(define).toThrow(`t.id: ${message}`)
  })

  test('take a family that accepts others', async () => {
    const key = accepting(flax, /user-\d{1,9}/)
    const users = sqliteTable('users', {
      id: idColumn(key, { onMismatch: 'notFound' }).primaryKey(),
      friendId: idColumn.plain('friend_id', key, { onMismatch: 'notFound' }),
    })
    const db = open(ours as never)
    await db.insert(users).values([{ id: 'user-1', friendId: 'user-2' }, {}])
    expect(await db.$count(users, eq(users.friendId, 'old'))).toBe(0)
    expect(await db.$count(users, eq(users.friendId, 'user-2'))).toBe(1)
  })
})

test('schemas of a column take both kinds of keys', () => {
  for (const [key, isRight] of [
    ...ROWS.map((id) => [id, true] as const),
    ...OTHERS.map((id) => [id, false] as const),
  ]) {
    expect(zod.idSchema(ours.id).safeParse(key).success).toBe(isRight)
    expect(safeParse(valibot.idSchema(ours.id), key).success).toBe(isRight)
    expect(Value.Check(typebox.idSchema(ours.friendId), key)).toBe(isRight)
  }
})

test.skipIf(!mysql.selected())('in MySQL and MariaDB', async () => {
  const database = await mysql.open()
  const users = mysqlTable('users', {
    id: mysqlFlaxId({ accept: /user-\d{1,9}/, onMismatch: 'notFound' }).primaryKey(),
    email: mysqlText(),
  })
  try {
    for (const statement of await mysqlStatements({ users })) await database.query(statement)
    const db = overMysql2({ client: database.pool } as never)
    await db.insert(users).values([{ id: 'user-1', email: 'old' }, {}])
    expect(await db.$count(users, or(eq(users.id, 'old'), eq(users.email, 'old')))).toBe(1)
    await checkColumns(db, { users })
  } finally {
    await database.close()
  }
})

test('in PostgreSQL, in lists too', async () => {
  const database = await pglite.open()
  const users = pgTable('users', {
    id: pg.flaxId({ accept: /user-\d{1,9}/, onMismatch: 'notFound' }).primaryKey(),
    email: pgText(),
    seen: pg.flaxId.plain({ accept: /user-\d{1,9}/, onMismatch: 'notFound' }).array(),
  })
  try {
    for (const statement of await postgresStatements({ users })) await database.query(statement)
    const db = overPglite({ client: database.connection })
    await db.insert(users).values({ id: 'user-1', email: 'old', seen: ['user-2', flax.generate()] })
    expect(await db.$count(users, or(eq(users.id, 'old'), eq(users.email, 'old')))).toBe(1)
    expect(await db.$count(users, drizzle.arrayContains(users.seen, ['user-2']))).toBe(1)
    expect(await db.$count(users, drizzle.arrayContains(users.seen, ['old']))).toBe(0)
    const times = db.select({ at: pg.createdAt(users.id) }).from(users)
    expect(await times.where(pg.createdAfter(users.id, 0))).toEqual([{ at: null }])
  } finally {
    await database.close()
  }
})
