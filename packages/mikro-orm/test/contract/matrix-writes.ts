import { LockMode, raw } from '@mikro-orm/core'
import { byConditions } from './matrix-conditions.js'
import { type Any, type Programs, plain, type Session } from './matrix-entities.js'

const eve = { email: 'eve@x.org', name: 'Eve' }
const fay = { email: 'fay@x.org', name: 'Fay' }
const post = { title: 'New', likes: 0 }
type Key = (row: number) => string

/** A change of entities, and the flush that writes it. */
const flushed =
  (change: (session: Session, key: Key) => unknown) =>
  async (session: Session, key: Key): Promise<unknown> => {
    const changed = await change(session, key)
    await session.em.flush()
    return plain(changed)
  }

const one = ({ em, Person }: Session, id: string) => em.findOneOrFail(Person, id)
const tagsOf = async ({ em, Post }: Session, id: string) =>
  (await em.findOneOrFail(Post, id, { populate: ['tags'] })).tags
const qb = ({ em, Person }: Session) => em.createQueryBuilder(Person)

const byEntities: Programs = {
  'create an entity': flushed(({ em, Person }) => em.create(Person, eve)),
  'create entities with and without a key': flushed(({ em, Person }, key) => [
    em.create(Person, eve),
    em.create(Person, { ...fay, id: key(31) }),
  ]),
  'create an entity that refers by key': flushed(({ em, Post }, key) =>
    em.create(Post, { ...post, author: key(2) }),
  ),
  'create an entity that refers to none': flushed(({ em, Post }, key) =>
    em.create(Post, { ...post, author: key(9) }),
  ),
  'create an entity with null and undefined': flushed(({ em, Person }) => [
    em.create(Person, { ...eve, boss: null }),
    em.create(Person, { ...fay, id: undefined, boss: undefined }),
  ]),
  'create an entity whose key is there': flushed(({ em, Person }, key) =>
    em.create(Person, { ...eve, id: key(1) }),
  ),
  'create a graph': flushed(({ em, Person }, key) =>
    em.create(Person, {
      ...eve,
      boss: fay,
      posts: [{ ...post, tags: [key(21), { label: 'new' }] }],
    }),
  ),
  'create a circle': flushed(({ em, Person }) => {
    const boss = em.create(Person, eve)
    boss.boss = boss
  }),
  'new, persist()': flushed(({ em, Person }) => {
    const person = new Person.class()
    em.persist(Object.assign(person, eve))
  }),
  'change nothing': flushed((s, key) => one(s, key(2))),
  'change entities': flushed(async ({ em, Person }, key) => {
    for (const person of await em.find(Person, [key(1), key(2)], { orderBy: { id: 'asc' } }))
      person.name += ' II'
  }),
  'change a reference': flushed(async (s, key) => {
    const [bob, dee] = [await one(s, key(2)), await one(s, key(4))]
    Object.assign(bob, { boss: dee })
    Object.assign(dee, { boss: null })
  }),
  'change a reference by key': flushed(async (s, key) => {
    s.em.assign(await one(s, key(3)), { boss: key(4) })
  }),
  'change a reference that is not loaded': flushed(({ em, Person }, key) => {
    em.getReference(Person, key(2)).name = 'New'
  }),
  'change a key': flushed(async ({ em, Tag }, key) => {
    ;(await em.findOneOrFail(Tag, key(23))).id = key(51)
  }),
  'assign a graph': flushed(async ({ em, Person }, key) => {
    const person = await em.findOneOrFail(Person, key(1), { populate: ['posts'] })
    em.assign(person, {
      posts: [
        { id: key(11), likes: 9 },
        { ...post, author: person },
      ],
    })
  }),
  'merge an entity': flushed(({ em, Person }, key) => {
    const person = em.merge(Person, { id: key(2), ...eve, boss: key(1) })
    person.name = 'New'
  }),
  'remove an entity': flushed(async (s, key) => s.em.remove(await one(s, key(3))) && undefined),
  'remove a reference': flushed(({ em, Tag }, key) => em.remove(em.getReference(Tag, key(22))) && undefined),
  'remove an entity that others refer to': flushed(
    async (s, key) => s.em.remove(await one(s, key(1))) && undefined,
  ),
  'remove an entity, whose posts follow': flushed(
    async (s, key) => s.em.remove(await one(s, key(4))) && undefined,
  ),
  'remove what was created': flushed(({ em, Person }) => em.remove(em.create(Person, eve)) && undefined),
  'add to a collection': flushed(async (s, key) => {
    const tags = await tagsOf(s, key(11))
    tags.add(s.em.getReference(s.Tag, key(23)), s.em.create(s.Tag, { label: 'new' }))
  }),
  'add to a collection what it has': flushed(async (s, key) => {
    ;(await tagsOf(s, key(11))).add(s.em.getReference(s.Tag, key(21)))
  }),
  'add to a collection that is not loaded': flushed(async ({ em, Post, Tag }, key) => {
    const { tags } = await em.findOneOrFail(Post, key(14))
    tags.add(em.getReference(Tag, key(23)))
  }),
  'set a collection': flushed(async (s, key) => {
    ;(await tagsOf(s, key(11))).set([key(22), key(23)].map((id) => s.em.getReference(s.Tag, id)))
  }),
  'remove from a collection': flushed(async (s, key) => {
    ;(await tagsOf(s, key(11))).remove(s.em.getReference(s.Tag, key(21)))
  }),
  'empty a collection': flushed(async (s, key) => (await tagsOf(s, key(11))).removeAll()),
  'add to a collection of children': flushed(async ({ em, Person, Post }, key) => {
    const person = await em.findOneOrFail(Person, key(3), { populate: ['posts'] })
    person.posts.add(em.create(Post, { ...post, author: person }))
  }),
  'upsert an entity': async ({ em, Person }, key) =>
    plain(await em.upsert(em.create(Person, { ...eve, id: key(2) }, { persist: false }))),
}

