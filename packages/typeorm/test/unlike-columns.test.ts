import 'reflect-metadata'
import { type FlaxId, flax, type Id, prefixed, type SnoId } from '@snoflax/core'
import { postgres } from '@snoflax/test'
import { FlaxIdColumn, IdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { Column, type DataSource, Entity, Raw } from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock } from './open-data-source.js'
import { kinds } from './sources.js'

/** Columns that store one id in several forms, and ids of several families in one form. */
@Entity('customer')
class Customer {
  @IdColumn(prefixed(flax, 'cus'), { storage: 'binary' }) id!: Id<'cus'>
  @FlaxIdColumn.plain({ storage: 'text', nullable: true }) text!: FlaxId | null
  @SnoIdColumn.plain({ storage: 'binary', nullable: true }) sno!: SnoId | null
  @Column('varchar', { nullable: true, length: 40 }) word!: string | null
}

@Entity('invoice')
class Invoice {
  @IdColumn(prefixed(flax, 'inv'), { storage: 'binary' }) id!: Id<'inv'>
  @FlaxIdColumn.plain({ storage: 'binary', nullable: true }) bare!: FlaxId | null
  @FlaxIdColumn.plain({ storage: 'text', nullable: true }) text!: FlaxId | null
}

describe.each(kinds)('$name', (kind) => {
  const world = openForBlock(kind, [Customer, Invoice])
  let dataSource: DataSource
  let customer: Customer
  let invoice: Invoice
  beforeAll(async () => {
    dataSource = world.dataSource
    customer = await dataSource.manager.save(Customer, { word: 'none' })
    const bare = customer.id.slice('cus_'.length) as FlaxId
    customer = await dataSource.manager.save(Customer, { ...customer, text: bare })
    invoice = await dataSource.manager.save(Invoice, { bare, text: bare })
  })
  const joined = (condition: string) =>
    dataSource.manager.createQueryBuilder(Customer, 'c').innerJoin(Invoice, 'i', condition).getMany()
  const failing = (message: string) =>
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) })
  const NEVER = failing('are never equal in the database')

  test('columns with the same stored ids are joined, whatever their prefix', async () => {
    expect(await joined('c.id = i.bare')).toEqual([customer])
    expect(await joined('i.text IN (c.text) AND c.id IN (SELECT z.bare FROM invoice z)')).toEqual([customer])
    expect(await joined("c.id IN (SELECT z.bare AS word FROM invoice z) OR c.word = ''")).toEqual([customer])
    expect(await joined('(c.id, c.text) = (i.bare, i.text)')).toEqual([customer])
  })

  test('the bare id is stored, and another prefix or none is refused', async () => {
    const customers = dataSource.getRepository(Customer)
    expect(await customers.findOneBy({ id: customer.id })).toEqual(customer)
    for (const id of [invoice.bare, customer.id.replace('cus', 'ord')])
      await expect(customers.findOneBy({ id: id as never })).rejects.toMatchObject({
        code: 'WRONG_PREFIX',
        path: 'Customer.id',
      })
  })

  test('an alias that a subquery gives to something else means neither', async () => {
    const found = (id: string) =>
      dataSource.manager
        .createQueryBuilder(Customer, 'c')
        .where('EXISTS (SELECT 1 FROM invoice c WHERE c.id = :id)', { id })
        .getMany()
    expect(await found(invoice.id)).toEqual([customer])
    expect(await found(customer.id)).toEqual([])
  })

  test.each([
    'c.id = i.text',
    'CAST(c.id AS char(16)) = i.text',
    'NOT (i.bare <> c.sno)',
    'c.id IN (SELECT z.text FROM invoice z)',
    'c.id = (SELECT z.text FROM invoice z)',
    '(c.id, c.text) = (i.bare, i.bare)',
    '(c.text, c.id) IN ((i.text, i.text))',
    'i.bare BETWEEN c.id AND c.sno',
  ])('comparing columns that are never equal is refused: %s', async (condition) => {
    await expect(joined(condition)).rejects.toThrow(NEVER)
  })

  test.runIf(kind !== postgres).each([
    ['COALESCE(c.word, c.id) = :id', 'stands beside no column that is known'],
    ['COALESCE(c.word, c.id, :id) IS NOT NULL', 'stands beside no column that is known'],
  ])('comparing an id with several stored forms is refused: %s', async (condition, reason) => {
    const found = (id: string) =>
      dataSource.manager.createQueryBuilder(Customer, 'c').where(condition).setParameters({ id }).getCount()
    await expect(found(customer.id)).rejects.toThrow(failing(reason))
    await expect(found('none')).resolves.toBeTypeOf('number')
  })

  test('text compared with ids in another form finds nothing, or is an error', async () => {
    const message =
      kind.name === 'postgres' ? /operator does not exist/ : /Customer.word \(varchar\) are never equal/
    await expect(joined('c.word = i.bare')).rejects.toThrow(message)
    await expect(joined('i.bare IN (SELECT z.word FROM customer z)')).rejects.toThrow(message)
    await expect(joined('i.bare = (SELECT z.word FROM customer z)')).rejects.toThrow(message)
    const words = dataSource.manager.createQueryBuilder().subQuery().select('z.word').from(Customer, 'z')
    await expect(joined(`c.id NOT IN ${words.getQuery()}`)).rejects.toThrow(message)
    expect(await joined('c.word = i.text')).toEqual([])
  })

  test('a column of text is not set to ids in another form', async () => {
    const set = (word: string, before = {}) =>
      dataSource.manager
        .createQueryBuilder()
        .update(Customer)
        .set({ ...before, word: () => word })
        .where('id IS NULL')
        .execute()
    const subquery = { text: () => '(SELECT i.text FROM invoice i WHERE i.text IS NULL)' }
    await set('text', subquery)
    await set('text')
    await set('NULL')
    for (const ids of ['id', 'sno'])
      for (const before of [{}, subquery])
        await expect(set(ids, before)).rejects.toThrow(/Customer.word \(.*\) are never equal/)
  })

  const words = 'SELECT c.word FROM customer c WHERE c.word IS NOT NULL'
  const never =
    kind.name === 'postgres' ? /operator does not exist/ : /Customer.word \(varchar\) are never equal/

  test.each([
    `bare NOT IN (${words})`,
    `NOT (bare IN (${words}))`,
    'NOT EXISTS (SELECT 1 FROM customer c WHERE c.word = bare)',
    'NOT EXISTS (SELECT 1 FROM customer c WHERE invoice.bare = c.word)',
    'id NOT IN (SELECT word FROM customer)',
    'id NOT IN (SELECT DISTINCT customer.word FROM customer)',
    "id NOT IN (SELECT word FROM customer WHERE word <> '' ORDER BY word)",
    'invoice.id NOT IN (SELECT c.word FROM customer AS c)',
  ])('orphans are not deleted because no text equals their ids: %s', async (orphan) => {
    const { manager } = dataSource
    const wrapped = dataSource.createQueryRunner()
    await wrapped.startTransaction()
    const deletion = wrapped.manager.createQueryBuilder().delete().from(Invoice).where(orphan).execute()
    await deletion
      .then(
        ({ affected }) => expect.fail(`deleted ${affected}`),
        (error) => expect(String(error)).toMatch(never),
      )
      .finally(async () => {
        await wrapped.rollbackTransaction()
        await wrapped.release()
      })
    const detached = manager.createQueryBuilder().update(Invoice).set({ bare: null }).where(orphan).execute()
    await expect(detached).rejects.toThrow(never)
  })

  test('a condition of find, of a group and of a join compares no text with ids', async () => {
    const { manager } = dataSource
    const found = manager.findBy(Invoice, { bare: Raw((bare) => `${bare} IN (${words})`) })
    await expect(found).rejects.toThrow(never)
    const grouped = manager.createQueryBuilder(Invoice, 'i').select('i.bare').groupBy('i.bare')
    await expect(grouped.having(`i.bare NOT IN (${words})`).getRawMany()).rejects.toThrow(never)
    const mapped = manager
      .createQueryBuilder(Invoice, 'i')
      .leftJoinAndMapOne('i.c', Customer, 'c', 'c.word = i.bare')
    await expect(mapped.getMany()).rejects.toThrow(never)
  })

  test('a column never gets ids in the form of another one', async () => {
    const update = (column: string) =>
      dataSource.manager
        .createQueryBuilder()
        .update(Invoice)
        .set({ bare: () => column })
        .execute()
    await expect(update('text')).rejects.toThrow(NEVER)
    await expect(update('(SELECT c.text FROM customer c)')).rejects.toThrow(NEVER)
    if (kind !== postgres) {
      await expect(update('(SELECT c.word FROM customer c)')).rejects.toThrow(NEVER)
      await expect(
        dataSource.manager
          .createQueryBuilder()
          .update(Customer)
          .set({ sno: () => 'word' })
          .execute(),
      ).rejects.toThrow(NEVER)
    }
    expect(await dataSource.manager.find(Invoice)).toEqual([invoice])
  })
})
