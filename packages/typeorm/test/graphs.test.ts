import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { FlaxIdColumn } from '@snoflax/typeorm'
import {
  Column,
  CreateDateColumn,
  type DataSource,
  Entity,
  ManyToOne,
  OneToMany,
  type Relation,
  VersionColumn,
} from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { flaxPlaces } from './sources.js'

describe.each(flaxPlaces)('$name', ({ kind, storage }) => {
  @Entity()
  class Employee {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('varchar') name!: string
    @VersionColumn() version!: number
    @ManyToOne(() => Employee, 'reports', { nullable: true, cascade: ['insert', 'update'] })
    boss!: Relation<Employee> | null
    @OneToMany(() => Employee, 'boss', { cascade: ['insert', 'update'] }) reports!: Relation<Employee>[]
  }

  @Entity()
  class Dated {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @CreateDateColumn() at!: Date
    @ManyToOne(() => Dated, { nullable: true, cascade: true }) before!: Relation<Dated> | null
  }

  let database: OpenDatabase
  let dataSource: DataSource
  beforeAll(async () => {
    database = await kind.open()
    dataSource = await openDataSource(database, [Employee, Dated])
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })

  /** Rows as `name<boss`, and their versions. */
  const stored = async () => {
    const found = await dataSource.getRepository(Employee).find({ relations: { boss: true } })
    await dataSource.getRepository(Employee).createQueryBuilder().update().set({ boss: null }).execute()
    await dataSource.getRepository(Employee).createQueryBuilder().delete().execute()
    return {
      names: found.map(({ name, boss }) => `${name}<${boss?.name ?? ''}`).sort(),
      versions: [...new Set(found.map(({ version }) => version))],
    }
  }
  const employees = () => dataSource.getRepository(Employee)
  // `create()` copies the rows that an object references.
  const made = (name: string, more: object = {}) => Object.assign(new Employee(), { name, ...more })
  const given = (name: string, more: object = {}) => made(name, { id: flax.generate(), ...more })

  test('new rows keep their references, to rows before them and to rows that come later', async () => {
    for (const turn of [(rows: Employee[]) => rows, (rows: Employee[]) => [...rows].reverse()]) {
      const root = made('root')
      const kid = made('kid', { boss: root })
      const grandkid = made('grandkid', { boss: kid })
      await employees().save(turn([root, kid, grandkid]))
      expect((await stored()).names).toEqual(['grandkid<kid', 'kid<root', 'root<'])
    }
    await employees().save({ name: 'r', reports: [{ id: flax.generate(), name: 'k' }] })
    expect((await stored()).names).toEqual(['k<r', 'r<'])
  })

  test('new rows with ids of their own are inserted as plain keys are: in the order of the list, complete', async () => {
    const root = given('root')
    const kid = given('kid', { boss: root })
    const grandkid = made('grandkid', { boss: kid })
    await employees().save([root, kid, grandkid])
    expect(await stored()).toEqual({ names: ['grandkid<kid', 'kid<root', 'root<'], versions: [1] })
    const late = made('late')
    const saved = employees().save([given('early', { boss: late }), late])
    if (kind.name === 'postgres') await saved
    else await expect(saved).rejects.toThrow(/foreign key/i)
    expect((await stored()).names).toEqual(kind.name === 'postgres' ? ['early<late', 'late<'] : [])
  })

  test('a graph can be saved again after a rollback', async () => {
    for (const options of [{}, { listeners: false }, { reload: false }]) {
      const graph = { name: 'r', reports: [{ name: 'k', reports: [{ name: 'l' }] }] }
      const failed = dataSource.transaction(async (manager) => {
        await manager.save(Employee, graph, options)
        throw new Error('undo')
      })
      await expect(failed).rejects.toThrow('undo')
      await employees().save(graph, options)
      expect((await stored()).names).toEqual(['k<r', 'l<k', 'r<'])
    }
  })

  test('rows that reference each other are saved', async () => {
    const one = made('one')
    const two = made('two', { boss: one })
    one.boss = two
    const self = made('self')
    self.boss = self
    await employees().save([one, two, self])
    expect((await stored()).names).toEqual(['one<two', 'self<self', 'two<one'])
  })

  test('rows that TypeORM inserts one by one, because the database fills a column, are saved', async () => {
    const dated = dataSource.getRepository(Dated)
    const first = new Dated()
    const second = Object.assign(new Dated(), { before: first })
    const third = Object.assign(new Dated(), { before: second })
    await dated.save([third, second, first])
    const found = await dated.find({ relations: { before: true } })
    const before = new Map(found.map((one) => [one.id, one.before?.id]))
    expect([before.get(third.id), before.get(second.id)]).toEqual([second.id, first.id])
  })
})
