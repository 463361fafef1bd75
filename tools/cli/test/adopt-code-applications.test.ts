import { describe, expect, test } from 'vitest'
import { adopt } from './adopting.js'

const SQLITE = "import { sqliteTable, text } from 'drizzle-orm/sqlite-core'\n"
const CUID2 = "import { createId } from '@paralleldrive/cuid2'\n"
const USERS = `${CUID2}${SQLITE}export const user = sqliteTable('user', { id: text('id').primaryKey().$defaultFn(() => createId()) })
export const post = sqliteTable('post', { id: text('id').primaryKey().$defaultFn(() => createId()), userId: text('user_id').references(() => user.id) })
`

describe('keys that the application passes are never refused in silence', () => {
  test('better-auth makes keys beside a default', async () => {
    const { after, notes, code } = await adopt({
      'schema.ts': USERS,
      'auth.ts': `import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
export const auth = betterAuth({ database: drizzleAdapter(db, { provider: 'sqlite' }) })`,
    })
    expect(code).toBe(0)
    expect(after).toContain("user = sqliteTable('user', { id: flaxId('id', keptCuid2OrBetterAuth)")
    expect(after).toContain('accept: /^(?:[a-z][a-z0-9]{23}|[A-Za-z0-9]{32})$/')
    expect(after).toContain("post = sqliteTable('post', { id: flaxId('id', keptCuid2)")
    expect(notes).toMatchObject([
      {
        file: expect.stringContaining('auth.ts'),
        line: 3,
        name: 'user.id',
        text: expect.stringContaining('better-auth'),
      },
    ])
  })

  test('better-auth makes keys of its plugins, and a prefix stays that of new ids', async () => {
    const files = {
      'test/app/schema.ts': `${CUID2}${SQLITE}const key = (prefix: string) => text('id').primaryKey().$defaultFn(() => \`\${prefix}_\${createId()}\`)
export const member = sqliteTable('member', { id: key('mem') })
`,
      'test/app/auth.ts': `import { betterAuth } from 'better-auth'
export const auth = betterAuth({ database, plugins: [organization()] })`,
      // Whose keys are no rows.
      'test/app/test/member.ts': 'export const row = db.insert(member).values({ id: input.id })',
    }
    const { after, code } = await adopt(files)
    expect(code).toBe(0)
    expect(after).toContain("prefix: 'mem', accept: /^(?:mem_[a-z][a-z0-9]{23}|[A-Za-z0-9]{32})$/")
    const auth = files['test/app/auth.ts'].replace(', plugins: [organization()]', '')
    const without = await adopt({ ...files, 'test/app/auth.ts': auth })
    expect(without.after).toContain("prefix: 'mem', accept: /^mem_[a-z][a-z0-9]{23}$/")
  })

  test.each([
    ['generateId: false', 'advanced: { database: { generateId: false } }', '/^[a-z][a-z0-9]{23}$/'],
    ['a function', 'advanced: { database: { generateId: () => createId() } }', '/^[a-z][a-z0-9]{23}$/'],
    ['uuid', "advanced: { database: { generateId: 'uuid' } }", '(?:[a-z][a-z0-9]{23}|[0-9a-f]{8}-'],
  ])('better-auth with %s', async (_, options, pattern) => {
    const { after } = await adopt({
      'schema.ts': USERS,
      'auth.ts': `${CUID2}import { betterAuth } from 'better-auth'
export const auth = betterAuth({ ${options} })`,
    })
    expect(after).toContain(pattern)
  })

  test.each([
    ['values({ id: item.id ?? v4() })'],
    ['values(items.map((item) => ({ id: item.id ?? v4() })))'],
    ['values([{ id: item.id ?? v4() }])'],
    ['values(row)'],
  ])('an insert of Drizzle: %s', async (values) => {
    const insert = `import { v4 } from 'uuid'
import { user } from './schema.js'
export function add(items, item) {
  const row = { id: item.id ?? v4() }
  return db.insert(user).${values}
}`
    const { left, diff, code } = await adopt({ 'schema.ts': USERS, 'add.ts': insert })
    expect(code).toBe(1)
    expect(left).toMatchObject([
      {
        name: 'user.id',
        text: expect.stringMatching(
          /passes keys too, in .*add\.ts:\d \(item\.id \?\? v4\(\)\): ask the database/,
        ),
      },
    ])
    expect(diff).not.toContain('flaxId.ref')
    const known = await adopt(
      { 'schema.ts': USERS, 'add.ts': insert },
      '--accept',
      'user.id=[a-z0-9-]{24,36}',
    )
    expect(known.code).toBe(0)
  })

  test('inserts of Prisma, at any depth, and not those of tests', async () => {
    const { left, notes } = await adopt({
      'schema.prisma': `datasource db {
  provider = "sqlite"
}
generator client {
  provider = "prisma-client"
}
model User {
  id    String @id @default(cuid())
  posts Post[]
}
model Post {
  id       String @id @default(cuid())
  authorId String
  author   User @relation(fields: [authorId], references: [id])
}
`,
      'seed.ts': `import { nanoid } from 'nanoid'
await prisma.user.create({ data: { id: 'admin', posts: { create: [{ id: input.id, title: 'x' }] } } })`,
      'user.test.ts': 'await prisma.user.create({ data: { id: input.other } })',
    })
    expect(left).toMatchObject([{ name: 'Post.id', text: expect.stringContaining('input.id') }])
    expect(notes).toMatchObject([{ name: 'User.id', text: expect.stringContaining("'admin'") }])
  })

  test('inserts of TypeORM', async () => {
    const { left } = await adopt({
      'user.ts': `import { Entity, PrimaryGeneratedColumn } from 'typeorm'
@Entity() export class User { @PrimaryGeneratedColumn('uuid') id: string }
@Entity() export class Post { @PrimaryGeneratedColumn('uuid') id: string }
abstract class Base { @PrimaryGeneratedColumn('uuid') id: string }
@Entity() export class Note extends Base {}
@Entity() export class Tag extends Base {}
class Service {
  constructor(private readonly users: Repository<User>) {}
  add = (dto) => this.users.save({ id: dto.id })
  post = (dto) => this.manager.insert(Post, { id: dto.key })
  note = (dto) => this.source.getRepository(Note).create({ id: dto.note })
}
const tags = source.getRepository(Tag)
tags.insert({ id: input.tag })`,
    })
    expect(left.map(({ name, text }) => [name, /\((dto\.\w+)\)/.exec(text)?.[1]])).toEqual([
      ['User.id', 'dto.id'],
      ['Post.id', 'dto.key'],
      ['Base.id', 'dto.note'],
    ])
    expect(left[2]?.text).toContain('input.tag')
  })
})

