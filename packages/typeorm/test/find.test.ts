import 'reflect-metadata'
import { flax, type Id, prefixed, uuid7 } from '@snoflax/core'
import { type Finder, testFind } from '@snoflax/test/contract'
import { FlaxIdColumn, find, idColumn } from '@snoflax/typeorm'
import {
  ChildEntity,
  Column,
  DataSource,
  Entity,
  type EntityManager,
  EntitySchema,
  JoinColumn,
  type Logger,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  type Relation,
  TableInheritance,
  Unique,
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { openDataSource, openForBlock } from './open-data-source.js'
import { kinds } from './sources.js'

@Entity()
@TableInheritance({ column: { type: 'varchar', name: 'type', length: 10 } })
class Customer {
  @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
  @Column('varchar') name!: string
}
@ChildEntity()
class Company extends Customer {}

class Embedded {
  @FlaxIdColumn.plain({ prefix: 'emb', primary: true }) id!: Id<'emb'>
}
@Entity()
class Parent {
  @FlaxIdColumn({ prefix: 'par', storage: 'binary' }) id!: Id<'par'>
  @Column('int') no!: number
}
@Entity()
class Held {
  @Column(() => Embedded) key!: Embedded
  @PrimaryColumn('int') no!: number
}
@Entity()
@TableInheritance({ column: { type: 'varchar', name: 'type', length: 10 } })
class Base {
  @PrimaryColumn('int') no!: number
}
@ChildEntity()
@Unique(['id'])
class Derived extends Base {
  @FlaxIdColumn.plain({ prefix: 'der', nullable: true }) id!: Id<'der'> | null
}
@Entity()
class Version {
  @FlaxIdColumn({ prefix: 'ver', storage: 'binary' }) id!: Id<'ver'>
  @PrimaryColumn('int') no!: number
}
@Entity()
class Line {
  @PrimaryColumn('varchar') parentId!: Id<'par'>
  @PrimaryColumn('int') no!: number
  @ManyToOne(() => Parent, { eager: true }) @JoinColumn({ name: 'parentId' }) parent!: Relation<Parent>
}
@Entity()
class Extra {
  @PrimaryColumn('int') no!: number
  @OneToOne(() => Parent) @JoinColumn() parent!: Relation<Parent>
}
const others = [Parent, Version, Line, Extra, Held]

// Forms of declaring a key are among the features of the contract.
describe.each(kinds)('keys in $name', (kind) => {
  const statements: string[] = []
  const logger = {
    logQuery: (sql: string) => void statements.push(sql),
    logSchemaBuild: () => undefined,
  } as unknown as Logger
  const world = openForBlock(kind, [Base, Derived, ...others], { logger, logging: ['query'] })
  const found = async (key: string) => {
    statements.length = 0
    return { row: await find(world.dataSource, key), statements: statements.length }
  }

  test('an id of a unique set of a child entity is found by one statement', async () => {
    const key = prefixed(flax, 'der').generate() as Id<'der'>
    await world.dataSource.manager.insert(Derived, { no: 1, id: key })
    const row = {
      model: 'Base',
      column: 'id',
      row: expect.objectContaining({ id: key }),
      also: [],
      hasMore: false,
    }
    expect(await found(key)).toEqual({ row, statements: 1 })
  })

  test('in an embedded key', async () => {
    const { manager } = world.dataSource
    const key = { id: prefixed(flax, 'emb').generate() as Id<'emb'> }
    await manager.insert(Held, [
      { key, no: 2 },
      { key, no: 1 },
    ])
    expect((await found(key.id)).row).toMatchObject({
      model: 'Held',
      column: 'key.id',
      row: { key, no: 1 },
      also: [{ row: { key, no: 2 } }],
    })
  })

  test.each([2, 11, 12])('%i versions of an id are found, by one statement', async (count) => {
    const key = prefixed(flax, 'ver').generate() as Id<'ver'>
    const rows = Array.from({ length: count }, (_, i) => ({ id: key, no: count - i }))
    await world.dataSource.manager.insert(Version, rows)
    const { row, statements: asked } = await found(key)
    expect([asked, row?.row, row?.hasMore]).toEqual([1, { id: key, no: 1 }, count > 11])
    expect(row?.also.map((one) => one.row['no'])).toEqual(
      Array.from({ length: Math.min(count - 1, 10) }, (_, i) => i + 2),
    )
  })

  test('rows that refer to a row by their key are found after it', async () => {
    const { manager } = world.dataSource
    const parent = await manager.save(Parent, { no: 7 })
    await manager.insert(Line, [
      { parentId: parent.id, no: 1 },
      { parentId: parent.id, no: 2 },
    ])
    await manager.insert(Extra, { no: 1, parent })
    const { row } = await found(parent.id)
    expect(row).toMatchObject({ model: 'Parent', column: 'id', row: parent, hasMore: false })
    expect(row?.also.map(({ model, column, row: { no } }) => [model, column, no])).toEqual(
      expect.arrayContaining([
        ['Line', 'parentId', 1],
        ['Line', 'parentId', 2],
        ['Extra', 'parent.id', 1],
      ]),
    )
    expect(row?.also.find(({ model }) => model === 'Line')?.row['parent']).toEqual(parent)
  })
})

test('find says what it can not know', async () => {
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer, Company],
  })
  const refusal = (message: RegExp) => ({
    name: 'IdError',
    code: 'INVALID_OPTION',
    message: expect.stringMatching(message),
  })
  const notInitialized = refusal(/^find: this DataSource is not initialized/)
  await expect(find(dataSource, flax.generate())).rejects.toMatchObject(notInitialized)
  await dataSource.initialize()
  expect(await find(dataSource, flax.generate())).toBeNull()
  await dataSource.destroy()
  await expect(find(dataSource, flax.generate())).rejects.toMatchObject(notInitialized)
  for (const wrong of [undefined, null, 'cus_Kpcan0M1FakODT4k', {}])
    await expect(find(wrong as never, flax.generate())).rejects.toMatchObject(
      refusal(/^find: the first argument must be a DataSource or an EntityManager, not /),
    )
})

testFind(kinds, async (database, tables, log) => {
  const entities = tables.map((name) => new EntitySchema({ name, columns: { id: idColumn(uuid7) } }))
  const logger = { logQuery: log } as Logger
  const dataSource = await openDataSource(database, entities, {
    synchronize: false,
    logger,
    logging: ['query'],
  })
  const finder = (on: DataSource | EntityManager): Finder => ({
    insert: (name, id) => on.getRepository(name).insert({ id }),
    find: (id) => find(on, id),
  })
  return {
    ...finder(dataSource),
    transaction: (work) => dataSource.transaction((manager) => work(finder(manager))),
    close: () => dataSource.destroy(),
  }
})
