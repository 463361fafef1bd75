import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgres } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { adopt, adoptIn, project } from './adopting.js'
import { bin } from './running.js'

const datasource = (provider = 'postgresql', more = '') => `datasource db {
  provider = "${provider}"
${more}}
generator client {
  provider = "prisma-client"
  output   = "../src/generated/client"
}
`
const schemaOf = (models: string, provider?: string) => ({
  'prisma/schema.prisma': `${datasource(provider)}${models}`,
})

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const reasons = (list: readonly { readonly name: string; readonly reason: string }[]) =>
  list.map(({ name, reason }) => [name, reason])

test('the comments, the generator and nothing else are added; a second run finds all of it done', async () => {
  const schema = `${datasource()}
/*
model Post {
  id String @id
}
*/
/// People.
model User {
  /// A cuid.
  id    String @id @default(cuid()) @map("user_id") @db.VarChar(30) // kept
  email String @unique
  posts Post[]
  boss  User?  @relation("boss", fields: [bossId], references: [id])
  bossId String?
  staff User[] @relation("boss")

  @@map("app_users")
}

model Post {
\tid       String @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid
\tauthorId String
\tauthor   User   @relation(fields: [authorId], references: [id])
}
`
  const folder = project({
    'prisma/schema.prisma': schema,
    'src/db.ts': '\nexport const db = new PrismaClient()\n',
  })
  const told = await adoptIn(folder)
  expect(told).toMatchObject({ code: 0, checked: true, written: true, left: [], kept: [], faults: [] })
  expect(told.counts).toEqual({ tables: 2, keys: 2, references: 2, adopted: 4, done: 0, kept: 0, left: 0 })
  expect(
    told.adopted.map(({ kind, table, column, name, line, pattern, text }) => [
      kind,
      table,
      column,
      name,
      line,
      pattern,
      text,
    ]),
  ).toEqual([
    ['key', 'app_users', 'user_id', 'User.id', 17, 'c[a-z0-9]{24}', 'opaque, cuid(1)'],
    ['key', 'Post', 'id', 'Post.id', 28, UUID, 'opaque, uuid'],
    ['reference', 'app_users', 'bossId', 'User.bossId', 21, 'c[a-z0-9]{24}', 'User.id'],
    ['reference', 'Post', 'authorId', 'Post.authorId', 29, 'c[a-z0-9]{24}', 'User.id'],
  ])
  expect(told.next).toEqual([
    'npm install @snoflax/prisma-extension @snoflax/core',
    'npx prisma generate',
    expect.stringMatching(
      /^add \.\$extends\(snoflax\(\)\) to the client in .*src\/db\.ts:2, after all other/,
    ),
    'run your formatter and your tests',
  ])
  const after = told.read('prisma/schema.prisma')
  expect(after.split('\n').filter((line) => !schema.split('\n').includes(line))).toEqual([
    'generator snoflax {',
    '  provider = "snoflax-prisma-generator"',
    '  output   = "../src/generated/snoflax"',
    '  /// @snoflax opaque pattern=/c[a-z0-9]{24}/ generate=prisma onMismatch=notFound branded=false',
    `\t/// @snoflax opaque pattern=/${UUID}/ generate=database branded=false`,
  ])
  expect(await adoptIn(folder)).toMatchObject({
    diff: '',
    code: 0,
    counts: { tables: 2, keys: 2, references: 2, adopted: 0, done: 4, kept: 0, left: 0 },
  })
})

