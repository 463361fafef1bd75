import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adopt, project, type Told } from './adopting.js'
import { cli, json } from './running.js'

const DRIZZLE =
  "import { foreignKey, primaryKey, sqliteTable, text, integer } from 'drizzle-orm/sqlite-core'\n"

/** A Drizzle table whose key has this generator, below these lines. */
const keyed = (generator: string, ...lines: string[]): string =>
  `${lines.join('\n')}\n${DRIZZLE}export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(${generator}) })\n`

const stored = async (...given: Parameters<typeof keyed>): Promise<string | undefined> =>
  /(?:prefix: '\w+', accept: \/\^(.*)\$\/)|(?:accept: \/\^(.*)\$\/, onMismatch: 'notFound')/.exec(
    (await adopt(keyed(...given))).after,
  )?.[0]

test('the printed diff is what --write does, and nothing is changed without it', async () => {
  const before = `import { createId } from '@paralleldrive/cuid2'
import { pgTable, text } from 'drizzle-orm/pg-core'

export const users = pgTable('users', {
  id: text('id').primaryKey().$defaultFn(() => createId()), // of people
  name: text('name'),
})
export const posts = pgTable('posts', {
  id: text('id').primaryKey().$defaultFn(() => createId()),
  authorId: text('author_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
})`
  const folder = project({ 'schema.ts': before })
  const file = join(folder, 'schema.ts')
  const printed = await cli(['adopt', 'code', file])
  expect(printed).toMatchObject({ code: 0, err: '' })
  expect(printed.out).toContain(`  ${relative('.', file)}:10  posts.authorId → users.id`)
  expect(readFileSync(file, 'utf8')).toBe(before)
  const told = json<Told>(await cli(['adopt', 'code', file, '--json']))
  expect(printed.out).toContain(told.diff)
  execFileSync('git', ['apply', '--unidiff-zero', '-'], { input: told.diff })
  const applied = readFileSync(file, 'utf8')
  writeFileSync(file, before)
  await cli(['adopt', 'code', folder, '--write'])
  expect(readFileSync(file, 'utf8')).toBe(applied)
  expect(applied).toBe(`import { pgTable, text } from 'drizzle-orm/pg-core'
import { flaxId } from '@snoflax/drizzle/pg-core'

const keptCuid2 = { accept: /^[a-z][a-z0-9]{23}$/, onMismatch: 'notFound', branded: false } as const

export const users = pgTable('users', {
  id: flaxId('id', keptCuid2).primaryKey(), // of people
  name: text('name'),
})
export const posts = pgTable('posts', {
  id: flaxId('id', keptCuid2).primaryKey(),
  authorId: flaxId.ref('author_id', () => users.id, { onDelete: 'cascade' })
    .notNull(),
})`)
})

test('a second run finds nothing to change', async () => {
  const { after } = await adopt(keyed('() => nanoid()', "import { nanoid } from 'nanoid'"))
  const again = await adopt(after)
  expect(again).toMatchObject({ code: 0, keys: [], diff: '', after })
})

test.each([
  ['cuid', '() => cuid()', "import cuid from 'cuid'", 'c[a-z0-9]{24}'],
  ['cuid2', 'createId', "import { createId } from '@paralleldrive/cuid2'", '[a-z][a-z0-9]{23}'],
  [
    'cuid2 of a length',
    '() => short()',
    "import { init } from '@paralleldrive/cuid2'\nconst short = init({ length: 10 })",
    '[a-z][a-z0-9]{9}',
  ],
  ['nanoid', '() => { return nanoid() }', "import { nanoid } from 'nanoid'", '[\\w-]{21}'],
  ['nanoid of a length', '() => nanoid(12)', "import { nanoid } from 'nanoid'", '[\\w-]{12}'],
  [
    'an alphabet',
    '() => code()',
    "import { customAlphabet } from 'nanoid'\nconst code = customAlphabet('ab^]-c', 8)",
    '[ab\\^\\]\\-c]{8}',
  ],
  [
    'uuid',
    '() => v4()',
    "import { v4 } from 'uuid'",
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ],
  [
    "Node's uuid",
    '() => crypto.randomUUID()',
    '',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ],
  ['ulid', '() => ulid()', "import { ulid } from 'ulid'", '[0-7][0-9A-HJKMNP-TV-Z]{25}'],
  [
    'a function of the file',
    'newId',
    "import { nanoid } from 'nanoid'\nfunction newId() { return nanoid(9) }",
    '[\\w-]{9}',
  ],
])('reads the keys of %s', async (_, generator, lines, pattern) => {
  expect(await stored(generator, lines)).toBe(`accept: /^${pattern}$/, onMismatch: 'notFound'`)
})

