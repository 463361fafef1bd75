import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mysql, postgres } from '@snoflax/test'
import Connection from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { adoptIn, project, type Told } from './adopting.js'
import { bin, cli, json } from './running.js'

const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, target: 'es2022', module: 'nodenext', types: [] },
})
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const SQL = `
  CREATE TABLE users (id text PRIMARY KEY, name text NOT NULL);
  CREATE TABLE posts (id text PRIMARY KEY, author_id text NOT NULL REFERENCES users (id), editor_id text REFERENCES users (id));
  CREATE TABLE plans (id text PRIMARY KEY);
  CREATE TABLE logs (id integer PRIMARY KEY, plan_id text REFERENCES plans (id));
`
const INTERFACE = `import { type Dialect, type Generated, Kysely } from 'kysely'
export interface Database {
  users: { id: string; name: string }
  posts: { id: string; author_id: string; editor_id: string | null }
  plans: { id: string }
  logs: { id: Generated<number>; plan_id: string | null }
}
declare const dialect: Dialect
`
const USERS = ['--pattern', 'users.id=usr_[a-z0-9]{12}']

/** An application, and an SQLite file that it could use. */
function app(files: Record<string, string>, sql = SQL): { folder: string; file: string } {
  const folder = project({ 'tsconfig.json': TSCONFIG, ...files })
  const file = join(folder, 'app.sqlite')
  new Connection(file).exec(sql).close()
  return { folder, file }
}

/** Adopts users of an application whose `db.ts` ends like this. */
async function adopted(end: string, files: Record<string, string> = {}, options = USERS) {
  const { folder, file } = app({ 'db.ts': `${INTERFACE}${end}\n`, ...files })
  const told = await adoptIn(folder, '--url', file, ...options)
  return { ...told, file, after: told.read('db.ts').slice(INTERFACE.length) }
}

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)
const reasons = (list: readonly { readonly name: string; readonly reason: string }[]) =>
  list.map(({ name, reason }) => [name, reason])

test('definitions, a plugin and nothing else are added; later runs find them done, and add to them', async () => {
  const told = await adopted('// The connection.\nexport const db = new Kysely<Database>({ dialect })')
  expect(told).toMatchObject({ code: 0, checked: true, written: true, left: [], failures: [], faults: [] })
  expect(told.counts).toEqual({ tables: 4, keys: 4, references: 3, adopted: 3, done: 0, kept: 4, left: 0 })
  expect(told.adopted.map(({ kind, name, line, text }) => [kind, name, line, text])).toEqual([
    ['key', 'users.id', 3, 'opaque, passed by the application'],
    ['reference', 'posts.author_id', 4, 'users.id'],
    ['reference', 'posts.editor_id', 4, 'users.id'],
  ])
  const passed = expect.stringMatching(/^it has no default: .*, pass --pattern with their pattern$/)
  expect(reasons(told.kept)).toEqual([
    ['posts.id', passed],
    ['plans.id', passed],
    ['logs.id', expect.stringContaining('a number')],
    ['logs.plan_id', 'it refers to plans.id, which stays as it is'],
  ])
  expect(told.read('db.ts')).toBe(`import { type Dialect, type Generated, Kysely } from 'kysely'
import { idColumn, idPlugin } from '@snoflax/kysely'
import { opaque } from '@snoflax/core'

const kept = { onMismatch: 'notFound', branded: false } as const
${INTERFACE.slice(INTERFACE.indexOf('\n') + 1)}export const usersId = opaque('users', { pattern: /usr_[a-z0-9]{12}/ })

export const ids = idPlugin({
  database: 'sqlite',
  tables: {
    users: { id: idColumn.plain(usersId, kept) },
    posts: { author_id: idColumn.ref('users.id'), editor_id: idColumn.ref('users.id') },
  },
})

// The connection.
export const db = new Kysely<Database>({ plugins: [ids], dialect })
`)
  const again = await adoptIn(told.folder, '--url', told.file)
  expect(again).toMatchObject({ diff: '', code: 0, counts: { ...told.counts, adopted: 0, done: 3 } })
  const more = ['--pattern', 'posts.id=post_[0-9]{8}', '--pattern', 'plans.id=plan_[0-9]{8}']
  const third = await adoptIn(told.folder, '--url', told.file, ...more)
  expect(third).toMatchObject({ code: 0, checked: true, counts: { adopted: 3, done: 3, kept: 1 } })
  expect(third.read('db.ts')).toContain(`export const postsId = opaque('posts', { pattern: /post_[0-9]{8}/ })

export const plansId = opaque('plans', { pattern: /plan_[0-9]{8}/ })

export const ids = idPlugin({
  database: 'sqlite',
  tables: {
    plans: { id: idColumn.plain(plansId, kept) },
    logs: { plan_id: idColumn.ref('plans.id') },
    users: { id: idColumn.plain(usersId, kept) },
    posts: { id: idColumn.plain(postsId, kept), author_id`)
})

