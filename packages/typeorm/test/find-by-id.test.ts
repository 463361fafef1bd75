import 'reflect-metadata'
import { type FlaxId, flax, type Id, type SnoId, uuid7 } from '@snoflax/core'
import { type Finder, testFind } from '@snoflax/test/contract'
import { FlaxIdColumn, findById, IdColumn, idColumn, SnoIdColumn } from '@snoflax/typeorm'
import {
  ChildEntity,
  Column,
  type DataSource,
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
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { openDataSource, openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

@Entity()
@TableInheritance({ column: { type: 'varchar', name: 'type', length: 10 } })
class Customer {
  @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
  @Column('varchar') name!: string
}
@ChildEntity()
class Company extends Customer {}
@Entity()
class Order {
  @SnoIdColumn() id!: SnoId
  @IdColumn(flax, { prefix: 'pub', primary: false, unique: true }) publicId!: Id<'pub'>
  @ManyToOne(() => Customer) customer!: Relation<Customer>
}
@Entity()
class Visit {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
  @FlaxIdColumn.plain({ nullable: true }) traceId!: FlaxId | null
}
@Entity()
class Detail {
  @PrimaryColumn('varchar') id!: FlaxId
  @OneToOne(() => Visit) @JoinColumn({ name: 'id' }) visit!: Relation<Visit>
}

describe.each(kinds)('$name', (kind) => {
  test('an id leads to its row, and to rows that share it', async () => {
    const dataSource = await openForTest(kind, [Customer, Company, Order, Visit, Detail])
    const customer = await dataSource.getRepository(Company).save({ name: 'Ada' })
    const { id: orderId, publicId } = await dataSource.getRepository(Order).save({ customer })
    const { id } = await dataSource.getRepository(Visit).save({ traceId: flax.generate() })
    await dataSource.getRepository(Detail).insert({ id })
    const found = await findById(dataSource, customer.id)
    expect(found).toEqual({ model: 'Customer', column: 'id', row: customer, also: [] })
    expect(found?.row).toBeInstanceOf(Company)
    expect(await findById(dataSource, publicId)).toMatchObject({
      model: 'Order',
      column: 'publicId',
      row: { id: orderId },
    })
    expect(await findById(dataSource, orderId)).toMatchObject({ model: 'Order', column: 'id' })
    expect(await findById(dataSource, id)).toMatchObject({
      model: 'Visit',
      row: { id },
      also: [{ model: 'Detail', column: 'id', row: { id } }],
    })
    for (const none of ['inv_Kpcan0M1FakODT4k', 'cus_Kpcan0M1FakODT4k', flax.generate()])
      expect(await findById(dataSource, none)).toBeNull()
    await expect(findById(dataSource, 'cus_Kpcan0M1FakODT4')).rejects.toThrow('16 characters, not 15')
  })
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
    find: (id) => findById(on, id),
  })
  return {
    ...finder(dataSource),
    transaction: (work) => dataSource.transaction((manager) => work(finder(manager))),
    close: () => dataSource.destroy(),
  }
})
