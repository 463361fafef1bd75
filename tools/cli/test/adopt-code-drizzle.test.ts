import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpaqueFamily } from '@snoflax/core'
import { expect, test } from 'vitest'
import { adopt, adoptIn, project } from './adopting.js'

/** What another module of the application says of ids, before and after. */
const load = (folder: string, file: string): Promise<Record<string, never>> => import(join(folder, file))

test('helpers with parameters, spreads, creators, schemas, composite keys and policies', async () => {
  const files = {
    'schema.ts': `import * as p from "drizzle-orm/pg-core";
import { relations } from "drizzle-orm";
import { key, stamps } from "./columns.js";
import { users } from "./users.js";
const table = p.pgTableCreator((name) => \`app_\${name}\`);
export const orgs = table("orgs", (t) => ({ ...key({ prefix: "org" }), ownerId: t.varchar({ length: 64 }).references((): p.AnyPgColumn => users.id, { onDelete: "cascade" }) })).enableRLS();
export const docs = table("docs", { orgId: p.varchar("org_id", { length: 40 }).notNull().references(() => orgs.id), id: p.varchar({ length: 40 }).notNull().$defaultFn(() => \`doc_\${newId()}\`), parentId: p.varchar("parent_id", { length: 40 }), body: p.text() }, (t) => [p.primaryKey({ columns: [t.orgId, t.id] }), p.foreignKey({ columns: [t.orgId, t.parentId], foreignColumns: [t.orgId, t.id] }), p.index("by_org").on(t.orgId, t.body)]);
export const profiles = p.pgTable("profiles", { userId: p.text("user_id").primaryKey().references(() => users.id), bio: p.text() });
export const cards = p.pgTable("cards", { userId: p.text("user_id").primaryKey().references(() => profiles.userId) });
export const audit = p.pgSchema("audit").table("users", { id: p.uuid().primaryKey().defaultRandom(), actorId: p.text("actor_id"), ...stamps });
export const sales = p.pgSchema("sales").table("users", { id: p.uuid().primaryKey().defaultRandom() });
export const auditRelations = relations(audit, ({ one }) => ({ actor: one(users, { fields: [audit.actorId], references: [users.id] }) }));
import { newId } from "./columns.js";
`,
    'users.ts': `import { pgTable, text } from 'drizzle-orm/pg-core'
import { column } from './columns.js'
export const users = pgTable('users', { id: column('user_id', 'usr').primaryKey(), bossId: text('boss_id').references((): any => users.id) })
`,
    'columns.ts': `import { createId } from '@paralleldrive/cuid2'
import { nanoid } from 'nanoid'
import { integer, text, varchar } from 'drizzle-orm/pg-core'
export const newId = () => nanoid(16)
export const stamps = { createdAt: integer('created_at').notNull().$defaultFn(() => 1) }
export const key = ({ prefix, make = () => \`\${prefix}_\${createId()}\` }: { prefix: string; make?: () => string }) => ({ id: varchar('id', { length: 40 }).primaryKey().$default(make) })
export const column = (name: string, prefix: string) => { const make = () => prefix + '_' + createId(); return text(name).$defaultFn(make) }
`,
    'routes.ts': `const LENGTH = 24
export const orgRoute = new RegExp(\`^org_[a-z0-9]{\${LENGTH}}$\`)
export const docRoute = /^doc_[\\w-]{16}$/
`,
  }
  const { after, adopted, left, kept, counts, code, checked, faults, folder, read } = await adopt(files)
  expect({ code, left, kept, faults, checked }).toEqual({
    code: 3,
    left: expect.any(Array),
    kept: [],
    faults: [],
    checked: true,
  })
  // Its definition is in another file.
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['audit.actorId', expect.stringContaining('declare it by hand, as idColumn.plain(…)')],
  ])
  expect(counts).toEqual({ tables: 7, keys: 5, references: 7, adopted: 11, done: 0, kept: 0, left: 1 })
  expect(adopted.map(({ name, pattern }) => [name, pattern])).toEqual([
    ['orgs.id', 'org_[a-z0-9]{24}'],
    ['docs.id', 'doc_[0-9A-Z_a-z-]{16}'],
    ['audit.id', expect.stringContaining('[0-9a-f]{8}')],
    ['sales.id', expect.stringContaining('[0-9a-f]{8}')],
    ['users.id', 'usr_[a-z0-9]{24}'],
    ...['orgs.ownerId', 'docs.orgId', 'docs.parentId', 'profiles.userId', 'cards.userId', 'users.bossId'].map(
      (name) => [name, expect.any(String)],
    ),
  ])
  for (const line of [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a schema
    "export const orgId = opaque('org', { pattern: /org_[a-z0-9]{24}/, generate: () => `org_${createId()}` });",
    "id: idColumn('id', orgId, keptVarchar40).primaryKey(), ownerId: idColumn.ref((): p.AnyPgColumn => users.id, { branded: false, type: 'varchar(64)', onDelete: \"cascade\" })",
    'id: idColumn(docId, keptVarchar40).notNull(), parentId: idColumn.plain("parent_id", docId, keptVarchar40)',
    'userId: idColumn.ref("user_id", () => profiles.userId).primaryKey()',
    "opaque('users', {",
    "opaque('users_2', {",
    'import { createId } from "@paralleldrive/cuid2";',
  ])
    expect(after).toContain(line)
  expect(read('users.ts')).toContain("id: idColumn('user_id', usrId, kept).primaryKey()")
  const [schema, routes] = [await load(folder, 'schema.ts'), await load(folder, 'routes.ts')]
  const ids = schema as unknown as Record<string, OpaqueFamily>
  const tests = routes as unknown as Record<string, RegExp>
  expect(tests['orgRoute']?.test(ids['orgId']?.generate() ?? '')).toBe(true)
  expect(tests['docRoute']?.test(ids['docId']?.generate() ?? '')).toBe(true)
  expect(await adoptIn(folder)).toMatchObject({
    diff: '',
    counts: { tables: 7, keys: 5, references: 7, adopted: 0, done: 11, kept: 0, left: 1 },
  })
})

