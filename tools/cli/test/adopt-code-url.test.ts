import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mysql, postgres } from '@snoflax/test'
import Connection from 'better-sqlite3'
import { expect, test } from 'vitest'
import { adopt, project } from './adopting.js'
import { cli } from './running.js'

const SCHEMA = `import { createId } from '@paralleldrive/cuid2'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => createId()) })
export const posts = sqliteTable('posts', { id: text('id').primaryKey().$defaultFn(() => createId()), authorId: text('author_id').references(() => users.id) })
`
const CUID2 = 'tz4a98xxat96iws9zmbrgj3a'
const BETTER = 'V1StGXR8Z5jdHi6BmyTaQ0wErU3oPs9d'

/** An SQLite file with these keys of users, which posts refer to. */
function stored(keys: readonly (string | null)[]): string {
  const file = join(project({}), 'app.db')
  const database = new Connection(file)
  database.exec(
    'CREATE TABLE users (id text primary key); CREATE TABLE posts (id text primary key, author_id text)',
  )
  for (const key of keys) database.prepare('INSERT INTO users VALUES (?)').run(key)
  for (const [at, key] of keys.entries())
    database.prepare('INSERT INTO posts VALUES (?, ?)').run(`post_${String(at).padStart(8, '0')}`, key)
  database.close()
  return file
}

const ask = (keys: readonly (string | null)[], ...options: string[]) =>
  adopt(SCHEMA, '--url', stored(keys), ...options)

test('names what is stored, key by key, and accepts all of it', async () => {
  const told = await ask([CUID2, BETTER, `${BETTER.slice(1)}A`])
  expect(told.code).toBe(0)
  expect(told.stored).toEqual([
    { name: 'users.id', text: '1 cuid2, 2 better-auth' },
    { name: 'posts.id', text: '3 post_ and 8 of 0-9' },
    { name: 'posts.authorId', text: '1 cuid2, 2 better-auth' },
  ])
  expect(told.after).toContain('accept: /^(?:[a-z][a-z0-9]{23}|[A-Za-z0-9]{32})$/')
  expect(told.after).toContain('accept: /^(?:[a-z][a-z0-9]{23}|post_[0-9]{8})$/')
})

test('a stored key that fits nothing is shown, and nothing is written', async () => {
  const told = await ask([CUID2, 'naïve\u001b[2J', ''])
  expect(told.code).toBe(1)
  expect(told.refused).toEqual([
    'users.id stores 2 keys that would be refused, such as "naïve\\u001b[2J"',
    'posts.authorId stores 2 keys that would be refused, such as "naïve\\u001b[2J"',
  ])
  expect(told.after).toBe(SCHEMA)
})

test('a description that refuses stored keys stops --write', async () => {
  const folder = project({ 'schema.ts': SCHEMA })
  const url = stored([CUID2, 'user-1'])
  const ran = await cli([
    'adopt',
    'code',
    folder,
    '--write',
    '--url',
    url,
    '--accept',
    'users.id=[a-z0-9]{24}',
  ])
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') })
  expect(ran.out).toContain('users.id stores 1 keys that would be refused, such as "user-1"')
  expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toBe(SCHEMA)
})

test('it says where it stopped, and without a database that it guessed', async () => {
  const told = await ask([CUID2, BETTER], '--rows', '1')
  expect(told.stored?.[0]?.text).toBe('1 cuid2; stopped after 1 rows')
  const { out } = await cli(['adopt', 'code', project({ 'schema.ts': SCHEMA })])
  const lines = out.trimEnd().split('\n')
  for (const line of [lines[0], lines.at(-1)]) expect(line).toContain('ask it: snoflax adopt code --url')
  expect(lines).toContain('2 tables, 2 keys, 1 reference: 3 changed, 0 left, 0 not understood')
})

