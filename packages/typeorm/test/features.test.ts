import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import type { PostgresDatabase } from '@snoflax/test'
import { FlaxIdColumn } from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  type DataSourceOptions,
  Entity,
  In,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  type Relation,
  RelationId,
  VersionColumn,
  ViewColumn,
  ViewEntity,
  VirtualColumn,
} from 'typeorm'
import { columnsOf, describeBesideText, type Keys, sorted } from './beside-text.js'
import { openDataSource } from './open-data-source.js'

/** What queries can read, once with our keys and once with the same ids as plain text. */
function define(keys: Keys, kind: string) {
  const { Key, Id } = columnsOf(keys, kind)
  const quote = kind === 'mysql' ? '`' : '"'
  const IdInView = () => (keys === 'plain text' ? ViewColumn() : FlaxIdColumn.plain({ storage: keys }))

  class Address {
    @Column('varchar', { nullable: true }) city!: string | null
    @Id() placeId!: FlaxId | null
  }
  @Entity('account')
  class Account {
    @Key() id!: FlaxId
    @Column('varchar') name!: string
    @Column(() => Address) home!: Address
    @VersionColumn() version!: number
    @OneToMany(() => Post, 'account', { cascade: true }) posts!: Relation<Post>[]
    @RelationId((account: Account) => account.posts) postIds!: FlaxId[]
    @VirtualColumn({
      query: (alias) => `SELECT COUNT(*) FROM post WHERE ${quote}accountId${quote} = ${alias}.id`,
    })
    postCount!: number | string
  }
  @Entity('post')
  class Post {
    @Key() id!: FlaxId
    @Column('varchar') title!: string
    @ManyToOne(() => Account, 'posts', { eager: true }) account!: Relation<Account>
    @ManyToMany(() => Tag, { cascade: true, lazy: true })
    @JoinTable()
    tags!: Promise<Relation<Tag>[]>
    @RelationId((post: Post) => post.tags) tagIds!: FlaxId[]
  }
  @Entity('tag')
  class Tag {
    @Key() id!: FlaxId
    @Column('varchar') label!: string
  }
  @ViewEntity({
    name: 'titles',
    expression: `SELECT p.id AS ${quote}postId${quote}, a.id AS ${quote}accountId${quote}, p.title AS title
      FROM post p JOIN account a ON a.id = p.${quote}accountId${quote}`,
  })
  class Title {
    @IdInView() postId!: FlaxId
    @IdInView() accountId!: FlaxId
    @ViewColumn() title!: string
  }
  return { Account, Post, Tag, Title }
}

type Entities = ReturnType<typeof define>
interface World extends Entities {
  readonly dataSource: DataSource
}

const [ada, ben, first, second, third, blue, red, film, place] = Array.from({ length: 9 }, () =>
  flax.generate(),
) as [FlaxId, FlaxId, FlaxId, FlaxId, FlaxId, FlaxId, FlaxId, FlaxId, FlaxId]

async function fill({ dataSource: { manager }, Account, Post, Tag }: World): Promise<void> {
  const tags = await manager.save(Tag, [
    { id: blue, label: 'blue' },
    { id: red, label: 'red' },
  ])
  const [one] = await manager.save(Account, [
    { id: ada, name: 'Ada', home: { city: 'Rome', placeId: place } },
    { id: ben, name: 'Ben', home: { city: null, placeId: null } },
  ])
  for (const [id, title, labels] of [
    [first, 'first', tags],
    [second, 'second', tags.slice(1)],
    [third, 'third', []],
  ] as const) {
    const post = manager.create(Post, { id, title, account: one as never })
    post.tags = Promise.resolve([...labels])
    await manager.save(post)
  }
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error: Error) => error.name,
  )

/** What each feature answers: plain data, which must be the same with both keys. */
const FEATURES: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'eager and lazy': async ({ dataSource: { manager }, Post }) => {
    const post = await manager.findOneByOrFail(Post, { id: first })
    return [post.account.id, sorted(await post.tags)]
  },
  'relation ids': async ({ dataSource: { manager }, Account, Post }) => {
    const posts = sorted(await manager.find(Post))
    const builder = manager.createQueryBuilder(Post, 'p').orderBy('p.title')
    return [
      posts.map(({ tagIds }) => [...tagIds].sort()),
      [...(await manager.findOneByOrFail(Account, { id: ada })).postIds].sort(),
      (await builder.loadAllRelationIds().getMany()).map(({ account }) => account),
      (await builder.loadRelationIdAndMap('p.accountId', 'p.account').getMany()).map(
        (one) => (one as never)['accountId'],
      ),
    ]
  },
  views: async ({ dataSource: { manager }, Title }) => [
    await manager.find(Title, { order: { title: 'ASC' } }),
    await manager.findBy(Title, { postId: In([first, film]) }),
  ],
  'virtual columns': async ({ dataSource: { manager }, Account }) =>
    sorted(await manager.find(Account)).map(({ id, postCount }) => [id, Number(postCount)]),
  caching: async ({ dataSource: { manager }, Post }) => {
    const find = () =>
      manager.find(Post, { where: { id: In([first, second]) }, order: { id: 'ASC' }, cache: 60_000 })
    const [fresh, cached] = [await find(), await find()]
    return [
      fresh.map(({ id, title, account }) => [id, title, account.id]),
      cached.map(({ id, account }) => [id, account.id]),
    ]
  },
  locking: async ({ dataSource: { manager }, Account }) => [
    (await manager.findOne(Account, { where: { id: ben }, lock: { mode: 'optimistic', version: 1 } }))?.id,
    await failure(manager.findOne(Account, { where: { id: ben }, lock: { mode: 'optimistic', version: 9 } })),
    await failure(
      manager.transaction((own) =>
        own.findOneOrFail(Account, {
          where: { id: ben },
          loadEagerRelations: false,
          lock: { mode: 'pessimistic_write' },
        }),
      ),
    ),
  ],
}

describeBesideText(async (keys, kind, database): Promise<World> => {
  const entities = define(keys, kind)
  // Reads go to a replica, which is the same server here.
  const url = (database as PostgresDatabase).url
  const replication = kind === 'postgres' ? { replication: { master: { url }, slaves: [{ url }] } } : {}
  const dataSource = await openDataSource(database, Object.values(entities), {
    cache: true,
    ...replication,
  } as Partial<DataSourceOptions>)
  const world = { ...entities, dataSource }
  await fill(world)
  return world
}, FEATURES)
