import { flax, sno } from '@snoflax/core'
import { postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outcome, sorted } from './differential/calls.js'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

// Each call on two clients: ours over columns that convert, and one without extension over text keys. Answers, errors and
// rows have to be the same. differential.long.test.ts does so for random calls.

const MODELS = `
model User {
  id        FLAX
  email     String  @unique
  name      String?
  managerId REF?
  manager   User?   @relation("managed", fields: [managerId], references: [id])
  reports   User[]  @relation("managed")
  follows   User[]  @relation("follows")
  followers User[]  @relation("follows")
  posts     Post[]  @relation("author")
  edited    Post[]  @relation("editor")
  profile   Profile?
  likes     Like[]
}
model Post {
  id       SNO
  slug     String
  data     Json?
  views    Int @default(0)
  authorId REF
  author   User  @relation("author", fields: [authorId], references: [id], onDelete: Cascade)
  editorId REF?
  editor   User? @relation("editor", fields: [editorId], references: [id])
  tags     Tag[]
  likes    Like[]
  @@unique([authorId, slug])
}
model Tag {
  id    FLAX
  label String @unique
  posts Post[]
}
model Like {
  userId REF
  postId REF
  kind   String @default("x")
  user   User   @relation(fields: [userId], references: [id], onDelete: Cascade)
  post   Post   @relation(fields: [postId], references: [id], onDelete: Cascade)
  notes  Note[]
  @@id([userId, postId])
}
model Note {
  id     FLAX
  userId REF
  postId REF
  like   Like   @relation(fields: [userId, postId], references: [userId, postId], onDelete: Cascade)
}
model Profile {
  userId REF @id
  bio    String
  user   User @relation(fields: [userId], references: [id], onDelete: Cascade)
}`

const key = (type: string, comment: string) =>
  `${type.replace(' ', ' @id @default(dbgenerated()) ')} ${comment}`

/** With ids as the type, or as plain text. */
function project(provider: string, type?: string) {
  const models = MODELS.replaceAll(/(FLAX|SNO)$/gm, (family) =>
    type ? key(type, `/// @snoflax ${family.toLowerCase()}`) : 'String @id @default(cuid())',
  ).replaceAll(
    /REF(\??)(.*)/g,
    (_, isOptional, rest) => (type ?? 'String ').replace(' ', `${isOptional} `) + rest,
  )
  return projectOf(models, { provider, options: type ? '' : null })
}

const idsOf = (family: typeof flax | typeof sno, from: number): string[] =>
  Array.from({ length: 6 }, (_, day) => family.generateAt(new Date(Date.UTC(2026, from, day + 1))))
const [u0, u1, u2, u3, u4, none] = idsOf(flax, 0) as [string, string, string, string, string, string]
const [p0, p1, p2, p3, p4, noPost] = idsOf(sno, 1) as [string, string, string, string, string, string]
const [t0, t1] = idsOf(flax, 2) as [string, string]
const known = new Set([u0, u1, u2, u3, u4, none, p0, p1, p2, p3, p4, noPost, t0, t1])

async function fill(prisma: AnyClient): Promise<void> {
  await prisma.user.createMany({
    data: [
      { id: u0, email: 'a', name: 'Ada' },
      { id: u1, email: 'b', name: 'Bob', managerId: u0 },
      { id: u2, email: 'c', managerId: u0 },
      { id: u3, email: 'd', name: 'Bob', managerId: u1 },
    ],
  })
  await prisma.post.createMany({
    data: [
      { id: p0, slug: 's', authorId: u0, editorId: u1, views: 5, data: { where: u0, id: 'x' } },
      { id: p1, slug: 't', authorId: u0, views: 6 },
      { id: p2, slug: 's', authorId: u1, editorId: u0, views: 7 },
      { id: p3, slug: 'v', authorId: u2, views: 8 },
    ],
  })
  await prisma.tag.create({ data: { id: t0, label: 't0', posts: { connect: { id: p0 } } } })
  await prisma.tag.create({ data: { id: t1, label: 't1' } })
  await prisma.like.create({ data: { userId: u0, postId: p0, notes: { create: { id: t0 } } } })
  await prisma.like.createMany({ data: [u0, u1].map((userId) => ({ userId, postId: p1, kind: 'y' })) })
  await prisma.profile.create({ data: { userId: u0, bio: 'B' } })
  await prisma.user.update({ where: { id: u0 }, data: { follows: { connect: [{ id: u1 }, { id: u2 }] } } })
}