test('a helper whose generator its table can only name by an import', async () => {
  const { after, adopted, left, checked, faults, read, folder, code } = await adopt({
    'db/tables/users.ts': `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { primaryKey, secretKey, staticKey } from '../columns.js'
export const users = sqliteTable('users', { ...primaryKey({ prefix: 'usr' }), name: text('name') })
export const keys = sqliteTable('keys', { ...secretKey('key') })
export const logs = sqliteTable('logs', { id: staticKey('log'), userId: text('user_id').references(() => users.id) })
`,
    'db/columns.ts': `import { text } from 'drizzle-orm/sqlite-core'
import { generateId } from '../random/ids.js'
import { own } from '../random/own.js'
export const primaryKey = ({ prefix, make = () => generateId({ prefix }) }: { prefix: string; make?: () => string }) => ({ id: text('id').primaryKey().$default(make) })
const secret = (prefix: string) => generateId({ prefix })
export const secretKey = (prefix: string) => ({ id: text('id').primaryKey().$default(() => secret(prefix)) })
export class Ids { static next = (prefix: string) => \`\${prefix}-\${own()}\` }
export const staticKey = (prefix: string) => text('id').primaryKey().$default(() => Ids.next(prefix))
`,
    'random/own.ts': `import { customAlphabet } from 'nanoid'
export const own = customAlphabet('_-23456789abcdefghjkmnpqrstuvwxyz', 12)
`,
    'random/ids.ts': `import { init } from '@paralleldrive/cuid2'
const next = init({ length: 20 })
export const generateId = ({ prefix, random = next }: { prefix: string; random?: () => string }) => \`\${prefix}_\${random()}\`
`,
  })
  expect({ code, checked, faults }).toEqual({ code: 3, checked: true, faults: [] })
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['keys.id', "its generator stands where its table can't name it: declare the key by hand"],
  ])
  expect(adopted.map(({ name, pattern }) => [name, pattern])).toEqual([
    ['users.id', 'usr_[a-z0-9]{20}'],
    ['logs.id', 'log-[\\-2-9_a-hjkmnp-z]{12}'],
    ['logs.userId', expect.any(String)],
  ])
  for (const line of [
    "generate: () => generateId({ prefix: 'usr' }) })",
    "generate: () => Ids.next('log') })",
    "sqliteTable('users', { id: idColumn('id', usrId, kept).primaryKey(), name: text('name') })",
    "import { generateId } from '../../random/ids.js'",
    "import { Ids } from '../columns.js'",
  ])
    expect(read('db/tables/users.ts')).toContain(line)
  expect(after).not.toContain('primaryKey,')
  expect((await adoptIn(folder)).counts).toMatchObject({ adopted: 0, done: 3, left: 1 })
})

