import { flax, type StorageName, storageFor } from '@snoflax/core'
import { isOpaque, isPrefixed } from '@snoflax/core/adapter'
import type { OpenDatabase } from '@snoflax/test'
import type { Keyed, Log, MatrixAdapter, Mode, Program } from '@snoflax/test/contract'
import { type AnyClient, clientOf } from '../project/clients.js'
import { generateProject, projectOf } from '../project/generate.js'
import { VERSION } from '../project/version.js'
import { generatedModule } from '../shop/open.js'
import { withPlainKeys } from './plain-keys.js'

interface Session {
  readonly prisma: AnyClient
  readonly database: OpenDatabase['kind']
}

type Programs = Readonly<Record<string, Program<Session>>>

const eve = { email: 'eve@x.org', name: 'Eve' }
const fay = { email: 'fay@x.org', name: 'Fay' }
const post = { title: 'New', likes: 0 }
const BY_ID = { orderBy: { id: 'asc' } } as const
const posts = { posts: BY_ID } as const

/** MySQL has no RETURNING. */
const unlessMysql = ({ database }: Session, run: () => Promise<unknown>) =>
  database === 'mysql' ? Promise.resolve() : run()

const writes: Programs = {
  nothing: async () => {},
  create: ({ prisma }) => prisma.people.create({ data: eve }),
  'create with a key': ({ prisma }, key) => prisma.people.create({ data: { ...eve, id: key(31) } }),
  'create with undefined': ({ prisma }) =>
    prisma.people.create({ data: { ...eve, id: undefined, bossId: undefined } }),
  'create with null': ({ prisma }) => prisma.people.create({ data: { ...eve, bossId: null } }),
  'create with a reference': ({ prisma }, key) =>
    prisma.posts.create({ data: { ...post, authorId: key(2) }, include: { author: true } }),
  'create with a reference to none': ({ prisma }, key) =>
    prisma.posts.create({ data: { ...post, authorId: key(9) } }),
  'create a key that is there': ({ prisma }, key) => prisma.people.create({ data: { ...eve, id: key(1) } }),
  'create, selecting': ({ prisma }) => prisma.people.create({ data: eve, select: { id: true } }),
  'create, omitting the key': ({ prisma }) => prisma.people.create({ data: eve, omit: { id: true } }),
  'create with children': ({ prisma }) =>
    prisma.people.create({
      data: { ...eve, posts: { create: [post, { ...post, title: 'Newer' }] } },
      include: { posts: { orderBy: { title: 'asc' } } },
    }),
  'create with many children': ({ prisma }, key) =>
    prisma.people.create({
      data: { ...eve, posts: { createMany: { data: [{ ...post, id: key(41) }, post] } } },
    }),
  'create with a parent': ({ prisma }) =>
    prisma.people.create({ data: { ...eve, boss: { create: fay } }, include: { boss: true } }),
  'create and connect': ({ prisma }, key) =>
    prisma.people.create({
      data: { ...eve, boss: { connect: { id: key(2) } }, posts: { connect: [{ id: key(11) }] } },
    }),
  'create and connect to none': ({ prisma }, key) =>
    prisma.people.create({ data: { ...eve, boss: { connect: { id: key(9) } } } }),
  'create, connecting or creating': ({ prisma }, key) =>
    prisma.posts.create({
      data: {
        ...post,
        author: { connectOrCreate: { where: { id: key(9) }, create: eve } },
        tags: {
          connectOrCreate: [
            { where: { id: key(21) }, create: { label: 'never' } },
            { where: { label: 'new' }, create: { label: 'new' } },
          ],
        },
      },
      include: { author: true, tags: BY_ID },
    }),
  'create three levels': ({ prisma }) =>
    prisma.people.create({
      data: {
        ...eve,
        posts: { create: { ...post, links: { create: { tag: { create: { label: 'deep' } } } } } },
      },
      include: { posts: { include: { links: { include: { tag: true } } } } },
    }),
  createMany: ({ prisma }) => prisma.people.createMany({ data: [eve, fay] }),
  'createMany of none': ({ prisma }) => prisma.people.createMany({ data: [] }),
  'createMany with and without a key': ({ prisma }, key) =>
    prisma.people.createMany({ data: [{ ...eve, id: key(31), bossId: key(1) }, fay] }),
  createManyAndReturn: (session) =>
    unlessMysql(session, () => session.prisma.people.createManyAndReturn({ data: [eve, fay] })),
  'createMany, skipping duplicates': ({ prisma, database }) =>
    // SQLite has none.
    database === 'sqlite'
      ? Promise.resolve()
      : prisma.people.createMany({ data: [{ ...eve, email: 'ada@x.org' }, fay], skipDuplicates: true }),
  'upsert that creates': ({ prisma }) =>
    prisma.people.upsert({ where: { email: eve.email }, create: eve, update: { name: 'New' } }),
  'upsert that updates': ({ prisma }, key) =>
    prisma.people.upsert({
      where: { email: 'bob@x.org' },
      create: { ...eve, email: 'bob@x.org' },
      update: { bossId: key(3) },
    }),
  'upsert by key': ({ prisma }, key) =>
    prisma.people.upsert({
      where: { id: key(31) },
      create: { ...eve, id: key(31) },
      update: { name: 'New' },
    }),
  'upsert by key, with children': ({ prisma }, key) =>
    prisma.people.upsert({
      where: { id: key(2) },
      create: eve,
      update: { posts: { create: post } },
      include: posts,
    }),
  'update by key': ({ prisma }, key) =>
    prisma.people.update({ where: { id: key(2) }, data: { name: 'New' }, include: posts }),
  'update none': ({ prisma }, key) => prisma.people.update({ where: { id: key(9) }, data: { name: 'New' } }),
  'update a reference': ({ prisma }, key) =>
    prisma.people.update({ where: { id: key(3) }, data: { bossId: { set: key(4) } } }),
  'update a reference to null': ({ prisma }, key) =>
    prisma.people.update({ where: { id: key(4) }, data: { bossId: null } }),
  'update a key': ({ prisma }, key) => prisma.tags.update({ where: { id: key(23) }, data: { id: key(51) } }),
  'update with undefined': ({ prisma }, key) =>
    prisma.people.update({ where: { id: key(2) }, data: { id: undefined, name: 'New' } }),
  'update and connect': ({ prisma }, key) =>
    prisma.people.update({ where: { id: key(3) }, data: { boss: { connect: { id: key(4) } } } }),
  'update and disconnect': ({ prisma }, key) =>
    prisma.people.update({
      where: { id: key(1) },
      data: { reports: { disconnect: [{ id: key(2) }] } },
      include: { reports: BY_ID },
    }),
  'update children': ({ prisma }, key) =>
    prisma.people.update({
      where: { id: key(1) },
      data: {
        posts: {
          update: { where: { id: key(11) }, data: { title: 'Changed' } },
          updateMany: { where: { id: { in: [key(12)] } }, data: { likes: { increment: 1 } } },
        },
      },
      include: posts,
    }),
  'upsert children': ({ prisma }, key) =>
    prisma.people.update({
      where: { id: key(1) },
      data: {
        posts: {
          upsert: [
            { where: { id: key(11) }, create: post, update: { title: 'Changed' } },
            { where: { id: key(49) }, create: { ...post, id: key(41) }, update: {} },
          ],
        },
      },
      include: posts,
    }),
  'delete children': ({ prisma }, key) =>
    prisma.people.update({
      where: { id: key(1) },
      data: { posts: { delete: [{ id: key(11) }], deleteMany: { id: { not: key(11) } } } },
      include: posts,
    }),
  'update a parent': ({ prisma }, key) =>
    prisma.posts.update({
      where: { id: key(13) },
      data: { author: { update: { name: 'Changed', reports: { create: eve } } } },
      include: { author: { include: { reports: BY_ID } } },
    }),
  'link rows': ({ prisma }, key) => prisma.links.create({ data: { postId: key(14), tagId: key(23) } }),
  'link rows twice': ({ prisma }, key) => prisma.links.create({ data: { postId: key(11), tagId: key(21) } }),
  'link by relations': ({ prisma }, key) =>
    prisma.links.create({
      data: { post: { connect: { id: key(14) } }, tag: { create: { label: 'new' } } },
      include: { post: true, tag: true },
    }),
  'unlink by both keys': ({ prisma }, key) =>
    prisma.links.delete({ where: { postId_tagId: { postId: key(11), tagId: key(22) } } }),
  'link many to many': ({ prisma }, key) =>
    prisma.posts.update({
      where: { id: key(14) },
      data: { tags: { connect: [{ id: key(21) }, { id: key(22) }], create: { label: 'new' } } },
      include: { tags: BY_ID },
    }),
  'set many to many': async ({ prisma }, key) => {
    const where = { id: key(12) }
    await prisma.posts.update({ where, data: { tags: { connect: [{ id: key(21) }, { id: key(22) }] } } })
    const tags = { set: [{ id: key(22) }, { id: key(23) }] }
    await prisma.posts.update({ where, data: { tags } })
    return prisma.posts.update({
      where,
      data: { tags: { disconnect: { id: key(23) } } },
      include: { tags: true },
    })
  },
  updateMany: ({ prisma }, key) =>
    prisma.people.updateMany({ where: { id: { in: [key(1), key(9)] } }, data: { name: 'New' } }),
  'updateMany of none': ({ prisma }) =>
    prisma.people.updateMany({ where: { id: { in: [] } }, data: { name: 'New' } }),
  'updateMany of a reference': ({ prisma }, key) =>
    prisma.people.updateMany({ where: { bossId: key(1) }, data: { bossId: key(4) } }),
  updateManyAndReturn: (session, key) =>
    unlessMysql(session, () =>
      session.prisma.people.updateManyAndReturn({ where: { bossId: key(2) }, data: { name: 'New' } }),
    ),
  delete: ({ prisma }, key) => prisma.people.delete({ where: { id: key(3) } }),
  'delete none': ({ prisma }, key) => prisma.people.delete({ where: { id: key(9) } }),
  'delete and cascade': ({ prisma }, key) =>
    prisma.people.delete({ where: { id: key(4) }, include: { posts: true } }),
  'delete a row that others refer to': ({ prisma }, key) => prisma.people.delete({ where: { id: key(1) } }),
  deleteMany: ({ prisma }, key) => prisma.tags.deleteMany({ where: { id: { in: [key(21), key(22)] } } }),
  'deleteMany of none': ({ prisma }) => prisma.tags.deleteMany({ where: { id: { in: [] } } }),
  'deleteMany of others': ({ prisma }, key) => prisma.tags.deleteMany({ where: { NOT: { id: key(21) } } }),
  'deleteMany by a relation': ({ prisma }, key) =>
    prisma.links.deleteMany({ where: { post: { authorId: key(1) } } }),
  'a batch': ({ prisma }, key) =>
    prisma.$transaction([
      prisma.people.create({ data: { ...eve, id: key(32) } }),
      prisma.posts.create({ data: { ...post, authorId: key(32) } }),
      prisma.people.findUnique({ where: { id: key(32) }, include: posts }),
    ]),
  'a batch that fails': ({ prisma }, key) =>
    prisma.$transaction([
      prisma.people.create({ data: eve }),
      prisma.posts.create({ data: { ...post, id: key(11), authorId: key(1) } }),
    ]),
  'a transaction': ({ prisma }) =>
    prisma.$transaction(async (on: AnyClient) => {
      const { id } = await on.people.create({ data: eve })
      await on.posts.create({ data: { ...post, authorId: id } })
      return on.people.findUnique({ where: { id }, include: posts })
    }),
  'a transaction that is rolled back': ({ prisma }) =>
    prisma.$transaction(async (on: AnyClient) => {
      await on.people.create({ data: eve })
      throw new RangeError('back')
    }),
  'raw SQL': ({ prisma }) => prisma.$executeRaw`update people set name = 'Raw' where name = 'Bob'`,
}

