import { raw, serialize, sql } from '@mikro-orm/core'
import type { Program } from '@snoflax/test/contract'
import { type Programs, plain, type Session } from './matrix-entities.js'

type Key = (row: number) => string

const BY_KEY = { orderBy: { id: 'asc' } }

/** Rows of a condition, by key. */
const found =
  (entity: 'Person' | 'Post' | 'Tag', where: (key: Key, session: Session) => unknown, options: object = {}) =>
  async (session: Session, key: Key) =>
    plain(await session.em.find(session[entity], where(key, session), { ...BY_KEY, ...options }))

const all = () => ({})

const each =
  (...programs: readonly Program<Session>[]): Program<Session> =>
  async (session, key) => {
    const results: unknown[] = []
    for (const program of programs) results.push(await program(session, key))
    return results
  }

const qb = ({ em, Post }: Session) => em.createQueryBuilder(Post, 'p')

const byConditions: Programs = {
  'all people': found('Person', all),
  'all posts': found('Post', all),
  'all tags': found('Tag', all),
  'all links': ({ em }) => em.execute('select * from posts_tags order by post_id, tag_id'),
  'by key': async ({ em, Person }, key) => [
    plain(await em.findOne(Person, key(2))),
    plain(await em.findOne(Person, { id: key(9) })),
  ],
  'one that must be': async ({ em, Person }, key) => plain(await em.findOneOrFail(Person, key(9))),
  'by keys': each(
    found('Person', (key) => [key(1), key(4), key(9)]),
    found('Person', (key) => ({ id: { $in: [key(1), key(4), key(9)] } })),
    found('Person', (key) => ({ id: { $nin: [key(1), key(2)] } })),
  ),
  'by no keys': each(
    found('Person', () => []),
    found('Person', () => ({ id: [] })),
    found('Person', () => ({ id: { $nin: [] } })),
  ),
  'by comparisons': each(
    found('Person', (key) => ({ $not: { id: key(1) } })),
    found('Person', (key) => ({ $or: [{ id: key(1) }, { boss: key(2) }] })),
    found('Post', (key) => ({ id: { $gt: key(11), $lte: key(13) } })),
  ),
  'by a reference': each(
    found('Post', (key) => ({ author: key(1) })),
    found('Person', () => ({ boss: null })),
    found('Post', (key, { em, Person }) => ({ author: em.getReference(Person, key(1)) })),
    found('Post', () => ({ author: { name: 'Bob' } })),
    found('Post', (key) => ({ author: { id: key(2), boss: { id: key(1) } } })),
  ),
  'by a collection': each(
    found('Post', (key) => ({ tags: key(21) })),
    found('Person', (key) => ({ posts: { id: key(13) } })),
    found('Person', (key) => ({
      $or: [{ posts: { $some: { id: key(13) } } }, { posts: { $none: { id: { $ne: key(9) } } } }],
    })),
  ),
  'by a subquery': found('Post', (key, { em, Person }) => ({
    author: {
      $in: em
        .createQueryBuilder(Person, 's')
        .select('s.id')
        .where({ boss: key(1) }),
    },
  })),
  'by SQL': found('Person', (key) => ({ [raw('?? = ?', ['boss_id', key(1)])]: [] })),
}

const PAGE = { orderBy: { id: 'asc' }, limit: 2 }

const pages: Programs = {
  'a page': each(
    found('Post', all, { orderBy: { id: 'desc' }, limit: 1 }),
    found('Post', (key) => ({ id: { $gt: key(12) } }), PAGE),
    found('Post', all, { ...PAGE, offset: 1 }),
  ),
  'a page with relations': found('Post', all, { ...PAGE, populate: ['tags', 'author'] }),
  'a page and how many there are': async ({ em, Post }, key) => {
    const [rows, count] = await em.findAndCount(Post, { author: key(1) }, { ...PAGE, limit: 1 })
    return [plain(rows), count]
  },
  'a page by cursor': async ({ em, Post }, key) => {
    const cursor = await em.findByCursor(Post, { where: {}, first: 2, after: { id: key(11) }, ...BY_KEY })
    const { items, totalCount, hasNextPage } = cursor
    return [plain(items), totalCount, hasNextPage]
  },
  'by the order of a relation': found('Post', all, { orderBy: [{ author: { id: 'desc' } }, { id: 'desc' }] }),
}

const POPULATE = { populate: ['boss', 'posts.tags'] }

