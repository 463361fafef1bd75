import 'reflect-metadata'
import {
  type FlaxId,
  flax,
  type Id,
  type IdFamily,
  prefixed,
  type SnoId,
  sno,
  typeid,
  uuid7,
} from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import {
  CreatedAt,
  createdAfter,
  createdBefore,
  createdBetween,
  FlaxIdColumn,
  IdColumn,
  idColumn,
  SnoIdColumn,
} from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  Entity,
  EntitySchema,
  type EntityTarget,
  FindOperator,
  ManyToOne,
  Not,
  type ObjectLiteral,
  PrimaryColumn,
  type Relation,
} from 'typeorm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openForBlock, openForTest } from './open-data-source.js'
import { differing, kinds } from './sources.js'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 1, 12)
const day = (number: number) => new Date(NOON + number * DAY_MS)

describe.each(differing)('$name', ({ kind, family, generator, storage }) => {
  @Entity()
  class Event {
    @IdColumn(family, { generator, storage }) id!: string
    @IdColumn.plain(family, { storage, nullable: true }) causeId!: string | null
    @CreatedAt() readonly createdAt!: Date
    @CreatedAt('causeId') readonly causedAt!: Date | null
  }

  const world = openForBlock(kind, [Event])
  const events = () => world.dataSource.getRepository(Event)
  const ids = Array.from({ length: 10 }, (_, number) => family.lowerBound(day(number)))
  beforeAll(() => events().insert([...ids].reverse().map((id, i) => ({ id, causeId: i === 0 ? null : id }))))

  test('createdAt returns the time of the id, or of another id column', async () => {
    const event = await events().findOneByOrFail({ id: ids[4] as string })
    expect(event.createdAt).toEqual(family.time(ids[4] as string))
    expect(event.causedAt).toEqual(event.createdAt)
    expect((await events().findOneByOrFail({ id: ids[9] as string })).causedAt).toBeNull()
    expect(events().create().createdAt).toBeUndefined()
    expect(Object.keys(event)).not.toContain('createdAt')
  })
})

@Entity()
class Region {
  @PrimaryColumn('varchar') code!: string
}
class Origin {
  @SnoIdColumn.plain({ nullable: true }) traceId!: SnoId | null
}
abstract class Person {
  @FlaxIdColumn({ prefix: 'usr', accept: /[a-z0-9]{24}/, branded: false }) id!: string
}
@Entity()
class User extends Person {
  @Column({ type: 'varchar', length: 9 }) name!: string
  @ManyToOne(() => Region, { nullable: true }) region!: Relation<Region> | null
}
@Entity()
class Post {
  @IdColumn(typeid('post')) id!: Id<'post'>
  @FlaxIdColumn.plain({ branded: false, nullable: true }) authorId!: string | null
  @ManyToOne(() => User) author!: Relation<User> | null
  @Column({ type: 'varchar', length: 40, nullable: true }) editorId!: string | null
  @ManyToOne(() => User) editor!: Relation<User> | null
  @Column(() => Origin) origin!: Origin
  @FlaxIdColumn.plain({ storage: 'binary', prefix: 'log', nullable: true }) logId!: Id<'log'> | null
}
const invoiceId = prefixed(uuid7, 'inv')
interface Bill {
  id: Id<'inv'>
  parcelId: FlaxId | null
  parcel: { id: Id<'par'> }
}
const Parcel = new EntitySchema<{ id: Id<'par'> }>({
  name: 'parcel',
  columns: { id: idColumn(flax, { prefix: 'par' }) },
})
const Invoice = new EntitySchema<Bill>({
  name: 'invoice',
  columns: {
    id: idColumn(invoiceId, { storage: 'binary' }),
    parcelId: idColumn.plain(flax, { nullable: true }),
  },
  relations: { parcel: { type: 'many-to-one', target: 'parcel', joinColumn: { name: 'parcelId' } } },
})