const names = { select: { name: true }, ...BY_ID } as const
const keys = { select: { id: true }, ...BY_ID } as const

const reads: Programs = {
  'all people': ({ prisma }) => prisma.people.findMany(BY_ID),
  'all posts': ({ prisma }) => prisma.posts.findMany(BY_ID),
  'all tags': ({ prisma }) => prisma.tags.findMany(BY_ID),
  'all links': ({ prisma }) => prisma.links.findMany({ orderBy: [{ postId: 'asc' }, { tagId: 'asc' }] }),
  findUnique: ({ prisma }, key) => prisma.people.findUnique({ where: { id: key(2) } }),
  'findUnique by a key that no row has': ({ prisma }, key) =>
    prisma.people.findUnique({ where: { id: key(9) } }),
  findUniqueOrThrow: ({ prisma }, key) => prisma.people.findUniqueOrThrow({ where: { id: key(9) } }),
  'findUnique with conditions': ({ prisma }, key) =>
    prisma.people.findUnique({ where: { id: key(2), AND: [{ bossId: { not: key(3) } }] } }),
  'findUnique by undefined': ({ prisma }) => prisma.people.findUnique({ where: { id: undefined } }),
  'findUnique by both keys': ({ prisma }, key) =>
    prisma.links.findUnique({ where: { postId_tagId: { postId: key(11), tagId: key(21) } } }),
  'findUnique, batched': ({ prisma }, key) =>
    Promise.all([1, 4, 9].map((row) => prisma.people.findUnique({ where: { id: key(row) } }))),
  'findUnique of a relation': ({ prisma }, key) =>
    prisma.posts.findUnique({ where: { id: key(13) } }).author({ include: posts }),
  'findUnique of relations': ({ prisma }, key) =>
    prisma.people.findUnique({ where: { id: key(1) } }).posts({ where: { id: { gt: key(11) } }, ...BY_ID }),
  findFirst: ({ prisma }, key) => prisma.people.findFirst({ where: { bossId: key(1) }, ...BY_ID }),
  findFirstOrThrow: ({ prisma }, key) => prisma.people.findFirstOrThrow({ where: { bossId: key(3) } }),
  'by keys': ({ prisma }, key) =>
    prisma.people.findMany({ where: { id: { in: [key(1), key(4), key(9)] } }, ...names }),
  'by no keys': ({ prisma }) => prisma.people.findMany({ where: { id: { in: [] } } }),
  'by other keys than none': ({ prisma }) =>
    prisma.people.findMany({ where: { id: { notIn: [] } }, ...keys }),
  'by other keys': ({ prisma }, key) =>
    prisma.people.findMany({ where: { id: { notIn: [key(1), key(3)] } }, ...keys }),
  'by undefined': ({ prisma }) => prisma.people.findMany({ where: { id: undefined }, ...keys }),
  'by an empty list of alternatives': ({ prisma }) => prisma.people.findMany({ where: { OR: [] }, ...keys }),
  'by a range': ({ prisma }, key) =>
    prisma.posts.findMany({ where: { id: { gt: key(11), lte: key(13) } }, ...keys }),
  'by a negated range': ({ prisma }, key) =>
    prisma.posts.findMany({ where: { id: { not: { gte: key(13) } } }, ...keys }),
  'the newest': ({ prisma }) => prisma.posts.findFirst({ orderBy: { id: 'desc' } }),
  'the last two': ({ prisma }) => prisma.posts.findMany({ ...BY_ID, take: -2 }),
  'a page behind a cursor': ({ prisma }, key) =>
    prisma.posts.findMany({ cursor: { id: key(12) }, skip: 1, take: 2, ...BY_ID }),
  'a page before a cursor': ({ prisma }, key) =>
    prisma.posts.findMany({ cursor: { id: key(14) }, take: -2, ...BY_ID }),
  'a page by offset': ({ prisma }) => prisma.posts.findMany({ ...BY_ID, skip: 1, take: 2 }),
  'by a reference': ({ prisma }, key) => prisma.posts.findMany({ where: { authorId: key(1) }, ...BY_ID }),
  'by no reference': ({ prisma }) => prisma.people.findMany({ where: { bossId: null }, ...keys }),
  or: ({ prisma }, key) =>
    prisma.people.findMany({ where: { OR: [{ id: key(1) }, { bossId: { equals: key(2) } }] }, ...keys }),
  not: ({ prisma }, key) => prisma.people.findMany({ where: { NOT: [{ id: key(1) }] }, ...keys }),
  'by another field': ({ prisma }) =>
    prisma.people.findMany({ where: { NOT: { id: { equals: prisma.people.fields.bossId } } }, ...keys }),
  'by a related row': ({ prisma }, key) =>
    prisma.posts.findMany({ where: { author: { is: { bossId: key(1) } } }, ...keys }),
  'by no related row': ({ prisma }) => prisma.people.findMany({ where: { boss: { is: null } }, ...keys }),
  'by another related row': ({ prisma }, key) =>
    prisma.posts.findMany({ where: { author: { isNot: { id: key(1) } } }, ...keys }),
  'by some, every and no related rows': async ({ prisma }, key) => {
    const with_ = (one: object) => prisma.people.findMany({ where: { posts: one }, ...keys })
    const where = { links: { some: { tagId: key(21) } } }
    return [await with_({ some: where }), await with_({ every: where }), await with_({ none: where })]
  },
  'by many to many': ({ prisma }, key) =>
    prisma.posts.findMany({ where: { tags: { some: { id: key(22) } } }, include: { tags: BY_ID }, ...BY_ID }),
  'with relations': ({ prisma }) =>
    prisma.people.findMany({
      include: {
        boss: true,
        reports: BY_ID,
        posts: { include: { links: { orderBy: { tagId: 'asc' } } }, ...BY_ID },
      },
      ...BY_ID,
    }),
  'with relations, by queries': ({ prisma, database }) =>
    prisma.people.findMany({
      ...(database !== 'sqlite' && { relationLoadStrategy: 'query' }),
      include: { posts: { include: { author: true, tags: BY_ID }, ...BY_ID } },
      ...BY_ID,
    }),
  'with pages of relations': ({ prisma }, key) =>
    prisma.people.findMany({
      include: { posts: { cursor: { id: key(11) }, skip: 1, take: 1, ...BY_ID } },
      ...BY_ID,
    }),
  'with conditions in relations': ({ prisma }, key) =>
    prisma.posts.findMany({
      include: { links: { where: { tag: { id: key(21) } } }, author: { select: { id: true } } },
      ...BY_ID,
    }),
  'selecting no key': ({ prisma }) =>
    prisma.posts.findMany({ select: { title: true, author: { select: { bossId: true } } }, ...BY_ID }),
  'with counts': ({ prisma }, key) =>
    prisma.people.findMany({
      select: { id: true, _count: { select: { reports: true, posts: { where: { id: { gte: key(12) } } } } } },
      ...BY_ID,
    }),
  'ordered by a relation': ({ prisma }) =>
    prisma.posts.findMany({ orderBy: [{ author: { bossId: 'desc' } }, { id: 'asc' }], select: { id: true } }),
  distinct: ({ prisma }) =>
    prisma.posts.findMany({ distinct: ['authorId'], select: { authorId: true }, ...BY_ID }),
  count: ({ prisma }, key) => prisma.posts.count({ where: { authorId: key(1) } }),
  'count of a field': ({ prisma }) => prisma.people.count({ select: { _all: true, bossId: true } }),
  aggregate: ({ prisma }, key) =>
    prisma.posts.aggregate({ where: { authorId: key(1) }, _sum: { likes: true }, _count: true }),
  groupBy: ({ prisma }) =>
    prisma.posts.groupBy({ by: ['authorId'], _count: { _all: true }, orderBy: { authorId: 'asc' } }),
  'groupBy, having': ({ prisma }, key) =>
    prisma.posts.groupBy({
      by: ['authorId'],
      having: { authorId: { not: key(2) } },
      _max: { likes: true },
      orderBy: { authorId: 'desc' },
    }),
  'raw SQL': ({ prisma }) =>
    prisma.$queryRaw`select name from people where boss_id is not null order by name`,
}

