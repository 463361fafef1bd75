import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type FlaxId, flax, type Id, sno } from '@snoflax/core'
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  EntitySchema,
  Equal,
  ManyToOne,
  type Relation,
} from 'typeorm'
import { expect, test } from 'vitest'

const open = (...entities: NonNullable<DataSourceOptions['entities']> & unknown[]) =>
  new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities,
    synchronize: true,
  }).initialize()

/** Every method and accessor of every class in the modules of TypeORM that are loaded. */
function members(): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const add = (name: string, owner: object) => {
    for (const [key, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (typeof (value ?? get) === 'function') found.set(`${name}.${key}`, value ?? get)
  }
  for (const [path, module] of Object.entries(createRequire(import.meta.url).cache)) {
    if (!/[\\/]node_modules[\\/]typeorm[\\/]/.test(path)) continue
    for (const [name, one] of Object.entries((module?.exports ?? {}) as object)) {
      if (typeof one !== 'function' || one.prototype === undefined) continue
      add(name, one)
      add(`${name}.prototype`, one.prototype)
    }
  }
  return found
}

const changed = (before: ReadonlyMap<string, unknown>) =>
  [...members()].filter(([name, one]) => before.has(name) && before.get(name) !== one).map(([name]) => name)

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, CHANGES = ''] = README.split('## What changes in TypeORM')
/** The methods in the README's list: that of all id columns first. */
const listed = [...(CHANGES.split('\n## ')[0] ?? '').matchAll(/`(\w+\.prototype\.\w+)`/g)].map(
  ([, name]) => name,
)

/** What an object has itself. */
const ownFunctions = (one: object) =>
  Object.entries(one).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))

async function changesByText() {
  const { FlaxIdColumn, idColumn, prepareDataSource } = await import('@snoflax/typeorm')
  @Entity()
  class Customer {
    @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
    @Column({ type: 'varchar', unique: true }) email!: string
    @ManyToOne(() => Customer, { nullable: true, cascade: true }) referrer!: Relation<Customer> | null
  }
  const Visit = new EntitySchema<{ id: FlaxId }>({ name: 'visit', columns: { id: idColumn(flax) } })
  const dataSource = prepareDataSource(await open(Customer, Visit))
  const customers = dataSource.getRepository(Customer)
  const { id } = await customers.save({ email: 'a', referrer: { email: 'b' } as Customer })
  await customers.insert([{ email: 'c' }, { email: 'd' }])
  await customers.upsert({ email: 'a' }, ['email'])
  await customers.update({ id: Equal(id) }, { email: 'e' })
  await dataSource.getRepository(Visit).save([{}, {}], { listeners: false })
  expect(await customers.find({ where: { id }, relations: { referrer: true } })).toHaveLength(1)
  expect(await customers.createQueryBuilder('c').where('c.id = :id', { id }).getRawMany()).toHaveLength(1)
  await customers.delete([id])
  await dataSource.synchronize()
  await dataSource.destroy()
  await dataSource.initialize()
  await customers.save({ email: 'f' })
  await dataSource.destroy()
}

test('columns of text change one method of TypeORM, and only their own DataSource', async () => {
  const Plain = new EntitySchema<{ id: string }>({
    name: 'plain',
    columns: { id: { type: 'varchar', primary: true } },
  })
  // So that all of its modules are loaded.
  await (await open(Plain)).destroy()
  const before = members()
  expect(before.size).toBeGreaterThan(2_000)
  await changesByText()
  expect(changed(before)).toEqual(listed.slice(0, 1))

  const plain = await open(Plain)
  const runner = plain.createQueryRunner()
  const builder = plain.createQueryBuilder()
  const { metadata } = plain.getRepository(Plain)
  const owners = [plain, plain.driver, runner, builder, builder.insert(), metadata]
  // The driver keeps the library that it loads.
  expect(owners.flatMap(ownFunctions)).toEqual(['sqlite'])
  expect(metadata.beforeInsertListeners).toEqual([])
  await runner.release()
  await plain.destroy()
})

test('a DataSource that is initialized again gets no second hook', async () => {
  const { idColumn } = await import('@snoflax/typeorm')
  let calls = 0
  const generator = { generate: () => `${calls++}`.padStart(16, '9q7k4h922d78w2') }
  const Ticket = new EntitySchema<{ id: string }>({
    name: 'ticket',
    columns: { id: idColumn(sno, { generator: generator as never }) },
  })
  const dataSource = await open(Ticket)
  const hooks = () => [dataSource.createQueryBuilder, dataSource.driver.preparePersistentValue]
  const first = hooks()
  await dataSource.destroy()
  await dataSource.initialize()
  expect(hooks()).toEqual(first)
  expect(dataSource.getMetadata(Ticket).beforeInsertListeners).toHaveLength(1)
  await dataSource.destroy()
})

test('a compact column changes the other methods in the list of the README, and nothing else', async () => {
  const { idColumn } = await import('@snoflax/typeorm')
  const before = members()
  const Trip = new EntitySchema<{ id: FlaxId }>({
    name: 'trip',
    columns: { id: idColumn(flax, { storage: 'binary' }) },
  })
  const dataSource = await open(Trip)
  await dataSource.getRepository(Trip).save({})
  expect(await dataSource.createQueryBuilder(Trip, 't').getRawMany()).toHaveLength(1)
  await dataSource.destroy()
  expect(listed).toHaveLength(2)
  expect(changed(before).sort()).toEqual(listed.slice(1).sort())
})