const like = (userId: string, postId: string) => ({ userId_postId: { userId, postId } })
const slug = (authorId: string, slug: string) => ({ authorId_slug: { authorId, slug } })
const byId = { orderBy: { id: 'asc' } }

const READS: readonly (readonly [call: string, args: object])[] = [
  ...[{ OR: [] }, { AND: [] }, { NOT: [] }, { id: { in: [] } }, { id: { notIn: [] } }, { id: undefined }],
  ...[{ managerId: null }, { managerId: { not: null } }, { NOT: { managerId: null } }, { manager: null }],
  ...[{ managerId: { not: u0 } }, { managerId: { not: { in: [u0] } } }, { managerId: { notIn: [u0, u0] } }],
  ...[{ managerId: { in: [u0, null] } }, { managerId: { in: null } }, { id: { in: u0 } }, { id: [u0] }],
  ...[{ id: { in: [u0, u1, u2, none], not: u1, notIn: [u2] } }, { managerId: { not: { not: u0 } } }],
  ...[
    { manager: { isNot: null } },
    { manager: { id: u0 } },
    { manager: { isNot: { id: u0 } } },
    { manager: {} },
  ],
  ...[{ manager: { manager: { id: u0 } } }, { followers: { some: { id: u0 } } }, { posts: { some: {} } }],
  ...[
    { posts: { some: { tags: { some: { id: t0 } } }, none: { id: p3 } } },
    { posts: { every: { id: p3 } } },
  ],
  ...[
    { likes: { some: { notes: { some: { like: { postId: p0 } } } } } },
    { nope: 1 },
    { email: { nope: 1 } },
  ],
].map((where) => ['user.findMany', { where }] as const)