describe('where the plugin goes', () => {
  const CAMEL = 'new CamelCasePlugin()'
  const camel = (end: string) => `import { CamelCasePlugin } from 'kysely'\n${end}`
  test.each([
    [
      'in front of others',
      camel(`export const db = new Kysely<Database>({ dialect, plugins: [${CAMEL}] })`),
      `plugins: [ids, ${CAMEL}]`,
    ],
    [
      'in front of those of a variable',
      camel(`const plugins = [${CAMEL}]\nexport const db = new Kysely<Database>({ dialect, plugins })`),
      'plugins: [ids, ...plugins]',
    ],
    [
      'in front of those of an expression',
      camel(`export const db = new Kysely<Database>({ dialect, plugins: [1].map(() => ${CAMEL}) })`),
      `plugins: [ids, ...([1].map(() => ${CAMEL}))]`,
    ],
    [
      'into options of several lines',
      'export const db = new Kysely<Database>({\n    dialect,\n})',
      'new Kysely<Database>({\n    plugins: [ids],\n    dialect,\n})',
    ],
    [
      'into options that are a variable',
      'const options = { dialect }\nexport const db = new Kysely<Database>(options)',
      'const options = { plugins: [ids], dialect }',
    ],
    [
      'by the type of a variable',
      'export const db: Kysely<Database> = new Kysely({ dialect })',
      'new Kysely({ plugins: [ids], dialect })',
    ],
    [
      'in a function',
      'export function open() {\n  return new Kysely<Database>({ dialect })\n}',
      'export function open() {\n  return new Kysely<Database>({ plugins: [ids], dialect })',
    ],
    [
      'into a class that extends Kysely',
      'export class Db extends Kysely<Database> {\n  constructor() {\n    super({ dialect })\n  }\n}\nexport const db = new Db()',
      'super({ plugins: [ids], dialect })',
    ],
    [
      'where a class that extends Kysely is created',
      'export class Db extends Kysely<Database> {}\nexport const db = new Db({ dialect })',
      'new Db({ plugins: [ids], dialect })',
    ],
  ])('%s', async (_, end, written) => {
    const { after, code, checked } = await adopted(end)
    expect({ code, checked }).toEqual({ code: 0, checked: true })
    expect(after).toContain(written)
  })

  test('other clients are listed', async () => {
    const { next, counts } = await adopted('export const db = new Kysely<Database>({ dialect })', {
      'replica.ts': `import { type Dialect, Kysely } from 'kysely'\nimport type { Database } from './db.js'\ndeclare const dialect: Dialect\nexport const replica = new Kysely<Database>({ dialect })\nexport const any = new Kysely<any>({ dialect })\n`,
    })
    expect(counts.adopted).toBe(3)
    expect(next).toEqual([
      'npm install @snoflax/kysely @snoflax/core',
      expect.stringMatching(
        /^other clients check no ids: put the plugin into theirs, too: .*\/replica\.ts:4, .*\/replica\.ts:5$/,
      ),
      'run your formatter and your tests',
    ])
  })

  test('what only a person can write is left, by name', async () => {
    const hidden = await adopted(
      'declare const options: { dialect: Dialect }\nexport const db = new Kysely<Database>(options)',
    )
    expect({ code: hidden.code, diff: hidden.diff }).toEqual({ code: 3, diff: '' })
    expect(reasons(hidden.left)).toEqual([
      ['users.id', expect.stringContaining('the options of new Kysely are no object in the files')],
      ['posts.author_id', 'it refers to users.id, which stays as it is'],
      ['posts.editor_id', 'it refers to users.id, which stays as it is'],
    ])
    const slow = await adopted('export const db = new Kysely<Database>({ dialect })', {}, [
      '--pattern',
      'users.id=(a+)+b',
    ])
    expect({ code: slow.code, left: reasons(slow.left)[0] }).toEqual({
      code: 3,
      left: ['users.id', expect.stringMatching(/^users\.id: opaque takes no pattern such as/)],
    })
  })

  test('nothing is written if it would not compile', async () => {
    const { folder, file } = app({
      'db.ts': `${INTERFACE}declare const plugins: undefined | []\nexport const db = new Kysely<Database>({ dialect, plugins })\n`,
    })
    const ran = await cli(['adopt', 'code', folder, '--json', '--write', '--url', file, ...USERS])
    expect(json<Told>(ran)).toMatchObject({ written: false, checked: false })
    expect(json<Told>(ran).faults).toEqual([
      expect.stringMatching(/db\.ts could not be loaded any more: it does not compile, line 24: .*undefined/),
    ])
    expect(readFileSync(join(folder, 'db.ts'), 'utf8')).not.toContain('idPlugin')
  })
})

