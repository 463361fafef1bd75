import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type OpenDatabase,
  type PostgresDatabase,
  postgres,
  type SqliteDatabase,
  sqlite,
} from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, adapterOf, clientOf, PrismaPg, pushSchema } from './project/clients.js'
import { COMMAND, generateProject, projectOf } from './project/generate.js'
import { changesTo, describingPool } from './project/push.js'
import { installed, schemaFor, schemaForEngine, VERSION } from './project/version.js'
import { generatedModule } from './shop/open.js'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const run = promisify(execFile)

const EMPTY = /^(?:-- This is an empty migration\.)?\s*$/

const MODELS = (uuid: string) => `
model User {
  id        String    @id @default(cuid()) @map("user_id")
  email     String    @unique
  plan      Plan?     @relation(fields: [planId], references: [id])
  planId    String?
  boss      User?     @relation("boss", fields: [bossId], references: [id], onDelete: SetNull)
  bossId    String?
  staff     User[]    @relation("boss")
  posts     Post[]
  profile   Profile?
  @@map("app_users")
}

/// Its keys are decided by people.
model Plan {
  id    String @id
  users User[]
}

model Profile {
  userId String @id
  user   User   @relation(fields: [userId], references: [id], onDelete: Cascade)
  bio    String
}

model Post {
  id       String    @id @default(uuid(7))
  title    String
  authorId String
  author   User      @relation(fields: [authorId], references: [id], onDelete: Cascade)
  tags     Tag[]
  comments Comment[]
}

model Tag {
  id    String @id @default(nanoid(10))
  name  String @unique
  posts Post[]
}

model Comment {
  postId String
  id     String @default(ulid())
  post   Post   @relation(fields: [postId], references: [id], onDelete: Cascade)
  body   String
  files  File[]
  @@id([postId, id])
}

model File {
  ${uuid}
  postId    String
  commentId String
  comment   Comment @relation(fields: [postId, commentId], references: [postId, id], onDelete: Cascade)
}
`

/** An application, as it was written for Prisma's own ids. */
async function program(prisma: AnyClient, run: string): Promise<unknown[]> {
  const email = (name: string) => `${name}-${run}@example.com`
  const ada = await prisma.user.create({
    data: {
      email: email('ada'),
      plan: { connectOrCreate: { where: { id: 'pro' }, create: { id: 'pro' } } },
      profile: { create: { bio: 'first' } },
      posts: {
        create: [
          { title: 'a', tags: { create: [{ name: `x${run}` }] } },
          { title: 'b', comments: { create: { body: 'c', files: { create: {} } } } },
        ],
      },
    },
    include: {
      profile: true,
      plan: true,
      posts: { include: { tags: true, comments: { include: { files: true } } } },
    },
  })
  const bob = await prisma.user.upsert({
    where: { email: email('bob') },
    create: { email: email('bob'), bossId: ada.id },
    update: {},
  })
  const { count } = await prisma.post.createMany({
    data: [1, 2, 3].map((n) => ({ title: `${n}`, authorId: bob.id })),
  })
  const [first] = await prisma.post.findMany({
    where: { authorId: bob.id },
    orderBy: { title: 'asc' },
    take: 1,
  })
  const next = await prisma.post.findMany({
    where: { author: { boss: { is: { id: ada.id } } } },
    orderBy: { title: 'asc' },
    cursor: { id: first.id },
    skip: 1,
  })
  const moved = await prisma.$transaction(async (tx: AnyClient) => {
    await tx.post.update({ where: { id: first.id }, data: { author: { connect: { id: ada.id } } } })
    return tx.user.findUniqueOrThrow({
      where: { id: ada.id },
      include: { _count: { select: { posts: true } } },
    })
  })
  const [raw] = await prisma.$queryRaw`SELECT user_id FROM app_users WHERE user_id = ${bob.id}`
  const missing = [
    await prisma.user.findUnique({ where: { id: 'nobody' } }),
    await prisma.comment.findFirst({ where: { OR: [{ id: 'none' }, { postId: { in: ['none'] } }] } }),
    await prisma.user
      .update({ where: { id: 'nobody' }, data: { email: 'x' } })
      .catch(({ code }: { code: string }) => code),
  ]
  const deleted = await prisma.user.delete({ where: { id: bob.id } })
  return [ada, bob, count, next, moved, raw.user_id === bob.id, missing, deleted]
}

