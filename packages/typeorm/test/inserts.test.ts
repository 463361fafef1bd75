import 'reflect-metadata'
import { type FlaxId, flake, flax, type IdFamily, type SnoId } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { FlaxIdColumn, IdColumn, idColumn, SnoIdColumn } from '@snoflax/typeorm'
import {
  BeforeInsert,
  ChildEntity,
  Column,
  CreateDateColumn,
  type DataSource,
  Entity,
  EntitySchema,
  type EntitySubscriberInterface,
  EventSubscriber,
  Index,
  type InsertEvent,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  TableInheritance,
} from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { flaxPlaces } from './sources.js'

const events: string[] = []

@EventSubscriber()
class Watcher implements EntitySubscriberInterface {
  beforeInsert({ entity }: InsertEvent<{ id?: unknown; email?: unknown }>) {
    if (entity?.email) events.push(`before ${entity.email} ${entity.id}`)
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
    }
  }

  @Entity()
  @TableInheritance({ column: { type: 'varchar', name: 'type', length: 20 } })
  class Shape {
    @Id() id!: FlaxId
    @ManyToOne(() => User, { nullable: true }) owner!: Relation<User> | null
    @ManyToOne(() => Shape, { nullable: true, cascade: true }) around!: Relation<Shape> | null
  }
  @ChildEntity()
  class Circle extends Shape {
    @Column('int') radius!: number
  }
  @ChildEntity()
  class Square extends Shape {
    @Column('int') side!: number
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
  class Counted {
    @PrimaryGeneratedColumn() id!: number
    @IdColumn(flax, { storage, primary: false, unique: true }) publicId!: FlaxId
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
  }

  const Schema = new EntitySchema<{ id: FlaxId; text: string; traceId: FlaxId | null }>({
    name: 'written_out',
    columns: {
      id: idColumn(flax, { storage }),
      text: { type: 'varchar' },
      traceId: idColumn.plain(flax, { storage, nullable: true }),
    },
  })

  let database: OpenDatabase
  let dataSource: DataSource
  beforeAll(async () => {
    database = await kind.open()
    const entities = [User, Shape, Circle, Square, Derived, Counted, Page, Schema]
    dataSource = await openDataSource(database, entities, { subscribers: [Watcher] })
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })
  const users = () => dataSource.getRepository(User)
  let made = 0
  const email = () => `user${++made}@example.org`

  const emailsById = async (rows: readonly { id: FlaxId }[]) => {
    const found = await Promise.all(rows.map(({ id }) => users().findOneByOrFail({ id })))
    return found.map((user) => user.email)
  }

  test('listeners and subscribers see the id before the row is there, and the same one after', async () => {
    events.length = 0
    const user = await users().save(users().create({ email: email() }))
    expect(user.seen).toBe(user.id)
    expect(events).toEqual([`before ${user.email} ${user.id}`, `after ${user.email} ${user.id}`])
  })

  test('many rows with columns that the database fills keep each its own id', async () => {
    const rows = Array.from({ length: 450 }, () => users().create({ email: email() }))
    const { identifiers, generatedMaps } = await users().insert(rows)
    expect(identifiers).toEqual(rows.map(({ id }) => ({ id })))
    expect(await emailsById(rows.slice(0, 40))).toEqual(rows.slice(0, 40).map((row) => row.email))
    expect(rows.every(({ savedAt, name }) => savedAt instanceof Date && name === 'nobody')).toBe(true)
    expect(generatedMaps).toHaveLength(450)
  })

  test('listeners hear of each of several rows once, also where they are read back', async () => {
    events.length = 0
    const rows = [users().create({ email: email() }), users().create({ email: email() })]
    await users().insert(rows)
    expect(events.sort()).toEqual(
      rows.flatMap((row) => [`before ${row.email} ${row.id}`, `after ${row.email} ${row.id}`]).sort(),
    )
  })

  test('an upsert of several tells for each the id that lies there', async () => {
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

  test('an upsert that skips unchanged rows tells their ids too', async () => {
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

  test('an upsert in a transaction that fails leaves nothing, and one by itself can have one', async () => {
    const row = { email: email() } as User
    const failed = dataSource.transaction(async (manager) => {
      await manager.upsert(User, row, ['email'])
      throw new Error('stop')
    })
    await expect(failed).rejects.toThrow('stop')
    expect(await users().existsBy({ email: row.email })).toBe(false)
    const builder = users().createQueryBuilder().insert().values(row).orUpdate(['name'], ['email'])
    await builder.useTransaction(true).execute()
    expect(await users().existsBy({ email: row.email })).toBe(true)
  })

  test('an upsert by the id itself', async () => {
    const id = flax.generate()
    await users().upsert({ id, email: email(), name: 'a' }, ['id'])
    const { identifiers } = await users().upsert({ id, email: email(), name: 'b' }, ['id'])
    expect(identifiers).toEqual([{ id }])
    expect(await users().findOneByOrFail({ id })).toMatchObject({ name: 'b' })
  })

  test('an upsert in which only some rows bring an id is refused, since it would replace stored ids', async () => {
    const rows = [{ id: flax.generate(), email: email() }, { email: email() }]
    await expect(users().upsert(rows, ['email'])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'User.id',
    })
  })

  test('an upsert by a constraint is found by its columns, an unknown one is refused', async () => {
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

  test('a row that was ignored has no id, the others have theirs', async () => {
    const taken = email()
    await users().insert({ email: taken })
    const rows = [{ email: taken }, { email: email() }] as User[]
    const builder = users().createQueryBuilder().insert().values(rows).orIgnore()
    const { identifiers } = await builder.execute()
    expect(rows[0]?.id).toBeUndefined()
    expect(identifiers[0]).toBeUndefined()
    expect(await emailsById([rows[1] as User])).toEqual([rows[1]?.email])
  })

  test('an upsert that reads nothing back leaves no id that may be wrong', async () => {
    const row = { email: email() } as User
    await users().insert({ email: row.email })
    const builder = users().createQueryBuilder().insert().values(row).orUpdate(['name'], ['email'])
    await builder.updateEntity(false).execute()
    expect(row.id).toBeUndefined()
  })

  test('an entity whose key the database counts tells the stored id after a conflict', async () => {
    const counted = dataSource.getRepository(Counted)
    const first = { email: email() } as Counted
    await counted.insert(first)
    const again = { email: first.email } as Counted
    await counted.upsert(again, ['email'])
    expect(again).toMatchObject({ id: first.id, publicId: first.publicId })
  })

  test('of an entity whose key the database counts, ignored rows are told by the id that was made', async () => {
    const counted = dataSource.getRepository(Counted)
    const taken = email()
    await counted.insert({ email: taken })
    const rows = [{ email: taken }, { email: email() }] as Counted[]
    await counted.createQueryBuilder().insert().values(rows).orIgnore().execute()
    expect(rows.map(({ publicId }) => flax.is(publicId))).toEqual([false, true])
    expect(await counted.findOneByOrFail({ email: rows[1]?.email as string })).toEqual({ ...rows[1] })
  })

  test('an ignored row that brought an id of its own is not told as stored', async () => {
    const taken = email()
    await users().insert({ email: taken })
    const builder = users().createQueryBuilder().insert().values({ id: flax.generate(), email: taken })
    expect((await builder.orIgnore().execute()).identifiers).toEqual([undefined])
  })

  test('a builder that is run again makes new ids', async () => {
    const builder = users().createQueryBuilder().insert()
    const [one, two] = [{ email: email() }, { email: email() }] as [User, User]
    await builder.values(one).callListeners(false).execute()
    await builder.values(two).execute()
    expect(await emailsById([one, two])).toEqual([one.email, two.email])
  })

  test('an upsert on a partial index finds its row among others, one with a condition leaves it', async () => {
    if (kind.name !== 'postgres') return
    const pages = dataSource.getRepository(Page)
    await pages.insert([
      { slug: 'a', live: 0 },
      { slug: 'a', live: 1 },
      { slug: 'a', live: 0 },
    ])
    const { id } = await pages.findOneByOrFail({ slug: 'a', live: 1 })
    const same = { slug: 'a', live: 1 } as Page
    const nothing = pages.createQueryBuilder().insert().values(same)
    await nothing.orUpdate([], ['slug'], { indexPredicate: 'live = 1' }).execute()
    expect(same.id).toBe(id)
    const row = { slug: 'a', live: 1, text: 'new' } as Page
    await pages.upsert(row, { conflictPaths: ['slug'], indexPredicate: 'live = 1' })
    expect(row.id).toBe(id)

    const upsert = async (allowed: FlaxId) => {
      const values = { slug: 'a', live: 1, text: `by ${allowed}` } as Page
      const builder = pages.createQueryBuilder().insert().values(values)
      const overwriteCondition = { where: 'Page.id = :allowed', parameters: { allowed } }
      await builder.orUpdate(['text'], ['slug'], { indexPredicate: 'live = 1', overwriteCondition }).execute()
      expect(values.id).toBe(id)
      return (await pages.findOneByOrFail({ id })).text
    }
    expect(await upsert(flax.generate())).toBe('new')
    expect(await upsert(id)).toBe(`by ${id}`)
  })

  test('RETURNING answers ids', async () => {
    if (kind.name !== 'postgres') return
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
  })

  test('INSERT … SELECT is refused where it leaves the id out, and works with ids of its own', async () => {
    const derived = dataSource.getRepository(Derived)
    const { id } = await derived.save({ text: 'origin' })
    const from = (select: string) =>
      derived.createQueryBuilder('d').select(select).where('d.id = :id', { id })
    const without = dataSource
      .createQueryBuilder()
      .insert()
      .into(Derived, ['text'])
      .valuesFromSelect(from('d.text'))
    await expect(without.execute()).rejects.toMatchObject({ code: 'GENERATOR_REQUIRED', path: 'Derived.id' })
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

  test('the statement of a builder has the ids, for those who run it themselves', async () => {
    const builder = dataSource.createQueryBuilder().insert().into(Derived).values({ text: 'by hand' })
    const [sql, parameters] = builder.getQueryAndParameters()
    await dataSource.query(sql, parameters)
    expect(await dataSource.getRepository(Derived).existsBy({ text: 'by hand' })).toBe(true)
  })

  test('a builder whose statement was looked at first tells the ids all the same', async () => {
    const builder = dataSource.createQueryBuilder().insert().into(Derived).values({ text: 'looked at' })
    builder.getQueryAndParameters()
    const { generatedMaps } = await builder.execute()
    const { id } = await dataSource.getRepository(Derived).findOneByOrFail({ text: 'looked at' })
    expect(generatedMaps).toEqual([expect.objectContaining({ id })])
  })

  test('embedded ids are made, and plain ones kept', async () => {
    const batch = flax.generate()
    const { id } = await users().save(users().create({ email: email(), stamp: { by: 'me', batch } }))
    const { stamp } = await users().findOneByOrFail({ id })
    expect(stamp).toEqual({ by: 'me', batch, mark: expect.any(String) })
    expect(flax.is(stamp.mark)).toBe(true)
    expect(await users().existsBy({ stamp: { batch } })).toBe(true)
  })

  test('child entities of one table, and entities with an abstract parent', async () => {
    const shapes = dataSource.getRepository(Shape)
    const circles = dataSource.getRepository(Circle)
    const inner = await circles.save({ radius: 1 })
    const outer = await circles.save({ radius: 2, around: inner })
    const [again] = await circles.find({ where: { around: { id: inner.id } }, relations: { around: true } })
    expect(again).toMatchObject({ id: outer.id, around: { id: inner.id } })
    expect(await shapes.existsBy({ id: outer.id })).toBe(true)
    const { identifiers } = await circles.insert([{ radius: 3 }, { radius: 4 }])
    expect(await circles.findOneByOrFail({ id: identifiers[1]?.['id'] as FlaxId })).toMatchObject({
      radius: 4,
    })
    const derived = await dataSource.getRepository(Derived).save({ text: 'x' })
    expect(flax.is(derived.id)).toBe(true)
  })

  test('entity schemas', async () => {
    const written = dataSource.getRepository(Schema)
    const traceId = flax.generate()
    const { id } = await written.save({ text: 'x', traceId })
    expect(await written.findOneBy({ traceId })).toEqual({ id, text: 'x', traceId })
  })

  test('a null key asks for an id, a null elsewhere stays null', async () => {
    const user = await users().save({ id: null as unknown as FlaxId, email: email(), boss: null })
    expect(flax.is(user.id)).toBe(true)
    expect((await users().findOneByOrFail({ id: user.id })).stamp.batch).toBeNull()
  })

  test('cascades of a self reference', async () => {
    const { id } = await users().save({ email: email(), boss: { email: email(), boss: { email: email() } } })
    const found = await users().findOneOrFail({ where: { id }, relations: { boss: { boss: true } } })
    expect([found.boss?.id, found.boss?.boss?.id].every((one) => flax.is(one))).toBe(true)
  })

  test('cascades of child entities that need each other, by a reference to their parent', async () => {
    const shapes = dataSource.getRepository(Shape)
    const circle = Object.assign(new Circle(), { radius: 1 })
    const square = Object.assign(new Square(), { side: 1, around: circle })
    circle.around = square
    await shapes.save(circle)
    const aroundOf = async ({ id }: Shape) =>
      (await shapes.findOneOrFail({ where: { id }, relations: { around: true } })).around?.id
    expect(await aroundOf(circle)).toBe(square.id)
    expect(await aroundOf(square)).toBe(circle.id)
  })

  test('nothing to insert is no row, and no values are TypeORM’s own error', async () => {
    expect((await users().insert([])).identifiers).toEqual([])
    expect((await users().upsert([], ['email'])).identifiers).toEqual([])
    await expect(users().createQueryBuilder().insert().execute()).rejects.toThrow(/[Vv]alues/)
  })

  test('objects that can not be written into are inserted all the same', async () => {
    const row = Object.freeze({ email: email() })
    const { identifiers } = await users().insert(row)
    expect(await emailsById(identifiers as User[])).toEqual([row.email])
  })

  test('what is no id at all is an error that names the place', async () => {
    await expect(users().save({ id: 5 as unknown as FlaxId, email: email() })).rejects.toThrow(/User\.id/)
    const wrong = { email: email(), stamp: { batch: 'short' as FlaxId } }
    await expect(users().insert(wrong)).rejects.toMatchObject({ name: 'IdError', path: 'User.stamp.batch' })
  })
})

describe('generators', () => {
  test('a family without one of its own asks for one when the column is defined', () => {
    const define = () => {
      class Ticket {
        @IdColumn(flake as unknown as IdFamily<string>) id!: string
      }
      return Ticket
    }
    expect(define).toThrow(
      expect.objectContaining({
        name: 'IdError',
        code: 'GENERATOR_REQUIRED',
        path: 'Ticket.id',
        message: expect.stringContaining('flake.generator('),
      }),
    )
    expect(() => idColumn(flake)).toThrow(/flake\.generator\(/)
  })

  test('what goes wrong in one names the column', async () => {
    @Entity()
    class Stuck {
      @IdColumn(flax, { generator: { generate: () => flax.lowerBound(new Date(Number.NaN)) } }) id!: FlaxId
    }
    const database = await (flaxPlaces[0] as (typeof flaxPlaces)[number]).kind.open()
    const dataSource = await openDataSource(database, [Stuck])
    await expect(dataSource.getRepository(Stuck).insert({})).rejects.toMatchObject({
      code: 'INVALID_TIME',
      path: 'Stuck.id',
    })
    await dataSource.destroy()
    await database.close()
  })

  test('a metabyte out of range is refused where it is written', () => {
    const define = () => {
      class Wrong {
        @SnoIdColumn({ meta: 256 }) id!: SnoId
      }
      return Wrong
    }
    expect(define).toThrow(
      expect.objectContaining({ code: 'FIELD_OUT_OF_RANGE', path: 'Wrong.id', value: 256 }),
    )
  })

  test('one of another family is refused', () => {
    const generator = flax.generator() as never
    expect(() => idColumn(flake, { generator })).toThrow(/flake: the generator makes ids of flax/)
  })
})