const byRows: Programs = {
  'no rows, and no keys': async ({ em, Person, Tag }) => [
    await em.insertMany(Person, []),
    await em.nativeUpdate(Person, { id: { $in: [] } }, { name: 'New' }),
    await em.nativeDelete(Tag, { id: { $in: [] } }),
  ],
  'insert rows': async ({ em, Person }, key) => {
    const rows = [
      { ...eve, id: key(31), boss: key(1) },
      { ...fay, id: key(32), boss: null },
    ]
    // In SQLite it answers with the number of the last row, and beside our ids with the keys.
    await em.insertMany(Person, rows)
  },
  'insert a row that refers': ({ em, Post }, key) =>
    em.insert(Post, { ...post, id: key(41), author: key(2) }),
  'insert entities': ({ em, Person }) =>
    em.insertMany([eve, fay].map((row) => em.create(Person, row, { persist: false }))),
  'upsert a row by key': async ({ em, Person }, key) =>
    plain(await em.upsert(Person, { ...eve, id: key(2) })),
  'upsert a row by another column': async ({ em, Person }) =>
    plain(await em.upsert(Person, { email: 'bob@x.org', name: 'New' }, { onConflictFields: ['email'] })),
  'upsert rows': async ({ em, Person }, key) =>
    plain(
      await em.upsertMany(Person, [
        { ...eve, id: key(2) },
        { ...fay, id: key(31) },
      ]),
    ),
  'upsert rows, ignoring': async ({ em, Person }, key) =>
    plain(
      await em.upsertMany(
        Person,
        [
          { ...eve, id: key(2) },
          { ...fay, id: key(31) },
        ],
        {
          onConflictAction: 'ignore',
        },
      ),
    ),
  'upsert without some fields': async ({ em, Person }, key) =>
    plain(
      await em.upsert(
        Person,
        { email: 'bob@x.org', name: 'New', id: key(31), boss: key(3) },
        { onConflictFields: ['email'], onConflictExcludeFields: ['id'] },
      ),
    ),
  'update by key': ({ em, Person }, key) => em.nativeUpdate(Person, { id: key(2) }, { name: 'New' }),
  'update by keys': ({ em, Person }, key) => em.nativeUpdate(Person, [key(1), key(9)], { name: 'New' }),
  'update a reference': ({ em, Person }, key) => em.nativeUpdate(Person, { id: key(3) }, { boss: key(4) }),
  'update a key': ({ em, Tag }, key) => em.nativeUpdate(Tag, { id: key(23) }, { id: key(51) }),
  'update by an expression': ({ em, Person }, key) =>
    em.nativeUpdate(Person, { id: key(1) }, { boss: raw('id') }),
  'update by a relation': ({ em, Post }, key) =>
    em.nativeUpdate(Post, { author: { boss: key(1) } }, { likes: 9 }),
  'delete by key': ({ em, Person }, key) => em.nativeDelete(Person, { id: key(3) }),
  'delete by keys': ({ em, Post }, key) => em.nativeDelete(Post, [key(11), key(12), key(19)]),
  'delete by another key than': ({ em, Post }, key) => em.nativeDelete(Post, { id: { $ne: key(11) } }),
}

