import 'reflect-metadata'
import { type FlaxId, flax, type Id, prefixed, type SnoId } from '@snoflax/core'
import { FlaxIdColumn, IdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { DataSource, Entity, ManyToOne } from 'typeorm'
import { expect, test } from 'vitest'

const customerId = prefixed(flax, 'cus')

test('a text column stores the prefix', async () => {
  @Entity()
  class Customer {
    @IdColumn(customerId) id!: Id<'cus'>
  }
  const dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer],
    synchronize: true,
  }).initialize()
  const { id } = await dataSource.getRepository(Customer).save(new Customer())
  expect(id).toMatch(customerId.pattern)
  expect(await dataSource.query('SELECT id FROM customer')).toEqual([{ id }])
  expect(await dataSource.getRepository(Customer).findOneBy({ id })).toEqual({ id })
  await dataSource.destroy()
})

test('a prefix by option is that of prefixed(), and a foreign key takes it from its target', async () => {
  @Entity()
  class Customer {
    @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
    @FlaxIdColumn.plain({ prefix: 'inv', nullable: true }) invoiceId!: Id<'inv'> | null
  }
  @Entity()
  class Order {
    @FlaxIdColumn({ prefix: 'ord' }) id!: Id<'ord'>
    @FlaxIdColumn.plain() customerId!: FlaxId
    @ManyToOne(() => Customer, { cascade: true }) customer!: Customer
  }
  const dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer, Order],
    synchronize: true,
  }).initialize()
  const orders = dataSource.getRepository(Order)
  const { id, customer } = await orders.save({ customer: {} })
  expect([id, customer.id]).toEqual([
    expect.stringMatching(prefixed(flax, 'ord').pattern),
    expect.stringMatching(customerId.pattern),
  ])
  expect(await orders.findOneBy({ id })).toEqual({ id, customerId: customer.id })
  expect(() => FlaxIdColumn({ prefix: 'No' })).not.toThrow()
  expect(() => FlaxIdColumn({ prefix: 'No' })(Customer.prototype as never, 'id')).toThrow(
    /Customer\.id.*prefix/s,
  )
  await dataSource.destroy()
})

test('a binary column stores the bare id, and entities have the prefix', async () => {
  @Entity()
  class Customer {
    @IdColumn(customerId, { storage: 'binary' }) id!: Id<'cus'>
  }
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer],
    synchronize: true,
  })
  await dataSource.initialize()
  const repository = dataSource.getRepository(Customer)
  const { id } = await repository.save(new Customer())
  expect(id).toMatch(customerId.pattern)
  const [row] = await dataSource.query('SELECT id FROM customer')
  expect(flax.encode(row.id)).toBe(id.slice('cus_'.length))
  expect(await repository.findOneBy({ id })).toEqual({ id })
  await expect(repository.findOneBy({ id: id.slice('cus_'.length) as never })).rejects.toMatchObject({
    code: 'WRONG_PREFIX',
    path: 'Customer.id',
  })
  await expect(repository.findOneBy({ id: id.replace('cus', 'ord') as never })).rejects.toMatchObject({
    code: 'WRONG_PREFIX',
    message: expect.stringMatching(/"cus_".*"ord_"/),
  })
  await dataSource.destroy()
})

test('id columns that are never equal are refused in comparisons; a prefix that is not stored does not matter', async () => {
  @Entity()
  class Customer {
    @IdColumn(customerId, { storage: 'binary' }) id!: Id<'cus'>
    @FlaxIdColumn.plain({ storage: 'binary', nullable: true }) bareId!: FlaxId | null
    @FlaxIdColumn.plain({ storage: 'text', nullable: true }) textId!: FlaxId | null
  }
  @Entity()
  class Visit {
    @SnoIdColumn({ storage: 'binary' }) id!: SnoId
    @IdColumn.plain(customerId, { storage: 'binary' }) customerId!: Id<'cus'>
  }
  const dataSource = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [Customer, Visit],
    synchronize: true,
  }).initialize()
  const customers = dataSource.getRepository(Customer)
  const id = customerId.generate()
  await customers.insert({ id, bareId: customerId.withoutPrefix(id) })
  await dataSource.getRepository(Visit).insert({ customerId: id })
  const found = (condition: string) => customers.createQueryBuilder('c').where(condition).getCount()
  const joined = (condition: string) =>
    customers.createQueryBuilder('c').innerJoin(Visit, 'v', condition).getCount()
  expect(await found('c.id = c.bareId')).toBe(1)
  expect(await found('c.id IN (c.bareId)')).toBe(1)
  expect(await joined('v.customerId = c.bareId AND v.id IS NOT NULL')).toBe(1)
  expect(await found('hex(c.id) = c.textId OR c.id IN (SELECT v.customerId FROM visit v)')).toBe(1)
  const refused = expect.objectContaining({
    name: 'IdError',
    code: 'INVALID_OPTION',
    message: expect.stringContaining('are never equal in the database'),
  })
  for (const condition of [
    'c.id = c.textId',
    'CAST(c.id AS text) = c.textId',
    "NOT (c.id <> c.textId) OR c.bareId = ''",
    'c.id BETWEEN c.bareId AND c.textId',
    'c.id IN (c.bareId, c.textId)',
    '(c.bareId, c.id) = (c.id, c.textId)',
  ]) {
    await expect(found(condition), condition).rejects.toEqual(refused)
  }
  await expect(joined('v.id = c.id')).rejects.toEqual(refused)
  await dataSource.destroy()
})
