import 'reflect-metadata'
import type { Keyed, Log, MatrixAdapter, Mode, Program } from '@snoflax/test/contract'
import { fromDatabase, IdColumn, parameter } from '@snoflax/typeorm'
import {
  AfterInsert,
  AfterLoad,
  AfterRemove,
  AfterUpdate,
  BeforeInsert,
  BeforeUpdate,
  Between,
  Brackets,
  Column,
  type DataSource,
  Entity,
  type EntitySubscriberInterface,
  Equal,
  In,
  IsNull,
  JoinColumn,
  JoinTable,
  LessThanOrEqual,
  type Logger,
  ManyToMany,
  ManyToOne,
  MoreThan,
  Not,
  type ObjectLiteral,
  OneToMany,
  Or,
  PrimaryColumn,
  type Relation,
  RelationId,
  type SelectQueryBuilder,
} from 'typeorm'
import { openDataSource } from '../open-data-source.js'
import { IS_0_3 } from '../version.js'

interface Session {
  readonly db: DataSource
  readonly m: Any
  /** A builder that selects from the entity. */
  from(entity: string, alias: string): SelectQueryBuilder<ObjectLiteral>
  /** The parameter for SQL of our own, and the id that such SQL returned. */
  bound(entity: string, id: string): unknown
  read(entity: string, value: unknown): unknown
  readonly isMysql: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: entities are named, since their types differ by mode
type Any = any

type Programs = Readonly<Record<string, Program<Session>>>

const eve = () => ({ email: 'eve@x.org', name: 'Eve' })
const fay = () => ({ email: 'fay@x.org', name: 'Fay' })
const post = (author: unknown) => ({ title: 'New', likes: 0, author })
/** Its generatedMaps have our ids, as those that TypeORM generates itself. */
const identifiers = (result: ObjectLiteral) => result['identifiers'] as unknown

const writes: Programs = {
  nothing: async () => {},
  'save a row': ({ m }) => m.save('Person', eve()),
  'save an entity': ({ m }) => m.save(m.create('Person', eve())),
  'save rows': ({ m }) => m.save('Tag', [{ label: 'a' }, { label: 'b' }]),
  'save no rows': ({ m }) => m.save('Person', []),
  'save a row with a key': ({ m }, key) => m.save('Person', { ...eve(), id: key(31) }),
  'save rows with and without a key': ({ m }, key) =>
    m.save('Tag', [{ label: 'a' }, { label: 'b', id: key(51) }]),
  'save without listeners': ({ m }, key) => m.save('Tag', { id: key(51), label: 'a' }, { listeners: false }),
  'save without reload': ({ m }) => m.save('Tag', { label: 'a' }, { reload: false }),
  'save in chunks': ({ m }) => m.save('Tag', [{ label: 'a' }, { label: 'b' }, { label: 'c' }], { chunk: 2 }),
  'save a row that refers': ({ m }, key) => m.save('Post', post({ id: key(2) })),
  'save a row that refers to none': ({ m }, key) => m.save('Post', post({ id: key(9) })),
  'save with null': ({ m }) => m.save('Person', { ...eve(), boss: null }),
  'save a graph': ({ m }, key) => m.save('Post', { ...post(eve()), tags: [{ label: 'a' }, { id: key(21) }] }),
  'save a graph from above': ({ m }) =>
    m.save('Person', { ...eve(), posts: [{ title: 'New', likes: 0, tags: [{ label: 'a' }] }] }),
  'save a chain of one entity': ({ m }, key) =>
    m.save('Person', { ...fay(), id: key(32), boss: { ...eve(), id: key(31) } }),
  'insert a row': async ({ m }) => identifiers(await m.insert('Person', eve())),
  'insert rows': async ({ m }) => identifiers(await m.insert('Tag', [{ label: 'a' }, { label: 'b' }])),
  'insert no rows': ({ m }) => m.insert('Person', []),
  'insert a key that is there': ({ m }, key) => m.insert('Person', { ...eve(), id: key(1) }),
  'insert a row that refers': async ({ m }, key) =>
    identifiers(await m.insert('Post', post(key(2)) as never)),
  'builder, insert': async ({ m }) =>
    identifiers(await m.createQueryBuilder().insert().into('Tag').values({ label: 'a' }).execute()),
  'builder, insert from a query': async ({ m }) => {
    if (IS_0_3) return
    const builder = m.createQueryBuilder().insert().into('posts_tags', ['post_id', 'tag_id'])
    const from = m
      .createQueryBuilder('Post', 'p')
      .innerJoin('Tag', 't', "t.label = 'blue' AND p.title = 'Two'")
    await builder.valuesFromSelect(from.select('p.id', 'post_id').addSelect('t.id', 'tag_id')).execute()
  },
  'upsert a new row': async ({ m }, key) =>
    void (await m.upsert('Person', { ...eve(), id: key(31) }, ['email'])),
  // The result is that of keys that TypeORM generates: upserts.test.ts.
  'upsert a row that is there': async ({ m }) =>
    void (await m.upsert('Tag', [{ label: 'red' }, { label: 'a' }], ['label'])),
  'upsert a reference': async ({ m, isMysql }, key) => {
    const row = { email: 'bob@x.org', name: 'Bob', id: key(2), boss: { id: key(3) } }
    return isMysql ? undefined : void (await m.upsert('Person', row, ['id']))
  },
  'link rows': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(14)).add(key(23)),
  'link rows twice': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(11)).add(key(21)),
  'link and unlink': ({ m }, key) =>
    m
      .createQueryBuilder()
      .relation('Post', 'tags')
      .of({ id: key(11) })
      .addAndRemove([{ id: key(23) }], [key(21)]),
  'set a relation': ({ m }, key) => m.createQueryBuilder().relation('Post', 'author').of(key(11)).set(key(3)),
  'update by key': ({ m }, key) => m.update('Person', key(2), { name: 'New' }),
  'update by keys': ({ m }, key) => m.update('Person', [key(1), key(9)], { name: 'New' }),
  'update by a condition': ({ m }, key) => m.update('Person', { boss: { id: key(1) } }, { name: 'New' }),
  'update by no keys': ({ m }) => m.update('Person', { id: In([]) }, { name: 'New' }),
  'update a reference': ({ m }, key) => m.update('Person', { id: key(3) }, { boss: { id: key(4) } }),
  'update a reference to null': ({ m }, key) => m.update('Person', { id: key(4) }, { boss: null }),
  'update a key': ({ m }, key) => m.update('Tag', { id: key(23) }, { id: key(51) }),
  'change a loaded entity': async ({ m }, key) => {
    const person = await m.findOneByOrFail('Person', { id: key(2) })
    return m.save(Object.assign(person, { name: 'New' }))
  },
  'change nothing': async ({ m }, key) => m.save(await m.findOneByOrFail('Person', { id: key(2) })),
  'change a loaded reference': async ({ m }, key) => {
    const found = await m.findOneOrFail('Post', { where: { id: key(11) }, relations: { author: true } })
    return m.save(Object.assign(found, { author: await m.findOneByOrFail('Person', { id: key(3) }) }))
  },
  'change a list of relations': async ({ m }, key) => {
    const found = await m.findOneOrFail('Post', { where: { id: key(11) }, relations: { tags: true } })
    return m.save(Object.assign(found, { tags: [{ id: key(23) }] }))
  },
  preload: async ({ m }, key) => m.save((await m.preload('Person', { id: key(2), name: 'New' })) ?? {}),
  increment: async ({ m }, key) => (await m.increment('Post', { id: key(11) }, 'likes', 5)).affected,
  'builder, update': ({ m, bound }, key) =>
    m
      .createQueryBuilder()
      .update('Person')
      .set({ name: 'New' })
      .where('id = :id', { id: bound('Person', key(2)) })
      .execute(),
  'delete by key': ({ m }, key) => m.delete('Person', key(3)),
  'delete by keys': ({ m }, key) => m.delete('Tag', [key(21), key(22)]),
  'delete and cascade': ({ m }, key) => m.delete('Person', { id: key(4) }),
  'delete by other keys': ({ m }, key) => m.delete('Tag', { id: Not(key(21)) }),
  'delete a row that others refer to': ({ m }, key) => m.delete('Person', key(1)),
  'builder, delete whereInIds': ({ m }, key) =>
    m
      .createQueryBuilder()
      .delete()
      .from('Tag')
      .whereInIds([key(21), key(23)])
      .execute(),
  'remove entities': async ({ m }, key) => m.remove(await m.findBy('Tag', { id: In([key(21), key(22)]) })),
  'a transaction': ({ m }, key) =>
    m.transaction(async (on: Any) => {
      const { id } = await on.save('Person', { ...eve(), id: key(32) })
      return on.save('Post', post({ id }))
    }),
  'a transaction that is rolled back': ({ m }) =>
    m.transaction(async (on: Any) => {
      await on.save('Person', eve())
      throw new RangeError('rolled back')
    }),
  'a savepoint': ({ m }) =>
    m.transaction(async (on: Any) => {
      await on.save('Tag', { label: 'a' })
      await on
        .transaction(async (inner: Any) => {
          await inner.save('Tag', { label: 'b' })
          throw new RangeError('rolled back')
        })
        .catch(() => undefined)
    }),
  'raw SQL': async ({ db }) => void (await db.query("update people set name = 'Raw' where name = 'Bob'")),
}