const CALLS: typeof READS = [
  ...READS,
  ['user.findUnique', { where: {} }],
  ['user.findUnique', { where: { id: u0, email: 'a', NOT: { managerId: u1 } } }],
  ['user.findUnique', { where: { id: none } }],
  ['user.findUniqueOrThrow', { where: { id: none } }],
  ['user.findFirstOrThrow', { where: { id: none } }],
  ['post.findUnique', { where: slug(u0, 't') }],
  ['like.findUnique', { where: like(u0, p0), include: { notes: true, user: true } }],
  ['like.findMany', { where: { NOT: { AND: [{ userId: u1 }, { postId: p0 }] } } }],
  ['post.findMany', { where: { data: { equals: { where: u0, id: 'x' } } } }],
  ['user.findMany', { cursor: { id: u1 }, ...byId, take: 2 }],
  ['user.findMany', { cursor: { id: u2 }, take: -2, ...byId }],
  ['user.findMany', { cursor: { id: u1 }, skip: 1, orderBy: { id: 'desc' } }],
  ['user.findMany', { cursor: { id: none }, ...byId }],
  ['like.findMany', { cursor: like(u0, p1), orderBy: [{ userId: 'asc' }, { postId: 'asc' }] }],
  ['post.findMany', { cursor: slug(u0, 't'), orderBy: [{ slug: 'asc' }, { views: 'asc' }] }],
  ['user.findMany', { include: { posts: { cursor: { id: p1 }, ...byId, take: 1 } }, ...byId }],
  ['post.findMany', { distinct: ['authorId'], ...byId }],
  ['user.findMany', { distinct: ['managerId'], ...byId, select: { managerId: true } }],
  ['post.findMany', { distinct: ['authorId', 'slug'], orderBy: { views: 'asc' }, select: { views: true } }],
  ['user.findMany', { include: { posts: { distinct: ['editorId'], ...byId } }, ...byId }],
  ['post.findMany', { orderBy: [{ author: { id: 'desc' } }, { id: 'asc' }] }],
  ['user.findMany', { orderBy: [{ managerId: { sort: 'asc', nulls: 'last' } }, { id: 'asc' }] }],
  ['user.findMany', { orderBy: [{ posts: { _count: 'desc' } }, { id: 'asc' }], select: { id: true } }],
  ['user.findMany', { select: { manager: { select: { id: true, manager: { select: { id: true } } } } } }],
  ['user.findMany', { select: { id: false, name: true } }],
  ['user.findMany', { select: {} }],
  ['user.findMany', { select: null }],
  ['user.findMany', { include: { posts: false, manager: true } }],
  ['user.findMany', { select: { id: true }, include: { posts: true } }],
  [
    'user.findMany',
    { include: { posts: { omit: { id: true, authorId: true } } }, omit: { managerId: true } },
  ],
  ['profile.findMany', { omit: { userId: true, bio: true } }],
  [
    'user.findMany',
    { include: { _count: true, follows: { include: { posts: { include: { likes: true } } } } } },
  ],
  [
    'user.findMany',
    { select: { _count: { select: { posts: { where: { editorId: u1 } }, follows: true } } } },
  ],
  [
    'post.groupBy',
    { by: ['authorId'], _count: { _all: true, id: true, editorId: true }, _sum: { views: true } },
  ],
  ['post.groupBy', { by: ['authorId', 'editorId'], _count: true }],
  ['post.groupBy', { by: ['authorId'], having: { authorId: { in: [u0, u2] }, id: { _count: { gt: 1 } } } }],
  ['post.groupBy', { by: 'authorId', having: { OR: [{ authorId: u1 }, { views: { _sum: { gt: 9 } } }] } }],
  ['post.groupBy', { by: ['authorId'], having: { AND: [{ authorId: { not: u0 } }], NOT: { authorId: u2 } } }],
  ['post.aggregate', { where: { id: { in: [] } }, _count: { id: true }, _sum: { views: true } }],
  ['post.aggregate', { cursor: { id: p1 }, ...byId, take: 2, _sum: { views: true }, _count: { id: true } }],
  ['post.count', { where: { authorId: u0 }, select: { _all: true, id: true, editorId: true } }],
  ['post.count', { cursor: { id: p1 }, ...byId }],

  ['user.create', { data: { email: 'z', id: undefined, managerId: undefined } }],
  ['user.create', { data: { email: 'z', id: null } }],
  ['user.create', { data: { email: 'a' } }],
  ['user.create', { data: { id: u0, email: 'z' } }],
  ['user.create', { data: { email: 'z', managerId: none } }],
  ['user.create', { data: {} }],
  ['post.create', { data: { author: { connect: { id: none } }, slug: 'k' } }],
  ['post.create', { data: { authorId: u0, editor: { connect: { id: u1 } }, slug: 'k' } }],
  [
    'post.create',
    { data: { author: { connect: { id: u0 } }, editor: { create: { email: 'z' } }, slug: 'k' } },
  ],
  ['post.create', { data: { authorId: u0, slug: 'k', likes: { create: [{ userId: u0 }, { userId: u2 }] } } }],
  ['note.create', { data: { like: { connect: like(u1, p1) } } }],
  [
    'note.create',
    { data: { like: { connectOrCreate: { where: like(u2, p1), create: { userId: u2, postId: p1 } } } } },
  ],
  [
    'user.create',
    {
      data: {
        email: 'z',
        manager: { connect: { id: u1 } },
        profile: { create: { bio: 'x' } },
        follows: {
          connect: [{ id: u0 }],
          create: { email: 'y', follows: { create: { email: 'x' } } },
          connectOrCreate: { where: { id: u3 }, create: { email: 'b' } },
        },
        posts: {
          create: [
            { slug: '1', likes: { create: { userId: u0, notes: { create: {} } } } },
            { slug: '2', editorId: u0 },
          ],
          connect: { id: p3 },
        },
      },
      include: { follows: true, posts: { include: { likes: { include: { notes: true } } } }, profile: true },
    },
  ],
  [
    'user.createMany',
    {
      data: [
        { email: 'q', id: u4 },
        { email: 'r', managerId: u4 },
        { email: 's', name: 'x' },
      ],
    },
  ],
  ['user.createMany', { data: [] }],
  ['user.createMany', { data: [{ email: 'a' }, { email: 'q' }], skipDuplicates: true }],
  [
    'user.createManyAndReturn',
    { data: [{ email: 'x' }, { email: 'q', managerId: u0 }], select: { email: true } },
  ],
  [
    'post.createManyAndReturn',
    { data: { slug: 'x', authorId: u1 }, include: { author: true }, omit: { id: true } },
  ],
  ['user.upsert', { where: { id: none }, create: { email: 'z' }, update: {} }],
  ['user.upsert', { where: { id: u4 }, create: { id: u4, email: 'z' }, update: { email: 'y' } }],
  ['user.upsert', { where: { email: 'a' }, create: { email: 'a', id: u4 }, update: { managerId: u1 } }],
  [
    'user.upsert',
    { where: { id: u0 }, create: { email: 'z' }, update: { posts: { create: { slug: 'n' } } } },
  ],
  ['user.upsert', { where: { email: 'a', managerId: u1 }, create: { email: 'w' }, update: { name: 'no' } }],
  ['like.upsert', { where: like(u3, p3), create: { userId: u3, postId: p3 }, update: { kind: 'z' } }],
  ['post.upsert', { where: slug(u0, 't'), create: { authorId: u0, slug: 't' }, update: { editorId: u3 } }],
  ['user.update', { where: { id: none }, data: { name: 'x' } }],
  ['user.update', { where: { id: u3 }, data: { id: u4 } }],
  [
    'user.update',
    { where: { id: u3 }, data: { id: { set: u4 }, managerId: { set: null } }, include: { posts: true } },
  ],
  ['like.update', { where: like(u1, p1), data: { postId: p2 } }],
  [
    'post.update',
    { where: { id: p1 }, data: { data: { id: u0, create: { id: 'no id' }, connect: [{ id: 1 }] } } },
  ],
  ['post.updateMany', { where: { OR: [{ authorId: u1 }, { id: p0 }] }, data: { editorId: u3 } }],
  [
    'post.updateMany',
    { where: { author: { is: { managerId: u0 } }, editorId: { not: null } }, data: { editorId: null } },
  ],
  [
    'post.updateManyAndReturn',
    { where: { authorId: u0 }, data: { editorId: u2 }, include: { editor: true } },
  ],
  ['post.deleteMany', { where: { id: { in: [] } } }],
  ['post.deleteMany', { where: { id: { notIn: [p0, p1] } } }],
  ['user.delete', { where: { id: u3, managerId: u0 } }],
  ['user.delete', { where: { id: u0 }, select: { id: true } }],
  ['user.delete', { where: { id: u3 }, include: { manager: true, posts: true } }],
  ['like.delete', { where: { ...like(u1, p1), kind: 'y' } }],
  ...(
    [
      [u0, { follows: { set: [{ id: u3 }, { email: 'b' }] } }],
      [u0, { follows: { set: [] } }],
      [u0, { follows: { set: [{ id: u1 }], connect: { id: u3 }, disconnect: [{ id: u1 }, { id: none }] } }],
      [u0, { edited: { set: [{ id: p3 }, slug(u0, 't')] } }],
      [u0, { posts: { disconnect: { id: p0 } } }],
      [u0, { posts: { delete: [{ id: p0 }], deleteMany: [{ id: p1 }, { id: { in: [] } }] } }],
      [u0, { posts: { delete: { id: p3 } } }],
      [
        u0,
        {
          posts: {
            update: [
              { where: { id: p0 }, data: { editorId: u3 } },
              { where: slug(u0, 't'), data: { views: 1 } },
            ],
          },
        },
      ],
      [u0, { posts: { updateMany: [{ where: { id: { not: p0 } }, data: { views: 2 } }] } }],
      [u0, { posts: { upsert: [{ where: { id: noPost }, create: { slug: 'w' }, update: {} }] } }],
      [u0, { posts: { upsert: { where: { id: p0 }, create: { slug: 'w' }, update: { views: 99 } } } }],
      [u0, { posts: { createMany: { data: [{ slug: 'x' }, { slug: 'y', editorId: u0 }] } } }],
      [u0, { posts: { connectOrCreate: { where: { id: noPost }, create: { slug: 'w' } } } }],
      [u0, { manager: { update: { name: 'x' } } }],
      [u0, { manager: { upsert: { create: { email: 'q' }, update: { name: 'boss' } } } }],
      [u0, { profile: { delete: true } }],
      [u0, { profile: { delete: { userId: u1 } } }],
      [u1, { manager: { disconnect: true } }],
      [u1, { manager: { disconnect: { id: u2 } } }],
      [u1, { manager: { update: { name: 'x', profile: { update: { bio: 'z' } } } } }],
      [u1, { manager: { update: { where: { id: u2 }, data: { name: 'x' } } } }],
      [u1, { manager: { upsert: { where: { id: u2 }, create: { email: 'q' }, update: { name: 'boss' } } } }],
      [u1, { profile: { upsert: { create: { bio: 'p' }, update: { bio: 'r' } } } }],
    ] as const
  ).map(
    ([id, data]) =>
      ['user.update', { where: { id }, data, include: { follows: true, profile: true } }] as const,
  ),
]

