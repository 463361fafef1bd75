import 'reflect-metadata'
import { flax, type Id, opaque, prefixed, uuid7 } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { IdColumn } from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  Entity,
  JoinTable,
  ManyToMany,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { changesOf, databaseForTest, openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

let count = 0
const orgId = opaque('org', {
  pattern: /org_\d{4}/,
  generate: () => `org_${String(++count).padStart(4, '0')}`,
})

/** Columns of an application before it has ids of ours. */
const before = () => {
  @Entity('org')
  class Org {
    @PrimaryColumn('varchar', { length: 40 }) id!: string
    @Column('varchar') name!: string
  }
  @Entity('note')
  class Note {
    @PrimaryGeneratedColumn('uuid') id!: string
    @ManyToOne(() => Org) org!: Relation<Org>
    @ManyToOne(() => Note, { nullable: true }) parent!: Relation<Note> | null
    @ManyToMany(() => Org) @JoinTable() readers!: Relation<Org[]>
  }
  return [Org, Note]
}

const noteId = opaque('note', {
  pattern: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  generate: () => crypto.randomUUID(),
})

const after = () => {
  @Entity('org')
  class Org {
    @IdColumn(orgId, { type: 'varchar', length: 40 }) id!: Id<'org'>
    @Column('varchar') name!: string
  }
  @Entity('note')
  class Note {
    @IdColumn(noteId, { branded: false, type: 'uuid', generated: 'uuid' })
    id!: string
    @ManyToOne(() => Org) org!: Relation<Org>
    @ManyToOne(() => Note, { nullable: true }) parent!: Relation<Note> | null
    @ManyToMany(() => Org) @JoinTable() readers!: Relation<Org[]>
  }
  return [Org, Note] as const
}

const open = (
  database: Awaited<ReturnType<typeof databaseForTest>>,
  entities: unknown,
): Promise<DataSource> => openForTest(database, entities as never, { synchronize: false })

describe.each(kinds)('$name', (kind) => {
  test('a kept type has an empty second diff, and the ids are checked', async () => {
    const database = await databaseForTest(kind)
    await (await openForTest(database, before())).destroy()
    const [Org, Note] = after()
    const source = await open(database, [Org, Note])
    expect(await changesOf(source)).toEqual([])
    const org = await source.getRepository(Org).save({ name: 'Ada' })
    expect(orgId.is(org.id)).toBe(true)
    const notes = source.getRepository(Note)
    const parent = await notes.save({ org, readers: [org] })
    const note = await notes.save({ org, parent })
    const found = await notes.find({ relations: { org: true, readers: true } })
    expect(found.map(({ id }) => id).sort()).toEqual([parent.id, note.id].sort())
    expect(found.map(({ org: { id } }) => id)).toEqual([org.id, org.id])
    for (const { id } of found) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    await expect(source.getRepository(Org).insert({ id: 'nobody' as never, name: 'x' })).rejects.toThrow(
      /Org\.id/,
    )
  })
})

test('a text that is no id is written, if the column says so, and foreign keys follow', async () => {
  @Entity()
  class Shop {
    @IdColumn(orgId, { type: 'varchar', length: 40, onMismatch: 'notFound', branded: false }) id!: string
  }
  @Entity()
  class Sale {
    @IdColumn(prefixed(flax, 'sale'), { branded: false }) id!: string
    @ManyToOne(() => Shop) shop!: Relation<Shop>
  }
  const { manager } = await openForTest(sqlite, [Shop, Sale])
  await manager.getRepository(Shop).insert({ id: 'shop-1' })
  expect(await manager.getRepository(Shop).findBy({ id: 'shop-1' })).toEqual([{ id: 'shop-1' }])
  const { id } = await manager.getRepository(Sale).save({ shop: { id: 'shop-1' } })
  expect(await manager.getRepository(Sale).find({ relations: { shop: true } })).toEqual([
    { id, shop: { id: 'shop-1' } },
  ])
  await expect(manager.getRepository(Sale).insert({ id: 'sale-1' })).rejects.toThrow(/Sale\.id/)
})

test('ids with a time have the type of their storage, whose order finds their times', async () => {
  @Entity()
  class Sale {
    @IdColumn(prefixed(flax, 'sale'), { type: 'varchar', length: 40 }) id!: Id<'sale'>
  }
  await expect(openForTest(sqlite, [Sale])).rejects.toThrow(
    'Sale.id: sale: type is for ids of opaque(): times are found by the order of the column of its own type; leave it out',
  )
})

test("generated: 'uuid' needs a type, and ids that are UUIDs", () => {
  expect(() => IdColumn(orgId, { type: 'uuid', generated: 'uuid' })({}, 'id')).toThrow(
    "generated: 'uuid' needs a definition whose ids are UUIDs of any version",
  )
  expect(() => IdColumn(uuid7, { generated: 'uuid' })({}, 'id')).toThrow(
    "generated: 'uuid' needs type, such as 'uuid'",
  )
})
