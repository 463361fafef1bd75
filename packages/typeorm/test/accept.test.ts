import 'reflect-metadata'
import { type FlaxId, flax, prefixed, type Uuid7, uuid7 } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { CreatedAt, createdBetween, FlaxIdColumn, idColumn, keyset } from '@snoflax/typeorm'
import {
  Column,
  Entity,
  EntityNotFoundError,
  EntitySchema,
  In,
  JoinTable,
  ManyToMany,
  ManyToOne,
  Not,
  type Relation,
} from 'typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { changesOf, openForBlock, openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

@Entity('account')
class Account {
  @FlaxIdColumn({ prefix: 'acc', accept: /user-\d+/, branded: false }) id!: string
  @CreatedAt() readonly createdAt!: Date | null
  @Column({ type: 'varchar', length: 40 }) name!: string
  @ManyToMany(() => Badge, { cascade: true }) @JoinTable() badges!: Relation<Badge>[]
}

@Entity('post')
class Post {
  @FlaxIdColumn({ accept: uuid7 }) id!: FlaxId | Uuid7
  @FlaxIdColumn.plain({ nullable: true, branded: false }) authorId!: string | null
  @CreatedAt('authorId') readonly authorSince!: Date | null
  @ManyToOne(() => Account, { cascade: true, onDelete: 'CASCADE' }) author!: Relation<Account> | null
  @FlaxIdColumn.plain({ accept: [/trace [a-z]+/i, uuid7], nullable: true }) traceId!: string | null
}

@Entity('badge')
class Badge {
  @FlaxIdColumn({ accept: /[a-z]{3,12}/ }) id!: string
}

const OURS = expect.stringMatching(prefixed(flax, 'acc').pattern)
/** What no column takes. */
const FOREIGN = 'no such id!'