test('Prisma 6 with a url, its old preview features and line ends of Windows', async () => {
  const schema = `datasource db {
  provider = "sqlite"
  url      = env("DATABASE_URL")
}
generator client {
  provider        = "prisma-client-js"
  previewFeatures = ["views", "relationJoins", "metrics"]
}
model User {
  id String @id @default(cuid())
}
`.replaceAll('\n', '\r\n')
  const folder = project({ 'prisma/schema.prisma': schema }, [])
  mkdirSync(join(folder, 'node_modules'))
  const prisma6 = '../../../packages/prisma-extension/node_modules/prisma-6.19'
  symlinkSync(fileURLToPath(new URL(prisma6, import.meta.url)), join(folder, 'node_modules/prisma'))
  const { code, checked, read } = await adoptIn(folder, '--branded')
  expect({ code, checked }).toEqual({ code: 0, checked: true })
  const after = read('prisma/schema.prisma')
  expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  expect(after).toBe(
    schema
      .replace(
        'model User {',
        'model User {\r\n  /// @snoflax opaque pattern=/c[a-z0-9]{24}/ generate=prisma onMismatch=notFound',
      )
      .replace(
        '"metrics"]\r\n}',
        '$&\r\n\r\ngenerator snoflax {\r\n  provider = "snoflax-prisma-generator"\r\n  output   = "../generated/snoflax"\r\n}',
      ),
  )
})

test('every default, in a schema of several files with a composite key, a view and two tables of one name', async () => {
  const files = {
    'prisma/schema/main.prisma': datasource('postgresql', '  schemas  = ["app", "audit"]\n').replace(
      '"prisma-client"',
      '"prisma-client"\n  previewFeatures = ["views"]',
    ),
    'prisma/schema/keys.prisma': `
model Cuid2 {
  id String @id @default(cuid(2))
  @@schema("app")
}
model Nano {
  id String @id @default(nanoid())
  @@schema("app")
}
model Nano12 {
  id String @id @default(nanoid(12)) @db.Char(12)
  @@schema("app")
}
model Uuid {
  id String @id @default(uuid()) @db.Uuid
  seen Seen[]
  @@schema("app")
}
model Uuid7 {
  id String @id @default(uuid(7))
  @@schema("app")
}
model Uuidv7 {
  id String @id @default(dbgenerated("uuidv7()")) @db.Uuid
  @@schema("app")
}
model Ulid {
  id String @id @default(ulid())
  @@schema("app")
}
`,
    'prisma/schema/more.prisma': `
model Org {
  id    String @id @default(ulid())
  docs  Doc[]
  slug  String @default(cuid())
  events AuditOrg[]
  @@map("orgs")
  @@schema("app")
}
model AuditOrg {
  id    String @id @default(uuid())
  orgId String
  org   Org    @relation(fields: [orgId], references: [id])
  @@map("orgs")
  @@schema("audit")
}
model Doc {
  orgId    String
  org      Org     @relation(fields: [orgId], references: [id])
  id       String  @default(cuid(2))
  parentId String?
  parent   Doc?    @relation("tree", fields: [orgId, parentId], references: [orgId, id])
  children Doc[]   @relation("tree")
  @@id([orgId, id])
  @@schema("app")
}
view Seen {
  uuidId String @unique @db.Uuid
  uuid   Uuid   @relation(fields: [uuidId], references: [id])
  @@schema("app")
}
`,
  }
  const folder = project(files)
  const { adopted, code, checked, counts, read, left, kept } = await adoptIn(folder)
  expect({ code, checked, left, kept }).toEqual({ code: 0, checked: true, left: [], kept: [] })
  expect(counts).toEqual({ tables: 11, keys: 10, references: 4, adopted: 14, done: 0, kept: 0, left: 0 })
  expect(adopted.filter(({ kind }) => kind === 'key').map(({ name, text }) => [name, text])).toEqual([
    ['Cuid2.id', 'opaque, cuid(2)'],
    ['Nano.id', 'opaque, nanoid()'],
    ['Nano12.id', 'opaque, nanoid(12)'],
    ['Uuid.id', 'opaque, uuid(4)'],
    ['Uuid7.id', 'uuid7, uuid(7)'],
    ['Uuidv7.id', 'uuid7, dbgenerated("uuidv7()")'],
    ['Ulid.id', 'ulid, ulid()'],
    ['Org.id', 'ulid, ulid()'],
    ['AuditOrg.id', 'opaque, uuid(4)'],
    ['Doc.id', 'opaque, cuid(2)'],
  ])
  expect(adopted.filter(({ schema }) => schema === 'audit').map(({ name }) => name)).toEqual([
    'AuditOrg.id',
    'AuditOrg.orgId',
  ])
  expect(read('prisma/schema/main.prisma')).toContain('generator snoflax {')
  const keys = read('prisma/schema/keys.prisma')
  for (const line of [
    '  /// @snoflax opaque pattern=/[0-9A-Z_a-z-]{12}/ generate=prisma onMismatch=notFound branded=false\n',
    '  /// @snoflax uuid7 generate=prisma onMismatch=notFound branded=false\n',
    '  /// @snoflax uuid7 generate=database branded=false\n',
    '  /// @snoflax ulid generate=prisma onMismatch=notFound branded=false\n',
  ])
    expect(keys).toContain(line)
})