type Make = (entity: unknown, property: string) => FindOperator<string>
type Range = readonly [entity: EntityTarget<ObjectLiteral>, where: Record<string, unknown>]

const PLACES: Record<string, (of: Make, source: DataSource) => Range> = {
  'a key beside keys that are kept': (of) => [User, { id: of(User, 'id') }],
  'an inherited key': (of) => [User, { id: of(Person, 'id') }],
  'a key of metadata': (of, source) => [User, { id: of(source.getMetadata(User), 'id') }],
  'a TypeID': (of) => [Post, { id: of(Post, 'id') }],
  'a foreign key': (of) => [Post, { authorId: of(Post, 'authorId') }],
  'a foreign key that is declared as text': (of) => [Post, { editorId: of(Post, 'editorId') }],
  'a relation': (of) => [Post, { author: of(Post, 'author') }],
  'the key of a relation': (of) => [Post, { author: { id: of(User, 'id') } }],
  'an embedded id': (of) => [Post, { origin: { traceId: of(Origin, 'traceId') } }],
  bytes: (of) => [Post, { logId: of(Post, 'logId') }],
  'a key of a schema': (of) => [Invoice, { id: of(Invoice, 'id') }],
  'a foreign key of a schema': (of) => [Invoice, { parcelId: of(Invoice, 'parcelId') }],
  'a relation of a schema': (of) => [Invoice, { parcel: of(Invoice, 'parcel') }],
}
const [past, future] = [new Date('2000-01-01'), new Date('2040-01-01')]
const RANGES: Record<string, readonly [from: Date | undefined, to: Date | undefined, rows: number]> = {
  'after all': [future, undefined, 0],
  'before all': [undefined, past, 0],
  'since ever': [past, undefined, 5],
  'until ever': [undefined, future, 5],
  'of two days': [day(1), day(3), 2],
  'from the third day': [day(2), undefined, 3],
}
const rangeOf = (from: Date | undefined, to: Date | undefined) =>
  ((entity: typeof User, property: 'id') =>
    from === undefined
      ? createdBefore(entity, property, to as Date)
      : to === undefined
        ? createdAfter(entity, property, from)
        : createdBetween(entity, property, from, to)) as Make