const PROVIDERS = { sqlite: 'sqlite', postgres: 'postgresql', pglite: 'postgresql', mysql: 'mysql' } as const

/** A module with the opaque definitions. */
const moduleOf = ({ ids }: Mode): string =>
  [
    "import { opaque } from '@snoflax/core'",
    'let made = 900_000',
    ...Object.values(ids?.of ?? {})
      .filter(isOpaque)
      .map(({ name, pattern, storages }) => {
        const id = storages.includes('uuid')
          ? "String(++made).padStart(8, '0') + '-0000-4000-8000-000000000000'"
          : `\`${name}_\${++made}\``
        return `export const ${name}Id = opaque('${name}', { pattern: ${pattern}, generate: () => ${id} })`
      }),
  ].join('\n')

/** The schema, whose keys have the type of their mode. Prisma keeps `tags` of posts in a table of its own. */
function schemaOf(kind: OpenDatabase['kind'], { ids }: Mode): string {
  const type =
    kind === 'mysql' ? 'String @db.VarChar(40)' : ids?.storage === 'uuid' ? 'String @db.Uuid' : 'String'
  const comment = (keyed: Keyed) => {
    if (ids === undefined) return ''
    const family = ids.of[keyed]
    const named = isPrefixed(family)
      ? `${family.base.name} prefix=${family.prefix}`
      : `${family.name}${isOpaque(family) ? 'Id' : ''}`
    return `/// @snoflax ${named}${kind === 'mysql' ? ' collation=ascii_bin' : ''}`
  }
  const key = (keyed: Keyed) => `id ${type} @id @default(dbgenerated()) ${comment(keyed)}`
  const reference = (name: string, column: string) => `${name} ${type} @map("${column}")`
  return `
model people {
  ${key('people')}
  email   String   @unique
  name    String
  ${reference('bossId', 'boss_id').replace('String', 'String?')}
  boss    people?  @relation("boss", fields: [bossId], references: [id])
  reports people[] @relation("boss")
  posts   posts[]
}
model posts {
  ${key('posts')}
  title    String
  likes    Int
  ${reference('authorId', 'author_id')}
  author   people  @relation(fields: [authorId], references: [id])
  links    links[]
  tags     tags[]  @relation("marks")
}
model tags {
  ${key('tags')}
  label String  @unique
  links links[]
  posts posts[] @relation("marks")
}
model links {
  ${reference('postId', 'post_id')}
  ${reference('tagId', 'tag_id')}
  post   posts  @relation(fields: [postId], references: [id])
  tag    tags   @relation(fields: [tagId], references: [id])
  @@id([postId, tagId])
  @@map("posts_tags")
}`
}