describe('what stays, by name', () => {
  test("natural keys, numbers, plans, better-auth's keys, and what refers to them", async () => {
    const models = `
model Plan {
  id   String @id
  orgs Org[]
}
model Counter {
  id    String @id @default("main")
  value Int
}
model Log {
  id Int @id @default(autoincrement())
}
model Org {
  id     String @id @default(cuid())
  planId String
  plan   Plan   @relation(fields: [planId], references: [id])
  slug   String @default(nanoid())
}
`
    const { kept, left, counts, code, after } = await adopt(schemaOf(models, 'sqlite'))
    const passed = expect.stringMatching(/^it has no default: .*; if it generates ids for it, pass --pattern/)
    expect({ code, left }).toEqual({ code: 0, left: [] })
    expect(reasons(kept)).toEqual([
      ['Plan.id', passed],
      ['Counter.id', passed],
      ['Log.id', expect.stringContaining('a number: it can stay')],
      ['Org.planId', 'it refers to Plan.id, which stays as it is'],
    ])
    expect(counts).toEqual({ tables: 4, keys: 4, references: 1, adopted: 1, done: 0, kept: 4, left: 0 })
    expect(after.match(/@snoflax/g)).toHaveLength(1)
  })

  test('ids that code passes, or that the database makes in its own way, need their pattern', async () => {
    const models = `
model Link {
  id String @id
}
model Short {
  id String @id @default(dbgenerated("short_id(8)"))
}
model Tag {
  id String @id @default(cuid())
}
`
    const first = await adopt(schemaOf(models))
    expect({ code: first.code, left: reasons(first.left) }).toEqual({
      code: 1,
      left: [
        [
          'Short.id',
          "the pattern of its ids is not known (the database generates them by short_id(8)); write it: --pattern 'Short.id=<regular expression>'",
        ],
      ],
    })
    const given = ['Link.id=link_[0-9A-Z]{26}', 'Short.id=[a-z]{8}', 'Tag.id=tag_[a-z0-9]{24}']
    const { after, left, adopted } = await adopt(
      schemaOf(models),
      ...given.flatMap((one) => ['--pattern', one]),
    )
    expect(reasons(left)).toEqual([
      ['Tag.id', expect.stringMatching(/^its default generates c\w{24}, which --pattern/)],
    ])
    expect(adopted.map(({ text }) => text)).toEqual([
      'opaque, passed by the application',
      'opaque, dbgenerated("short_id(8)")',
    ])
    expect(after).toContain(
      '  /// @snoflax opaque pattern=/link_[0-9A-Z]{26}/ generate=never onMismatch=notFound branded=false\n  id String @id\n',
    )
    expect(after).toContain('pattern=/[a-z]{8}/ generate=database onMismatch=notFound')
  })

  test('a foreign key to two kinds of keys, one that generates, MySQL, and a schema without a client', async () => {
    const two = `
model A {
  id String @id @default(cuid())
  refs Ref[]
}
model B {
  id String @id @default(uuid())
  refs Ref[]
}
model C {
  id String @id @default(dbgenerated("gen_random_uuid()"))
  d D[]
}
model D {
  id Int @id
  cId String @default(dbgenerated("gen_random_uuid()"))
  c C @relation(fields: [cId], references: [id])
}
model Ref {
  id String @id @default(cuid())
  to String
  a A @relation("a", fields: [to], references: [id], map: "a")
  b B @relation("b", fields: [to], references: [id], map: "b")
}
`
      .replace(/refs Ref\[\]/, '$& @relation("a")')
      .replace(/refs Ref\[\]\n/, 'refs Ref[] @relation("b")\n')
    const told = await adopt(schemaOf(two))
    expect(told.code).toBe(3)
    expect(reasons(told.left)).toEqual([
      ['A.id', expect.stringContaining('Ref.to refers to A.id and to another key')],
      ['B.id', expect.stringContaining('Ref.to refers to B.id and to another key')],
      ['C.id', expect.stringContaining('D.cId refers to C.id, and has a default that generates ids')],
      ['D.cId', 'it refers to C.id, which stays as it is'],
      ['Ref.to', 'it refers to A.id, which stays as it is'],
    ])
    expect(told.adopted.map(({ name }) => name)).toEqual(['Ref.id'])
    const mysql = await adopt(schemaOf('model A {\n  id String @id @default(cuid())\n}\n', 'mysql'))
    expect({ code: mysql.code, diff: mysql.diff, left: reasons(mysql.left) }).toEqual({
      code: 3,
      diff: '',
      left: [['A.id', expect.stringContaining('collation=utf8mb4_bin')]],
    })
    const bare = await adopt({
      'schema.prisma': `datasource db {\n  provider = "sqlite"\n}\nmodel A {\n  id String @id @default(cuid())\n}\n`,
    })
    expect(reasons(bare.left)).toEqual([['A.id', expect.stringContaining("no generator of Prisma's client")]])
  })
})

