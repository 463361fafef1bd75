import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flax, prefixed, uuid7 } from '@snoflax/core'
import { keyset } from '@snoflax/prisma-extension'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { diagnosticsOf, STRICTEST } from './project/compile.js'
import { generateProject, type ProjectFiles, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const MODELS = `
model Account {
  id      String    @id @default(dbgenerated()) /// @snoflax flax prefix=acc accept=/user-\\d+/ accept=/the \\/ [a=b] one/i onMismatch=notFound createdAt
  name    String?
  posts   Post[]
  friends Account[] @relation("friends")
  of      Account[] @relation("friends")
}
model Post {
  id       String   @id @default(dbgenerated()) /// @snoflax flax accept=uuid7 branded=true
  title    String?
  authorId String?  /// @snoflax flax createdAt=authorSince
  author   Account? @relation(fields: [authorId], references: [id])
  traceId  String?  /// @snoflax sno accept=/trace-\\d+/ branded=false
  slots    Slot[]
}
model Slot {
  postId String
  number Int
  post   Post   @relation(fields: [postId], references: [id])
  @@id([postId, number])
}
`

/** Rows have keys of other kinds, too. */
const ours = (provider: string) => projectOf(MODELS, { provider })
/** All keys are plain text. */
const plainText = (provider: string) =>
  projectOf(MODELS.replaceAll(/ +\/\/\/.*$/gm, ''), { provider, options: null })

const OURS = expect.stringMatching(prefixed(flax, 'acc').pattern)
const FOREIGN = 'no such id!'

/** What a call returns, or how it fails. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: { code?: string; name: string }) => ({ error: error.code ?? error.name }))

describe.each([
  ['sqlite', () => sqlite.open()],
  // Both sides sort as ids do, without collation.sql.
  ['postgresql', () => postgres.open({ collation: 'C' })],
] as const)('%s', (provider, openDatabase) => {
  const opened: { close(): Promise<unknown> }[] = []
  const open = async (files: ProjectFiles) => {
    const folder = await generateProject(files)
    const database: OpenDatabase = await openDatabase()
    await pushSchema(folder, database)
    const bare = await clientOf(folder, database)
    opened.push({ close: () => bare.$disconnect() }, database)
    return { folder, bare }
  }
  let plain: AnyClient
  let prisma: AnyClient
  let folder: string
  beforeAll(async () => {
    plain = (await open(plainText(provider))).bare
    const made = await open(ours(provider))
    folder = made.folder
    prisma = made.bare.$extends((await generatedModule(folder)).snoflax())
  })
  afterAll(async () => {
    for (const one of opened) await one.close()
  })
  beforeEach(async () => {
    for (const client of [plain, prisma]) {
      for (const model of ['slot', 'post', 'account']) await client[model].deleteMany()
      await client.account.createMany({
        data: [
          { id: 'user-1', name: 'Ada' },
          { id: 'user-2', name: 'Bob' },
        ],
      })
      const id = '0190163d-8694-739b-aea5-966c26f8ad91'
      await client.post.create({ data: { id, title: 'old', authorId: 'user-1', traceId: 'trace-7' } })
    }
  })

  const CALLS: readonly (readonly [
    name: string,
    call: (client: AnyClient, id: string) => Promise<unknown>,
  ])[] = [
    ['findUnique', ({ account }, id) => account.findUnique({ where: { id } })],
    ['findUniqueOrThrow', ({ account }, id) => account.findUniqueOrThrow({ where: { id } })],
    ['findFirst', ({ account }, id) => account.findFirst({ where: { OR: [{ id }, { name: id }] } })],
    ['in', ({ account }, id) => account.findMany({ where: { id: { in: [id, 'user-1'] } } })],
    ['notIn', ({ account }, id) => account.findMany({ where: { id: { notIn: [id, 'user-1'] } } })],
    ['not', ({ account }, id) => account.count({ where: { NOT: { id: { not: id } } } })],
    ['equals', ({ account }, id) => account.count({ where: { id: { equals: id } } })],
    ['cursor', ({ account }, id) => account.findMany({ cursor: { id }, orderBy: { id: 'asc' } })],
    [
      'having',
      ({ account }, id) => account.groupBy({ by: ['name'], having: { id: { _min: { equals: id } } } }),
    ],
    ['relation', ({ post }, id) => post.findMany({ where: { author: { id } } })],
    ['foreign key', ({ post }, id) => post.findMany({ where: { authorId: id } })],
    ['of a list', ({ account }, id) => account.count({ where: { posts: { some: { authorId: id } } } })],
    ['include', ({ account }, id) => account.findMany({ include: { posts: { where: { authorId: id } } } })],
    [
      '_count',
      (client, id) => client.account.findMany({ select: { _count: { select: { of: { where: { id } } } } } }),
    ],
    ['update', ({ account }, id) => account.update({ where: { id }, data: { name: 'x' } })],
    ['updateMany', ({ account }, id) => account.updateMany({ where: { id }, data: { name: 'x' } })],
    ['delete', ({ account }, id) => account.delete({ where: { id } })],
    ['deleteMany', ({ account }, id) => account.deleteMany({ where: { id } })],
    ['connect', ({ post }, id) => post.create({ data: { id: uuid7.min, author: { connect: { id } } } })],
    [
      'connect a list',
      ({ account }, id) => account.update({ where: { id: 'user-1' }, data: { of: { connect: { id } } } }),
    ],
    [
      'disconnect',
      ({ account }, id) => account.update({ where: { id: 'user-1' }, data: { of: { disconnect: { id } } } }),
    ],
    [
      'set',
      ({ account }, id) => account.update({ where: { id: 'user-1' }, data: { of: { set: [{ id }] } } }),
    ],
    [
      'delete of a list',
      ({ account }, id) => account.update({ where: { id: 'user-1' }, data: { of: { delete: { id } } } }),
    ],
    ['chain', ({ account }, id) => account.findUnique({ where: { id } }).posts()],
  ]
  const bare = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value ?? null, (key, one) => (/^createdAt$|Since$/.test(key) ? undefined : one)),
    )

  test.each(CALLS)('%s finds as with plain keys', async (_, call) => {
    for (const id of ['user-1', 'user-2', 'user-404', 'The / a one', flax.generate(), FOREIGN, '']) {
      const expected = bare(await outcome(call(plain, id)))
      expect({ id, found: bare(await outcome(call(prisma, id))) }).toEqual({ id, found: expected })
    }
  })

  type Bounded = readonly [name: string, call: (client: AnyClient, bound: unknown) => Promise<unknown>]
  const BOUNDS: readonly Bounded[] = [
    ['gte', ({ account }, gte) => account.deleteMany({ where: { id: { gte } } })],
    ['lt', ({ account }, lt) => account.updateMany({ where: { id: { lt } }, data: { name: 'x' } })],
    ['gt and lte', ({ account }, gt) => account.count({ where: { id: { gt, lte: 'user-1' } } })],
    ['not', ({ account }, gt) => account.deleteMany({ where: { id: { not: { gt } } } })],
    ['AND', ({ account }, lte) => account.findMany({ where: { AND: [{ id: { lte } }] } })],
    ['OR', ({ account }, gt) => account.deleteMany({ where: { OR: [{ name: 'Bob' }, { id: { gt } }] } })],
    ['NOT', ({ account }, gt) => account.findFirst({ where: { NOT: { id: { gt } } } })],
    ['relation', ({ post }, gte) => post.deleteMany({ where: { author: { id: { gte } } } })],
    ['is', ({ post }, gte) => post.count({ where: { author: { is: { id: { gte } } } } })],
    ['some', ({ account }, lt) => account.count({ where: { posts: { some: { authorId: { lt } } } } })],
    [
      'include',
      ({ account }, lt) => account.findMany({ include: { posts: { where: { authorId: { lt } } } } }),
    ],
    [
      '_count',
      ({ account }, lt) =>
        account.findMany({ select: { _count: { select: { of: { where: { id: { lt } } } } } } }),
    ],
    [
      'cursor',
      ({ account }, gt) =>
        account.findMany({ cursor: { id: 'user-1', AND: [{ id: { gt } }] }, orderBy: { id: 'asc' } }),
    ],
    [
      'having',
      ({ account }, gt) => account.groupBy({ by: ['id'], having: { id: { gt } }, orderBy: { id: 'asc' } }),
    ],
    ...['_min', '_max'].map(
      (end): Bounded => [
        `having ${end}`,
        ({ account }, lte) =>
          account.groupBy({ by: ['name'], having: { id: { [end]: { lte } } }, orderBy: { name: 'asc' } }),
      ],
    ),
    ['unique', ({ account }, gt) => account.findUnique({ where: { id: 'user-1', AND: { id: { gt } } } })],
    [
      'update',
      ({ account }, gt) => account.update({ where: { id: 'user-1', OR: [{ id: { gt } }] }, data: {} }),
    ],
    [
      'nested deleteMany',
      ({ account }, authorId) =>
        account.update({
          where: { id: 'user-1' },
          data: { posts: { deleteMany: { authorId: { gte: authorId } } } },
        }),
    ],
    [
      'nested updateMany',
      ({ account }, gte) =>
        account.update({
          where: { id: 'user-1' },
          data: { posts: { updateMany: { where: { authorId: { gte } }, data: { title: 'x' } } } },
        }),
    ],
    [
      'chain',
      ({ account }, gt) =>
        account.findUnique({ where: { id: 'user-1' } }).posts({ where: { authorId: { gt } } }),
    ],
    ['keyset', ({ account }, after) => account.findMany(keyset({ after: after as string, take: 2 }))],
    [
      'keyset, descending',
      ({ post }, after) =>
        post.findMany(keyset({ after: after as string, take: 2, order: 'desc', field: 'authorId' })),
    ],
  ]

  test.each(BOUNDS)('a bound is an id of the field: %s', async (_, call) => {
    for (const id of ['user-1', 'user-404', 'The / a one', 'acc_Kpcan0M1FakODT4k']) {
      const expected = bare(await outcome(call(plain, id)))
      expect({ id, found: bare(await outcome(call(prisma, id))) }).toEqual({ id, found: expected })
    }
    const state = () => Promise.all([prisma.account.findMany(), prisma.post.findMany()])
    const before = await state()
    const future = flax.range(new Date('2040-01-01'), Number.POSITIVE_INFINITY).gte
    for (const bound of [
      '',
      FOREIGN,
      future,
      `post_${future}`,
      5,
      false,
      new Date(),
      ['user-1'],
      { contains: 'user' },
    ]) {
      await expect(call(prisma, bound)).rejects.toMatchObject({
        name: 'IdError',
        statusCode: 400,
        path: expect.stringMatching(
          /^(?:Account\.id|Post\.authorId), in (?:account|post)\.\w+: .*(?:gte?|lte?)$/,
        ),
        message: expect.stringMatching(
          /; for a time, use createdBetween\('(?:Account\.id|Post\.authorId)', from, to\)$/,
        ),
      })
    }
    expect(await state()).toEqual(before)
  })

  test('a time names its field', async () => {
    const { accId, createdAfter, createdBefore, createdBetween } = await generatedModule(folder)
    const { id } = await prisma.account.create({ data: { name: 'Cy', posts: { create: {} } } })
    const [hour, later] = [accId.timeMs(id) - 3_600_000, new Date('2040-01-01')]
    const count = async (filter: object) => [
      await prisma.account.count({ where: { id: filter } }),
      await prisma.post.count({ where: { author: { id: filter } } }),
    ]
    expect(await count(createdBetween('Account.id', hour, later))).toEqual([1, 1])
    expect(await count(createdBetween('Post.authorId', hour, later))).toEqual([1, 1])
    expect(await count(createdAfter('Account.id', later))).toEqual([0, 0])
    expect(await count({ ...createdBefore('Account.id', hour), startsWith: 'acc_' })).toEqual([0, 0])
    expect(await prisma.account.deleteMany({ where: { id: createdAfter('Account.id', later) } })).toEqual({
      count: 0,
    })
    expect(accId.is(createdBetween('Account.id', hour, later).gte)).toBe(true)
  })

  test('a field without onMismatch refuses it, and a number is refused everywhere', async () => {
    await expect(prisma.post.findUnique({ where: { id: FOREIGN } })).rejects.toMatchObject({
      name: 'IdError',
      statusCode: 400,
      path: 'Post.id, in post.findUnique: where.id',
    })
    await expect(prisma.post.findFirst({ where: { traceId: FOREIGN } })).rejects.toThrow(
      /also accepted: .*trace/,
    )
    await expect(prisma.account.findFirst({ where: { id: 5 } })).rejects.toMatchObject({
      code: 'INVALID_TYPE',
    })
  })

  test('data is checked in every write', async () => {
    const refused = (call: Promise<unknown>, path: string) =>
      expect(call).rejects.toMatchObject({
        name: 'IdError',
        statusCode: 400,
        path: expect.stringContaining(path),
      })
    await refused(prisma.account.create({ data: { id: FOREIGN } }), 'Account.id, in account.create: data.id')
    await refused(prisma.account.createMany({ data: [{ id: 'user-1\n' }] }), 'data[0].id')
    await refused(prisma.post.create({ data: { authorId: FOREIGN } }), 'Post.authorId')
    await refused(
      prisma.account.update({ where: { id: 'user-1' }, data: { id: FOREIGN } }),
      'Account.id, in account.update: data.id',
    )
    const where = { id: FOREIGN }
    await refused(prisma.account.upsert({ where, create: where, update: {} }), 'account.upsert: create.id')
    const connectOrCreate = { where, create: where }
    await refused(prisma.post.create({ data: { author: { connectOrCreate } } }), 'connectOrCreate.create.id')
    const { id } = await prisma.account.upsert({ where, create: { name: 'Cy' }, update: {} })
    expect(id).toEqual(OURS)
  })

  test('new rows get our ids, and others have no time', async () => {
    const beginMs = Date.now()
    const post = await prisma.post.create({
      data: { author: { create: { name: 'Cy' } } },
      include: { author: true },
    })
    expect(flax.is(post.id)).toBe(true)
    expect(post.author.id).toEqual(OURS)
    expect([post.author.createdAt, post.authorSince]).toEqual([expect.any(Date), post.author.createdAt])
    const old = await prisma.post.findFirst({ where: { title: 'old' }, include: { author: true } })
    expect(old).toMatchObject({ authorId: 'user-1', authorSince: null, traceId: 'trace-7' })
    expect(old.author).toEqual({ id: 'user-1', name: 'Ada', createdAt: null })
    await prisma.account.create({ data: { id: 'the / B ONE' } })
    await prisma.slot.create({ data: { postId: old.id, number: 1 } })
    const key = { postId_number: { postId: old.id, number: 1 } }
    expect(await prisma.slot.findUnique({ where: key })).toEqual({ postId: old.id, number: 1 })
    const { createdBetween } = await generatedModule(folder)
    const now = { id: createdBetween('Account.id', beginMs, Date.now() + 60_000) }
    expect(await prisma.account.findMany({ where: now })).toEqual([post.author])
  })

  test('the generated module and the client compile with the types of their fields', async () => {
    const text = readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')
    expect(text).toContain(
      "accept: [/user-\\d+/, /the \\/ [a=b] one/i], onMismatch: 'notFound', createdAt: 'createdAt' }",
    )
    expect(text).toContain("'Account.id': string\n")
    expect(text).toContain(
      "'Post.id': IdOf<ReturnType<typeof flax.parse>, 'Post'> | IdOf<ReturnType<typeof uuid7.parse>, 'Post'>\n",
    )
    expect(text).toContain("'Slot.postId': IdOf<ReturnType<typeof flax.parse>, 'Post'> |")
    expect(text).toContain('createdAt: Date | null')
    expect(diagnosticsOf(join(folder, 'snoflax/index.ts'), STRICTEST)).toEqual([])
    const own = (file: string) => readFileSync(join(folder, `client/models/${file}.ts`), 'utf8')
    expect(own('Account')).not.toContain('$Flax')
    expect(own('Account')).not.toContain('$Text')
    expect(own('Post')).toContain('id: Prisma.$FlaxOrUuid7IdOfPost')
    expect(own('Post')).toMatch(/ authorId: string \| null/)
    expect(own('Post')).toMatch(/ traceId: string \| null/)
  })
})

test('with branded = false all fields are texts, but for those that say otherwise', async () => {
  const models = `${MODELS}
model Blob {
  id    Bytes  @id @default(dbgenerated()) /// @snoflax sno createdAt
  ownId String @unique /// @snoflax sno
}`
  const options = 'branded = false'
  const folder = await generateProject(projectOf(models, { provider: 'sqlite', options }))
  const own = (model: string) => readFileSync(join(folder, `client/models/${model}.ts`), 'utf8')
  expect(own('Post')).toContain('id: Prisma.$FlaxOrUuid7IdOfPost')
  expect(own('Slot')).toContain('postId: Prisma.$FlaxOrUuid7IdOfPost')
  expect(own('Blob')).toMatch(/ id: Prisma\.\$Text$/m)
  expect(own('Blob')).toMatch(/ ownId: string$/m)
  const types = readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')
  expect(types).toContain("'Blob.id': string\n")
  expect(types).toContain("export type BlobId = IdTypes['Blob.id']")
  expect(diagnosticsOf(join(folder, 'snoflax/index.ts'), STRICTEST)).toEqual([])
})