/** The table of Prisma's implicit relation between posts and tags. */
function junction(kind: OpenDatabase['kind'], { ids }: Mode): string {
  const database = kind === 'pglite' ? 'postgres' : kind
  const column = (name: string, table: 'posts' | 'tags') => {
    const sql = ids
      ? storageFor(ids.of[table], database, { storage: ids.storage }).column.sql
      : storageFor(flax, database, { storage: 'text' }).column.sql.replace(/\(\d+\)/, '(40)')
    return `${name} ${sql} not null references ${table} (id) on delete cascade on update cascade`
  }
  const [a, b] = kind === 'mysql' ? ['`A`', '`B`'] : ['"A"', '"B"']
  return `create table _marks (${column(a, 'posts')}, ${column(b, 'tags')}, primary key (${a}, ${b}))`
}

/** An extension before ours, as one that audits: it sees ids. */
const audit = (log: Log) => ({
  query: {
    $allModels: {
      async $allOperations({ model, operation, args, query }: AnyClient) {
        log('event', [`${model}.${operation}`, args])
        const answer = await query(args)
        log('event', [`${model}.${operation} answered`, answer])
        return answer
      },
    },
  },
})

const storages = (...all: StorageName[]): readonly StorageName[] => all

const adapter: MatrixAdapter<Session> = {
  orm: 'Prisma',
  // Prisma has no ranges over Bytes.
  storages: {
    sqlite: storages('text'),
    postgres: storages('text', 'uuid'),
    ...(VERSION === '' && { pglite: storages('uuid'), mysql: storages('text') }),
  },
  async open(database, mode, log) {
    const { kind } = database
    const project = projectOf(schemaOf(kind, mode), {
      provider: PROVIDERS[kind],
      clientOptions: kind === 'sqlite' ? '' : 'previewFeatures = ["relationJoins"]',
      options: mode.ids ? 'families = "../ids.js"' : null,
    })
    const folder = await generateProject({ ...project, 'ids.js': moduleOf(mode) })
    await database.query(junction(kind, mode))
    const bare = await clientOf(folder, database, { log: [{ emit: 'event', level: 'query' }] })
    bare.$on('query', ({ query }: { query: string }) => log('statement', query))
    const audited = bare.$extends(audit(log))
    const extension = mode.ids ? (await generatedModule(folder)).snoflax() : withPlainKeys(mode.plainKey)
    return { prisma: audited.$extends(extension), database: kind }
  },
  close: ({ prisma }) => prisma.$disconnect(),
  writes,
  reads,
}

export default adapter