test('keys of a computed length, which may have the shape of flax ids, stay until they are described', async () => {
  const source = keyed(
    '() => short()',
    "import { init } from '@paralleldrive/cuid2'\nconst short = init({ length: LENGTH })",
  )
  const reason = expect.stringMatching(
    /^its keys may have the shape of flax ids, .* narrow --accept 'users\.id=<pattern>'/,
  )
  for (const { left, diff } of [await adopt(source), await adopt(source, '--accept', 'users.id=[a-z0-9]+')]) {
    expect(left).toMatchObject([{ name: 'users.id', text: reason }])
    expect(diff).toBe('')
  }
  const { after } = await adopt(source, '--accept', 'users.id=[a-z][a-z0-9]{9}')
  expect(after).toContain("accept: /^[a-z][a-z0-9]{9}$/, onMismatch: 'notFound'")
})

test('a prefix of the keys becomes that of new ids', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a schema
  expect(await stored('() => `usr_${nanoid(8)}`', "import { nanoid } from 'nanoid'")).toBe(
    "prefix: 'usr', accept: /^usr_[\\w-]{8}$/",
  )
})

describe('what it does not know it leaves, and asks for', () => {
  const custom = keyed("() => makeId('usr')", "import { makeId } from '@acme/ids'")

  test('a generator of your own', async () => {
    const { code, left, diff } = await adopt(custom)
    expect({ code, diff }).toEqual({ code: 1, diff: '' })
    expect(left).toMatchObject([
      { line: 3, name: 'users.id', text: expect.stringContaining("--accept 'makeId=<pattern>'") },
    ])
    const { code: known, after } = await adopt(custom, '--accept', 'makeId=/^usr_\\d{4}$/')
    expect(known).toBe(0)
    expect(after).toContain('accept: /^usr_\\d{4}$/')
    expect(after).not.toContain('@acme/ids')
  })

  test('a key that the application passes, and references to it', async () => {
    const given = `${DRIZZLE}const user = sqliteTable('user', { id: text('id').primaryKey() })
const post = sqliteTable('post', { userId: text('user_id').primaryKey().references(() => user.id) })`
    expect(await adopt(given)).toMatchObject({
      code: 1,
      diff: '',
      left: [{ name: 'user.id' }],
      references: [],
    })
    const { after, code } = await adopt(given, '--accept', 'user.id=[A-Za-z0-9]{32}')
    expect(code).toBe(0)
    expect(after).toContain("flaxId.ref('user_id', () => user.id).primaryKey()")
    expect((await adopt(given, '--accept', 'given=[A-Za-z0-9]{32}')).after).toBe(
      after.replaceAll('keptUserId', 'keptGiven'),
    )
  })

  test('keys that may be secrets', async () => {
    const secret = keyed('() => nanoid()', "import { nanoid } from 'nanoid'").replaceAll('users', 'sessions')
    expect(await adopt(secret)).toMatchObject({
      code: 1,
      diff: '',
      left: [{ text: expect.stringContaining('may be secrets') }],
    })
    expect((await adopt(secret, '--accept', 'sessions.id=[\\w-]{21}')).code).toBe(0)
  })

  test.each([
    ['columns that a function makes', "sqliteTable('t', columnsOf('t'))", "its columns can't be read"],
    ['columns of a spread', "sqliteTable('t', { ...shared('t') })", "...shared('t') can't be read"],
    [
      'a column of a function',
      "sqliteTable('t', { id: makeColumn('id').primaryKey() })",
      "makeColumn(…) can't be read",
    ],
    [
      'a target that is computed',
      "sqliteTable('t', { a: text('a').references(targetOf('t')) })",
      ".references(targetOf('t')) can't be read, or leads out of these files",
    ],
    [
      'a foreign key that is computed',
      "sqliteTable('t', { a: text('a') }, (t) => [foreignKey({ columns: [t.a], foreignColumns: columns })])",
      "foreignKey({…}) can't be read",
    ],
  ])('%s', async (_, table, text) => {
    const { code, unread, diff } = await adopt(`${DRIZZLE}const t = ${table}`)
    expect({ code, diff }).toEqual({ code: 3, diff: '' })
    expect(unread).toMatchObject([{ line: 2, text: expect.stringContaining(text) }])
  })

  test('numbers', async () => {
    const { code, left } = await adopt(
      `${DRIZZLE}const t = sqliteTable('t', { id: integer('id').primaryKey() })`,
    )
    expect(code).toBe(1)
    expect(left).toMatchObject([{ line: 2, text: expect.stringContaining('snoflax adopt replaces it') }])
  })

  test('nothing at all, a missing path, a bad pattern', async () => {
    for (const [argv, message] of [
      [
        [project({ 'a.ts': 'export const a = 1' })],
        'no Prisma schema, Drizzle table, TypeORM entity or Kysely client in',
      ],
      [['nowhere'], 'nowhere does not exist'],
      [
        [project({}), '--accept', 'users.id=['],
        "--accept must be a name and a regular expression, such as 'users.id=usr_[a-z0-9]{12}', not users.id=[",
      ],
    ] as const) {
      const { code, err } = await cli(['adopt', 'code', ...argv])
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    }
  })
})