test("kysely-codegen's interface, and branded ids", async () => {
  const { folder, file } = app({
    'types.d.ts': `import type { ColumnType } from 'kysely'
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export interface Users { id: string; name: string }
export interface DB { users: Users }
`,
    'db.ts':
      "import { type Dialect, Kysely } from 'kysely'\nimport type { DB } from './types'\ndeclare const dialect: Dialect\nexport const db = new Kysely<DB>({ dialect })\n",
    'tsconfig.json': TSCONFIG.replace('nodenext', 'esnext').replace(
      '"types"',
      '"moduleResolution":"bundler","types"',
    ),
  })
  const told = await adoptIn(folder, '--url', file, ...USERS, '--branded')
  expect(told).toMatchObject({ code: 0, checked: true, adopted: [{ name: 'users.id', line: 3 }] })
  expect(told.adopted[0]?.file).toMatch(/types\.d\.ts$/)
  expect(told.read('db.ts')).toContain('users: { id: idColumn.plain(usersId, kept) }')
  expect(told.next).toContain(
    'type the ids: pass WithIds<…, typeof ids> of @snoflax/kysely to Kysely, with your interface',
  )
  expect(reasons(told.kept).filter(([name]) => name !== 'plans.id')).toEqual([
    ['posts.id', 'the interface of Kysely does not have its table'],
    ['posts.author_id', 'the interface of Kysely does not have its table'],
    ['posts.editor_id', 'the interface of Kysely does not have its table'],
    ['logs.id', 'the interface of Kysely does not have its table'],
    ['logs.plan_id', 'the interface of Kysely does not have its table'],
  ])
})