describe.each(kinds)('ranges in $name', (kind) => {
  const world = openForBlock(kind, [Region, User, Post, Parcel, Invoice])
  const at = (family: IdFamily, number: number) => family.lowerBound(day(number)) as never
  const userId = prefixed(flax, 'usr')
  // They sort before and after all of ours.
  const kept = ['a'.repeat(24), 'z'.repeat(24)]
  const DAYS = [0, 1, 2, 3, 4]
  beforeEach(async () => {
    const { manager } = world.dataSource
    for (const entity of [Invoice, Parcel, Post, User])
      await manager
        .createQueryBuilder()
        .delete()
        .from(entity as typeof User)
        .execute()
    const users = [...kept, ...DAYS.map((number) => at(userId, number) as string)]
    await manager.insert(
      User,
      users.map((id) => ({ id, name: 'before' })),
    )
    for (const number of DAYS) {
      const id = at(typeid('post'), number)
      const authorId = at(userId, number)
      const origin = { traceId: at(sno, number) }
      await manager.insert(Post, {
        id,
        authorId,
        editorId: authorId,
        logId: at(prefixed(flax, 'log'), number),
        origin,
      })
      const parcelId = at(prefixed(flax, 'par'), number)
      await manager.insert(Parcel, { id: parcelId })
      await manager.insert(Invoice, { id: at(invoiceId, number), parcelId })
    }
  })

  test.each(Object.keys(PLACES))('of %s select the rows of that time, in each statement', async (name) => {
    const { dataSource } = world
    const { manager } = dataSource
    for (const [range, [from, to, rows]] of Object.entries(RANGES)) {
      const [entity, where] = (PLACES[name] as (typeof PLACES)[string])(rangeOf(from, to), dataSource)
      const all = await manager.count(entity)
      const found = await manager.find(entity, { where })
      expect([found.length, await manager.count(entity, { where })], range).toEqual([rows, rows])
      expect(await manager.count(entity, { where: [where, { ...where }] })).toBe(rows)
      // TypeORM's builders take operators of columns only, and other rows refer to some keys.
      if (name.includes('relation')) continue
      const operator = Object.values(where)[0]
      const builder = () => manager.getRepository(entity).createQueryBuilder('t')
      if (operator instanceof FindOperator) {
        expect(await builder().where(where).getCount(), range).toBe(rows)
        const others = { [Object.keys(where)[0] as string]: Not(operator) }
        expect(await builder().where(others).getCount(), range).toBe(all - rows)
      }
      if (entity === User) continue
      expect(await manager.delete(entity, where), range).toMatchObject({ affected: rows })
      expect(await manager.count(entity)).toBe(all - rows)
      await manager.insert(entity, found)
    }
  })

  test('select what is deleted beside keys that are kept, and what updates and builders write', async () => {
    const { manager } = world.dataSource
    const [none, some] = [createdAfter(User, 'id', future), createdBetween(User, 'id', day(1), day(3))]
    expect(await manager.update(User, { id: none }, { name: 'after' })).toMatchObject({ affected: 0 })
    expect(await manager.update(User, { id: some }, { name: 'after' })).toMatchObject({ affected: 2 })
    const update = () => manager.createQueryBuilder().update(User).set({ name: 'last' })
    expect(await update().where({ id: none }).execute()).toMatchObject({ affected: 0 })
    expect(await manager.countBy(User, { name: 'after', id: some })).toBe(2)
    expect(await update().where({ id: some }).execute()).toMatchObject({ affected: 2 })
    const remove = () => manager.createQueryBuilder().delete().from(Invoice)
    const early = { id: createdBefore(Invoice, 'id', past) }
    expect(await remove().where(early).execute()).toMatchObject({ affected: 0 })
    expect(
      await remove()
        .where({ id: createdBefore(Invoice, 'id', day(3)) })
        .execute(),
    ).toMatchObject({ affected: 3 })
    await manager.delete(Invoice, { id: createdAfter(Invoice, 'id', past) })
    await manager.delete(Post, { id: createdAfter(Post, 'id', past) })
    expect(await manager.delete(User, { id: none })).toMatchObject({ affected: 0 })
    expect(await manager.delete(User, { id: createdAfter(User, 'id', past) })).toMatchObject({ affected: 5 })
    expect((await manager.find(User, { order: { id: 'ASC' } })).map(({ id }) => id)).toEqual(kept)
  })
})

const time = new Date()
const refusal = (message: RegExp) =>
  expect.objectContaining({
    name: 'IdError',
    code: 'INVALID_OPTION',
    message: expect.stringMatching(message),
  })
test.each([
  [
    'a family',
    () => createdAfter(flax as never, time as never, undefined as never),
    /^createdAfter\(Order, 'id', time\) takes an entity first, not the family flax$/,
  ],
  [
    'a family with a prefix',
    () => createdBetween(prefixed(flax, 'cus') as never, 'id' as never, time, time),
    /^createdBetween\(Order, 'id', from, to\) takes an entity first, not the family cus$/,
  ],
  ['no entity', () => createdBefore(undefined as never, 'id' as never, time), /check for a circular import$/],
  ['a name', () => createdBefore('User' as never, 'id' as never, time), /takes an entity first, not "User"$/],
  [
    'no property',
    () => createdAfter(User, time as never, 'id' as never),
    /takes a property of the entity, not /,
  ],
  ['a property of text', () => createdAfter(User, 'name', time), /^User\.name is not /],
  ['an unknown property', () => createdAfter(User, 'x' as never, time), /^User\.x is not /],
  ['a relation without ids', () => createdAfter(User, 'region', time), /^User\.region is not /],
  [
    'a range that ends before it begins',
    () => createdBetween(User, 'id', day(2), day(1)),
    /^User\.id: usr: a range/,
  ],
  [
    'an entity of no DataSource',
    () => createdAfter(class Other {} as typeof User, 'id', time),
    /^Other\.id is not decorated as an id column; foreign keys are known after initialize\(\)$/,
  ],
] as const)('%s is refused', (_, call, message) => {
  expect(call).toThrow(refusal(message))
})

