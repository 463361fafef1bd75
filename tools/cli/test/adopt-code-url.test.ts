import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgres } from '@snoflax/test'
import Connection from 'better-sqlite3'
import { expect, test } from 'vitest'
import { adopt, adoptIn, project } from './adopting.js'
import { cli } from './running.js'

const SCHEMA = `import { createId } from '@paralleldrive/cuid2'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => createId()) })
export const posts = sqliteTable('posts', { id: text('id').primaryKey().$defaultFn(() => createId()), authorId: text('author_id').references(() => users.id) })
export const tags = sqliteTable('tags', { id: text('id').primaryKey().$defaultFn(() => createId()), postId: text('post_id').references(() => posts.id) })
`
const CUID2 = 'tz4a98xxat96iws9zmbrgj3a'
const BETTER = 'V1StGXR8Z5jdHi6BmyTaQ0wErU3oPs9d'

/** An SQLite file with these keys of users, posts, and authors of posts. */
function stored(users: readonly string[], posts: readonly [id: string, author: string | null][]): string {
  const file = join(project({}), 'app.db')
  const database = new Connection(file)
  database.exec(
    'CREATE TABLE users (id text primary key); CREATE TABLE posts (id text primary key, author_id text); CREATE TABLE tags (id text, post_id text)',
  )
  for (const id of users) database.prepare('INSERT INTO users VALUES (?)').run(id)
  for (const [id, author] of posts) database.prepare('INSERT INTO posts VALUES (?, ?)').run(id, author)
  database.close()
  return file
}

test('a key that stores others than its definition takes stays, with all that refers to it', async () => {
  const told = await adopt(SCHEMA, '--url', stored([CUID2, BETTER, `${BETTER}\u001b[2J`], [[CUID2, BETTER]]))
  expect(told).toMatchObject({ code: 1, checked: true, written: true })
  expect(told.stored).toEqual([
    { name: 'users.id', rows: 3, isStopped: false, others: 2, example: expect.stringContaining('V1St') },
    { name: 'posts.id', rows: 1, isStopped: false, others: 0 },
    { name: 'tags.id', rows: 0, isStopped: false, others: 0 },
    { name: 'posts.authorId', rows: 1, isStopped: false, others: 1, example: expect.any(String) },
    { name: 'tags.postId', rows: 0, isStopped: false, others: 0 },
  ])
  const reason = `users.id stores 2 old keys that its definition doesn't take, such as "${BETTER}"`
  expect(told.left.map((one) => [one.name, one.reason])).toEqual([
    ['users.id', reason],
    ['posts.authorId', reason],
  ])
  expect(told.counts).toEqual({ tables: 3, keys: 3, references: 2, adopted: 3, done: 0, kept: 0, left: 2 })
  expect(told.after).toContain("users', { id: text('id').primaryKey().$defaultFn(() => createId()) }")
  expect(told.after).toContain("postId: idColumn.ref('post_id', () => posts.id)")
})

test('a foreign key that stores others keeps its key as it is, and rows that are not read are told', async () => {
  const url = stored(
    [CUID2],
    [
      [CUID2, 'user-1'],
      [`${CUID2.slice(1)}b`, CUID2],
    ],
  )
  const told = await adopt(SCHEMA, '--url', url)
  expect(told.left.map(({ name, reason }) => [name, reason])).toEqual([
    ['users.id', 'posts.authorId stores 1 old keys that its definition doesn\'t take, such as "user-1"'],
    ['posts.authorId', expect.any(String)],
  ])
  const limited = await cli(['adopt', 'code', project({ 'schema.ts': SCHEMA }), '--url', url, '--rows', '1'])
  expect(limited.out).toContain('  posts.id: 1 rows and more, 0 of another form')
})

