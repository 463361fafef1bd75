import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diagnosticsOf, STRICTEST } from './project/compile.js'
import { generateAgain, generateProject, PROVIDER, projectOf, refusalOfProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

type SchemaOptions = Parameters<typeof projectOf>[1]

const schema = (models: string, options?: SchemaOptions) =>
  projectOf(models.replaceAll(/^(model \w+) \{ /gm, '$1 {\n'), options)

/** The lines that begin with a model's or field's name. */
const mistakesOf = async (models: string, options?: SchemaOptions): Promise<string[]> =>
  (await refusalOfProject(schema(models, options)))
    .split('\n')
    .map((line) => line.trim().replace(/^(?:Error|IdError): (?:IdError: )?/, ''))
    .filter((line) =>
      /^[A-Z]\w*(\.\w+)?: |^(?:families|datasource|language|brands|branded|generator \w+): /.test(line),
    )

describe('mistakes in a schema are reported with model and field', () => {
  /** The field `id` of a model. */
  const FIELDS: readonly [field: string, message: string][] = [
    ['String MADE @db.Uuid /// @snoflax', 'name a family: /// @snoflax sno; not "@snoflax"'],
    [
      'String MADE @db.Uuid /// @snoflax snow',
      'no family "snow", only flake, flax, sno, ulid, uuid7, uuid7or4; @snoflax/families has more: families = "@snoflax/families"',
    ],
    [
      'String MADE @db.Uuid /// @snoflax sno mata=2',
      'options are storage, meta, pattern, prefix, createdAt, generate, collation, accept, onMismatch, branded, as in meta=2; not "mata=2"',
    ],
    ['String MADE @db.Uuid /// @snoflax sno meta=two', 'meta must be an integer; not "meta=two"'],
    ['String MADE @db.Uuid /// @snoflax sno meta=256', 'sno: meta must be an integer from 0 to 255, not 256'],
    ['String MADE @db.Uuid /// @snoflax flax meta=1', 'flax: ids have no metabyte; leave meta out'],
    ['String MADE @db.Uuid /// @snoflax sno meta=1 meta=2', 'meta is written twice; not "meta=2"'],
    [
      'String MADE @db.Uuid /// @snoflax sno storage=text',
      'sno: storage text is not for a field of type String @db.Uuid, which is for uuid or uuid8',
    ],
    [
      'String MADE /// @snoflax flake',
      'flake in postgres: cannot use storage text: the family allows bigint, binary, uuid8; use bigint or binary or uuid8',
    ],
    [
      'Int @id @default(autoincrement()) /// @snoflax sno',
      'ids must be stored in fields of type String @db.Uuid (PostgreSQL), String, Bytes or BigInt, not Int',
    ],
    [
      'String MADE @db.Citext /// @snoflax sno',
      'ids must be stored in fields of type String @db.Uuid (PostgreSQL), String, Bytes or BigInt, not String @db.Citext',
    ],
    ['String MADE @db.Char(20) /// @snoflax sno', 'sno: ids have 16 characters or bytes: write @db.Char(16)'],
    [
      'String MADE @db.VarChar(15) /// @snoflax sno',
      'sno: ids have 16 characters or bytes: write @db.VarChar(16)',
    ],
    ['String MADE @db.Char /// @snoflax sno', 'sno: ids have 16 characters or bytes: write @db.Char(16)'],
    [
      'String @id @default(uuid()) @db.Uuid /// @snoflax sno',
      'its default is not an id; write @default(dbgenerated()), or generate=prisma if Prisma generates the ids',
    ],
    [
      'String @id @default("") /// @snoflax sno',
      'its default is not an id; write @default(dbgenerated()), or generate=prisma if Prisma generates the ids',
    ],
    [
      'String @id @db.Uuid /// @snoflax sno',
      'add @default(dbgenerated()) to generate ids, or write generate=never',
    ],
    [
      'String MADE @db.Uuid /// @snoflax sno generate=database',
      'generate=database needs a default with an expression, as in @default(dbgenerated("…"))',
    ],
    ['String MADE @db.Uuid /// @snoflax sno generate=never', 'generate=never needs no @default'],
    [
      'String @id @db.Uuid /// @snoflax sno generate=sometimes',
      'generate must be database, prisma or never; not "generate=sometimes"',
    ],
    [
      'String MADE @db.Uuid /// @snoflax sno createdAt=1st',
      'createdAt must be the name of a field; not "createdAt=1st"',
    ],
    [
      'String MADE @db.Uuid /// The key. @snoflax sno',
      '@snoflax must begin its line and be followed by a family; not "The key. @snoflax sno"',
    ],
    [
      'String MADE @db.Uuid /// @snoflax: sno',
      '@snoflax must begin its line and be followed by a family; not "@snoflax: sno"',
    ],
    [
      'String MADE /// @snoflax flax accept=/[a-z0-9]{24}',
      'accept must be a regular expression between slashes, as in accept=/^[a-z0-9]{24}$/, or the name of a family; not "accept=/[a-z0-9]{24}"',
    ],
    [
      'String MADE /// @snoflax flax accept=/[z-a]/',
      'accept: Invalid regular expression: /[z-a]/: Range out of order in character class; not "/[z-a]/"',
    ],
    [
      'String MADE /// @snoflax flax accept=/a/ b/',
      'options are storage, meta, pattern, prefix, createdAt, generate, collation, accept, onMismatch, branded, as in meta=2; not "b/"',
    ],
    ['String MADE /// @snoflax flax accept=cuid', 'no family "cuid", only flake, flax'],
    [
      'String MADE /// @snoflax flax accept=/a b/g',
      'flax: accept takes patterns with the flags i, s, u and v, not /a b/g',
    ],
    [
      'String MADE /// @snoflax flax onMismatch=404',
      'onMismatch must be error or notFound; not "onMismatch=404"',
    ],
    [
      'String MADE @db.Uuid /// @snoflax flax onMismatch=notFound',
      "flax: onMismatch 'notFound' needs storage text",
    ],
    ['String MADE @db.Uuid /// @snoflax flax accept=/x/', 'flax in postgres: cannot use storage uuid'],
    [
      'String MADE @db.Char(36) /// @snoflax flax accept=/x/',
      'flax: other ids that it accepts vary in length: write @db.VarChar(255)',
    ],
    ['String MADE /// @snoflax flax branded=no', 'branded must be true or false; not "branded=no"'],
  ]
  const MODELS: readonly [models: string, message: string][] = [
    [
      'model C1 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno createdAt\n at DateTime\n createdAt DateTime',
      'C1.id: the model already has a field createdAt; name the computed one differently, as in createdAt=insertedAt',
    ],
    [
      '/// @snoflax sno\nmodel C2 { id Int @id',
      'C2: @snoflax belongs to the field that stores the ids, not to a model',
    ],
    [
      'model C3 { id Int @id\n c3 String @unique @db.Uuid /// @snoflax sno\n c4 C4[]\n}\nmodel C4 { id Int @id\n to String @db.Uuid /// @snoflax flax\n c3 C3 @relation(fields: [to], references: [c3])',
      'C4.to: stores flax ids, but references C3.c3 with sno ids',
    ],
    [
      'model C5 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n c6 C6[]\n}\nmodel C6 { id Int @id\n to String\n c5 C5 @relation(fields: [to], references: [id])',
      'C6.to: sno: storage uuid is not for a field of type String, which is for text',
    ],
    [
      'model C7 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n c8 C8?\n}\nmodel C8 { id String @id @default(dbgenerated()) @db.Uuid\n c7 C7 @relation(fields: [id], references: [id])',
      "C8.id: references C7.id, but is declared to generate ids, of rows that don't exist; declare it as a field without @default",
    ],
    ...[
      ['snoflax.flax_generate_text()', ''],
      ["('i1_'::text || ids.flax_generate_text())", ' /// @snoflax flax'],
      ["lpad('x', 16)", ' /// @snoflax flax generate=database'],
    ].map(([expression, comment], at): [string, string] => [
      `model J${at} { id String @id @default(dbgenerated()) /// @snoflax flax\n k K${at}[]\n}\nmodel K${at} { id Int @id\n to String @default(dbgenerated("${expression}"))${comment}\n j J${at} @relation(fields: [to], references: [id])`,
      `K${at}.to: references J${at}.id, but is declared to generate ids, of rows that don't exist; declare it as a field without @default`,
    ]),
    [
      `model J9 { id String @id @default(dbgenerated("own_id()")) /// @snoflax flax generate=database\n k K9[]\n}\nmodel K9 { id Int @id\n to String @default(dbgenerated("own_id()"))\n j J9 @relation(fields: [to], references: [id])`,
      'K9.to: references J9.id, but is declared to generate ids',
    ],
    [
      'model L1 { id Int @id\n to String @default(dbgenerated()) /// @snoflax flax prefix=la\n}\nmodel L2 { id String @id @default(dbgenerated()) /// @snoflax flax prefix=la',
      'L1.to: generates ids with the prefix la, as L2.id does; if it refers to L2.id, declare it as a field without @default, with a @relation(fields: [to], …) to L2.id; if it has ids of its own, choose another prefix; if it has copies of them, declare it as a field without @default',
    ],
    [
      'model L3 { id String @id @default(dbgenerated("f()")) /// @snoflax flax prefix=lb generate=database\n}\nmodel L4 { id String @id @default(dbgenerated()) /// @snoflax flax prefix=lb',
      'L4.id: generates ids with the prefix lb, as L3.id does',
    ],
    [
      'model L5 { postId String @default(dbgenerated()) /// @snoflax flax\n tagId String @default(dbgenerated()) /// @snoflax flax\n @@id([postId, tagId])',
      'L5.tagId: generates ids, as L5.postId of the same key does; declare those that refer to other rows as a field without @default, with a @relation(fields: [tagId], …) to them',
    ],
    [
      'model L6 { id String @id @default(dbgenerated()) /// @snoflax typeid',
      'L6.id: typeid is a function: in a module of yours write export const userId = typeid(\'user\'), name the module, as in families = "../src/ids.js", and write /// @snoflax userId',
    ],
    [
      'model C9 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n other String @unique @db.Uuid /// @snoflax flax\n d D1[]\n e D1[] @relation("e")\n}\nmodel D1 { id Int @id\n to String @db.Uuid\n c9 C9 @relation(fields: [to], references: [id])\n e C9 @relation("e", fields: [to], references: [other], map: "e")',
      'D1.to: stores sno ids, but references C9.other with flax ids',
    ],
    [
      'model D2 { id Int @id\n c1 D3 @relation(fields: [x], references: [id]) /// @snoflax sno\n x Int\n}\nmodel D3 { id Int @id\n d2 D2[]',
      'D2.c1: @snoflax belongs to the field that stores the ids, not to a relation',
    ],
    [
      'model D4 { id Int @id\n some D5[]\n}\nmodel D5 { id Int @id\n d4 D4 @relation(fields: [x], references: [id])\n x Int',
      "D4.some: a relation named some can't be distinguished from Prisma's filter { some: … }; rename the relation",
    ],
    [
      'model D7 { /// @snoflax sno\n id String @id @default(dbgenerated()) @db.Uuid /// @snoflax flax',
      'D7.id: @snoflax is written twice; not "@snoflax sno\\n@snoflax flax"',
    ],
    [
      'model D8 { id Int @id\n a String @db.Uuid /// @snoflax sno createdAt\n b String @db.Uuid /// @snoflax sno createdAt',
      'D8.b: the model already has a field createdAt; name the computed one differently, as in createdAt=insertedAt',
    ],
    [
      'model D9 { id Int @id\n a String[] @db.Uuid /// @snoflax sno createdAt',
      'D9.a: createdAt needs a single id, not a list',
    ],
    [
      'model E1 { id Int @id\n a String[] @db.Uuid /// @snoflax sno generate=database',
      'E1.a: ids in lists are not generated; pass them',
    ],
    [
      'model E4 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno meta=1\n e5 E5[]\n}\nmodel E5 { id Int @id\n to String @db.Uuid /// @snoflax sno meta=2\n e4 E4 @relation(fields: [to], references: [id])',
      'E5.to: is a foreign key to E4.id, where meta is set',
    ],
    [
      'model E6 { id String @id @db.Uuid\n e7 E7[]\n}\nmodel E7 { id Int @id\n to String @db.Uuid /// @snoflax sno\n e6 E6 @relation(fields: [to], references: [id])',
      'E7.to: references E6.id, which is not an id column',
    ],
    [
      'model E8 { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n e9 E9[]\n}\nmodel F1 { id String @id @db.Uuid\n e9 E9[]\n}\nmodel E9 { id Int @id\n to String @db.Uuid\n e8 E8 @relation(fields: [to], references: [id])\n f1 F1 @relation(fields: [to], references: [id], map: "f1")',
      'E9.to: references F1.id, which is not an id column',
    ],
    [
      'model H2 { id String @id @default(dbgenerated()) /// @snoflax flax accept=/x/\n h3 H3[]\n}\nmodel H3 { id Int @id\n to String /// @snoflax flax accept=/y/\n h2 H2 @relation(fields: [to], references: [id])',
      'H3.to: is a foreign key to H2.id, and accepts what that does; leave accept out',
    ],
  ]
  const MISTAKES = [
    ...FIELDS.map(([field, message], index) => [
      `model Of${index} { id ${field.replace('MADE', '@id @default(dbgenerated())')}`,
      `Of${index}.id: ${message}`,
    ]),
    ...MODELS,
  ]

  test('all in one run', async () => {
    const told = await mistakesOf(MISTAKES.map(([models]) => `${models}\n}`).join('\n'))
    expect(told.length).toBe(MISTAKES.length)
    for (const [, message] of MISTAKES) expect(told).toContainEqual(expect.stringContaining(`${message}`))
  })
})

test('a comment of two slashes, which generators never see, is reported too', async () => {
  const told = await refusalOfProject(
    schema('model A { id String @id @default(dbgenerated()) @db.Uuid // @snoflax sno\n}'),
  )
  expect(told).toMatch(
    /schema: write three slashes: Prisma hides other comments from generators; not "id +String +@id .* \/\/ @snoflax sno"/,
  )
  const commentedOut = '// b String /// @snoflax sno\n  // see @snoflax/core, and @snoflax'
  await generateProject(schema(`model A { id Int @id\n  ${commentedOut}\n}`))
})

describe('a database', () => {
  const MYSQL = { provider: 'mysql' }

  test('other than PostgreSQL, SQLite and MySQL is refused', async () => {
    const told = await mistakesOf('model A { id String @id /// @snoflax sno generate=never\n}', {
      provider: 'sqlserver',
    })
    expect(told).toEqual(['datasource: ids can be stored in postgresql, sqlite and mysql, not in sqlserver'])
  })

  test('of MySQL needs a case-sensitive collation for text, declared in the schema', async () => {
    const id = 'model A { id String @id @default(dbgenerated()) @db.Char(16) /// @snoflax sno'
    expect(await mistakesOf(`${id}\n}`, MYSQL)).toEqual([
      expect.stringMatching(/^A\.id: sno: MySQL's default collations compare ids without regard to case/),
    ])
    expect(await mistakesOf(`${id} collation=utf8mb4_0900_ai_ci\n}`, MYSQL)).toHaveLength(1)
    const folder = await generateProject(schema(`${id} collation=utf8mb4_bin\n}`, MYSQL))
    expect((await generatedModule(folder)).configuration.models.A.id.storage).toBe('text')
  })

  test('of MySQL comes with the migration that has text ids differ by case', async () => {
    const models = `model A {
  id String @id @default(dbgenerated("(hex(random_bytes(8)))")) @db.VarChar(20) @map("a_id") /// @snoflax flax generate=database collation=utf8mb4_0900_bin
  bs B[]
  @@map("as")
}
model B {
  id   String  @id @default(dbgenerated()) /// @snoflax flax collation=utf8mb4_bin
  aId  String? @db.VarChar(20)
  a    A?      @relation(fields: [aId], references: [id])
  tags Tag[]
}
model Tag {
  id    String @id @default(dbgenerated()) @db.VarChar(16) /// @snoflax flax collation=binary
  bs    B[]
}
`
    const folder = await generateProject(schema(models, MYSQL))
    expect(readFileSync(join(folder, 'snoflax/collation.sql'), 'utf8').split('\n').slice(1)).toEqual([
      'ALTER TABLE `as` MODIFY `a_id` VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL DEFAULT ((hex(random_bytes(8))));',
      'ALTER TABLE `B` MODIFY `id` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;',
      'ALTER TABLE `B` MODIFY `aId` VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NULL;',
      'ALTER TABLE `_BToTag` MODIFY `A` VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;',
      '',
    ])
  })

  test('of MySQL needs no collation on a reference to a reference', async () => {
    const models = `model A {
  id String @id @default(dbgenerated()) @db.Char(16) /// @snoflax sno collation=utf8mb4_bin
  bs B[]
}
model B {
  aId    String @db.Char(16)
  number Int
  a      A      @relation(fields: [aId], references: [id])
  cs     C[]
  @@id([aId, number])
}
model C {
  id     Int    @id
  aId    String @db.Char(16)
  number Int
  b      B      @relation(fields: [aId, number], references: [aId, number])
}`
    const { configuration } = await generatedModule(await generateProject(schema(models, MYSQL)))
    expect(configuration.models.C.aId.storage).toBe('text')
  })

  test('of MySQL needs unsigned numbers', async () => {
    const told = await mistakesOf(
      'model A { id BigInt @id @default(dbgenerated()) /// @snoflax flake\n}',
      MYSQL,
    )
    expect(told).toEqual(['A.id: flake: ids have 64 bits without a sign: write @db.UnsignedBigInt'])
  })
})

describe('the generated module', () => {
  const MODELS = `
model Customer {
  id     String  @id @default(dbgenerated()) @db.Uuid /// @snoflax sno meta=3 createdAt
  orders Order[]
}
model Order {
  /// Text is for those who look into tables.
  /// @snoflax flax
  id         String   @id @default(dbgenerated()) @map("order_id") @db.Char(16)
  customerId String   @db.Uuid /// the buyer, see @snoflax/core
  customer   Customer @relation(fields: [customerId], references: [id])
  tags       Tag[]
  next       Order[]  @relation("next")
  before     Order[]  @relation("next")
  @@map("orders")
}
model Tag {
  id     BigInt  @id
  orders Order[]
}
`

  test('is TypeScript if the client is', async () => {
    const folder = await generateProject(schema(MODELS))
    expect(existsSync(join(folder, 'snoflax/index.js'))).toBe(false)
    const { flax, sno } = await import('@snoflax/core')
    expect((await generatedModule(folder)).configuration).toEqual({
      database: 'postgres',
      models: {
        Customer: {
          id: {
            family: sno,
            storage: 'uuid',
            generated: true,
            key: 'unique',
            meta: 3,
            createdAt: 'createdAt',
          },
        },
        Order: {
          id: { family: flax, storage: 'text', generated: true, key: 'unique' },
          customerId: { family: sno, storage: 'uuid', relations: ['customer'] },
        },
      },
    })
  })

  test.each([
    ['ids to make', '@default(dbgenerated()) @db.Uuid /// @snoflax sno'],
    ['ids of others alone', '@db.Uuid /// @snoflax sno generate=never'],
    ['no ids', ''],
  ])('compiles with every strict option, with %s', async (_, rest) => {
    const folder = await generateProject(schema(`model A { id String @id ${rest}\n}`))
    expect(diagnosticsOf(join(folder, 'snoflax/index.ts'), STRICTEST)).toEqual([])
  })

  test('is JavaScript with declarations if the client is, or if language is "js"', async () => {
    for (const options of [{ client: 'prisma-client-js' }, { options: 'language = "js"' }]) {
      const folder = await generateProject(schema(MODELS, options))
      expect(existsSync(join(folder, 'snoflax/index.ts'))).toBe(false)
      expect(existsSync(join(folder, 'snoflax/index.d.ts'))).toBe(true)
      expect(Object.keys((await generatedModule(folder)).configuration.models)).toEqual(['Customer', 'Order'])
    }
    const told = await mistakesOf(MODELS, { options: 'language = "coffee"' })
    expect(told).toEqual(['language: must be "ts" or "js", not "coffee"'])
  })

  test('leaves out what the schema hides from the client', async () => {
    const folder = await generateProject(
      schema(`
model Hidden {
  id     String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno
  code   String @unique @ignore
  rows   Row[]
}
model Row {
  id     String  @id @default(dbgenerated()) @db.Uuid /// @snoflax flax
  code   String?
  hidden Hidden? @relation(fields: [code], references: [code])
}
`),
    )
    const { Hidden, Row } = (await generatedModule(folder)).configuration.models
    expect([Object.keys(Hidden), Object.keys(Row)]).toEqual([['id'], ['id']])
  })

  test('contains composite keys of tenants that reference themselves and each other', async () => {
    const folder = await generateProject(
      schema(`
model Node {
  tenantId String  @db.Uuid /// @snoflax sno
  id       String  @default(dbgenerated()) @db.Uuid /// @snoflax flax
  parentId String? @db.Uuid
  parent   Node?   @relation("tree", fields: [tenantId, parentId], references: [tenantId, id], onDelete: NoAction, onUpdate: NoAction)
  children Node[]  @relation("tree")
  headId   String? @db.Uuid
  head     Leaf?   @relation("head", fields: [tenantId, headId], references: [tenantId, id], onDelete: NoAction, onUpdate: NoAction, map: "head")
  leaves   Leaf[]  @relation("leaves")
  @@id([tenantId, id])
}
model Leaf {
  tenantId String @db.Uuid
  id       String @default(dbgenerated()) @db.Uuid /// @snoflax sno
  nodeId   String @db.Uuid
  node     Node   @relation("leaves", fields: [tenantId, nodeId], references: [tenantId, id], onDelete: NoAction, onUpdate: NoAction)
  heads    Node[] @relation("head")
  @@id([tenantId, id])
}
`),
    )
    const { Node, Leaf } = (await generatedModule(folder)).configuration.models
    const familyOf = (ids: Record<string, { family: { name: string } }>) =>
      Object.entries(ids).map(([field, { family }]) => `${field} ${family.name}`)
    expect(familyOf(Node)).toEqual(['tenantId sno', 'id flax', 'parentId flax', 'headId sno'])
    expect(familyOf(Leaf)).toEqual(['tenantId sno', 'id sno', 'nodeId flax'])
  })

  test('generates a prefix in one column, also of several models, and in circles of keys', async () => {
    const id = 'String @id @default(dbgenerated()) /// @snoflax flax'
    const folder = await generateProject(
      schema(
        `
model A { id ${id} prefix=a\n @@map("rows")\n @@schema("one")\n}
model B { id ${id} prefix=a\n copyOf String? /// @snoflax flax prefix=a\n @@map("rows")\n @@schema("two")\n}
model Doc { id ${id}
  setting String? @default(dbgenerated("current_setting('app.doc')"))
  current Version? @relation("current", fields: [id], references: [docId])
  versions Version? @relation("versions")
  by Doc? @relation("by", fields: [setting], references: [id])
  of Doc[] @relation("by")
  @@schema("one")\n}
model Version { docId String @id
  doc Doc @relation("versions", fields: [docId], references: [id])
  of Doc? @relation("current")
  @@schema("one")\n}`,
        { datasource: 'schemas = ["one", "two"]' },
      ),
    )
    const { configuration, snoflax } = await generatedModule(folder)
    expect(configuration.models.Doc.id).toMatchObject({ generated: true, relations: ['current'] })
    expect(configuration.models.Version.docId).not.toHaveProperty('generated')
    const { PrismaClient } = await import(join(folder, 'client/client.ts'))
    expect(new PrismaClient({ adapter: { provider: 'postgres' } }).$extends(snoflax())).toHaveProperty(
      '$find',
    )
  })

  test('replaces the files of an earlier run, and no others', async () => {
    const written = '/* eslint-disable */\n// Written by snoflax-prisma-generator from the Prisma schema.\n'
    const files = {
      'snoflax/index.js': written,
      'snoflax/collation.sql': '-- Written by snoflax-prisma-generator.\n',
      'snoflax/index.d.ts': '// my own\n',
      'snoflax/notes.sql': '-- Written by snoflax-prisma-generator and kept\n',
    }
    const id = 'model A { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n}'
    const folder = await generateProject({ ...schema(id), ...files })
    expect(readdirSync(join(folder, 'snoflax')).sort()).toEqual(['index.d.ts', 'index.ts', 'notes.sql'])
  })

  test('comes with a migration that gives text columns the collation "C"', async () => {
    const folder = await generateProject(schema(MODELS))
    expect(readFileSync(join(folder, 'snoflax/collation.sql'), 'utf8').split('\n').slice(1)).toEqual([
      'ALTER TABLE "orders" ALTER COLUMN "order_id" TYPE char(16) COLLATE "C";',
      'ALTER TABLE "_OrderToTag" ALTER COLUMN "A" TYPE char(16) COLLATE "C";',
      'ALTER TABLE "_next" ALTER COLUMN "A" TYPE char(16) COLLATE "C";',
      'ALTER TABLE "_next" ALTER COLUMN "B" TYPE char(16) COLLATE "C";',
      '',
    ])
  })

  test('comes with that migration for every type of text', async () => {
    const id = (name: string, type: string) =>
      `model ${name} { id String @id @default(dbgenerated()) ${type} /// @snoflax flax\n}\n`
    const models = [id('A', ''), id('B', '@db.Text'), id('C', '@db.VarChar'), id('D', '@db.VarChar(20)')]
    const folder = await generateProject(schema(models.join('')))
    expect(readFileSync(join(folder, 'snoflax/collation.sql'), 'utf8').match(/TYPE .* COLLATE/g)).toEqual([
      'TYPE text COLLATE',
      'TYPE text COLLATE',
      'TYPE varchar COLLATE',
      'TYPE varchar(20) COLLATE',
    ])
  })
})

describe('types of the client', () => {
  const MODELS = 'model A { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n}'

  test('need our generator below the client\'s, and the brands "strict" or "results"', async () => {
    expect(await mistakesOf(MODELS, { options: 'brands = "none"' })).toEqual([
      'brands: must be "strict" or "results", not "none"',
    ])
    expect(await mistakesOf(MODELS, { options: 'branded = "none"' })).toEqual([
      'branded: must be true or false, not "none"',
    ])
    const [[file, text]] = Object.entries(schema(MODELS)) as [[string, string]]
    const client = /generator client \{[^}]*\}\n/.exec(text)?.[0] as string
    expect(await refusalOfProject({ [file]: text.replace(client, '') + client })).toContain(
      'generator snoflax: write it below generator client, to whose types it adds ids',
    )
  })

  test('are written in one run with the client', async () => {
    const folder = await generateProject(schema(MODELS))
    expect(await generateAgain(folder, ['snoflax'])).toContain(
      'generate both in one run, without --generator',
    )
    expect(await generateAgain(folder)).toBeUndefined()
    expect(readFileSync(join(folder, 'client/models/A.ts'), 'utf8')).toContain('id: Prisma.$SnoId')
  })

  test.each(['mts', 'cts'])('are written into files ending in .%s', async (extension) => {
    const [[file, text]] = Object.entries(schema(MODELS)) as [[string, string]]
    const client = text.replace(/^generator client \{/m, `$&\n  generatedFileExtension = "${extension}"`)
    const folder = await generateProject({ [file]: client })
    expect(readFileSync(join(folder, `client/models/A.${extension}`), 'utf8')).toContain('id: Prisma.$SnoId')
  })

  test('are refused if they are not as Prisma writes them', async () => {
    const [[file, text]] = Object.entries(schema(MODELS)) as [[string, string]]
    const second = `generator again {\n  provider = "${PROVIDER}"\n  output = "../again"\n}\n`
    expect(await refusalOfProject({ [file]: text + second })).toMatch(
      /the client's type A\w+\.id: Prisma\.\$Sno\S+ is not as Prisma 6\.19 to 7 writes it/,
    )
  })
})

describe('families of your own', () => {
  const TICKETS = `
import { defineFamily, flax } from '@snoflax/core'
export const tickets = defineFamily({ ...flax, name: 'ticket', tag: 0, lowerBoundMs: (ms) => flax.lowerBound(new Date(ms)) })
`
  const MODELS = 'model Ticket { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax tickets\n}'

  test('are imported from a module', async () => {
    const files = { ...schema(MODELS, { options: 'families = "../ids.js"' }), 'ids.js': TICKETS }
    const folder = await generateProject(files)
    const module = await generatedModule(folder)
    const { family } = module.configuration.models.Ticket.id
    expect(family.name).toBe('ticket')
    expect(readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')).toContain(
      'readonly ticket: IdSource<ReturnType<typeof tickets.parse>>',
    )
    expect(() => module.snoflax()).toThrow(
      'Ticket.id: ticket has no default generator; pass snoflax({ generators: { ticket: an IdGenerator } })',
    )
  })

  test('may have any name', async () => {
    const dashed = TICKETS.replace("'ticket'", "'my-ticket'")
    const files = {
      ...schema(MODELS, { options: 'families = "../ids.js"\n  language = "js"' }),
      'ids.js': dashed,
    }
    const folder = await generateProject({
      ...files,
      'ids.d.ts': "import { flax } from '@snoflax/core'\nexport declare const tickets: typeof flax\n",
    })
    expect(diagnosticsOf(join(folder, 'snoflax/index.d.ts'))).toEqual([])
    expect(readFileSync(join(folder, 'snoflax/index.d.ts'), 'utf8')).toContain(
      'readonly "my-ticket": IdSource',
    )
  })

  test('with the same name are refused if both generate ids', async () => {
    const discord =
      "import { flake } from '@snoflax/core'\nexport const discord = flake.withEpoch(1_420_070_400_000)\n"
    const model = (mine: string) => `
model A {
  id   BigInt @id @default(dbgenerated()) /// @snoflax flake
  mine BigInt ${mine} /// @snoflax discord
}`
    const options = { options: 'families = "../ids.js"' }
    const files = (mine: string) => ({ ...schema(model(mine), options), 'ids.js': discord })
    const told = await refusalOfProject(files('@default(dbgenerated())'))
    expect(told).toContain(
      'A.mine: flake and discord are both named flake, the name that generators are passed by; ' +
        'rename one of them with defineFamily',
    )
    expect((await generatedModule(await generateProject(files('')))).snoflax).toBeTypeOf('function')
  })

  test('are imported from packages and modules, the first that has the name', async () => {
    const models = `
model A { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax uid createdAt\n}
model B { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax tickets\n}
model C { id String @id @default(dbgenerated()) @db.Uuid /// @snoflax sno\n}`
    const options = { options: 'families = ["@snoflax/families", "../ids.js"]' }
    const folder = await generateProject({ ...schema(models, options), 'ids.js': TICKETS })
    const text = readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')
    for (const line of [
      "import { uid } from '@snoflax/families'",
      "import { tickets } from '../ids.js'",
      "import { sno } from '@snoflax/core'",
    ]) {
      expect(text).toContain(line)
    }
    const { family } = (await generatedModule(folder)).configuration.models.A.id
    expect(family.time(family.generator({ node: 'a' }).generate()).getTime()).toBeGreaterThan(1e12)
  })

  test('from a package that is not listed are refused, and the package is named', async () => {
    const [told] = await mistakesOf(MODELS.replace('tickets', 'twitter'))
    expect(told).toMatch(/no family "twitter", only .*flax/)
    expect(told).toContain('@snoflax/families has more: families = "@snoflax/families"')
  })

  test('from a missing module are refused', async () => {
    const [told] = await mistakesOf(MODELS, { options: 'families = "../nowhere.js"' })
    expect(told).toMatch(/^families: Node can't import .*nowhere\.js: Cannot find module/)
  })
})