describe("what can't be loaded is said, with the reason", () => {
  test.each([
    ['a mistake', schemaOf('model A {\n  id Strin @id\n}\n'), /Type "Strin" is neither .*, in line 9$/],
    ['no datasource', { 'a.prisma': 'model A {\n  id String @id\n}\n' }, /^the schema has no datasource/],
    [
      'two schemas',
      { 'a/schema.prisma': datasource(), 'b/schema.prisma': datasource() },
      /^another schema is in .*b\/schema\.prisma: pass the files of one$/,
    ],
    ['another database', schemaOf('model A {\n  id Int @id\n}\n', 'sqlserver'), /not in sqlserver$/],
  ])('%s', async (_, files, reason) => {
    const { code, failures, diff } = await adoptIn(project(files))
    expect({ code, diff }).toEqual({ code: 3, diff: '' })
    expect(failures).toEqual([
      { file: expect.stringMatching(/\.prisma$/), reason: expect.stringMatching(reason) },
    ])
  })

  test('without Prisma', async () => {
    const folder = project(schemaOf('model A {\n  id String @id\n}\n'), [])
    // Without NODE_PATH, by which tests find packages of this repository.
    expect(await bin(['adopt', 'code', folder])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'is read by prisma, which is not installed; install it: npm install --save-dev prisma',
      ),
    })
  })
})

