import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { FlaxIdColumn } from '@snoflax/typeorm'
import {
  Column,
  Entity,
  type EntitySubscriberInterface,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm'
import { expect, test } from 'vitest'
import { openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

interface NodeRow {
  id: string
  name: string
  children: NodeRow[]
}

/** Entities with keys of ours, or with those that TypeORM generates. */
function define(key: 'plain' | 'text' | 'binary') {
  const Key = () =>
    key === 'plain'
      ? PrimaryGeneratedColumn('uuid')
      : (FlaxIdColumn({ storage: key }) as unknown as PropertyDecorator)
  @Entity('node')
  class Node implements NodeRow {
    @Key() id!: string
    @Column('varchar') name!: string
    @ManyToOne(() => Node, 'children', { nullable: true }) parent!: Relation<Node> | null
    @OneToMany(() => Node, 'parent', { cascade: true }) children!: Relation<Node>[]
  }
  return Node
}

test.each(['text', 'binary'] as const)(
  'a new tree has the events of uuid keys, stored as %s',
  async (storage) => {
    const eventsOf = async (key: Parameters<typeof define>[0]) => {
      const nodes = (await openForTest(sqlite, [define(key)])).getRepository<NodeRow>('Node')
      const events: string[] = []
      const subscriber: EntitySubscriberInterface<NodeRow> = {
        afterInsert: ({ entity }) => void events.push(`inserted ${entity.name}`),
        afterUpdate: ({ entity }) => void events.push(`updated ${entity?.['name']}`),
      }
      nodes.manager.dataSource.subscribers.push(subscriber)
      await nodes.save({ name: 'root', children: [{ name: 'a', children: [{ name: 'b' }] }, { name: 'c' }] })
      const [root] = await nodes.find({
        where: { name: 'root' },
        relations: { children: { children: true } },
      })
      return [events, root?.children.map(({ name, children }) => [name, children.length]).sort()]
    }
    expect(await eventsOf(storage)).toEqual(await eventsOf('plain'))
  },
)

test.each(
  kinds.flatMap((kind) =>
    (['text', 'binary'] as const).map((storage) => [kind.name, kind, storage] as const),
  ),
)('%s: what an insert generated has the ids, as with uuid keys (%#)', async (_, kind, storage) => {
  const nodes = (await openForTest(kind, [define(storage)])).getRepository<NodeRow>('Node')
  const entity = nodes.create({ name: 'entity' })
  const builder = nodes
    .createQueryBuilder()
    .insert()
    .values([{ name: 'x' }, { name: 'y' }])
  for (const result of [
    await nodes.insert(entity),
    await nodes.insert([{ name: 'a' }, { name: 'b' }] as NodeRow[]),
    await builder.execute(),
  ]) {
    expect(result.identifiers.every(({ id }) => flax.is(id))).toBe(true)
    expect(result.generatedMaps.map(({ id }) => ({ id }) as object)).toEqual(result.identifiers)
  }
  expect(flax.is(entity.id)).toBe(true)
})

test('words of sixteen letters are no ids beside compact keys, nor is what TypeORM stores of generated columns', async () => {
  expect(['GENERATED_COLUMN', 'SubscriptionItem'].map(flax.is)).toEqual([true, true])
  @Entity('SubscriptionItem')
  class Item {
    @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
    @Column('varchar') name!: string
    @Column({
      type: 'varchar',
      generatedType: 'STORED',
      asExpression: "name || '!'",
      insert: false,
      update: false,
    })
    loud!: string
  }
  const items = (await openForTest(sqlite, [Item])).getRepository(Item)
  await items.save({ name: 'SubscriptionItem' })
  const found = items.createQueryBuilder('i').where('i.name = :name', { name: 'SubscriptionItem' })
  expect(await found.getMany()).toMatchObject([{ loud: 'SubscriptionItem!' }])
})