const byId = { id: 'ASC' } as const

const reads: Programs = {
  'all people': ({ m }) => m.find('Person', { order: byId }),
  'all posts, by join': ({ m }) =>
    m.find('Post', { order: { ...byId, tags: byId }, relations: { author: { boss: true }, tags: true } }),
  'all tags': ({ m }) => m.find('Tag', { order: byId }),
  'by key': ({ m }, key) => m.findOneBy('Person', { id: key(2) }),
  'by a key that no row has': ({ m }, key) => m.findOneBy('Person', { id: key(9) }),
  'or an error': ({ m }, key) => m.findOneByOrFail('Person', { id: key(9) }),
  'by keys': ({ m }, key) =>
    m.find('Person', { where: { id: In([key(1), key(4), key(9)]) }, order: byId, select: { name: true } }),
  'by no keys': ({ m }) => m.findBy('Person', { id: In([]) }),
  'by other keys': ({ m }, key) =>
    m.find('Person', { where: { id: Not(In([key(1)])) }, order: byId, select: { id: true } }),
  'by undefined': ({ m }) => m.find('Tag', { where: { id: undefined }, order: byId }),
  'by a range': ({ m }, key) => m.find('Post', { where: { id: Between(key(12), key(13)) }, order: byId }),
  or: ({ m }, key) => m.find('Person', { where: [{ id: key(1) }, { boss: { id: key(2) } }], order: byId }),
  'an operator or': ({ m }, key) =>
    m.find('Person', { where: { id: Or(Equal(key(1)), MoreThan(key(3))) }, order: byId }),
  'the newest': ({ m }) => m.find('Post', { order: { id: 'DESC' }, take: 1 }),
  'a page': ({ m }, key) => m.find('Post', { where: { id: MoreThan(key(11)) }, order: byId, take: 2 }),
  'a page of joined rows': ({ m }) =>
    m.findAndCount('Person', {
      relations: { posts: true },
      order: { ...byId, posts: byId },
      take: 2,
      skip: 1,
    }),
  'by a reference': ({ m }, key) => m.find('Post', { where: { author: { id: key(1) } }, order: byId }),
  'by an entity': async ({ m }, key) => {
    const author = await m.findOneBy('Person', { id: key(1) })
    return author && m.find('Post', { where: { author: { id: author['id'] } }, order: byId })
  },
  'by no reference': ({ m }) => m.find('Person', { where: { boss: IsNull() }, order: byId }),
  'by a row that refers': ({ m }, key) =>
    m.find('Person', { where: { posts: { id: LessThanOrEqual(key(12)) } }, order: byId }),
  'by a linked row': ({ m }, key) => m.find('Post', { where: { tags: { id: key(21) } }, order: byId }),
  count: ({ m }, key) => m.countBy('Post', { author: { id: key(1) } }),
  exists: ({ m }, key) => m.existsBy('Tag', { id: key(51) }),
  'ids of relations': ({ m }) => m.find('Post', { loadRelationIds: { relations: ['author'] }, order: byId }),
  'many to many': ({ m }, key) =>
    m.findOne('Post', { where: { id: key(11) }, relations: { tags: true }, order: { tags: byId } }),
  'load a relation': async ({ m }, key) =>
    m.createQueryBuilder().relation('Post', 'author').of(key(13)).loadOne(),
  // Several rows would come in any order.
  'load a list': ({ m }, key) => m.createQueryBuilder().relation('Person', 'posts').of(key(4)).loadMany(),
  'load links': ({ m }, key) => m.createQueryBuilder().relation('Post', 'tags').of(key(13)).loadMany(),
  'builder, where': ({ from, bound }, key) =>
    from('Person', 'p')
      .where('p.id = :id', { id: bound('Person', key(2)) })
      .getOne(),
  'builder, where of an object': ({ from }, key) =>
    from('Person', 'p')
      .where({ id: key(2) })
      .orWhere({ boss: { id: key(2) } })
      .orderBy('p.id')
      .getMany(),
  'builder, whereInIds': ({ from }, key) =>
    from('Person', 'p')
      .whereInIds([key(1), key(3)])
      .orderBy('p.id')
      .getMany(),
  'builder, brackets': ({ from, bound }, key) =>
    from('Person', 'p')
      .where(new Brackets((of) => of.where('p.id > :id').orWhere('p.boss IS NULL')))
      .setParameters({ id: bound('Person', key(3)) })
      .orderBy('p.id')
      .getMany(),
  'builder, joins': ({ from }) =>
    from('Post', 'p')
      .leftJoinAndSelect('p.author', 'a')
      .leftJoinAndSelect('a.boss', 'b')
      .leftJoinAndSelect('p.tags', 't')
      .orderBy('p.id')
      .addOrderBy('t.id')
      .getMany(),
  'builder, a join by key': ({ from, bound }, key) =>
    from('Person', 'p')
      .innerJoin('p.posts', 'o', 'o.id = :id', { id: bound('Post', key(13)) })
      .getMany(),
  'builder, a subquery': ({ from, bound }, key) => {
    const builder = from('Person', 'p')
    const inner = builder.subQuery().select('o.author').from('Post', 'o').where('o.id = :id')
    return builder.where(`p.id IN ${inner.getQuery()}`, { id: bound('Post', key(13)) }).getMany()
  },
  'builder, a page': ({ from }) =>
    from('Person', 'p')
      .leftJoinAndSelect('p.posts', 'o')
      .orderBy('p.id')
      .addOrderBy('o.id')
      .take(2)
      .getManyAndCount(),
  'builder, count of relations': async ({ from, read }) => {
    const rows = await from('Post', 'p')
      .select('p.author', 'author')
      .addSelect('COUNT(*)', 'n')
      .groupBy('p.author')
      .orderBy('p.author')
      .getRawMany()
    return rows.map(({ author, n }) => [read('Person', author), Number(n)])
  },
  'builder, raw and entities': async ({ from }) =>
    (await from('Tag', 't').orderBy('t.id').getRawAndEntities()).entities,
  'builder, distinct': ({ from }) => from('Post', 'p').select('COUNT(DISTINCT p.author)', 'n').getRawOne(),
  links: async ({ db, read }) => {
    const rows = await db.query('select post_id, tag_id from posts_tags order by post_id, tag_id')
    return rows.map((row: ObjectLiteral) => [read('Post', row['post_id']), read('Tag', row['tag_id'])])
  },
}