test('stored keys are compared, also in views; a key that stores others stays, with what refers to it', async () => {
  const database = await postgres.open()
  await database.query(`
    CREATE TABLE "User" (id text PRIMARY KEY);
    INSERT INTO "User" VALUES ('cjld2cjxh0000qzrmn831i7rn'), ('clerk_1');
    CREATE TABLE "Post" (id text PRIMARY KEY, "authorId" text NOT NULL);
    INSERT INTO "Post" VALUES ('cjld2cjxh0000qzrmn831i7rn', 'clerk_1');
    CREATE VIEW "Seen" AS SELECT id AS "postId" FROM "Post";
    CREATE TABLE "New" (id uuid PRIMARY KEY);
    INSERT INTO "New" VALUES ('019d0c38-1f3a-7c3e-8f7e-2b1d5a6c7e8f');
    CREATE TABLE "Old" (id uuid PRIMARY KEY);
    INSERT INTO "Old" VALUES ('019d0c38-1f3a-7c3e-8f7e-2b1d5a6c7e8f'), ('f47ac10b-58cc-4372-a567-0e02b2c3d479')`)
  const models = `
model User {
  id    String @id @default(cuid())
  posts Post[]
}
model Post {
  id       String @id @default(cuid())
  authorId String
  author   User   @relation(fields: [authorId], references: [id])
  seen     Seen?
}
model New {
  id String @id @default(uuid(7)) @db.Uuid
}
model Old {
  id String @id @default(uuid(7)) @db.Uuid
}
view Seen {
  postId String @unique
  post   Post   @relation(fields: [postId], references: [id])
}
`
  const files = schemaOf(models)
  files['prisma/schema.prisma'] = files['prisma/schema.prisma'].replace(
    '"prisma-client"',
    '"prisma-client"\n  previewFeatures = ["views"]',
  )
  const { left, adopted, stored, code, after } = await adopt(
    files,
    '--url',
    (database as never as { url: string }).url,
  )
  await database.close()
  expect(code).toBe(1)
  const reason = `User.id stores 1 old keys that its definition doesn't take, such as "clerk_1"`
  expect(reasons(left)).toEqual([
    ['User.id', reason],
    ['Post.authorId', reason],
  ])
  expect(adopted.map(({ name }) => name)).toEqual(['Post.id', 'New.id', 'Old.id', 'Seen.postId'])
  // Those of another version have no time.
  expect(adopted.map(({ text }) => text)).toEqual([
    'opaque, cuid(1)',
    'uuid7, uuid(7)',
    'opaque, uuid(7)',
    'Post.id',
  ])
  expect(stored?.map(({ name, rows, others }) => [name, rows, others])).toEqual([
    ['User.id', 2, 1],
    ['Post.id', 1, 0],
    ['New.id', 1, 0],
    ['Old.id', 2, 0],
    ['Post.authorId', 1, 1],
    ['Seen.postId', 1, 0],
  ])
  expect(after.match(/@snoflax/g)).toHaveLength(3)
})

test('a generator of ours that is there stays, and one of another name has its own', async () => {
  const ours = (name: string, provider: string) =>
    `generator ${name} {\n  provider = "${provider}"\n  output = "./x"\n}\n`
  const model = 'model A {\n  id String @id @default(cuid())\n}\n'
  const there = await adopt(schemaOf(`${ours('ids', 'snoflax-prisma-generator')}${model}`, 'sqlite'))
  expect(there.after.match(/snoflax-prisma-generator/g)).toHaveLength(1)
  const other = await adopt(schemaOf(`${ours('snoflax', 'prisma-dbml-generator')}${model}`, 'sqlite'))
  expect(other.after).toContain('generator snoflaxIds {')
})

test('a schema beside code of Drizzle: both are adopted', async () => {
  const folder = project({
    ...schemaOf('model A {\n  id String @id @default(cuid())\n}\n', 'sqlite'),
    'schema.ts': `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const users = sqliteTable('users', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
`,
  })
  writeFileSync(join(folder, 'other.txt'), '')
  const { code, adopted, counts } = await adoptIn(folder)
  expect({ code, counts }).toMatchObject({ code: 0, counts: { tables: 2, adopted: 2 } })
  expect(adopted.map(({ name }) => name)).toEqual(['users.id', 'A.id'])
  expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toContain('idColumn(')
})