test('a database that lacks a table, or is not to be reached', async () => {
  const file = join(project({}), 'empty.db')
  new Connection(file).exec('CREATE TABLE posts (id text primary key)').close()
  for (const [url, message] of [
    [file, 'has no table users, which stores users.id; nothing was written'],
    ['postgres://nobody@127.0.0.1:1/app', 'postgres://127.0.0.1 cannot be reached'],
    ['missing.db', 'a database must be'],
  ] as const) {
    const folder = project({ 'schema.ts': SCHEMA })
    const { code, err } = await cli(['adopt', 'code', folder, '--write', '--url', url])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toBe(SCHEMA)
  }
})

test.each([
  ['letters and digits', ['usr_1a2b3c', 'usr_9z8y7x'], '[a-z0-9]{6}'],
  ['nanoid', ['usr_6_V1StGXR8Z5jdHi6BmyT', 'usr_V1StGXR8_Z5jdHi6B-myT'], '[\\w-]{21}'],
  [
    'with `_` of their own',
    ['usr_6_V1StGX', 'usr_ab_StGXR', 'usr_Q_1StGXR', 'usr_V1St-XR8'],
    '[a-zA-Z0-9_-]{8}',
  ],
])('keys that the code does not tell are known from the database: %s', async (_, keys, pattern) => {
  const given = SCHEMA.replace(
    '.$defaultFn(() => createId()) })\nexport const posts',
    ' })\nexport const posts',
  )
  const { after, code } = await adopt(given, '--url', stored(keys))
  expect(code).toBe(0)
  expect(after).toContain(`prefix: 'usr', accept: /^usr_${pattern}$/`)
})

const PG = `import { createId } from '@paralleldrive/cuid2'
import { pgTableCreator, text, uuid } from 'drizzle-orm/pg-core'
const table = pgTableCreator((name) => \`app_\${name}\`)
export const logs = table('logs', { ownerKey: uuid().defaultRandom().primaryKey() })
export const users = table('users', { id: text().primaryKey().$defaultFn(() => createId()) })
export const posts = table('posts', { id: text().primaryKey().$defaultFn(() => createId()), authorId: text().references(() => users.id) })
`

test("TypeORM's relations to keys that aren't called id, or have several columns", async () => {
  const file = join(project({}), 'app.db')
  const database = new Connection(file)
  database.exec(`CREATE TABLE device (serial text); CREATE TABLE stop (trip text, number int);
    CREATE TABLE "load" (id text, deviceSerial text, stopTrip text, stopNumber int, at text);
    INSERT INTO "load" VALUES ('${CUID2}', 'A-1', '${CUID2}', 1, 'A-1')`)
  database.close()
  const { stored } = await adopt(
    {
      'entities.ts': `import { Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm'
@Entity() export class Device { @PrimaryColumn() serial: string }
@Entity() export class Stop { @PrimaryColumn() trip: string; @PrimaryColumn() number: number }
@Entity() export class Load {
  @PrimaryColumn() id: string
  @ManyToOne(() => Device) device: Device
  @ManyToOne(() => Device) @JoinColumn({ name: 'at' }) last: Device
  @ManyToOne(() => Stop) stop: Stop
}
`,
    },
    '--url',
    file,
  )
  expect(stored).toMatchObject([
    { name: 'Device.serial', text: 'no rows' },
    { name: 'Load.device', text: '1 3 of A-Z0-9-' },
    { name: 'Load.last' },
    { name: 'Load.stop' },
    { name: 'Load.id', text: '1 cuid2' },
  ])
})

test('PostgreSQL, with a creator, other names of columns, and uuids of version 1', async () => {
  const database = await postgres.open()
  try {
    await database.query('CREATE TABLE app_users (id text primary key)')
    await database.query('CREATE TABLE app_posts (id text primary key, author_id text)')
    await database.query('CREATE TABLE app_logs (owner_key uuid primary key)')
    await database.query(`INSERT INTO app_users SELECT md5(n::text) FROM generate_series(1, 12000) n`)
    await database.query("INSERT INTO app_logs VALUES ('b5a1c2de-0000-11ee-8000-000000000000')")
    const { stored, refused, code } = await adopt(PG, '--url', database.url)
    expect(stored).toEqual([
      { name: 'logs.ownerKey', text: '1 uuid' },
      { name: 'users.id', text: '12,000 better-auth' },
      { name: 'posts.id', text: 'no rows' },
      { name: 'posts.authorId', text: 'no rows' },
    ])
    expect(refused).toEqual([expect.stringContaining('logs.ownerKey stores 1 keys that would be refused')])
    expect(code).toBe(1)
    // Nothing but reading is possible.
    expect(await database.query('SELECT count(*)::int AS n FROM app_users')).toEqual([{ n: 12000 }])
  } finally {
    await database.close()
  }
})

