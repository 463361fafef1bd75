import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { FlaxIdColumn, fromDatabase, IdColumn, idColumn, parameter } from '@snoflax/typeorm'
import {
  BeforeInsert,
  Column,
  CreateDateColumn,
  type DataSource,
  Entity,
  EntitySchema,
  type EntitySubscriberInterface,
  Equal,
  EventSubscriber,
  In,
  Index,
  type InsertEvent,
  ManyToOne,
  Not,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock, openForTest } from './open-data-source.js'
import { flaxPlaces } from './sources.js'
import { IS_0_3 } from './version.js'

const events: string[] = []

@EventSubscriber()
class Watcher implements EntitySubscriberInterface {
  async beforeInsert({
    entity,
    queryRunner,
  }: InsertEvent<{ id?: unknown; email?: unknown; slug?: unknown }>) {
    if (entity?.email) events.push(`before ${entity.email} ${entity.id}`)
    if (entity?.slug !== 'stopped') return
    await queryRunner.rollbackTransaction()
    throw new Error('stopped by the subscriber')
  }
  afterInsert({ entity }: InsertEvent<{ id?: unknown; email?: unknown }>) {
    if (entity?.email) events.push(`after ${entity.email} ${entity.id}`)
  }
}

describe.each(flaxPlaces)('$name', ({ kind, storage }) => {
  const Id = () => FlaxIdColumn({ storage })

  class Stamp {
    @Column('varchar', { nullable: true }) by!: string | null
    @FlaxIdColumn.plain({ storage, nullable: true }) batch!: FlaxId | null
    @IdColumn(flax, { storage, primary: false }) mark!: FlaxId
  }

  @Entity()
  class User {
    @Id() id!: FlaxId
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
    @Column('varchar', { default: 'nobody' }) name!: string
    @Column('varchar', { nullable: true }) seen!: string | null
    @CreateDateColumn() savedAt!: Date
    @ManyToOne(() => User, { nullable: true, cascade: true }) boss!: Relation<User> | null
    @Column(() => Stamp) stamp!: Stamp

    @BeforeInsert()
    look() {
      this.seen = this.id
      if (this.name === 'refused') throw new Error('refused by its own listener')
    }
  }

  @Entity()
  @Index(['slug'], { unique: true, where: 'live = 1' })
  class Page {
    @Id() id!: FlaxId
    @Column({ type: 'varchar', length: 50 }) slug!: string
    @Column('int') live!: number
    @Column('varchar', { nullable: true }) text!: string | null
  }

  abstract class Base {
    @Id() id!: FlaxId
  }
  @Entity()
  class Derived extends Base {
    @Column('varchar') text!: string
  }

  @Entity()
  class Note {
    @PrimaryGeneratedColumn() id!: number
    @Column({ type: 'varchar', length: 100, unique: true, nullable: true }) text!: string | null
    @ManyToOne(() => User, { nullable: true }) author!: Relation<User> | null
  }

  const Schema = new EntitySchema<{ id: FlaxId; text: string; traceId: FlaxId | null }>({
    name: 'written_out',
    columns: {
      id: idColumn(flax, { storage }),
      text: { type: 'varchar' },
      traceId: idColumn.plain(flax, { storage, nullable: true }),
    },
  })

  const entities = [User, Derived, Note, Page, Schema]
  const world = openForBlock(kind, entities, { subscribers: [Watcher] })
  let dataSource: DataSource
  beforeAll(() => {
    dataSource = world.dataSource
  })
  const users = () => dataSource.getRepository(User)
  let made = 0
  const email = () => `user${++made}@example.org`

  const emailsById = async (rows: readonly { id: FlaxId }[]) => {
    const found = await users().findBy({ id: In(rows.map(({ id }) => id)) })
    const emails = new Map(found.map((user) => [user.id, user.email]))
    return rows.map(({ id }) => emails.get(id))
  }

  test('listeners and subscribers see the id before the insert, and the same one after it', async () => {
    events.length = 0
    const user = await users().save(users().create({ email: email() }))
    expect(user.seen).toBe(user.id)
    expect(events).toEqual([`before ${user.email} ${user.id}`, `after ${user.email} ${user.id}`])
  })

  test('each of many rows keeps its own id if the database fills columns', async () => {
    const rows = Array.from({ length: 450 }, (_, i) =>
      // The ids of every third sort the other way round.
      users().create({ email: email(), ...(i % 3 === 0 && { id: flax.lowerBound(1_700_000_000_000 - i) }) }),
    )
    const { identifiers, generatedMaps } = await users().insert(rows)
    expect(identifiers).toEqual(rows.map(({ id }) => ({ id })))
    const stored = await users().findBy({ id: In(rows.map(({ id }) => id)) })
    const marks = new Map(stored.map(({ id, stamp }) => [id, stamp.mark]))
    expect(rows.map(({ stamp }) => stamp.mark)).toEqual(rows.map(({ id }) => marks.get(id)))
    expect(await emailsById(rows)).toEqual(rows.map((row) => row.email))
    expect(rows.every(({ savedAt, name }) => savedAt instanceof Date && name === 'nobody')).toBe(true)
    expect(generatedMaps).toHaveLength(450)
  })

  test('updateEntity(false) keeps the generated ids, unless another one may be stored', async () => {
    const insert = (row: object) => users().createQueryBuilder().insert().values(row).updateEntity(false)
    const row = { email: email() } as User
    const { identifiers } = await insert(row).execute()
    expect(identifiers).toEqual([{ id: row.id }])
    expect(await emailsById([row])).toEqual([row.email])
    expect(row.savedAt).toBeUndefined()
    const [ignored, written] = [{ email: row.email }, { email: row.email }] as [User, User]
    await insert(ignored).orIgnore().execute()
    await insert(written).orUpdate(['name'], ['email']).execute()
    expect([ignored.id, written.id]).toEqual([undefined, undefined])
  })

  test('an expression takes parameter()', async () => {
    const id = flax.generate()
    const stored = parameter(User, 'id', id)
    const insert = (bound: unknown, own = ':own') =>
      users()
        .createQueryBuilder()
        .insert()
        .values({ id: () => own, email: email() })
        .setParameter('own', bound)
        .updateEntity(false)
        .execute()
    await insert(stored)
    expect(await users().existsBy({ id })).toBe(true)
  })

  test('an upsert can open a transaction itself', async () => {
    const row = { email: email() } as User
    const builder = users().createQueryBuilder().insert().values(row).orUpdate(['name'], ['email'])
    await builder.useTransaction(true).execute()
    expect(await users().existsBy({ email: row.email })).toBe(true)
  })

  test('the error that stopped an upsert is thrown, even if its transaction cannot be rolled back', async () => {
    const rows = [{ slug: 'stopped', live: 2 }]
    const builder = dataSource.getRepository(Page).createQueryBuilder().insert().values(rows)
    const stopped = builder.orUpdate(['text'], ['id']).useTransaction(true).execute()
    await expect(stopped).rejects.toThrow('stopped by the subscriber')
  })

  test('an upsert in which only some rows have an id is refused, since it would replace stored ids', async () => {
    const rows = [{ id: flax.generate(), email: email() }, { email: email() }]
    await expect(users().upsert(rows, ['email'])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'User.id',
    })
  })

  test('with an auto-increment key, foreign keys to ids are written', async () => {
    const notes = dataSource.getRepository(Note)
    const author = await users().save(users().create({ email: email() }))
    await notes.insert({ text: 'taken', author })
    const ignored = [{ text: 'taken' }, { text: 'new', author }]
    await notes.createQueryBuilder().insert().values(ignored).orIgnore().execute()
    expect(await notes.find({ where: { author: { id: author.id } }, order: { id: 'ASC' } })).toMatchObject([
      { text: 'taken' },
      { text: 'new' },
    ])
    await notes.upsert([{ text: null }, { text: 'new', author: null }] as Note[], ['text'])
    expect(await notes.countBy({ author: { id: author.id } })).toBe(1)
    expect(await notes.count()).toBe(3)
  })

  test('a query builder that runs again generates new ids', async () => {
    const builder = users().createQueryBuilder().insert()
    const [one, two] = [{ email: email() }, { email: email() }] as [User, User]
    await builder.values(one).callListeners(false).execute()
    await builder.values(two).execute()
    expect(await emailsById([one, two])).toEqual([one.email, two.email])
  })

  test.runIf(kind.name === 'postgres')('RETURNING returns ids, of each row that was written', async () => {
    const rows = [{ email: email() }, { email: email() }] as User[]
    const { raw } = await users().upsert(rows, ['email'])
    const ids = (all: unknown) => (all as User[]).map(({ id }) => id).sort()
    expect(ids(raw.map((row: User) => ({ id: fromDatabase(User, 'id', row.id) })))).toEqual(ids(rows))
    const ignored = await users()
      .createQueryBuilder()
      .insert()
      .values({ email: rows[0]?.email as string })
      .orIgnore()
      .execute()
    expect(ignored.raw).toEqual([])
    const builder = users().createQueryBuilder()
    const row = { email: email() } as User
    const inserted = await builder.insert().values(row).returning('*').execute()
    expect(inserted.generatedMaps[0]).toMatchObject({ id: row.id })
    expect(flax.is(row.id)).toBe(true)
    const updated = await users()
      .createQueryBuilder()
      .update()
      .set({ name: 'x' })
      .whereEntity(row)
      .returning(['id'])
      .execute()
    expect(updated.generatedMaps).toEqual([expect.objectContaining({ id: row.id })])
    expect(flax.is(row.id)).toBe(true)
    const boss = await users().save(users().create({ email: email() }))
    await users().update(row.id, { boss })
    const removed = await users().createQueryBuilder().delete().whereInIds(row.id).returning('*').execute()
    expect([inserted.raw, updated.raw, removed.raw].map(([one]) => fromDatabase(User, 'id', one.id))).toEqual(
      [row.id, row.id, row.id],
    )
  })

  test.skipIf(IS_0_3)('INSERT … SELECT is refused without the id, and works with ids', async () => {
    const derived = dataSource.getRepository(Derived)
    const { id } = await derived.save({ text: 'origin' })
    const from = (select: string) => derived.createQueryBuilder('d').select(select).where({ id })
    const without = dataSource
      .createQueryBuilder()
      .insert()
      .into(Derived, ['text'])
      .valuesFromSelect(from('d.text'))
    await expect(without.execute()).rejects.toMatchObject({
      code: 'GENERATOR_REQUIRED',
      path: 'Derived.id',
    })
    await dataSource.getRepository(Schema).clear()
    const select = from('d.id').addSelect('d.text')
    await dataSource
      .createQueryBuilder()
      .insert()
      .into(Schema, ['id', 'text'])
      .valuesFromSelect(select)
      .execute()
    expect(await dataSource.getRepository(Schema).find()).toEqual([{ id, text: 'origin', traceId: null }])
  })

  test('getQueryAndParameters contains the ids, for running the statement yourself, and the builder returns them all the same', async () => {
    const builder = dataSource.createQueryBuilder().insert().into(Derived).values({ text: 'looked at' })
    const [sql, parameters] = dataSource
      .createQueryBuilder()
      .insert()
      .into(Derived)
      .values({ text: 'by hand' })
      .getQueryAndParameters()
    await dataSource.query(sql, parameters)
    expect(await dataSource.getRepository(Derived).existsBy({ text: 'by hand' })).toBe(true)
    builder.getQueryAndParameters()
    const { generatedMaps } = await builder.execute()
    const { id } = await dataSource.getRepository(Derived).findOneByOrFail({ text: 'looked at' })
    expect(generatedMaps).toEqual([expect.objectContaining({ id })])
  })

  test('ids in embedded entities are generated, plain ones are not', async () => {
    const batch = flax.generate()
    const { id } = await users().save(users().create({ email: email(), stamp: { by: 'me', batch } }))
    const { stamp } = await users().findOneByOrFail({ id })
    expect(stamp).toEqual({ by: 'me', batch, mark: expect.any(String) })
    expect(flax.is(stamp.mark)).toBe(true)
    expect(await users().existsBy({ stamp: { batch } })).toBe(true)
  })

  test('an id of null is generated, null elsewhere stays null', async () => {
    const user = await users().save({ id: null as unknown as FlaxId, email: email(), boss: null })
    expect(flax.is(user.id)).toBe(true)
    expect((await users().findOneByOrFail({ id: user.id })).stamp.batch).toBeNull()
  })

  test.each([
    ['an insert', 'no email', (rows: User[]) => users().insert(rows)],
    ['an upsert', 'no email', (rows: User[]) => users().upsert(rows, ['id'])],
    ['an insert', 'a listener that throws', (rows: User[]) => users().insert(rows)],
    ['an upsert', 'a listener that throws', (rows: User[]) => users().upsert(rows, ['id'])],
  ] as const)(
    'after %s failed by %s, foreign keys still reference its entities',
    async (_, reason, write) => {
      const wrong = reason === 'no email' ? { email: null as never } : { email: email(), name: 'refused' }
      const [innocent, failed] = [users().create({ email: email() }), users().create(wrong)]
      await expect(write([innocent, failed])).rejects.toThrow(
        reason === 'no email' ? /null/i : 'refused by its own listener',
      )
      Object.assign(failed, { email: email(), name: 'mended' })
      await users().createQueryBuilder().insert().values([innocent, failed]).callListeners(false).execute()
      for (const boss of [innocent, failed]) {
        const created = await users().save(users().create({ email: email(), boss }))
        const changed = await users().save(users().create({ email: email() }))
        await users().save(Object.assign(changed, { name: 'changed', boss }))
        const found = await users().find({ where: { boss: { id: boss.id } }, order: { id: 'ASC' } })
        expect(found.map(({ id }) => id)).toEqual([created.id, changed.id].sort())
      }
    },
  )

  test("an insert of nothing inserts no row, and no values are TypeORM's own error", async () => {
    expect((await users().insert([])).identifiers).toEqual([])
    expect((await users().upsert([], ['email'])).identifiers).toEqual([])
    await expect(users().createQueryBuilder().insert().execute()).rejects.toThrow(/[Vv]alues/)
  })

  test('frozen objects can be inserted', async () => {
    const row = Object.freeze({ email: email() })
    const { identifiers } = await users().insert(row)
    expect(await emailsById(identifiers as User[])).toEqual([row.email])
  })

  test.each([5, 5n, true, 'short', new Date(0), { wrong: 1 }])(
    '%s is refused as an id, in any position',
    async (value) => {
      const id = value as FlaxId
      const builder = () => users().createQueryBuilder('u')
      const isPlain = ['string', 'number'].includes(typeof value)
      const places: Record<string, () => Promise<unknown>> = {
        insert: () => users().insert({ id, email: email() }),
        update: () => users().update(flax.generate(), { stamp: { mark: id } }),
        // What is neither text nor a number, TypeORM refuses here itself, or takes for a map of ids.
        ...(isPlain && {
          save: () => users().save({ id, email: email() }),
          'set a relation': () => users().createQueryBuilder().relation('boss').of(flax.generate()).set(id),
        }),
        parameter: async () => parameter(User, 'id', id as never),
      }
      const conditions: Record<string, () => Promise<unknown>> = {
        findOneBy: () => users().findOneBy({ id: Equal(id) }),
        'In, Not': () => users().findBy({ id: Not(In([flax.generate(), id])) }),
        ...(isPlain && {
          'findOneBy, bare': () => users().findOneBy({ id }),
          delete: () => users().delete(id),
          whereInIds: () => builder().whereInIds([id, flax.generate()]).getMany(),
          'update by it': () => users().update(id, { name: 'x' }),
          relation: () => users().createQueryBuilder().relation('boss').of(id).loadOne(),
        }),
      }
      // Conditions on text do what they do with plain keys.
      const checked = storage === 'text' ? places : { ...places, ...conditions }
      for (const [place, run] of Object.entries(checked)) {
        await expect((async () => run())(), place).rejects.toMatchObject({
          name: 'IdError',
          code: typeof value === 'string' ? 'INVALID_LENGTH' : 'INVALID_TYPE',
          value,
          path: expect.stringMatching(/^User\.(id|boss(\.id)?|stamp\.mark)$/),
        })
      }
    },
  )
})

test('the generator of a column has errors that name it', async () => {
  @Entity()
  class Stuck {
    @IdColumn(flax, { generator: { generate: () => flax.lowerBound(new Date(Number.NaN)) } }) id!: FlaxId
  }
  const { manager } = await openForTest(sqlite, [Stuck])
  await expect(manager.insert(Stuck, {})).rejects.toMatchObject({ code: 'INVALID_TIME', path: 'Stuck.id' })
})

test('ids sort as the rows were saved', async () => {
  @Entity()
  class Line {
    @FlaxIdColumn() id!: FlaxId
    @Column('int') number!: number
  }
  const lines = (await openForTest(sqlite, [Line])).getRepository(Line)
  const numbers = Array.from({ length: 1000 }, (_, number) => number)
  await lines.save(numbers.map((number) => ({ number })))
  const found = await lines.find({ order: { id: 'ASC' } })
  expect(found.map(({ number }) => number)).toEqual(numbers)
})