const relations: Programs = {
  'relations, joined': found('Person', all, { ...POPULATE, strategy: 'joined' }),
  'relations, select-in': found('Person', all, { ...POPULATE, strategy: 'select-in' }),
  'relations, balanced': found('Person', all, { ...POPULATE, strategy: 'balanced' }),
  'relations that a condition filters': found('Person', (key) => ({ posts: { tags: key(21) } }), {
    populate: ['posts.tags'],
    populateWhere: 'infer',
  }),
  'relations, later': async ({ em, Person }) => {
    const people = await em.find(Person, {}, BY_KEY)
    await em.populate(people, ['staff', 'posts'])
    return plain(people)
  },
  'a collection, later': async ({ em, Person }, key) => {
    const person = await em.findOne(Person, key(1))
    return plain(await person?.posts.loadItems())
  },
  'a collection by a condition': async ({ em, Person }, key) => {
    const person = await em.findOne(Person, key(1))
    return plain(await person?.posts.matching({ where: { id: { $ne: key(11) } }, ...BY_KEY }))
  },
  'how many a collection has': async ({ em, Post }, key) => {
    const post = await em.findOne(Post, key(11))
    return post?.tags.loadCount(true)
  },
  'a reference, later': async ({ em, Post }, key) => {
    const reference = em.getReference(Post, key(13), { wrapped: true })
    return plain(await reference.load())
  },
  'some fields': found('Post', all, { fields: ['title', 'author.name'], populate: ['author'] }),
  'the identity map': async ({ em, Person }, key) => {
    const [one, all] = [await em.findOne(Person, key(1)), await em.find(Person, {})]
    return [all.includes(one), em.getUnitOfWork().getById(Person, key(1)) === one]
  },
  'a read again': async ({ em, Person }, key) => {
    const person = await em.findOne(Person, key(2))
    return plain(person && (await em.refresh(person)))
  },
  JSON: async ({ em, Post }) =>
    serialize(await em.find(Post, {}, { ...BY_KEY, populate: ['author', 'tags'] }), {
      populate: ['author', 'tags'],
    }),
}

const aggregates: Programs = {
  count: ({ em, Post }, key) => em.count(Post, { author: key(1) }),
  'count by a collection': ({ em, Post }, key) => em.count(Post, { tags: [key(21), key(22)] }),
  'group by key': (s) =>
    qb(s)
      .select(['p.author', raw('count(*) as n')])
      .groupBy('p.author')
      .orderBy({ 'p.author': 'asc' })
      .execute(),
  having: (s, key) =>
    qb(s)
      .select('p.author')
      .groupBy('p.author')
      .having({ 'p.author': { $ne: key(2) } })
      .orderBy({ 'p.author': 'asc' })
      .execute(),
  // PostgreSQL has no min() of uuid before 18.
  'the first and last': (s) =>
    qb(s)
      .select([raw('min(title) as a'), raw('max(likes) as z')])
      .groupBy('p.author')
      .orderBy({ 'p.author': 1 })
      .execute(),
}

const builders: Programs = {
  'build a query of rows': (s, key) =>
    qb(s)
      .select(['id', 'author'])
      .where({ id: key(13) })
      .execute('all'),
  'build a join': (s, key) =>
    qb(s)
      .select(['p.id', 'p.title'])
      .join('p.author', 'a')
      .where({ 'a.boss': key(1) })
      .orderBy({ 'p.id': 'asc' })
      .execute(),
  'build a join that selects': async (s) =>
    plain(
      await qb(s)
        .select('*')
        .leftJoinAndSelect('p.author', 'a')
        .leftJoinAndSelect('p.tags', 't')
        .orderBy({ 'p.id': 'asc', 't.id': 'asc' })
        .getResultList(),
    ),
  'build a join of many to many': (s, key) =>
    qb(s)
      .select('p.id')
      .join('p.tags', 't')
      .where({ 't.id': key(21) })
      .orderBy({ 'p.id': 'asc' })
      .execute(),
  'build a condition of SQL': (s, key) =>
    qb(s)
      .select('p.id')
      .where('p.author_id = ?', [key(1)])
      .andWhere({ id: { $gt: key(11) } })
      .orderBy({ id: 'asc' })
      .execute(),
  'raw SQL': ({ em }, key) =>
    em.execute('select name from people where id in (?, ?) order by id', [key(1), key(2)]),
  'rows of raw SQL as entities': async ({ em, Person }, key) => {
    const rows = await em.execute('select * from people where id = ?', [key(3)])
    return plain(rows.map((row: object) => em.map(Person, row)))
  },
  'a template of SQL': ({ em }, key) =>
    em.execute(sql`select title from posts where author_id = ${key(1)} order by id`),
}

export const reads: Programs = { ...byConditions, ...pages, ...relations, ...aggregates, ...builders }