describe('a helper with parameters is resolved at each call', () => {
  const HELPER = `import { createId } from '@paralleldrive/cuid2'
import { text } from 'drizzle-orm/sqlite-core'
export const key = ({ prefix, make = () => \`\${prefix}_\${createId()}\` }) => ({ id: text('id').primaryKey().$default(make), at: text('at') })
export const column = (name, prefix) => { const make = () => prefix + '_' + createId(); return text(name).$defaultFn(make) }
`

  test('prefixes and generators of spreads and columns', async () => {
    const { after, code, left } = await adopt({
      'schema.ts': `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { column, key } from './key.js'
export const ledger = sqliteTable('ledger', { ...key({ prefix: 'led' }), name: text('name') })
export const account = sqliteTable('account', { ...key({ prefix: 'acc' }), ledgerId: text('ledger_id').references(() => ledger.id) })
export const link = sqliteTable('link', { ...key({ make: () => crypto.randomUUID() }) })
export const org = sqliteTable('org', { id: column('org_id', 'org').primaryKey() })
`,
      'key.ts': HELPER,
      'routes.ts': `export const ORG = /^org_[a-z0-9]{24}$/
export const name = /^[a-z]+/
export const params = z.object({ id: z.string().cuid2(), other: z.string().length(28) })
`,
    })
    expect({ code, left }).toEqual({ code: 0, left: [] })
    expect(after).toContain(
      "{ ...key({ prefix: 'led' }), id: flaxId('id', { ...kept, prefix: 'led', accept: /^led_[a-z][a-z0-9]{23}$/ }).primaryKey(), name:",
    )
    expect(after).toContain("prefix: 'acc', accept: /^acc_[a-z][a-z0-9]{23}$/")
    expect(after).toContain("flaxId.ref('ledger_id', () => ledger.id)")
    expect(after).toContain(
      "...key({ make: () => crypto.randomUUID() }), id: flaxId('id', keptUuid).primaryKey()",
    )
    expect(after).toContain(
      "id: flaxId('org_id', { ...kept, prefix: 'org', accept: /^org_[a-z][a-z0-9]{23}$/ }).primaryKey()",
    )
    const again = await adopt({ 'schema.ts': after, 'key.ts': HELPER })
    expect(again).toMatchObject({ keys: [], references: [], left: [], unread: [], diff: '' })
  })

  test('what refuses the new ids is listed with its place', async () => {
    const { notes } = await adopt({
      'schema.ts': `import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createId } from '@paralleldrive/cuid2'
export const org = sqliteTable('org', { id: text('id').primaryKey().$defaultFn(() => \`org_\${createId()}\`) })
export const Old = sqliteTable('old', { id: text('id').primaryKey().$defaultFn(() => \`OLD-\${createId()}\`) })
`,
      'routes.ts': `export const route = /^org_[a-z0-9]{24}$/
export const any = /^org_/
export const schema = { type: 'string', pattern: '^org_[a-z0-9]{24}$' }
export const params = z.object({ id: z.string().cuid2(), other: z.string().length(28) })
`,
      'openapi.yaml': `openapi: 3.1.0
components:
  schemas:
    Org:
      pattern: '^org_[a-z0-9]{24}$'
`,
    })
    expect(notes.map(({ line, text }) => [line, text])).toEqual([
      [4, 'new ids lose the prefix OLD-: a prefix is lower-case letters, digits and _'],
      [1, 'refuses the new ids of org.id'],
      [3, 'refuses the new ids of org.id'],
      [4, expect.stringContaining('refuses the new ids of')],
      [4, expect.stringContaining('refuses the new ids of')],
      [5, 'refuses the new ids of org.id'],
    ])
  })

  test('what cannot be resolved is left, for each table', async () => {
    const { code, left, diff } = await adopt({
      'schema.ts': `import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { key } from './key.js'
export const a = sqliteTable('a', { ...key({ prefix: prefixOf('a') }) })
export const b = sqliteTable('b', { ...key(options) })
`,
      'key.ts': HELPER,
    })
    expect({ code, diff }).toEqual({ code: 1, diff: '' })
    expect(left.map(({ name }) => name)).toEqual(['a.id', 'b.id'])
  })

  test("a decorator of TypeORM of one's own that calls others", async () => {
    const files = {
      'org.ts': `import { Entity } from 'typeorm'
import { Key } from './key.js'
@Entity() export class Org { @Key('org') id: string }
`,
      'key.ts': `import { BeforeInsert, PrimaryColumn } from 'typeorm'
export function Key(prefix: string) {
  return function (target: object, property: string) {
    PrimaryColumn('varchar', { length: 40 })(target, property)
    BeforeInsert()(target, property)
  }
}
`,
    }
    const { left, unread, code } = await adopt(files)
    expect({ code, unread }).toEqual({ code: 1, unread: [] })
    expect(left).toMatchObject([{ name: 'Org.id', text: expect.stringContaining('ask the database') }])
    const { after } = await adopt(files, '--accept', 'Org.id=org_[a-z]{24}')
    expect(after).toContain("@FlaxIdColumn({ prefix: 'org', accept: /^org_[a-z]{24}$/, branded: false }) id")
  })

  test("TypeORM's decorators of one's own", async () => {
    const { after, code, counts } = await adopt({
      'entities.ts': `import { Entity } from 'typeorm'
import { Key, Both } from './key.js'
@Entity() export class User { @Key() id: string }
@Entity('posts') export class Post { @Both() id: string }
`,
      'key.ts': `import { applyDecorators } from '@nestjs/common'
import { PrimaryColumn, PrimaryGeneratedColumn, Generated } from 'typeorm'
export const Key = () => PrimaryGeneratedColumn('uuid')
export const Both = () => applyDecorators(PrimaryColumn('uuid'), Generated('uuid'))
`,
    })
    expect(code).toBe(0)
    expect(
      after.match(/@IdColumn\(uuid7, \{ accept: uuid7.withVersion4\(\), branded: false \}\) id: string/g),
    ).toHaveLength(2)
    expect(counts).toEqual({ tables: 2, keys: 2, references: 0 })
  })
})