test('without its database, and without an interface, Kysely is not read', async () => {
  const { folder, file } = app({
    'db.ts': `${INTERFACE}export const db = new Kysely<Database>({ dialect })\n`,
  })
  expect(await cli(['adopt', 'code', folder])).toMatchObject({
    code: 2,
    err: expect.stringContaining('db.ts: Kysely has no schema in code: pass --url "$DATABASE_URL"'),
  })
  for (const text of [
    "import type { Kysely } from 'kysely'\nexport const q = (db: Kysely<{}>) => db",
    "import { createKysely } from '@vercel/postgres-kysely'\nexport const db = createKysely<{}>()",
  ])
    expect(await cli(['adopt', 'code', app({ 'db.ts': text }).folder])).toMatchObject({
      code: 2,
      err: expect.stringContaining('pass the module, too, that has new Kysely<…>(…)'),
    })
  for (const [end, reason] of [
    ['export const db = new Kysely<any>({ dialect })', /^line 9: the interface of its tables isn't known/],
    [
      'new Kysely<Database>({ dialect })\nnew Kysely<{ a: {} }>({ dialect })',
      /^line 10: another interface: pass the files of one$/,
    ],
  ] as const) {
    const { code, failures, counts } = await adopted(end, {}, [])
    expect({ code, tables: counts.tables }).toEqual({ code: 3, tables: 0 })
    expect(failures.map((one) => one.reason)).toEqual([expect.stringMatching(reason)])
  }
  const drizzle = project({
    'db.ts': readFileSync(join(folder, 'db.ts'), 'utf8'),
    'schema.ts': `import { createId } from '@paralleldrive/cuid2'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(createId) })
`,
  })
  expect(await adoptIn(drizzle)).toMatchObject({
    code: 3,
    counts: { adopted: 1 },
    failures: [{ reason: expect.stringContaining('pass --url') }],
  })
  // Without NODE_PATH, by which tests find packages of this repository.
  const bare = project({ 'tsconfig.json': TSCONFIG, 'db.ts': readFileSync(join(folder, 'db.ts'), 'utf8') }, [
    'kysely',
    'better-sqlite3',
  ])
  const ran = await bin(['adopt', 'code', bare, '--json', '--write', '--url', file, ...USERS])
  expect(json<Told>(ran)).toMatchObject({ checked: false, missing: '@snoflax/kysely', written: false })
})

test('PostgreSQL: DEFAULTs, uuid, two schemas with one name of a table, and what is not on both sides', async () => {
  const database = await postgres.open()
  try {
    await database.query(`
      CREATE SCHEMA audit;
      CREATE TABLE orgs (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text);
      CREATE TABLE texts (id text PRIMARY KEY DEFAULT gen_random_uuid()::text);
      CREATE TABLE passed (id uuid PRIMARY KEY, org_id uuid NOT NULL DEFAULT gen_random_uuid() REFERENCES orgs (id));
      CREATE TABLE short (id text PRIMARY KEY DEFAULT substr(md5(random()::text), 1, 8));
      CREATE TABLE flags (id text PRIMARY KEY DEFAULT 'main');
      CREATE TABLE items (org_id uuid REFERENCES orgs (id), id varchar(20), parent_id varchar(20), PRIMARY KEY (org_id, id), FOREIGN KEY (org_id, parent_id) REFERENCES items (org_id, id));
      CREATE TABLE events (id uuid PRIMARY KEY, org_id uuid REFERENCES orgs (id));
      CREATE TABLE audit.events (id text PRIMARY KEY, event_id uuid NOT NULL REFERENCES public.events (id));
      INSERT INTO audit.events SELECT 'evt_1', id FROM events;
      CREATE TABLE audit.tokens (id uuid PRIMARY KEY);
      CREATE TABLE hidden (id text PRIMARY KEY, org_id uuid REFERENCES orgs (id));
      CREATE VIEW org_names AS SELECT id, name FROM orgs;
      INSERT INTO orgs VALUES ('00000000-0000-0000-0000-000000000001', 'old');
      INSERT INTO texts VALUES ('main'), (DEFAULT)`)
    const source = (more = '') => `import { type Dialect, type Generated, Kysely } from 'kysely'
interface Database {
  orgs: { id: Generated<string>; name: string; slug: string }
  texts: { id: Generated<string> }
  passed: { id: string; org_id: Generated<string> }
  short: { id: Generated<string> }
  flags: { id: Generated<string> }
  items: { org_id: string; id: string; parent_id: string | null }
  events: { id: string; org_id: string | null }
  'audit.events': { id: string; event_id: string }
  org_names: { id: string; name: string }
  tokens: { id: string }
  drafts: { id: string }
}
declare const dialect: Dialect
export const db = new Kysely<Database>({ dialect })
${more}`
    const folder = project({ 'tsconfig.json': TSCONFIG, 'db.ts': source() })
    const patterns = ['items.id=itm_[0-9]+', 'audit.events.id=evt_[0-9]+'].flatMap((one) => [
      '--pattern',
      one,
    ])
    const told = await adoptIn(folder, '--url', database.url, ...patterns)
    expect({ code: told.code, checked: told.checked }).toEqual({ code: 3, checked: true })
    expect(told.failures.map(({ reason }) => reason)).toEqual([
      'the interface has slug in orgs, but the database no such column',
      'the interface has tokens, but the database no such table that this user sees',
      'the interface has drafts, but the database no such table that this user sees',
    ])
    expect(told.adopted.map(({ name, schema, pattern }) => [name, schema, pattern])).toEqual([
      ['orgs.id', 'public', UUID],
      ['passed.id', 'public', UUID],
      ['items.id', 'public', 'itm_[0-9]+'],
      ['events.id', 'public', UUID],
      ['audit.events.id', 'audit', 'evt_[0-9]+'],
      ['passed.org_id', 'public', UUID],
      ['items.org_id', 'public', UUID],
      ['items.parent_id', 'public', 'itm_[0-9]+'],
      ['events.org_id', 'public', UUID],
      ['audit.events.event_id', 'audit', UUID],
    ])
    expect(reasons(told.left)).toEqual([
      ['short.id', expect.stringContaining('the database generates them by substr(md5(')],
      ['texts.id', 'texts.id stores 1 old keys that its definition doesn\'t take, such as "main"'],
    ])
    const absent = 'the interface of Kysely does not have its table'
    expect(reasons(told.kept)).toEqual([
      ['flags.id', expect.stringContaining('it has no default')],
      ['audit.tokens.id', absent],
      ['hidden.id', absent],
      ['hidden.org_id', absent],
    ])
    const { counts } = told
    expect(counts.keys + counts.references).toBe(counts.adopted + counts.kept + counts.left)
    expect(told.read('db.ts')).toContain("'audit.events': { id: idColumn.plain(")
    await database.query("DELETE FROM texts WHERE id = 'main'")
    const [first] = names((await adoptIn(folder, '--url', database.url)).adopted)
    expect(first).toBe('texts.id')
    expect(told.read('db.ts')).toContain('texts: { id: idColumn.plain(textsId, keptUuidText) }')
    expect(told.read('db.ts')).toContain(
      "const keptUuidText = { storage: 'text', onMismatch: 'notFound', branded: false } as const",
    )

    const named = project({
      'tsconfig.json': TSCONFIG,
      'db.ts': source("export const other = db.withSchema('audit')\n"),
    })
    expect(names((await adoptIn(named, '--url', database.url)).adopted)).toContain('events.id')
    const open = source("export const other = db.withSchema('audit')\n").replace(/\n {2}'audit.events.*/, '')
    const unknown = await adoptIn(
      project({ 'tsconfig.json': TSCONFIG, 'db.ts': open }),
      '--url',
      database.url,
    )
    expect(unknown.failures.map(({ reason }) => reason)).toContain(
      "events may be each of events, audit.events: name them in the interface, as 'audit.users', or declare their ids by hand",
    )
    expect(names(unknown.adopted)).not.toContain('events.id')
    expect(names(unknown.adopted)).toContain('tokens.id')
    expect(names(unknown.kept)).toContain('events.id')
  } finally {
    await database.close()
  }
})

test.runIf(mysql.selected())('MySQL and MariaDB: UUIDs by DEFAULT, and texts', async () => {
  const database = await mysql.open()
  try {
    for (const statement of [
      'CREATE TABLE orgs (id char(36) PRIMARY KEY DEFAULT (uuid()), name text)',
      'CREATE TABLE users (id varchar(30) PRIMARY KEY, org_id char(36), FOREIGN KEY (org_id) REFERENCES orgs (id))',
      "INSERT INTO orgs (name) VALUES ('one')",
    ])
      await database.query(statement)
    const source = `import { type Dialect, type Generated, Kysely } from 'kysely'
interface Database {
  orgs: { id: Generated<string>; name: string | null }
  users: { id: string; org_id: string | null }
}
declare const dialect: Dialect
export const db = new Kysely<Database>({ dialect })
`
    const folder = project({ 'tsconfig.json': TSCONFIG, 'db.ts': source })
    const told = await adoptIn(folder, '--url', database.url, ...USERS)
    expect(told).toMatchObject({ code: 0, checked: true, left: [], kept: [] })
    expect(names(told.adopted)).toEqual(['orgs.id', 'users.id', 'users.org_id'])
    expect(told.read('db.ts')).toMatch(/idPlugin\({\n {2}database: '(?:mysql|mariadb)',/)
  } finally {
    await database.close()
  }
})
