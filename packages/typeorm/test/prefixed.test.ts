import { flax, type Id, prefixed } from '@snoflax/core'
import { IdColumn } from '@snoflax/typeorm'
import { DataSource, Entity } from 'typeorm'
import { expect, test } from 'vitest'

const customerId = prefixed(flax, 'cus')

test('a text column without the prefix is refused at start, since TypeORM converts twice', async () => {
  @Entity()
  class Customer {
    @IdColumn(customerId, { storage: 'text' }) id!: Id<'cus'>
  }
  const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities: [Customer] })
  await expect(dataSource.initialize()).rejects.toMatchObject({
    name: 'IdError',
    code: 'STORAGE_REFUSED',
    path: 'Customer.id',
    message: expect.stringContaining("stored: 'prefixed'"),
  })
})

test('the binary column holds the bare id, and all else sees the prefix', async () => {
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