test('what the database does not tell is unknown, and stays', async () => {
  const file = join(project({}), 'part.db')
  new Connection(file).exec('CREATE TABLE posts (id text primary key)').close()
  const told = await adopt(SCHEMA, '--url', file)
  expect(told.left.map(({ name, reason }) => [name, reason])).toEqual(
    [
      ['users.id', 'its stored keys are not known: the database has no column id in a table users'],
      ['tags.id', 'its stored keys are not known: the database has no column id in a table tags'],
      ['posts.id', 'its stored keys are not known: the database has no column post_id in a table tags'],
      ['posts.authorId', expect.any(String)],
      ['tags.postId', expect.any(String)],
    ].sort(
      (one, other) =>
        told.left.findIndex(({ name }) => name === one[0]) -
        told.left.findIndex(({ name }) => name === other[0]),
    ),
  )
  expect(told.counts).toMatchObject({ adopted: 0, left: 5 })
  for (const [url, message] of [
    ['postgres://nobody@127.0.0.1:1/app', 'postgres://127.0.0.1 cannot be reached'],
    ['missing.db', 'a database must be'],
  ] as const) {
    const folder = project({ 'schema.ts': SCHEMA })
    const { code, err } = await cli(['adopt', 'code', folder, '--write', '--url', url])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toBe(SCHEMA)
  }
})

const PG = `import { createId } from '@paralleldrive/cuid2'
import { pgSchema, pgTableCreator, text, uuid } from 'drizzle-orm/pg-core'
const table = pgTableCreator((name) => \`app_\${name}\`)
export const logs = table('logs', { ownerKey: uuid().defaultRandom().primaryKey() })
export const users = table('users', { id: text().primaryKey().$defaultFn(() => createId()) })
export const sales = pgSchema('sales').table('app_users', { id: text().primaryKey().$defaultFn(() => createId()) })
export const hidden = table('hidden', { id: text().primaryKey().$defaultFn(() => createId()) })
`

test('PostgreSQL: two schemas with one name of a table, policies, and UUIDs of any version', async () => {
  const database = await postgres.open()
  try {
    await database.query('CREATE SCHEMA sales')
    await database.query('CREATE TABLE app_users (id text primary key)')
    await database.query('CREATE TABLE sales.app_users (id text primary key)')
    await database.query('CREATE TABLE app_hidden (id text primary key)')
    await database.query('CREATE TABLE app_logs (owner_key uuid primary key)')
    await database.query(
      `INSERT INTO app_users SELECT substr(md5(n::text), 1, 24) FROM generate_series(1, 12000) n`,
    )
    await database.query("INSERT INTO sales.app_users VALUES ('main')")
    await database.query("INSERT INTO app_logs VALUES ('b5a1c2de-0000-11ee-8000-000000000001')")
    await database.query("INSERT INTO app_logs VALUES ('00000000-0000-0000-0000-000000000001')")
    await database.query('ALTER TABLE app_hidden ENABLE ROW LEVEL SECURITY')
    await database.query("CREATE ROLE adopt_reader LOGIN PASSWORD 'reader'")
    await database.query('GRANT USAGE ON SCHEMA sales TO adopt_reader')
    await database.query('GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO adopt_reader')
    const url = new URL(database.url)
    url.username = 'adopt_reader'
    url.password = 'reader'
    const folder = project({ 'schema.ts': PG })
    const { adopted, left, stored, code } = await adoptIn(folder, '--url', url.href)
    expect(code).toBe(1)
    expect(stored?.map(({ name, rows, others }) => [name, rows, others])).toEqual([
      ['logs.ownerKey', 2, 0],
      ['users.id', 12000, 0],
      ['sales.id', 1, 1],
      ['hidden.id', 0, 0],
    ])
    expect(adopted.map(({ name }) => name)).toEqual(['logs.ownerKey', 'users.id'])
    expect(left.map(({ name, schema, reason }) => [name, schema, reason])).toEqual([
      ['sales.id', 'sales', 'sales.id stores 1 old keys that its definition doesn\'t take, such as "main"'],
      [
        'hidden.id',
        undefined,
        'its stored keys are not known: row-level security hides rows of app_hidden from this user',
      ],
    ])
  } finally {
    await database.query('DROP OWNED BY adopt_reader')
    await database.query('DROP ROLE adopt_reader')
    await database.close()
  }
})