const users = (prisma: AnyClient, ids: readonly string[], more: object = {}) =>
  Promise.all(ids.map((id) => prisma.user.findUnique({ where: { id }, ...more })))

/** Several calls, which Prisma joins, and chains. */
const PROGRAMS: Readonly<Record<string, (prisma: AnyClient) => Promise<unknown>>> = {
  'findUnique in one tick': (prisma) => users(prisma, [u0, u1, u0, none], { include: { posts: true } }),
  'findUnique in one tick by a composite key': ({ like: likes }) =>
    Promise.all(
      [[u0, p0] as const, [u1, p0] as const].map((key) => likes.findUnique({ where: like(...key) })),
    ),
  'chains in one tick': ({ user }) =>
    Promise.all([u0, u1, u1, none].map((id) => user.findUnique({ where: { id } }).manager())),
  'a chain of three': ({ post }) =>
    post
      .findUnique({ where: { id: p0 } })
      .author()
      .follows(byId),
  'a chain with arguments': ({ user }) =>
    user.findUnique({ where: { id: u0 } }).posts({ where: { id: { not: p0 } }, select: { id: true } }),
  'a chain from a write': ({ post }) => post.update({ where: { id: p0 }, data: { views: 5 } }).author(),
  'field references': ({ post }) =>
    post.findMany({ where: { NOT: { authorId: { equals: post.fields.editorId } }, id: { not: p3 } } }),
  'a transaction of calls': (prisma) =>
    prisma.$transaction([
      prisma.user.findMany(byId),
      prisma.user.findUnique({ where: { id: u0 } }).posts(byId),
    ]),
  'a transaction that rolls back': ({ $transaction, tag }) =>
    $transaction([tag.create({ data: { label: 'n' } }), tag.create({ data: { label: 't0' } })]),
  'a transaction of a function': (prisma) =>
    prisma.$transaction((tx: AnyClient) => users(tx, [u0, u1, none])),
  'the same promise twice': async ({ user }) => {
    const query = user.findUnique({ where: { id: u0 } })
    return [await query, await query]
  },
}