test('of tables with one name, that of the search path is asked', async () => {
  const database = await postgres.open()
  try {
    await database.query(`CREATE SCHEMA other; CREATE TABLE users (id text); CREATE TABLE other.users (id text);
      CREATE TABLE posts (id text, author_id text);
      INSERT INTO other.users VALUES ('${CUID2}')`)
    const pg = SCHEMA.replaceAll('sqlite', 'pg')
    const ask = async (url: string) => (await adopt(pg, '--url', url)).stored?.[0]?.text
    expect(await ask(database.url)).toBe('no rows')
    expect(await ask(`${database.url}?options=-csearch_path%3Dother`)).toBe('1 cuid2')
  } finally {
    await database.close()
  }
})

const ENTITIES = `import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm'
@Entity('User \`s') export class User {
  @PrimaryColumn({ name: 'the "key\\\\' }) id!: string
}
@Entity() export class BlogPost {
  @PrimaryColumn() id!: string
  @ManyToOne(() => User) @JoinColumn({ name: 'userId' }) user!: User
  @Column() userId!: string
}
@Entity() export class Log {
  @PrimaryGeneratedColumn('uuid') id!: string
}
`

test.runIf(mysql.selected())('MariaDB, with names that are quoted', async () => {
  const database = await mysql.open()
  try {
    await database.query('CREATE TABLE `User ``s` (`the "key\\` varchar(32) primary key)')
    await database.query('CREATE TABLE blog_post (id varchar(255) primary key, userId varchar(32))')
    await database.query('CREATE TABLE log (id varchar(36) primary key)')
    await database.query('INSERT INTO `User ``s` SELECT md5(seq) FROM seq_1_to_12000')
    await database.query("INSERT INTO blog_post VALUES (?, md5(1)), ('naïve', NULL)", [CUID2])
    await database.query("INSERT INTO log VALUES ('0b5a1c2d-0000-4000-8000-000000000000')")
    const told = await adopt(ENTITIES, '--url', database.url.replace('mysql:', 'mariadb:'))
    expect(told.stored).toEqual([
      { name: 'User.id', text: '12,000 better-auth' },
      { name: 'BlogPost.user', text: '1 better-auth' },
      { name: 'BlogPost.id', text: '1 cuid2, 1 that fit nothing, such as "naïve"' },
      { name: 'Log.id', text: '1 uuid' },
    ])
    expect(told.refused).toEqual(['BlogPost.id stores 1 keys that would be refused, such as "naïve"'])
    expect([told.code, told.after]).toEqual([1, ENTITIES])
    await database.query("DELETE FROM blog_post WHERE id = 'naïve'")
    const { stored, after, code } = await adopt(ENTITIES, '--url', database.url, '--rows', '100')
    expect(stored?.[0]?.text).toBe('100 better-auth; stopped after 100 rows')
    expect(code).toBe(0)
    expect(after).toContain(
      "@FlaxIdColumn({ name: 'the \"key\\\\', accept: /^[A-Za-z0-9]{32}$/, branded: false }) id!: string",
    )
    expect(after).toContain('@IdColumn(uuid7, { accept: uuid7.withVersion4(), branded: false }) id!: string')
    await database.query('DELETE FROM log')
    await database.query('ALTER TABLE log MODIFY id binary(16)')
    await database.query('INSERT INTO log VALUES (unhex(?))', ['ff'.repeat(16)])
    const bytes = await adopt(ENTITIES, '--url', database.url)
    expect(bytes.refused).toEqual([expect.stringContaining('Log.id stores 1 keys that would be refused')])
  } finally {
    await database.close()
  }
})