test('a monorepo with path aliases, packages of its own, and CommonJS beside ES modules', async () => {
  const files = {
    'apps/api/src/db/schema.ts': `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { newId } from '@/lib/ids'
import { slug } from '@acme/ids'
import { legacy } from '../legacy.cjs'
import config from './config.json'
export const here = import.meta.url
export const teams = sqliteTable(config.teams, { id: text().primaryKey().$defaultFn(() => newId('team')), slug: text().$defaultFn(slug) })
export const members = sqliteTable('members', { id: text().primaryKey().$defaultFn(() => legacy()), teamId: text('team_id').references(() => teams.id) })
`,
    'apps/api/src/db/config.json': '{ "teams": "teams" }',
    'apps/api/src/lib/ids.ts': `import { customAlphabet } from 'nanoid'
const random = customAlphabet('23456789abcdefghjkmnpqrstuvwxyz', 10)
export const newId = (prefix: string) => \`\${prefix}-\${random()}\`
`,
    'apps/api/src/legacy.cjs': `const { randomUUID } = require('node:crypto')
module.exports = { legacy: () => randomUUID() }
`,
    'apps/api/tsconfig.json': `{
  // Editors read the other one.
  "files": [],
  "references": [{ "path": "./tsconfig.app.json" }]
}`,
    'apps/api/tsconfig.app.json':
      '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], "@acme/ids": ["../../packages/ids/src"] } } }',
    'apps/api/package.json': '{ "type": "module" }',
    'packages/ids/src/index.ts': `import { nanoid } from 'nanoid'
export { slug } from './slug.js'
export const unused = nanoid
`,
    'packages/ids/src/slug.ts':
      "export enum Kind { slug = 'slug' }\nexport const slug = (): string => Kind.slug\n",
  }
  const folder = project(files)
  const { adopted, code, failures, checked, read } = await adoptIn(folder)
  expect({ code, failures, checked }).toEqual({ code: 0, failures: [], checked: true })
  expect(adopted.map(({ name, pattern }) => [name, pattern])).toEqual([
    ['teams.id', 'team-[2-9a-hjkmnp-z]{10}'],
    ['members.id', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
    ['members.teamId', 'team-[2-9a-hjkmnp-z]{10}'],
  ])
  expect(read('apps/api/src/db/schema.ts')).toContain(
    "export const teamId = opaque('team', { pattern: /team-[2-9a-hjkmnp-z]{10}/, generate: () => newId('team') })",
  )
})

test('a schema of CommonJS, one of JavaScript, and MySQL', async () => {
  const { after, code, adopted } = await adopt({
    'schema.js': `import { nanoid } from 'nanoid'
import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
export const users = mysqlTable('users', { id: varchar('id', { length: 36 }).primaryKey().$defaultFn(() => nanoid()) })
export const posts = mysqlTable('posts', { id: int('id').autoincrement().primaryKey(), userId: varchar({ length: 50 }).references(() => users.id), editorId: varchar({ length: 36 }).references(() => users.id) })
`,
    'package.json': '{ "type": "module" }',
  })
  expect(code).toBe(0)
  expect(adopted.map(({ name }) => name)).toEqual(['users.id', 'posts.userId', 'posts.editorId'])
  expect(after).toContain(
    "const keptVarchar36 = { type: 'varchar(36)', onMismatch: 'notFound', branded: false } as const",
  )
})

test('what stays writable only by hand is told, and nothing of it is written', async () => {
  const { left, counts, code, after } = await adopt({
    'schema.ts': `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { makeTable } from './make.js'
export const strange = makeTable('strange')
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => nanoid()), strangeId: text('strange_id').references(() => strange.id) })
const opaque = 1
export { opaque as kept }
`,
    'make.ts': `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const makeTable = (name: string) => sqliteTable(name, { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
`,
  })
  expect(code).toBe(3)
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['strange.id', expect.stringContaining("can't be read: declare it by hand")],
    ['users.id', 'opaque already is another name in this file: rename that, and run the command again'],
    ['users.strangeId', 'it refers to strange.id, which stays as it is'],
  ])
  expect(counts).toEqual({ tables: 2, keys: 2, references: 1, adopted: 0, done: 0, kept: 0, left: 3 })
  expect(after).not.toContain('idColumn')
})