describe('nothing is omitted in silence', () => {
  test('keys and entities that nothing was read of', async () => {
    const { code, unread } = await adopt({
      'schema.ts': `${SQLITE}export const strange = makeTable('strange', { id: text('id').primaryKey() })
export const t = sqliteTable('t', { name: text('name') })
`,
      'entities.ts': `import { Entity, Column } from 'typeorm'
import { Base } from '@acme/base'
@Entity() export class Shop extends Base { @Column() name: string }
@Entity() export class View { @Key() id: string; @Column() name: string }
`,
    })
    expect(code).toBe(3)
    expect(unread.map(({ line, text }) => [line, text])).toEqual([
      [2, 'primaryKey(…) belongs to no column that was read'],
      [3, 'no key was found in it, or one that leads out of these files'],
      [4, 'no key was found in it'],
    ])
  })

  test('a foreign key that generates keys, and one that refers to an adopted key', async () => {
    const { left, references, after } =
      await adopt(`${CUID2}${SQLITE}import { flaxId } from '@snoflax/drizzle/sqlite-core'
export const user = sqliteTable('user', { id: text('id').primaryKey().$defaultFn(() => createId()) })
export const a = sqliteTable('a', { id: text('id').primaryKey().$defaultFn(() => createId()).references(() => user.id) })
export const done = sqliteTable('done', { id: flaxId('id').primaryKey() })
export const b = sqliteTable('b', { doneId: text('done_id').references(() => done.id) })
`)
    expect(left).toMatchObject([
      { name: 'a.id', text: expect.stringContaining('refers to user.id, and generates') },
    ])
    expect(references).toMatchObject([{ name: 'b.doneId', text: 'done.id' }])
    expect(after).toContain("doneId: flaxId.ref('done_id', () => done.id)")
  })

  test("names that only resemble those of secrets' tables", async () => {
    const names = ['LinkPreset', 'TraceSession', 'VerifiedDomain', 'InviterProfile', 'PresetLink']
    const secrets = [
      'session',
      'userSessions',
      'verification_tokens',
      'Invitation',
      'passwordReset',
      'magicLinks',
    ]
    const table = (name: string) =>
      `export const ${name} = sqliteTable('${name}', { id: text('id').primaryKey().$defaultFn(() => createId()) })\n`
    const { keys, left } = await adopt(`${CUID2}${SQLITE}${[...names, ...secrets].map(table).join('')}`)
    expect(keys.map(({ name }) => name)).toEqual(names.map((name) => `${name}.id`))
    expect(left.map(({ name }) => name)).toEqual(secrets.map((name) => `${name}.id`))
  })
})