/** Ids that were generated are all the same to a comparison. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, one) =>
      typeof one === 'string' &&
      !known.has(one) &&
      (flax.is(one) || sno.is(one) || /^c[a-z\d]{24}$/.test(one))
        ? 'generated'
        : one,
    ),
  )

/** Every row, from its user. */
const ALL = {
  follows: true,
  profile: true,
  posts: { include: { tags: true, likes: { include: { notes: true } } } },
}
const ROLLBACK = new Error('rolled back')

/** What a call answers and leaves. */
async function run(prisma: AnyClient, call: string, args: object): Promise<unknown> {
  const [model, operation] = call.split('.') as [string, string]
  if (/^(?:find|count|aggregate|groupBy)/.test(operation)) {
    if (!('orderBy' in args)) return comparable(await outcome(() => prisma[model][operation](args)))
    return comparable(await prisma[model][operation](args))
  }
  let left: unknown
  const work = async (tx: AnyClient) => {
    const answer = await tx[model][operation](args)
    left = sorted(comparable([answer, await tx.user.findMany({ include: ALL })]))
    throw ROLLBACK
  }
  const { error } = await outcome(() => prisma.$transaction(work))
  return left ?? { error }
}

describe.each([
  ['sqlite', 'Bytes ', () => sqlite.open()],
  // Texts sort as ids do.
  ['postgresql', 'String @db.Uuid', () => postgres.open({ collation: 'C' })],
] as const)('on %s with %s', (provider, type, openDatabase) => {
  const opened: { close(): Promise<unknown> }[] = []
  const open = async (type?: string) => {
    const folder = await generateProject(project(provider, type))
    const database = await openDatabase()
    await pushSchema(folder, database)
    const bare = await clientOf(folder, database)
    opened.push({ close: () => bare.$disconnect() }, database)
    const prisma: AnyClient = type ? bare.$extends((await generatedModule(folder)).snoflax()) : bare
    await fill(prisma)
    return prisma
  }
  let plain: AnyClient
  let prisma: AnyClient
  beforeAll(async () => {
    plain = await open()
    prisma = await open(type)
  })
  afterAll(async () => {
    for (const one of opened) await one.close()
  })

  test.each(CALLS.map(([call, args]) => [call, JSON.stringify(args), args] as const))(
    '%s(%s)',
    async (call, _, args) => {
      expect(await run(prisma, call, args)).toEqual(await run(plain, call, args))
    },
  )

  test.each(Object.entries(PROGRAMS))('%s', async (_, program) => {
    const [ours, wanted] = [await outcome(() => program(prisma)), await outcome(() => program(plain))]
    expect(comparable(ours)).toEqual(comparable(wanted))
    expect(await prisma.tag.count()).toBe(2)
  })
})
