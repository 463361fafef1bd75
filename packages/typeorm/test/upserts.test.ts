import 'reflect-metadata'
import { type FlaxId, flax, type Id, prefixed } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import {
  AfterInsert,
  Column,
  CreateDateColumn,
  type DataSource,
  Entity,
  type EntityManager,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  type InsertQueryBuilder,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm'
import { beforeEach, describe, expect, test } from 'vitest'
import { openForBlock, openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

interface Row {
  id: string
  email: string
  name: string
  savedAt: Date
}

/** What listeners and subscribers heard of the rows. */
const heard: Pick<Row, 'id' | 'email'>[] = []

async function open(kind: (typeof kinds)[number], key: 'plain' | 'ours'): Promise<DataSource> {
  const Key = () => (key === 'plain' ? PrimaryGeneratedColumn('uuid') : FlaxIdColumn({ prefix: 'usr' }))
  @EventSubscriber()
  class Audit implements EntitySubscriberInterface<Row> {
    afterInsert({ entity: { id, email } }: InsertEvent<Row>) {
      heard.push({ id, email })
    }
  }
  @Entity()
  class User implements Row {
    id!: string
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
    @Column({ type: 'varchar' }) name!: string
    @CreateDateColumn() savedAt!: Date
    @AfterInsert() listen() {
      heard.push({ id: this.id, email: this.email })
    }
  }
  Key()(User.prototype, 'id' as never)
  return openForTest(kind, [User], { subscribers: [Audit] })
}

const insert = (users: Repository<Row>, rows: Row[]) =>
  users.createQueryBuilder().insert().values(rows) as InsertQueryBuilder<Row>

/** Each writes rows of which the first conflicts with a stored one. */
const FORMS: Record<string, (users: Repository<Row>, rows: Row[]) => Promise<unknown>> = {
  'upsert()': (users, rows) => users.upsert(rows, ['email']),
  'upsert(), unchanged rows skipped': (users, rows) =>
    users.upsert(rows, { conflictPaths: ['email'], skipUpdateIfNoValuesChanged: true }),
  'orUpdate()': (users, rows) => insert(users, rows).orUpdate(['name'], ['email']).execute(),
  'orUpdate(), updateEntity(false)': (users, rows) =>
    insert(users, rows).orUpdate(['name'], ['email']).updateEntity(false).execute(),
  'orIgnore()': (users, rows) => insert(users, rows).orIgnore().execute(),
  'orIgnore(), updateEntity(false)': (users, rows) =>
    insert(users, rows).orIgnore().updateEntity(false).execute(),
  'insert()': (users, rows) => users.insert(rows),
  'save()': (users, rows) => users.save(rows),
}

/** What entities and result say of each row's id: that it is the stored one, another row's, one of no row, or none. */
async function outcome(dataSource: DataSource, form: string, count: number) {
  const users = dataSource.getRepository<Row>('User')
  const stored = await users.save({ email: 'a', name: 'before' } as Row)
  const rows = ['a', 'b', 'c'].slice(0, count).map((email) => users.create({ email, name: 'before' }))
  heard.length = 0
  const result = (await FORMS[form]?.(users, rows).catch((error: Error) => error.name)) as
    | string
    | { identifiers?: ({ id?: string } | undefined)[] }
  const ids = new Map((await users.find()).map(({ id, email }) => [id, email]))
  const told = (id: string | undefined, email: string) =>
    id === undefined
      ? 'none'
      : (ids.get(id) ?? email) !== email
        ? 'wrong'
        : ids.has(id)
          ? 'stored'
          : 'of no row'
  return {
    isKept: ids.get(stored.id) === 'a',
    rows: ids.size,
    error: typeof result === 'string' ? result : undefined,
    entities: rows.map(({ id, email }) => told(id, email)).join(),
    events: rows.map(({ email }) =>
      heard
        .filter((one) => one.email === email)
        .map((one) => told(one.id, email))
        .join('+'),
    ),
    identifiers: rows
      .map(({ email }, i) => told((result as { identifiers?: Row[] }).identifiers?.[i]?.id, email))
      .join(),
  }
}

/** What is told of the row that conflicts, where inserts return rows, and where they don't. TypeORM reads none then. */
const TOLD: Record<string, readonly [returned: string, unreturned: string]> = {
  'upsert()': ['stored', 'of no row'],
  'upsert(), unchanged rows skipped': ['none', 'of no row'],
  'orUpdate()': ['stored', 'of no row'],
  'orUpdate(), updateEntity(false)': ['none', 'none'],
  'orIgnore()': ['none', 'of no row'],
  'orIgnore(), updateEntity(false)': ['none', 'none'],
}

describe.each(kinds)('$name', (kind) => {
  test.each(Object.keys(FORMS).flatMap((form) => [1, 3].map((count) => [form, count] as const)))(
    '%s of %i rows keeps the stored key, and never tells another row of a key',
    async (form, count) => {
      const dataSource = await open(kind, 'ours')
      const ours = await outcome(dataSource, form, count)
      const plain = await outcome(await open(kind, 'plain'), form, count)
      expect(ours).toMatchObject({ isKept: plain.isKept, rows: plain.rows, error: plain.error })
      if (ours.error) return
      const isReturned = dataSource.driver.isReturningSqlSupported('insert')
      // MySQL's drivers know no way to skip unchanged rows.
      const isSkipped = form.includes('unchanged') && kind.name !== 'mysql'
      const [returned, unreturned] = TOLD[isSkipped ? form : form.replace(/, unchanged.*/, '')] as [
        string,
        string,
      ]
      const others = form.endsWith('updateEntity(false)') ? 'none' : 'stored'
      const expected = [isReturned ? returned : unreturned, others, others].slice(0, count).join()
      expect(ours).toMatchObject({ entities: expected, identifiers: expected })
      // Of an upsert, entities are instances, of which the subscriber and the listener hear.
      // Without updateEntity nothing is read back, and TypeORM shows the new ids of all rows, of its own keys, too.
      const toldByEvents = form.endsWith('updateEntity(false)')
        ? ['of no row', 'stored', 'stored'].slice(0, count)
        : expected.split(',')
      expect(ours.events).toEqual(toldByEvents.map((told) => `${told}+${told}`))
      // What TypeORM tells of uuid keys, but where it takes another row for theirs, and where only we have it returned.
      for (const [at, told] of plain.entities.split(',').entries())
        if (told !== 'wrong' && !(isReturned && told === 'of no row') && !plain.entities.includes('wrong'))
          expect(ours.entities.split(',')[at]).toBe(told)
    },
  )
})

describe.each(kinds)('events of inserts in $name', (kind) => {
  @Entity()
  class Entry {
    @FlaxIdColumn() id!: FlaxId
    @Column({ type: 'varchar', length: 40, nullable: true }) of!: string | null
    @Column({ type: 'varchar', length: 9 }) what!: string
  }
  @Entity()
  class Item {
    @FlaxIdColumn({ prefix: 'itm', storage: 'binary' }) id!: Id<'itm'>
    @Column({ type: 'varchar', length: 9, unique: true }) name!: string
    @Column('int', { default: 7 }) count!: number
  }
  const failing = new Set<string>()
  @EventSubscriber()
  class Log implements EntitySubscriberInterface<Item> {
    listenTo() {
      return Item
    }
    async afterInsert({ entity: { id, name }, manager }: InsertEvent<Item>) {
      if (failing.has(name)) throw new Error(`refused ${name}`)
      await manager.insert(Entry, { of: id ?? null, what: name })
    }
  }
  // Connections that are not given back would be missing.
  const world = openForBlock(kind, [Entry, Item], {
    subscribers: [Log],
    ...(kind.name === 'postgres' && { poolSize: 1 }),
  })
  const make = (manager: EntityManager, names: string[]) => {
    const rows = names.map((name) => ({ name })) as Item[]
    return { rows, insert: manager.createQueryBuilder().insert().into(Item).values(rows) }
  }
  beforeEach(async () => {
    const { manager } = world.dataSource
    failing.clear()
    for (const entity of [Entry, Item])
      await manager
        .createQueryBuilder()
        .delete()
        .from(entity as typeof Item)
        .execute()
  })
  /** What the log has of the rows: the stored id, none, or one of no row. */
  const logged = async () => {
    const { manager } = world.dataSource
    const items = new Map((await manager.find(Item)).map(({ id, name }) => [name, id]))
    const entries = await manager.find(Entry, { order: { what: 'ASC' } })
    return entries.map(
      ({ of, what }) =>
        `${what} ${of === null ? 'none' : of === items.get(what) ? 'stored' : [...items.values()].includes(of as never) ? 'wrong' : 'of no row'}`,
    )
  }
  const skipped = () => (world.dataSource.driver.isReturningSqlSupported('insert') ? 'none' : 'of no row')

  test.each(['on its own', 'in a transaction', 'in its own transaction'])(
    'tell of skipped rows no other one: %s',
    async (where) => {
      const { manager } = world.dataSource
      await manager.insert(Item, [{ name: 'b' }, { name: 'd' }])
      await manager.createQueryBuilder().delete().from(Entry).execute()
      const run = async (on: EntityManager) => {
        const { rows, insert } = make(on, ['a', 'b', 'c', 'd', 'e'])
        await insert
          .orIgnore()
          .useTransaction(where === 'in its own transaction')
          .execute()
        return rows
      }
      const rows = await (where === 'in a transaction' ? world.dataSource.transaction(run) : run(manager))
      expect(await logged()).toEqual(['a stored', `b ${skipped()}`, 'c stored', `d ${skipped()}`, 'e stored'])
      expect([0, 2, 4].map((i) => rows[i]?.count)).toEqual([7, 7, 7])
    },
  )

  test('that fail undo the insert in its own transaction', async () => {
    const { manager } = world.dataSource
    failing.add('b')
    for (let times = 0; times < 3; times++) {
      const { insert } = make(manager, ['a', 'b', 'c'])
      await expect(insert.orIgnore().useTransaction(true).execute()).rejects.toThrow('refused b')
    }
    expect([await manager.count(Item), await manager.count(Entry)]).toEqual([0, 0])
    failing.clear()
    const { insert } = make(manager, ['a', 'b', 'c'])
    await insert.orIgnore().execute()
    expect(await logged()).toEqual(['a stored', 'b stored', 'c stored'])
  })

  test('are left out with callListeners(false), and come again with the next insert', async () => {
    const { manager } = world.dataSource
    const { insert } = make(manager, ['a'])
    await insert.orIgnore().callListeners(false).execute()
    expect(await logged()).toEqual([])
    await insert.values({ name: 'b' }).orIgnore().callListeners(true).execute()
    await insert.values({ name: 'c' }).execute()
    expect(await logged()).toEqual(['b stored', 'c stored'])
  })

  test('tell of each row its own id, whatever the order of their ids', async () => {
    const { manager } = world.dataSource
    const ids = Array.from({ length: 5 }, () => prefixed(flax, 'itm').generate())
      .sort()
      .reverse()
    await manager.insert(Item, [
      ...ids.map((id, i) => ({ id, name: `own ${i}` })),
      { name: 'x' },
      { name: 'y' },
    ] as Item[])
    expect(await logged()).toEqual([...ids.map((_, i) => `own ${i} stored`), 'x stored', 'y stored'])
    await manager.save(Item, [{ name: 'z' }, { name: 'w' }])
    await manager.upsert(
      Item,
      [
        { name: 'z', count: 8 },
        { name: 'v', count: 9 },
      ],
      ['name'],
    )
    const told = world.dataSource.driver.isReturningSqlSupported('insert') ? 'stored' : 'of no row'
    expect((await logged()).slice(5)).toEqual([
      'v stored',
      'w stored',
      'x stored',
      'y stored',
      'z stored',
      `z ${told}`,
    ])
  })
})