test('UUIDv7 of the database, which our definition would generate as others', async () => {
  const { left, adopted } = await adopt(`import { sql } from 'drizzle-orm'
import { pgTable, uuid } from 'drizzle-orm/pg-core'
export const events = pgTable('events', { id: uuid('id').primaryKey().default(sql\`uuidv7()\`) })
export const logs = pgTable('logs', { id: uuid('id').primaryKey().default(sql\`gen_random_uuid()\`) })
`)
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['events.id', 'its DEFAULT generates UUIDv7: declare it by hand, with uuid7'],
  ])
  expect(adopted.map(({ name }) => name)).toEqual(['logs.id'])
})

test('a foreign key that generates ids, and one that refers to a column of ids', async () => {
  const { left, adopted } = await adopt(`import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
export const odd = sqliteTable('odd', { id: text('id').primaryKey().$defaultFn(() => nanoid()).references(() => users.id) })
export const done = sqliteTable('done', { id: flaxId('id').primaryKey() })
export const notes = sqliteTable('notes', { doneId: text('done_id').primaryKey().references(() => done.id) })
`)
  expect(adopted.map(({ name }) => name)).toEqual(['users.id'])
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['odd.id', 'it refers to another key, and generates ids of its own'],
    ['notes.doneId', 'it refers to done.id, a column of ids: declare it as such, too'],
  ])
})

test('brands, lines that end in CRLF, and tables of two databases', async () => {
  const source = `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
`
  const branded = await adopt(source.replaceAll('\n', '\r\n'), '--branded')
  expect(branded.after).toContain("const kept = { onMismatch: 'notFound' } as const")
  expect(branded.after.replaceAll('\r\n', '')).not.toContain('\n')
  const folder = project({ 'lite.ts': source })
  writeFileSync(
    join(folder, 'pg.ts'),
    source
      .replace('sqliteTable, text', 'pgTable, text')
      .replace('sqlite-core', 'pg-core')
      .replace('sqliteTable(', 'pgTable('),
  )
  await expect(adoptIn(folder)).rejects.toThrow(
    /tables of several databases, \w+ and \w+: pass the files of one/,
  )
})

test('an application may set variables of its environment while it is loaded', async () => {
  const told = await adopt(`import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
process.env['PATH'] = \`\${process.env['PATH']}:/opt\`
export const users = sqliteTable('users', { id: text().primaryKey().$defaultFn(() => nanoid()) })
`)
  expect(told).toMatchObject({ code: 0, failures: [], adopted: [{ name: 'users.id' }] })
})