const EVENTS = [
  'beforeInsert',
  'afterInsert',
  'beforeUpdate',
  'afterUpdate',
  'beforeRemove',
  'afterRemove',
  'afterLoad',
] as const
const LISTENERS = { AfterLoad, BeforeInsert, AfterInsert, BeforeUpdate, AfterUpdate, AfterRemove }

function entitiesOf({ ids }: Mode, log: Log): (new () => object)[] {
  const Key = (keyed: Keyed): PropertyDecorator =>
    ids
      ? (IdColumn(ids.of[keyed], { storage: ids.storage as never }) as PropertyDecorator)
      : PrimaryColumn({ type: 'varchar', length: 40 })
  const Text = () => Column({ type: 'varchar', length: 40 })

  @Entity('people')
  class Person {
    @Key('people') id!: string
    @Text() email!: string
    @Text() name!: string
    @ManyToOne(() => Person, { nullable: true, cascade: ['insert'] })
    @JoinColumn({ name: 'boss_id' })
    boss!: Relation<Person> | null
    @OneToMany(() => Post, 'author', { cascade: true }) posts!: Relation<Post>[]
  }
  @Entity('posts')
  class Post {
    @Key('posts') id!: string
    @Text() title!: string
    @Column('int') likes!: number
    @ManyToOne(() => Person, 'posts', { nullable: false, onDelete: 'CASCADE', cascade: ['insert'] })
    @JoinColumn({ name: 'author_id' })
    author!: Relation<Person>
    @RelationId((one: Post) => one.author) authorId!: string
    @ManyToMany(() => Tag, { cascade: true })
    @JoinTable({
      name: 'posts_tags',
      joinColumn: { name: 'post_id' },
      inverseJoinColumn: { name: 'tag_id' },
    })
    tags!: Relation<Tag>[]
  }
  @Entity('tags')
  class Tag {
    @Key('tags') id!: string
    @Text() label!: string
  }
  for (const [name, decorate] of Object.entries(LISTENERS)) {
    const happened = function (this: object) {
      log('event', [name, 'Person', copyOf(this)])
    }
    Object.assign(Person.prototype, { [name]: happened })
    decorate()(Person.prototype, name)
  }
  return [Person, Post, Tag]
}