describe('Drizzle', () => {
  test('tables of several files, shared columns, creators, schemas, namespaces and composite keys', async () => {
    const { after, references, left } = await adopt({
      'posts.ts': `import * as p from "drizzle-orm/pg-core";
import { users } from "@/db/users";
import * as auth from "./auth.js";
const table = p.pgTableCreator((name) => name);
export const posts = table("posts", (t) => ({ orgId: t.text().notNull(), id: auth.key(), authorId: t.varchar({ length: 36 }).references((): p.AnyPgColumn => users.id, { onDelete: "cascade" }) }), (t) => [p.primaryKey({ columns: [t.orgId, t.id] })]);
export const notes = p.pgSchema("app").table("notes", { postId: p.text("post_id").notNull(), orgId: p.text("org_id") }, (t) => [p.foreignKey({ columns: [t.orgId, t.postId], foreignColumns: [posts.orgId, posts.id] })]);
`,
      'users.ts': `import { relations } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { key } from './auth.js'
export const users = pgTable('users', { id: key() })
export const logs = pgTable('logs', { userId: text('user_id'), orgId: uuid('org_id') })
export const logRelations = relations(logs, ({ one }) => ({ user: one(users, { fields: [logs.userId], references: [users.id] }) }))
`,
      'auth.ts': `import { text } from 'drizzle-orm/pg-core'
export const key = () => text().primaryKey().$defaultFn(() => crypto.randomUUID())
`,
    })
    expect(left).toEqual([])
    expect(references.map(({ name }) => name)).toEqual(['posts.authorId', 'notes.postId', 'logs.userId'])
    expect(after.split('\n').slice(3)).toEqual([
      'import { flaxId } from "@snoflax/drizzle/pg-core";',
      '',
      expect.stringMatching(/^const keptUuid = \{ accept: \/\^\[0-9a-f\]\{8\}.* as const;$/),
      'const table = p.pgTableCreator((name) => name);',
      'export const posts = table("posts", (t) => ({ orgId: t.text().notNull(), id: auth.key(), authorId: flaxId.ref((): p.AnyPgColumn => users.id, { branded: false, onDelete: "cascade" }) }), (t) => [p.primaryKey({ columns: [t.orgId, t.id] })]);',
      'export const notes = p.pgSchema("app").table("notes", { postId: flaxId.plain("post_id", keptUuid).notNull(), orgId: p.text("org_id") }, (t) => [p.foreignKey({ columns: [t.orgId, t.postId], foreignColumns: [posts.orgId, posts.id] })]);',
      '',
    ])
  })

  test('native uuids', async () => {
    const { after, next } = await adopt(`import { pgTable, uuid } from 'drizzle-orm/pg-core'
export const users = pgTable('users', { id: uuid().defaultRandom().primaryKey(), bossId: uuid('boss').references(() => users.id) })
`)
    expect(after).toBe(`import { pgTable } from 'drizzle-orm/pg-core'
import { idColumn } from '@snoflax/drizzle/pg-core'
import { uuid7 } from '@snoflax/core'
import { sql } from 'drizzle-orm'

const keptUuid = { accept: uuid7.withVersion4(), branded: false } as const
export const users = pgTable('users', { id: idColumn(uuid7, keptUuid).default(sql\`gen_random_uuid()\`).primaryKey(), bossId: idColumn.ref('boss', () => users.id) })
`)
    expect(next).toEqual(['npm install @snoflax/drizzle @snoflax/core', 'run your formatter'])
  })

  test('brands, and lines that end in CRLF', async () => {
    const text = keyed('() => nanoid()', "import { nanoid } from 'nanoid'")
    expect((await adopt(text, '--branded')).after).toContain(
      "{ accept: /^[\\w-]{21}$/, onMismatch: 'notFound' }",
    )
    const { after } = await adopt(text.replaceAll('\n', '\r\n'))
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })

  test('where line ends are mixed, what is added ends as the line beside it', async () => {
    const text = `import { nanoid } from 'nanoid'\r
import { type AnyPgColumn, pgTable, text } from 'drizzle-orm/pg-core'
export const users = pgTable('users', {\r
  id: text('id').primaryKey().$defaultFn(() => nanoid()),\r
  bossId: text('boss').references((): AnyPgColumn =>\r
    users.id),\r
})\r
`
    expect((await adopt(text)).after).toBe(`import { type AnyPgColumn, pgTable } from 'drizzle-orm/pg-core'
import { flaxId } from '@snoflax/drizzle/pg-core'

const keptNanoid = { accept: /^[\\w-]{21}$/, onMismatch: 'notFound', branded: false } as const
export const users = pgTable('users', {\r
  id: flaxId('id', keptNanoid).primaryKey(),\r
  bossId: flaxId.ref('boss', (): AnyPgColumn =>\r
    users.id, { branded: false }),\r
})\r
`)
  })

  test('MySQL, where the migration needs a line', async () => {
    const { after, next, code } = await adopt(`import { nanoid } from 'nanoid'
import { mysqlTable, varchar } from 'drizzle-orm/mysql-core'
export const users = mysqlTable('users', { id: varchar('id', { length: 36 }).primaryKey().$defaultFn(() => nanoid()) })
export const posts = mysqlTable('posts', { userId: varchar({ length: 36 }).references(() => users.id) })
`)
    expect(code).toBe(0)
    expect(after).toContain("import { flaxId } from '@snoflax/drizzle/mysql-core'")
    expect(after).toContain("{ id: flaxId('id', keptNanoid).primaryKey() }")
    expect(after).toContain('{ userId: flaxId.ref(() => users.id) }')
    expect(next).toContainEqual(expect.stringContaining('while foreign keys exist'))
  })
})

describe('Prisma', () => {
  const schema = (models: string, provider = 'postgresql') => `datasource db {
  provider = "${provider}"
}
generator client {
  provider = "prisma-client"
  output   = "../src/generated/prisma"
}
${models}`

  test('comments, composite keys, and a schema of several files', async () => {
    const { after, left, keys, references } = await adopt({
      'prisma/models/post.prisma': `/// What people write, with "{" and } in it.
model Post {
  tenantId String
  id       String @default(nanoid(8)) // shown
  authorId String @db.Uuid
  author   User   @relation(fields: [authorId], references: [id])
  title    String @default("} @default(cuid())")
  @@id([tenantId, id])
}
model Setting {
  userId String @id @db.Uuid
  user   User   @relation(fields: [userId], references: [id])
}
model Legacy {
  id   Int    @id @default(autoincrement())
  slug String @unique @default(cuid())
}
`,
      'prisma/schema.prisma': schema(`model User {
  id       String    @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid /// who
  posts    Post[]
  settings Setting[]
}
`),
      'src/db.ts':
        "import { PrismaClient } from './generated/prisma'\nexport const prisma = new PrismaClient()\n",
    })
    expect(after.split('\n').slice(2, 6)).toEqual([
      '  tenantId String',
      '  /// @snoflax flax accept=/^[\\w-]{8}$/ onMismatch=notFound',
      '  id       String @default(dbgenerated()) // shown',
      '  authorId String @db.Uuid',
    ])
    expect(after).toContain('slug String @unique @default(cuid())')
    expect(keys.map(({ name }) => name)).toEqual(['Post.id', 'User.id'])
    expect(references.map(({ name }) => name)).toEqual(['Post.authorId', 'Setting.userId'])
    expect(left.map(({ line, name }) => [line, name])).toEqual([
      [15, 'Legacy.id'],
      [2, 'new PrismaClient(…)'],
    ])
  })

  test('the generator stands below the client, and its own block is kept', async () => {
    const model = 'model User {\n  id String @id @default(uuid()) @db.Uuid\n}\n'
    const { after } = await adopt({ 'schema.prisma': schema(model) })
    expect(after).toContain(`generator snoflax {
  provider = "snoflax-prisma-generator"
  output   = "../src/generated/snoflax"
  branded  = false
}
model User {
  id String @id @default(dbgenerated()) @db.Uuid /// @snoflax uuid7 accept=uuid7or4
}`)
    const again = await adopt({
      'schema.prisma': `${after}model Post {\n  id String @id @default(cuid())\n}\n`,
    })
    expect(again.after.match(/generator snoflax/g)).toHaveLength(1)
  })

  test('other databases, and a schema that Prisma refuses', async () => {
    const model = 'model User {\n  id String @id @default(cuid())\n}\n'
    expect(await adopt({ 'schema.prisma': schema(model, 'mysql') })).toMatchObject({
      code: 0,
      diff: expect.stringContaining('onMismatch=notFound collation=utf8mb4_bin'),
    })
    expect(await adopt({ 'schema.prisma': schema(model, 'sqlserver') })).toMatchObject({ code: 1, diff: '' })
    await expect(adopt({ 'schema.prisma': schema('model User {\n  id Text @id\n}\n') })).rejects.toThrow(
      'Type "Text" is neither',
    )
  })
})

describe('TypeORM', () => {
  const TYPEORM =
    "import { BeforeInsert, Column, Entity, EntitySchema, Generated, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm'\nimport { nanoid } from 'nanoid'\n"

  test.each([
    ['this.id = nanoid(5)'],
    ['this.id ??= nanoid(5)'],
    ['this.id = this.id || nanoid(5)'],
    ['if (!this.id) this.id = nanoid(5)'],
    ['if (!this.id) {\n      this.id = nanoid(5)\n    }'],
  ])('a key that is set before an insert by %s', async (statement) => {
    const { after, code } = await adopt(`${TYPEORM}@Entity()
class User {
  @PrimaryColumn('varchar', { length: 21, name: 'user_id' })
  id!: string

  @BeforeInsert()
  prepare() {
    ${statement}
    this.name = this.name.trim()
  }
  @BeforeInsert() other() {
    ${statement}
  }
}
`)
    expect(code).toBe(0)
    expect(after).toContain(
      "@FlaxIdColumn({ name: 'user_id', accept: /^[\\w-]{5}$/, branded: false })\n  id!: string",
    )
    expect(after).toContain('prepare() {\n    this.name = this.name.trim()\n  }')
    expect(after).not.toContain('nanoid')
  })

  test('uuids, initializers, relations and what is left', async () => {
    const { after, references, left } =
      await adopt(`${TYPEORM}export abstract class Base { @PrimaryGeneratedColumn('uuid', { comment: 'c' }) id: string }
@Entity() export class User extends Base { @OneToOne(() => Profile) profile: Profile }
@Entity() export class Profile { @PrimaryColumn('uuid') userId: string; @OneToOne(() => User) @JoinColumn() user: User }
@Entity() export class Post { @PrimaryColumn() id = nanoid(); @ManyToOne(() => User) @JoinColumn({ name: 'by' }) author: User; @Column({ name: 'by' }) authorId: string }
@Entity() export class Note { @PrimaryColumn({ length: 36 }) @Generated('uuid') id: string }
@Entity() export class Count { @PrimaryGeneratedColumn() id: number }
@Entity() export class Odd { @PrimaryColumn({ transformer: text }) id: string = nanoid() }
export const Old = new EntitySchema({ name: 'old', columns: {} })
`)
    expect(after).toContain(
      "@IdColumn(uuid7, { comment: 'c', accept: uuid7.withVersion4(), branded: false }) id: string",
    )
    expect(after).toContain('@FlaxIdColumn({ accept: /^[\\w-]{21}$/, branded: false }) id!: string;')
    expect(after).toContain('class Note { @FlaxIdColumn({ accept: /^[0-9a-f]{8}-')
    expect(references.map(({ name }) => name)).toEqual([
      'Profile.user',
      'Profile.userId',
      'Post.author',
      'Post.authorId',
    ])
    expect(left.map(({ line, name }) => [line, name])).toEqual([
      [8, 'Count.id'],
      [9, 'Odd.id'],
      [10, 'EntitySchema'],
    ])
  })
})

describe('what is written compiles', () => {
  test('in a file that was adopted in part', async () => {
    const { after } = await adopt(`import { nanoid } from 'nanoid'
import { idColumn } from '@snoflax/drizzle/pg-core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { uuid7 } from '@snoflax/core'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'

export const users = pgTable('users', { id: flaxId('id').primaryKey(), other: idColumn.plain(uuid7) })
export const posts = pgTable('posts', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
export const tags = pgTable('tags', { id: uuid('id').primaryKey().defaultRandom() })
`)
    for (const once of ['{ flaxId }', '{ idColumn }', '{ uuid7 }']) expect(after.split(once)).toHaveLength(2)
    expect(after).toContain("id: flaxId('id', keptNanoid)")
    const { after: entity } = await adopt(`import { FlaxIdColumn } from '@snoflax/typeorm'
import { nanoid } from 'nanoid'
import { Entity, PrimaryColumn } from 'typeorm'
@Entity()
export class User {
  @FlaxIdColumn() id!: string
}
@Entity()
export class Post {
  @PrimaryColumn() id: string = nanoid()
}
`)
    expect(entity.match(/import .*FlaxIdColumn/g)).toHaveLength(1)
  })

  test.each([
    [
      'flaxId',
      `import { nanoid } from 'nanoid'
import { pgTable, text } from 'drizzle-orm/pg-core'
const flaxId = nanoid
export const users = pgTable('users', { id: text('id').primaryKey().$defaultFn(() => flaxId()) })
`,
    ],
    [
      'uuid7',
      `import { v7 as uuid7 } from 'uuid'
import { Entity, PrimaryColumn } from 'typeorm'
@Entity()
export class User {
  @PrimaryColumn('uuid') id: string = uuid7()
}
`,
    ],
  ])('a name that the file has is left: %s', async (name, before) => {
    expect(await adopt(before, '--accept', 'flaxId=x+')).toMatchObject({
      diff: '',
      left: [
        { text: `${name} already is another name in this file: rename that, and run the command again` },
      ],
    })
  })

  test('in a file with tables of two databases, those of the second are left', async () => {
    const { after, left } = await adopt(`import { nanoid } from 'nanoid'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
export const users = pg.pgTable('users', { id: pg.text().primaryKey().$defaultFn(() => nanoid()) })
export const local = lite.sqliteTable('users', { id: lite.text().primaryKey().$defaultFn(() => nanoid()) })
`)
    expect(after.match(/import \{ flaxId \}/g)).toHaveLength(1)
    expect(left).toMatchObject([{ name: 'local.id', text: expect.stringContaining('flaxId already is') }])
  })

  test('where imports follow the tables', async () => {
    const { after } = await adopt(
      `${keyed('() => nanoid()', "import { nanoid } from 'nanoid'")}import { relations } from 'drizzle-orm'\n`,
    )
    expect(after.indexOf('const keptNanoid')).toBeLessThan(after.indexOf('sqliteTable('))
  })

  test('with slashes, quotes and line ends in keys', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands in the source that is adopted
    const { after } = await adopt(keyed('() => `a/b/${nanoid()}`', "import { nanoid } from 'nanoid'"))
    expect(after).toContain('accept: /^a\\/b\\/[\\w-]{21}$/,')
    const quoted = await adopt(
      keyed(
        '() => code()',
        'import { customAlphabet } from "nanoid"',
        'const code = customAlphabet("a\'/\\n", 8)',
      )
        .replaceAll("'drizzle", '"drizzle')
        .replaceAll("core'", 'core"'),
    )
    const [, source = ''] = /accept: \/(\S+)\/,/.exec(quoted.after) ?? []
    expect([...new RegExp(source).source]).not.toContain('\n')
    expect(new RegExp(source).test("a'/\n'/aa")).toBe(true)
    const given = await adopt(keyed('() => own()'), '--accept', 'own=a/b\\/c')
    expect(given.after).toContain('accept: /^a\\/b\\/c$/,')
  })

  test('a method that others call stays', async () => {
    const { after, next } = await adopt(`import { nanoid } from 'nanoid'
import { BeforeInsert, Entity, PrimaryColumn } from 'typeorm'
@Entity()
export class User {
  @PrimaryColumn() id!: string
  @BeforeInsert() makeId() {
    this.id = nanoid()
  }
}
@Entity()
export class Post {
  @PrimaryColumn() id: string = nanoid()
}
export const prepare = (user: User) => user.makeId()
`)
    expect(after).toMatch(/@BeforeInsert\(\) makeId\(\) \{\s*\}/)
    expect(after).not.toContain('nanoid()')
    expect(next.join()).toContain('new entities have no id until they are saved')
  })
})