/** Ids by what they look like. */
const shapes = (rows: unknown, run: string): unknown =>
  JSON.parse(
    JSON.stringify(rows)
      .replaceAll(run, '')
      .replace(/"c[a-z0-9]{24}"/g, '"cuid"')
      .replace(/"[0-9a-f]{8}-[0-9a-f]{4}-([47])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/g, '"uuid $1"')
      .replace(/"[0-7][0-9A-HJKMNP-TV-Z]{25}"/g, '"ulid"')
      .replace(/"[\w-]{10}"/g, '"nanoid"'),
  )

describe.each([
  ['sqlite', () => sqlite.open(), 'id String @id @default(uuid())'],
  ['postgresql', () => postgres.open(), 'id String @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid'],
] as const)('snoflax adopt code keeps an application as it is, %s', (provider, open, uuid) => {
  const files = projectOf(MODELS(uuid), { provider, options: null })
  const schema = files['schema/schema.prisma']
  let database: OpenDatabase
  let project: string
  let clients: AnyClient[] = []
  beforeAll(async () => {
    database = await open()
    mkdirSync(at('../.vitest'), { recursive: true })
    project = mkdtempSync(at('../.vitest/adopt-code-'))
  })
  afterAll(async () => {
    for (const client of clients) await client.$disconnect()
    await database?.close()
    rmSync(project, { recursive: true })
  })

  test('the same rows, ids and tables before and after', async () => {
    const before = await generateProject(files)
    await pushSchema(before, database)
    const old = await clientOf(before, database)
    clients = [old]
    const expected = shapes(await program(old, 'before'), 'before')

    mkdirSync(join(project, 'schema'))
    const file = join(project, 'schema/schema.prisma')
    writeFileSync(file, schemaFor(schema))
    if (VERSION !== '') {
      mkdirSync(join(project, 'node_modules'))
      symlinkSync(installed('prisma'), join(project, 'node_modules/prisma'))
    }
    const url = provider === 'sqlite' ? (database as SqliteDatabase).file : (database as PostgresDatabase).url
    const args = ['adopt', 'code', project, '--url', url, '--write', '--json']
    const told = JSON.parse(
      (await run(process.execPath, [at('../../../tools/cli/bin/snoflax.js'), ...args])).stdout,
    )
    expect(told).toMatchObject({ checked: true, written: true, left: [], faults: [] })
    expect(told.counts).toEqual({ tables: 7, keys: 6, references: 7, adopted: 11, done: 0, kept: 2, left: 0 })

    const changed = readFileSync(file, 'utf8')
    const added = changed.split('\n').filter((line) => !schemaFor(schema).includes(line))
    expect(
      added.every((line) =>
        /@snoflax|generator snoflax|provider = "snoflax|output {3}= "\.\.\/snoflax"/.test(line),
      ),
    ).toBe(true)
    const own = changed.replace('\n  engineType = "client"', '').replace('\n  url = "file:unused"', '')
    const after = await generateProject({
      'schema/schema.prisma':
        VERSION === '' ? own : own.replace('"snoflax-prisma-generator"', JSON.stringify(COMMAND)),
    })
    const { snoflax } = await generatedModule(after)
    const client = (await clientOf(after, database)).$extends(snoflax())
    clients.push(client)
    expect(shapes(await program(client, 'after'), 'after')).toEqual(expected)

    const [tables, tablesAfter] = [schema, own].map((text) =>
      changesTo(schemaForEngine(text), adapterOf(database), 'empty'),
    )
    expect(await tablesAfter).toBe(await tables)
    // The engine is the newest one, which doesn't read PostgreSQL by the adapter of Prisma 6.
    if (VERSION === '' || provider === 'sqlite') {
      const pool = provider === 'sqlite' ? undefined : describingPool(url)
      const adapter = pool ? new PrismaPg(pool) : adapterOf(database)
      expect(await changesTo(schemaForEngine(own), adapter, 'database')).toMatch(EMPTY)
      await pool?.end()
    }

    // What it gains: errors that say what is wrong, and a row by its id alone.
    const user = await old.user.findFirstOrThrow()
    expect(await client.$find(user.id)).toMatchObject({ model: 'User', row: user })
    await expect(client.post.create({ data: { title: 'x', authorId: 'nobody' } })).rejects.toThrow(
      'Post.authorId, in post.create: data.authorId: User: "nobody" does not match /c[a-z0-9]{24}/',
    )
    if (provider === 'postgresql') {
      const { id } = await old.file.findFirstOrThrow()
      expect(await old.file.findFirst({ where: { id: id.toUpperCase() } })).toMatchObject({ id })
      const upper = client.file.findFirst({ where: { id: id.toUpperCase() } })
      await expect(upper).rejects.toMatchObject({ name: 'IdError', statusCode: 400 })
    }
  })
})