/** Of an entity, or of a key, by which TypeORM loads some. An increment is a function. */
const copyOf = (entity: unknown) =>
  typeof entity === 'object'
    ? JSON.parse(JSON.stringify(entity, (_, value) => (typeof value === 'function' ? 'SQL' : value)))
    : entity

const subscriberOf = (log: Log): EntitySubscriberInterface =>
  Object.fromEntries(
    EVENTS.map((name) => [
      name,
      (event: ObjectLiteral, loaded?: ObjectLiteral) => {
        const { metadata, entity, updatedColumns } = name === 'afterLoad' ? (loaded as ObjectLiteral) : event
        const changed = updatedColumns?.map(({ propertyPath }: ObjectLiteral) => propertyPath as string)
        log('event', [name, metadata.name, copyOf(entity), changed])
      },
    ]),
  )

const adapter: MatrixAdapter<Session> = {
  orm: 'TypeORM',
  storages: {
    sqlite: ['text', 'binary'],
    postgres: ['text', 'uuid', 'binary'],
    mysql: ['text', 'binary'],
  },
  async open(database, mode, log) {
    const logger = { logQuery: (sql: string) => log('statement', sql), logQueryError: () => undefined }
    const db = await openDataSource(database, entitiesOf(mode, log), {
      synchronize: false,
      logger: logger as unknown as Logger,
      logging: ['query'],
    })
    db.subscribers.push(subscriberOf(log))
    // An application's own keys, set by an event before all others.
    const listener = {
      isAllowed: (row: ObjectLiteral) => row['id'] === undefined,
      execute: (row: ObjectLiteral) => Object.assign(row, { id: mode.plainKey() }) && undefined,
    }
    for (const { beforeInsertListeners, tableType, tableName, primaryColumns } of mode.ids
      ? []
      : db.entityMetadatas) {
      if (tableType !== 'regular') continue
      beforeInsertListeners.unshift(listener as never)
      // Ours are returned by inserts, as keys that TypeORM generates itself, and where nothing is returned, rows that may
      // refer to each other are inserted one by one.
      const isReturned = database.kind !== 'sqlite' || tableName === 'people'
      if (isReturned)
        Object.assign(primaryColumns[0] ?? {}, { isGenerated: true, generationStrategy: 'uuid' })
    }
    const metadata = (entity: string) => db.getMetadata(entity)
    return {
      db,
      m: db.manager,
      from: (entity, alias) => db.manager.createQueryBuilder(entity, alias),
      bound: (entity, id) => (mode.ids ? parameter(metadata(entity), 'id', id) : id),
      read: (entity, value) => (mode.ids ? fromDatabase(metadata(entity), 'id', value) : value),
      isMysql: database.kind === 'mysql',
    }
  },
  close: ({ db }) => db.destroy(),
  writes,
  reads,
}

export default adapter
