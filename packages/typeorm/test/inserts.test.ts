import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { columnOf, FlaxIdColumn, IdColumn, idColumn, parameter } from '@snoflax/typeorm'
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
  Unique,
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

/** A value that tells its text only when asked. */
class Sensor {
  readonly #code: string
  constructor(code: string) {
    this.#code = code
  }
  static readonly transformer = {
    to: (sensor: Sensor) => sensor.#code,
    from: (code: string) => new Sensor(code),
  }
}

const JSON_TRANSFORMER = {
  to: (value: unknown) => JSON.stringify(value),
  from: (text: string): unknown => JSON.parse(text),
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

  @Entity()
  @Unique(['sensor', 'takenAt'])
  class Reading {
    @Id() id!: FlaxId
    @Column({ type: 'varchar', length: 50, transformer: Sensor.transformer }) sensor!: Sensor
    @Column({ type: kind.name === 'postgres' ? 'timestamptz' : 'datetime', precision: 3 }) takenAt!: Date
    @Column({ type: 'varchar', length: 50, unique: true, transformer: JSON_TRANSFORMER }) tags!: object
    @Column('int', { default: 0 }) value!: number
  }

  /** Keeps less of its times and amounts than it is given. */
  @Entity()
  @Unique(['at', 'amount'])
  class Rounded {
    @Id() id!: FlaxId
    @Column({ type: kind.name === 'postgres' ? 'timestamptz' : 'datetime', precision: 0 }) at!: Date
    @Column({ type: 'decimal', precision: 10, scale: 2 }) amount!: number
    @Column(kind.name === 'sqlite' ? 'double' : 'float', { unique: true }) share!: number
    @Column('int', { default: 0 }) value!: number
  }

  abstract class Base {
    @Id() id!: FlaxId
  }
  @Entity()
  class Derived extends Base {
    @Column('varchar') text!: string
  }

  @Entity()
  class Counted {
    @PrimaryGeneratedColumn() id!: number
    @IdColumn(flax, { storage, primary: false, unique: true }) publicId!: FlaxId
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
  }

  @Entity()
  class Note {
    @PrimaryGeneratedColumn() id!: number
    @Column({ type: 'varchar', length: 100, unique: true, nullable: true }) text!: string | null
    @ManyToOne(() => User, { nullable: true }) author!: Relation<User> | null
  }

  @Entity()
  @Unique(['owner', 'row'])
  class Seat {
    @Id() id!: FlaxId
    @ManyToOne(() => User) owner!: Relation<User>
    @Column('int') row!: number
    @Column('varchar', { nullable: true }) text!: string | null
  }

  const Schema = new EntitySchema<{ id: FlaxId; text: string; traceId: FlaxId | null }>({
    name: 'written_out',
    columns: {
      id: idColumn(flax, { storage }),
      text: { type: 'varchar' },
      traceId: idColumn.plain(flax, { storage, nullable: true }),
    },
  })

  const entities = [User, Derived, Counted, Note, Page, Seat, Reading, Rounded, Schema]
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
    expect(await emailsById(rows)).toEqual(rows.map((row) => row.email))
    expect(rows.every(({ savedAt, name }) => savedAt instanceof Date && name === 'nobody')).toBe(true)
    expect(generatedMaps).toHaveLength(450)
  })

  test('an upsert of several rows returns the stored id of each', async () => {
    const [one, two] = [email(), email()]
    const first = { email: one }
    await users().insert(first)
    const rows = [{ email: two, name: 'new' }, { email: one, name: 'changed' }, { email: email() }] as User[]
    const { identifiers } = await users().upsert(rows, ['email'])
    expect(identifiers.map(({ id }) => id as unknown)).toEqual(rows.map(({ id }) => id))
    expect(rows[1]?.id).toBe((first as User).id)
    expect(await emailsById(rows)).toEqual(rows.map((row) => row.email))
    expect(rows.every(({ savedAt }) => savedAt instanceof Date)).toBe(true)
  })

  test('an upsert by times within one second is matched, also by objects and opaque values', async () => {
    const readings = dataSource.getRepository(Reading)
    const rows = ['a', 'b'].flatMap((code) =>
      [100, 200, 300].map((ms) => ({
        sensor: new Sensor(code),
        takenAt: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, ms)),
        tags: { code, ms },
      })),
    ) as Reading[]
    const stored = async () => {
      const found = await readings.find({ order: { id: 'ASC' } })
      return found.map(({ id, tags, value }) => ({ id, tags, value }))
    }
    const told = (value: number) =>
      rows.map(({ id, tags }) => ({ id, tags, value })).sort((a, b) => flax.compare(a.id, b.id))
    await readings.upsert(rows, ['sensor', 'takenAt'])
    expect(await stored()).toEqual(told(0))

    const again = (value: number) =>
      rows.map(({ sensor, takenAt, tags }) => ({ sensor, takenAt, tags, value })) as Reading[]
    for (const [value, conflict] of [
      [1, ['sensor', 'takenAt']],
      [2, ['tags']],
    ] as const) {
      const changed = again(value)
      await readings.upsert(changed, [...conflict])
      expect(changed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      expect(await stored()).toEqual(told(value))
    }
  })

  test('an upsert by columns that the database rounds returns the stored ids', async () => {
    const rounded = dataSource.getRepository(Rounded)
    const rows = () =>
      [1, 2, 3].map((i) => ({
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, i, 700)),
        amount: i + 0.128,
        share: i / 10,
      })) as Rounded[]
    const first = rows()
    await rounded.upsert(first, ['at', 'amount'])
    expect(first.every(({ id }) => flax.is(id))).toBe(true)
    for (const conflict of [['at', 'amount'], ['share']]) {
      const again = rows()
      await rounded.upsert(again, conflict)
      expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
    }
    expect(await rounded.count()).toBe(3)
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

  test('an id passed as a parameter of an expression is stored as the column does, or refused', async () => {
    const id = flax.generate()
    const stored = parameter(columnOf(dataSource, User, 'id'), id)
    const insert = (bound: unknown, own = ':own') =>
      users()
        .createQueryBuilder()
        .insert()
        .values({ id: () => own, email: email() })
        .setParameter('own', bound)
        .updateEntity(false)
        .execute()
    if (storage === 'binary') {
      const refusal = { code: 'INVALID_OPTION', path: 'User.id' }
      await expect(insert([null, id], 'COALESCE(:...own)')).rejects.toMatchObject(refusal)
      await expect(insert(null, `COALESCE(:own, '${id}')`)).rejects.toMatchObject(refusal)
    }
    await insert(id)
    expect(await users().existsBy({ id })).toBe(true)
    await users().delete({ id })
    await insert(stored)
    expect(await users().existsBy({ id })).toBe(true)
  })

  test('an upsert by a foreign key and a column returns the stored id', async () => {
    const owner = await users().save(users().create({ email: email() }))
    const seats = dataSource.getRepository(Seat)
    const { id } = await seats.save({ owner, row: 1 })
    const again = { owner: { id: owner.id }, row: 1, text: 'again' } as Seat
    await seats.upsert(again, ['owner', 'row'])
    expect(again.id).toBe(id)
  })

  test('an upsert that skips unchanged rows returns their ids, too', async () => {
    const row = { email: email(), name: 'same' }
    await users().upsert(row, ['email'])
    const again = [
      { email: email(), name: 'new' },
      { email: row.email, name: 'same' },
    ] as User[]
    const options = kind.name === 'postgres' ? { skipUpdateIfNoValuesChanged: true } : {}
    await users().upsert(again, { conflictPaths: ['email'], ...options })
    expect(again[1]?.id).toBe((row as User).id)
    expect(await emailsById(again)).toEqual(again.map((one) => one.email))
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

  test('an upsert by a constraint is matched by its columns, and an unknown constraint is refused', async () => {
    const name =
      dataSource.getMetadata(User).uniques[0]?.name ?? dataSource.getMetadata(User).indices[0]?.name
    const row = { email: email() } as User
    await users().insert(row)
    const builder = (values: Partial<User>) => users().createQueryBuilder().insert().values(values)
    if (kind.name === 'postgres') {
      const again = { email: row.email, name: 'again' } as User
      await builder(again).orUpdate(['name'], name).execute()
      expect(again.id).toBe(row.id)
    }
    await expect(builder({ email: email() }).orUpdate(['name'], 'no_such').execute()).rejects.toThrow(
      /no_such/,
    )
  })

  test('an ignored row has no id, the others have theirs', async () => {
    const taken = email()
    await users().insert({ email: taken })
    const rows = [{ email: taken }, { email: email() }, { id: flax.generate(), email: taken }] as User[]
    const { identifiers } = await users().createQueryBuilder().insert().values(rows).orIgnore().execute()
    expect(rows[0]?.id).toBeUndefined()
    expect(identifiers).toEqual([undefined, { id: rows[1]?.id }, undefined])
    expect(await emailsById([rows[1] as User])).toEqual([rows[1]?.email])
  })

  test('with an auto-increment key, an upsert returns the stored id after a conflict', async () => {
    const counted = dataSource.getRepository(Counted)
    const first = { email: email() } as Counted
    await counted.insert(first)
    const again = { email: first.email } as Counted
    await counted.upsert(again, ['email'])
    expect(again).toMatchObject({ id: first.id, publicId: first.publicId })
  })

  test('with an auto-increment key, ignored rows are recognized by their generated id', async () => {
    const counted = dataSource.getRepository(Counted)
    const taken = email()
    await counted.insert({ email: taken })
    const rows = [{ email: taken }, { email: email() }] as Counted[]
    await counted.createQueryBuilder().insert().values(rows).orIgnore().execute()
    expect(rows.map(({ publicId }) => flax.is(publicId))).toEqual([false, true])
    expect(await counted.findOneByOrFail({ email: rows[1]?.email as string })).toEqual({ ...rows[1] })
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

  test.runIf(kind.name === 'postgres')(
    'an upsert on a partial index finds its row among others, and respects its overwrite condition',
    async () => {
      const pages = dataSource.getRepository(Page)
      await pages.insert([
        { slug: 'a', live: 0 },
        { slug: 'a', live: 1 },
        { slug: 'a', live: 0 },
      ])
      const { id } = await pages.findOneByOrFail({ slug: 'a', live: 1 })
      const same = { slug: 'a', live: 1 } as Page
      const nothing = pages.createQueryBuilder().insert().values(same)
      if (!IS_0_3) {
        await nothing.orUpdate([], ['slug'], { indexPredicate: 'live = 1' }).execute()
        expect(same.id).toBe(id)
      }
      const row = { slug: 'a', live: 1, text: 'new' } as Page
      await pages.upsert(row, { conflictPaths: ['slug'], indexPredicate: 'live = 1' })
      expect(row.id).toBe(id)
      const outside = { slug: 'a', live: 2 } as Page
      await pages.upsert(outside, { conflictPaths: ['slug'], indexPredicate: 'live = 1' })
      expect(outside.id).toBe((await pages.findOneByOrFail({ slug: 'a', live: 2 })).id)

      const upsert = async (allowed: FlaxId) => {
        const values = { slug: 'a', live: 1, text: `by ${allowed}` } as Page
        const builder = pages.createQueryBuilder().insert().values(values)
        const overwriteCondition = { where: 'Page.id = :allowed', parameters: { allowed } }
        await builder
          .orUpdate(['text'], ['slug'], { indexPredicate: 'live = 1', overwriteCondition })
          .execute()
        expect(values.id).toBe(id)
        return (await pages.findOneByOrFail({ id })).text
      }
      expect(await upsert(flax.generate())).toBe('new')
      expect(await upsert(id)).toBe(`by ${id}`)
    },
  )

  test.runIf(kind.name === 'postgres')('RETURNING returns ids, of each row that was written', async () => {
    const rows = [{ email: email() }, { email: email() }] as User[]
    const { raw } = await users().upsert(rows, ['email'])
    const ids = (all: unknown) => (all as User[]).map(({ id }) => id).sort()
    expect(ids(raw)).toEqual(ids(rows))
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
    const returned = expect.objectContaining({ id: row.id })
    expect([inserted.raw, updated.raw, removed.raw]).toEqual([[returned], [returned], [returned]])
    const bossColumn = dataSource.getMetadata(User).findColumnsWithPropertyPath('boss')[0]?.databaseName
    expect((removed.raw as Record<string, unknown>[])[0]?.[bossColumn as string]).toBe(boss.id)
  })

  test.skipIf(IS_0_3)('INSERT … SELECT is refused without the id, and works with ids', async () => {
    const derived = dataSource.getRepository(Derived)
    const { id } = await derived.save({ text: 'origin' })
    const from = (select: string) =>
      derived.createQueryBuilder('d').select(select).where('d.id = :id', { id })
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
        parameter: async () => parameter(columnOf(dataSource, User, 'id'), id as never),
      }
      const conditions: Record<string, () => Promise<unknown>> = {
        findOneBy: () => users().findOneBy({ id: Equal(id) }),
        'In, Not': () => users().findBy({ id: Not(In([flax.generate(), id])) }),
        'of a builder': () => builder().where('u.id = :id', { id }).getOne(),
        parameters: () =>
          builder()
            .where('u.id IN (:...ids)', { ids: [id] })
            .getMany(),
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
