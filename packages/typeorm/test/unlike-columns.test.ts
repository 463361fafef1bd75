import 'reflect-metadata'
import { type FlaxId, flax, type Id, prefixed, type SnoId } from '@snoflax/core'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { FlaxIdColumn, IdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { Column, type DataSource, Entity, type InsertQueryBuilder, type SelectQueryBuilder } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { kinds } from './sources.js'
import { VERSION } from './version.js'

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
  let database: OpenDatabase
  let dataSource: DataSource
  let customer: Customer
  let invoice: Invoice
  beforeAll(async () => {
    database = await kind.open()
    dataSource = await openDataSource(database, [Customer, Invoice])
    customer = await dataSource.manager.save(Customer, { word: 'none' })
    const bare = customer.id.slice('cus_'.length) as FlaxId
    customer = await dataSource.manager.save(Customer, { ...customer, text: bare })
    invoice = await dataSource.manager.save(Invoice, { bare, text: bare })
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })
  const joined = (condition: string) =>
    dataSource.manager.createQueryBuilder(Customer, 'c').innerJoin(Invoice, 'i', condition).getMany()
  const failing = (message: string) =>
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) })
  const NEVER = failing('are never equal in the database')

  test('columns with the same stored ids are joined, whatever their prefix', async () => {
    expect(await joined('c.id = i.bare')).toEqual([customer])
    expect(await joined('i.text IN (c.text) AND c.id IN (SELECT z.bare FROM invoice z)')).toEqual([customer])
    expect(await joined('(c.id, c.text) = (i.bare, i.text)')).toEqual([customer])
  })

  test.each([
    'c.id = i.text',
    'NOT (i.bare <> c.sno)',
    'c.id IN (SELECT z.text FROM invoice z)',
    'c.id = (SELECT z.text FROM invoice z)',
    '(c.id, c.text) = (i.bare, i.bare)',
    '(c.text, c.id) IN ((i.text, i.text))',
    'i.bare BETWEEN c.id AND c.sno',
    'CASE WHEN 1 = 1 THEN c.id END = i.text',
    'COALESCE(c.id, c.id) IN (i.text)',
  ])('comparing columns that are never equal is refused: %s', async (condition) => {
    await expect(joined(condition)).rejects.toThrow(NEVER)
  })

  test
    .runIf(kind !== postgres)
    .each([
      'COALESCE(c.word, c.id) = :id',
      'CASE WHEN 1 = 1 THEN c.word ELSE c.id END = :id',
      'COALESCE(c.word, c.id, :id) IS NOT NULL',
      'COALESCE(c.text, c.id) = :id',
      ':id IN (c.text, c.id)',
      ':id BETWEEN c.text AND c.id',
    ])('comparing an id with several stored forms is refused: %s', async (condition) => {
    const found = (id: string) =>
      dataSource.manager.createQueryBuilder(Customer, 'c').where(condition).setParameters({ id }).getCount()
    await expect(found(customer.id)).rejects.toThrow(failing('parameter :id is an id in an expression'))
    await expect(found('none')).resolves.toBeTypeOf('number')
  })

  test('text compared with ids in another form finds nothing, or is an error', async () => {
    const message =
      kind.name === 'postgres' ? /operator does not exist/ : /Customer.word \(varchar\) are never equal/
    await expect(joined('c.word = i.bare')).rejects.toThrow(message)
    await expect(joined('i.bare IN (SELECT z.word FROM customer z)')).rejects.toThrow(message)
    await expect(joined('i.bare = (SELECT word FROM customer)')).rejects.toThrow(message)
    expect(await joined('c.word = i.text')).toEqual([])
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
    const insert = (column: string) =>
      dataSource.manager
        .createQueryBuilder()
        .insert()
        .into(Invoice)
        .values({ bare: () => `(SELECT c.${column} FROM customer c)` })
        .execute()
    await expect(insert('text')).rejects.toThrow(NEVER)
    if (kind !== postgres) await expect(insert('word')).rejects.toThrow(NEVER)
    expect(await dataSource.manager.find(Invoice)).toEqual([invoice])
  })

  // TypeORM 0.3 has no valuesFromSelect().
  test.runIf(!VERSION.startsWith('0.3'))('INSERT … SELECT stores ids as their columns do', async () => {
    const insert = (select: SelectQueryBuilder<Customer>): Promise<unknown> =>
      (
        dataSource.manager
          .createQueryBuilder()
          .insert()
          .into(Invoice, ['id', 'bare']) as InsertQueryBuilder<Invoice>
      )
        .valuesFromSelect(select)
        .execute()
    const select = () => dataSource.manager.createQueryBuilder(Customer, 'c').select('c.id')
    await expect(insert(select().addSelect('c.text'))).rejects.toThrow(NEVER)
    if (kind !== postgres) await expect(insert(select().addSelect('c.word'))).rejects.toThrow(NEVER)
    await expect(insert(select().addSelect(`'${invoice.bare}'`, 'bare'))).rejects.toThrow(
      failing('is an id in the text of the query'),
    )
    await insert(select().addSelect(':bare', 'bare').setParameters({ bare: invoice.bare }))
    const copied = { id: customer.id.replace('cus_', 'inv_') as Invoice['id'] }
    expect(await dataSource.manager.findOneBy(Invoice, copied)).toEqual({
      ...copied,
      bare: invoice.bare,
      text: null,
    })
    await dataSource.manager.delete(Invoice, copied)
  })

  test('a column of several queries must have ids of one kind, and is read as such', async () => {
    const rows = (query: string) =>
      dataSource.manager
        .createQueryBuilder()
        .select('u.x', 'x')
        .from(`(${query})`, 'u')
        .orderBy('u.x')
        .getRawMany()
    const ids = [{ x: customer.id }, { x: customer.id }]
    expect(await rows('SELECT id AS x FROM customer UNION ALL SELECT id FROM customer')).toEqual(ids)
    // SQLite has no brackets around the queries of a UNION.
    if (kind !== sqlite) {
      expect(await rows('(SELECT id AS x FROM customer) UNION ALL (SELECT id FROM customer)')).toEqual(ids)
    }
    expect(await rows('WITH z AS (SELECT id AS y FROM customer) SELECT z.y AS x FROM z')).toEqual([
      { x: customer.id },
    ])
    const [, found] = await rows('SELECT text AS x FROM customer UNION ALL SELECT word FROM customer')
    expect(found).toEqual({ x: 'none' })
    const nothing = await rows('SELECT NULL AS x FROM customer WHERE 1 = 0 UNION ALL SELECT id FROM customer')
    expect(nothing).toEqual([{ x: customer.id }])
    for (const query of [
      'SELECT id AS x FROM customer UNION ALL SELECT id FROM invoice',
      'SELECT id AS x FROM customer EXCEPT SELECT sno FROM customer',
      'SELECT COALESCE(c.id, i.id) AS x FROM customer c, invoice i',
    ]) {
      await expect(rows(query)).rejects.toThrow(failing('which are indistinguishable'))
    }
    const both = dataSource.manager.createQueryBuilder(Customer, 'c').innerJoin(Invoice, 'i', 'i.bare = c.id')
    await expect(both.select('CASE WHEN 1 = 1 THEN c.id ELSE i.id END', 'x').getRawMany()).rejects.toThrow(
      failing('which are indistinguishable'),
    )
  })

  test('an unnamed column of a nested query is read as an id, too', async () => {
    const rows = await dataSource.manager
      .createQueryBuilder()
      .select('u.x')
      .from((query) => query.select('c.id', 'x').from(Customer, 'c'), 'u')
      .getRawMany()
    expect(rows).toEqual([{ x: customer.id }])
    const nested = await dataSource.manager
      .createQueryBuilder()
      .select('u.*')
      .from('(SELECT z.x FROM (SELECT id AS x FROM customer) z)', 'u')
      .getRawMany()
    expect(nested).toEqual([{ x: customer.id }])
  })
})