describe.each(kinds)('$name', (kind) => {
  const world = openForBlock(kind, [Account, Post, Badge])
  const accounts = () => world.dataSource.getRepository(Account)
  const posts = () => world.dataSource.getRepository(Post)
  beforeEach(async () => {
    await posts().createQueryBuilder().delete().execute()
    await accounts().createQueryBuilder().delete().execute()
    await accounts().insert([
      { id: 'user-1', name: 'Ada' },
      { id: 'user-2', name: 'Bob' },
    ])
  })

  test('rows keep their keys, and new ones get ours', async () => {
    const { id } = await accounts().save({ name: 'Cy' })
    expect(id).toEqual(OURS)
    const found = await accounts().find({ order: { name: 'ASC' } })
    expect(found.map((one) => one.id)).toEqual(['user-1', 'user-2', id])
    expect(await accounts().save({ id: 'user-1', name: 'Ann' })).toEqual({ id: 'user-1', name: 'Ann' })
    await accounts().upsert({ id: 'user-2', name: 'Ben' }, ['id'])
    const both = { id: In(['user-1', 'user-2']) }
    expect(await accounts().find({ where: both, order: { name: 'ASC' } })).toEqual([
      { id: 'user-1', name: 'Ann' },
      { id: 'user-2', name: 'Ben' },
    ])
    expect(await accounts().countBy({ id: Not(both.id) })).toBe(1)
    expect(await changesOf(world.dataSource)).toEqual([])
  })

  test('references, junctions and raw SQL have them, too', async () => {
    const author = await accounts().save({ id: 'user-3', name: 'Cy', badges: [{ id: 'gold' }] })
    const post = await posts().save({ author, traceId: 'Trace me' })
    expect(flax.is(post.id)).toBe(true)
    const relations = { author: { badges: true } }
    expect(await posts().findOneOrFail({ where: { author: { id: 'user-3' } }, relations })).toEqual({
      id: post.id,
      authorId: 'user-3',
      traceId: 'Trace me',
      author: { id: 'user-3', name: 'Cy', badges: [{ id: 'gold' }] },
    })
    const own = uuid7.generate()
    await posts().insert({ id: own, authorId: 'user-1' })
    expect(await posts().findOneByOrFail({ id: own })).toMatchObject({ id: own, authorId: 'user-1' })
    expect(await world.dataSource.query(`SELECT id FROM account WHERE id = 'user-3'`)).toEqual([
      { id: 'user-3' },
    ])
  })

  test.each(['user-404', FOREIGN, flax.generate()])('%s is not found', async (id) => {
    expect(await accounts().findOneBy({ id })).toBeNull()
    await expect(accounts().findOneByOrFail({ id })).rejects.toThrow(EntityNotFoundError)
    expect(await accounts().findBy([{ id }, { name: id }])).toEqual([])
    expect(await accounts().createQueryBuilder().whereInIds([id]).getMany()).toEqual([])
    expect(await posts().findBy({ author: { id } })).toEqual([])
    expect(await accounts().preload({ id, name: 'x' })).toBeUndefined()
    const { affected } = await accounts().update(id, { name: 'x' })
    const deleted = await accounts().delete({ id })
    expect([affected, deleted.affected]).toEqual([0, 0])
    expect(await accounts().find(keyset(Account, { take: 9, after: 'user-1' }))).toMatchObject([
      { id: 'user-2' },
    ])
  })

  test('what is neither is refused in a write, with its path', async () => {
    for (const [path, write] of [
      ['Account.id', () => accounts().save({ id: FOREIGN, name: 'x' })],
      ['Account.id', () => accounts().insert({ id: FOREIGN, name: 'x' })],
      ['Account.id', () => accounts().insert({ id: 'user-1\n', name: 'x' })],
      ['Post.authorId', () => posts().insert({ authorId: FOREIGN })],
      ['Post.traceId', () => posts().insert({ traceId: FOREIGN })],
      ['Post.traceId', () => posts().update({ traceId: Not('x') }, { traceId: FOREIGN })],
    ] as const)
      await expect(write(), path).rejects.toMatchObject({ name: 'IdError', path, statusCode: 400 })
    await expect(posts().insert({ traceId: FOREIGN })).rejects.toThrow(/also accepted: .*trace/)
    expect(await accounts().count()).toBe(2)
  })

  test('ours have a time, others have none', async () => {
    const post = await posts().save({ author: { name: 'Cy' } })
    const ours = await accounts().findOneByOrFail({ name: 'Cy' })
    const theirs = await accounts().findOneByOrFail({ id: 'user-1' })
    expect([ours.createdAt, theirs.createdAt]).toEqual([expect.any(Date), null])
    expect((await posts().findOneByOrFail({ id: post.id })).authorSince).toEqual(ours.createdAt)
    expect(() => Object.assign(accounts().create(), { id: FOREIGN }).createdAt).toThrow(/acc_/)
    const month = createdBetween(Account, 'id', Date.now() - 60_000, Date.now() + 60_000)
    expect(await accounts().findBy({ id: month })).toEqual([{ id: ours.id, name: 'Cy' }])
  })
})

const schemaOf = (options: object) =>
  new EntitySchema<{ id: string }>({ name: 'one', columns: { id: idColumn(flax, options) } })

test.each([
  [{ accept: /x{3}/, storage: 'binary' }, 'STORAGE_REFUSED', /one\.id: .*also accepts other keys.*use text/],
])('%o is refused when the database is known', async (options, code, message) => {
  await expect(openForTest(sqlite, [schemaOf(options)])).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  })
})

test.each([
  [{ accept: /x/g }, /flags/],
  [{ accept: 'x' }, /accept/],
  [{ onMismatch: 'ignore' }, /onMismatch/],
  [{ branded: 'no' }, /branded/],
  [{ prefix: 'No' }, /prefix/],
])('%o is refused at once', (options, message) => {
  expect(() => schemaOf(options)).toThrow(message)
})