test('keys of the shape of flax ids are left', async () => {
  const { left, diff } = await adopt(`import { nanoid } from 'nanoid'
${SQLITE}export const a = sqliteTable('a', { id: text('id').primaryKey().$defaultFn(() => nanoid(16)) })
export const b = sqliteTable('b', { id: text('id').primaryKey().$defaultFn(() => 'key_' + nanoid(16)) })
`)
  expect(left.map(({ name, text }) => [name, text.slice(0, 40)])).toEqual([
    ['a.id', 'its keys may have the shape of flax ids,'],
    ['b.id', 'its keys may have the shape of flax ids,'],
  ])
  expect(diff).toBe('')
})

describe('a Kysely application', () => {
  const DB = `import { Kysely } from 'kysely'
import type { DB } from './db-types.js'
export const db = new Kysely<DB>({ dialect })
`
  test('is told what its plugin declares', async () => {
    const types = `import type { Generated } from 'kysely'
export interface Users { id: Generated<string>; name: string }
export type Post = { id: string; user_id: string }
export interface DB { "app.users": Users; posts: Post; counters: { id: number } }
`
    const given = ['--accept', 'app.users.id=[0-9a-f-]{36}', '--accept', 'posts.id=pst_[a-z]{9}']
    const told = await adopt({ 'db.ts': DB, 'db-types.ts': types }, ...given)
    expect(told).toMatchObject({ code: 1, counts: { tables: 2, keys: 2, references: 0 }, diff: '' })
    expect(told.next).toEqual(['npm install @snoflax/kysely @snoflax/core'])
    expect(told.left.map(({ line, text }) => [line, text])).toEqual([
      [2, 'declare it: "app.users": { id: flaxId({ accept: /^[0-9a-f-]{36}$/, branded: false }) }'],
      [3, "declare it: posts: { id: flaxId({ prefix: 'pst', accept: /^pst_[a-z]{9}$/, branded: false }) }"],
      [3, expect.stringContaining('with the keys that are listed here')],
    ])
    const after = DB.replace('{ dialect }', '{ dialect, plugins: [ids] }')
    const ids =
      "import { idPlugin } from '@snoflax/kysely'\nexport const ids = idPlugin({ database: 'postgres', tables })\n"
    const done = adopt({
      'db.ts': `import { ids } from './ids.js'\n${after}`,
      'db-types.ts': types,
      'ids.ts': ids,
    })
    await expect(done).rejects.toThrow('no Prisma schema')
  })

  test('whose types are elsewhere', async () => {
    const { left, code } = await adopt({ 'db.ts': DB })
    expect(code).toBe(1)
    expect(left).toMatchObject([{ text: expect.stringContaining('DB is in no file that was read') }])
  })
})

test.each([
  ['url', 'url = env("DATABASE_URL")\n  directUrl = env("DIRECT")\n  shadowDatabaseUrl = env("SHADOW")', ''],
  ['old preview features', 'url = "file:./dev.db"', 'previewFeatures = ["tracing", "jsonProtocol", "views"]'],
])('a schema of Prisma 6 with %s', async (_, datasource, generator) => {
  const { code, after } = await adopt({
    'schema.prisma': `datasource db {
  provider = "sqlite"
  ${datasource}
}
generator client {
  provider = "prisma-client-js"
  ${generator}
}
model User {
  id String @id @default(cuid())
}
`,
  })
  expect(code).toBe(0)
  expect(after).toContain(datasource)
  expect(after).toContain(generator)
  expect(after).toContain('@default(dbgenerated()) /// @snoflax flax accept=/^c[a-z0-9]{24}$/')
})