const byQueryBuilder: Programs = {
  'build an insert of rows': async (s, key) => {
    const rows = [
      { ...eve, id: key(31) },
      { ...fay, id: key(32) },
    ]
    await qb(s).insert(rows).execute()
  },
  'build an insert that returns': async (s, key) => {
    const insert = qb(s).insert({ ...eve, id: key(31) })
    return s.isMysql ? insert.execute() : insert.returning(['id', 'name']).execute()
  },
  'build an insert, or nothing': (s, key) =>
    qb(s)
      .insert({ ...eve, id: key(2) })
      .onConflict('id')
      .ignore()
      .execute(),
  'build an insert, or an update': (s, key) =>
    qb(s)
      .insert({ ...eve, id: key(2), boss: key(3) })
      .onConflict('id')
      .merge()
      .execute(),
  'build an insert, or an update of fields': (s, key) =>
    qb(s)
      .insert({ id: key(31), email: 'bob@x.org', name: 'New', boss: key(4) })
      .onConflict('email')
      .merge(['name', 'boss'])
      .execute(),
  'build an update': (s, key) =>
    qb(s)
      .update({ name: 'New', boss: key(4) })
      .where({ id: key(3) })
      .execute(),
  'build an update by a subquery': ({ em, Person, Post }, key) => {
    const some = em
      .createQueryBuilder(Person)
      .select('id')
      .where({ boss: key(1) })
    return em
      .createQueryBuilder(Post)
      .update({ likes: 9 })
      .where({ author: { $in: some } })
      .execute()
  },
  'build a delete': ({ em, Post }, key) =>
    em
      .createQueryBuilder(Post)
      .delete()
      .where({ author: key(1) })
      .execute(),
  'raw SQL': async ({ em }, key) => {
    await em.execute('update people set boss_id = ? where id = ?', [key(3), key(4)])
  },
}

const inTransactions: Programs = {
  'a transaction': ({ em, Person, Post }, key) =>
    em.transactional(async (on: Any) => {
      on.create(Person, { ...eve, id: key(31) })
      await on.flush()
      await on.insert(Post, { ...post, id: key(41), author: key(31) })
    }),
  'a transaction that is rolled back': ({ em, Person }) =>
    em.transactional(async (on: Any) => {
      on.create(Person, eve)
      await on.flush()
      throw new Error('back')
    }),
  'a savepoint': ({ em, Person }) =>
    em.transactional(async (on: Any) => {
      on.create(Person, eve)
      await on.transactional(async (inner: Any) => inner.create(Person, fay) && undefined)
    }),
  'a savepoint that is rolled back': ({ em, Person }) =>
    em.transactional(async (on: Any) => {
      on.create(Person, eve)
      await on
        .transactional(async (inner: Any) => {
          inner.create(Person, fay)
          await inner.flush()
          throw new Error('back')
        })
        .catch(() => {})
    }),
  'begin() and commit()': async ({ em, Person }) => {
    await em.begin()
    em.create(Person, eve)
    await em.commit()
  },
  'begin() and rollback()': async ({ em, Person }) => {
    await em.begin()
    em.create(Person, eve)
    await em.flush()
    await em.rollback()
  },
  'a lock': ({ em, Person }, key) =>
    em.transactional(async (on: Any) => {
      const lockMode = LockMode.PESSIMISTIC_WRITE
      ;(await on.findOne(Person, key(2), { lockMode })).name = 'New'
      await on.lock(await on.findOne(Person, key(3)), lockMode)
    }),
  'a read that flushes': async ({ em, Person }) => {
    em.create(Person, eve)
    return plain(await em.find(Person, { name: 'Eve' }))
  },
}

export const writes: Programs = {
  nothing: async () => {},
  ...byEntities,
  ...byRows,
  ...byConditions,
  ...byQueryBuilder,
  ...inTransactions,
}