test('before initialize() the family of a key is known, and of a property with a prefix', () => {
  class Draft {
    @FlaxIdColumn({ prefix: 'dra' }) id!: Id<'dra'>
    @FlaxIdColumn.plain({ prefix: 'usr' }) userId!: Id<'usr'>
    @FlaxIdColumn.plain() otherId!: FlaxId
  }
  const later = new EntitySchema<{ id: FlaxId; userId: FlaxId }>({
    name: 'later',
    columns: { id: idColumn(flax), userId: idColumn.plain(flax) },
  })
  const bounds = ({ value }: FindOperator<unknown>) =>
    (value as unknown as FindOperator<string>[]).map((bound) => bound.value)
  const start = (family: IdFamily) => [family.lowerBound(day(0))]
  expect(bounds(createdAfter(Draft, 'id', day(0)))).toEqual(start(prefixed(flax, 'dra')))
  expect(bounds(createdAfter(Draft, 'userId', day(0)))).toEqual(start(prefixed(flax, 'usr')))
  expect(bounds(createdAfter(later, 'id', day(0)))).toEqual(start(flax))
  for (const call of [() => createdAfter(Draft, 'otherId', time), () => createdAfter(later, 'userId', time)])
    expect(call).toThrow(refusal(/ has the prefix of the column that it references; call initialize\(\)/))
})

test('a property of a base class whose entities reference different tables is asked by entity', async () => {
  @Entity()
  class Cat {
    @FlaxIdColumn({ prefix: 'cat' }) id!: Id<'cat'>
  }
  @Entity()
  class Dog {
    @FlaxIdColumn({ prefix: 'dog' }) id!: Id<'dog'>
  }
  abstract class Visit {
    @SnoIdColumn() id!: SnoId
    @FlaxIdColumn.plain({ branded: false }) petId!: string
    @CreatedAt('petId') readonly born!: Date
  }
  @Entity()
  class CatVisit extends Visit {
    @ManyToOne(() => Cat) pet!: Relation<Cat>
  }
  @Entity()
  class DogVisit extends Visit {
    @ManyToOne(() => Dog) pet!: Relation<Dog>
  }
  const { manager } = await openForTest(sqlite, [Cat, Dog, CatVisit, DogVisit])
  for (const [Pet, PetVisit] of [
    [Cat, CatVisit],
    [Dog, DogVisit],
  ] as unknown as [new () => Cat, typeof CatVisit][]) {
    const { id } = await manager.save(new Pet())
    const visit = await manager.save(manager.create(PetVisit, { petId: id }))
    expect(visit.born.getTime()).toBe(prefixed(flax, id.slice(0, 3)).timeMs(id as never))
    expect(await manager.countBy(PetVisit, { petId: createdBefore(PetVisit, 'petId', past) })).toBe(0)
    expect(await manager.countBy(PetVisit, { petId: createdAfter(PetVisit, 'petId', past) })).toBe(1)
    expect(await manager.countBy(PetVisit, { petId: createdAfter(PetVisit, 'petId', future) })).toBe(0)
  }
  expect(() => createdAfter(Visit, 'petId', past)).toThrow(
    refusal(/^Visit\.petId has the prefix of .* pass the entity/),
  )
})

test('@CreatedAt without an id column is an error', () => {
  class Wrong {
    id!: FlaxId
    readonly createdAt!: Date
  }
  CreatedAt()(Wrong.prototype, 'createdAt')
  expect(() => new Wrong().createdAt).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', path: 'Wrong.createdAt' }),
  )
})
