import { type FlaxId, flax, type Id, type SnoId, sno } from '@snoflax/core'
import {
  createdAfter,
  createdBefore,
  createdBetween,
  FlaxIdColumn,
  fromDatabase,
  IdColumn,
  idColumn,
  keyset,
  parameter,
  SnoIdColumn,
} from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  type DeepPartial,
  EntitySchema,
  type FindOptionsWhere,
  In,
  ManyToOne,
  MoreThan,
  Not,
  type Relation,
  type Repository,
} from 'typeorm'
import { expectTypeOf } from 'vitest'

class Customer {
  @FlaxIdColumn() id!: FlaxId
  @Column('varchar') name!: string
}

class Order {
  @SnoIdColumn({ meta: 2 }) id!: SnoId
  @FlaxIdColumn.plain({ nullable: true }) traceId!: FlaxId | null
  @ManyToOne(() => Customer) customer!: Relation<Customer>
}

declare const orders: Repository<Order>
declare const dataSource: DataSource
declare const orderId: SnoId
declare const customerId: FlaxId

// A prefix is in the type.
class Prefixed {
  @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'>
  @FlaxIdColumn.plain({ prefix: 'inv', nullable: true }) invoiceId!: Id<'inv'> | null
  @FlaxIdColumn.plain({ prefix: 'inv', array: true }) invoices!: Id<'inv'>[]
  @IdColumn(flax, { prefix: 'cus' }) other!: Id<'cus'>
  @IdColumn.plain(flax, { prefix: 'cus' }) third!: Id<'cus'>
  // @ts-expect-error
  @FlaxIdColumn({ prefix: 'cus' }) bare!: FlaxId
  // @ts-expect-error
  @FlaxIdColumn({ prefix: 'cus' }) wrong!: Id<'ord'>
  // @ts-expect-error
  @FlaxIdColumn.plain({ prefix: 'cus' }) plain!: Id<'ord'>
}
expectTypeOf<Prefixed>().toHaveProperty('id')

// Without a brand, and beside other keys.
class Mixed {
  @FlaxIdColumn({ branded: false }) id!: string
  @FlaxIdColumn({ prefix: 'cus', branded: false }) prefixed!: string
  @FlaxIdColumn.plain({ branded: false, nullable: true, array: true }) list!: string[]
  @IdColumn(flax, { branded: false }) general!: string
  @IdColumn.plain(sno, { branded: false }) plain!: string
  @FlaxIdColumn({ branded: true }) branded!: FlaxId
  @FlaxIdColumn({ accept: /[a-z0-9]{24}/ }) pattern!: string
  @FlaxIdColumn({ accept: sno }) family!: FlaxId | SnoId
  @FlaxIdColumn({ prefix: 'cus', accept: [sno] }) families!: Id<'cus'> | SnoId
  @FlaxIdColumn.plain({ accept: [sno, /x/], nullable: true }) both!: string | null
  @IdColumn.plain(flax, { accept: sno, array: true }) lists!: (FlaxId | SnoId)[]
  // @ts-expect-error
  @FlaxIdColumn({ branded: true }) wrong!: string
  // @ts-expect-error
  @FlaxIdColumn({ branded: false }) number!: number
  // @ts-expect-error
  @FlaxIdColumn({ accept: sno }) any!: string
  // @ts-expect-error
  @FlaxIdColumn({ accept: 'cuid' }) named!: string
  // @ts-expect-error
  @FlaxIdColumn({ onMismatch: 'ignore' }) mismatch!: FlaxId
}
expectTypeOf<Mixed>().toHaveProperty('id')

// A property of another family, or of any string, is no place for the column.
class Wrong {
  // @ts-expect-error
  @FlaxIdColumn() another!: SnoId
  // @ts-expect-error
  @FlaxIdColumn() any!: string
  // @ts-expect-error
  @IdColumn(sno) general!: FlaxId
  // @ts-expect-error
  @SnoIdColumn({ meta: 2, generator: flax.generator() }) generator!: SnoId
  // @ts-expect-error
  @FlaxIdColumn({ meta: 2 }) meta!: FlaxId
  // @ts-expect-error
  @FlaxIdColumn.plain({ generator: flax }) plain!: FlaxId
  // @ts-expect-error
  @FlaxIdColumn({ storage: 'base64' }) storage!: FlaxId
}
expectTypeOf<Wrong>().toHaveProperty('another')

// Conditions and operators.
expectTypeOf({ id: orderId }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: In([orderId]) }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: Not(MoreThan(orderId)) }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ customer: { id: customerId } }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ traceId: customerId }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: createdBetween(Order, 'id', 0, 1) }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ traceId: createdAfter(Order, 'traceId', 0) }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ customer: createdBefore(Order, 'customer', 0) }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ customer: { id: createdBefore(Customer, 'id', 0) } }).toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: createdBetween(dataSource.getMetadata(Order), 'id', 0, 1) }).toExtend<
  FindOptionsWhere<Order>
>()
expectTypeOf({ id: createdBetween(Order, 'traceId', 0, 1) }).not.toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: createdBetween(Customer, 'id', 0, 1) }).not.toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: customerId }).not.toExtend<FindOptionsWhere<Order>>()
expectTypeOf({ id: 'text' }).not.toExtend<FindOptionsWhere<Order>>()
// @ts-expect-error
createdBetween(sno, 0, 1)
// @ts-expect-error
createdBetween(sno, 'id', 0, 1)
// @ts-expect-error
createdAfter(sno, 0)
// @ts-expect-error
createdBefore(Order, 0)
// @ts-expect-error
createdAfter(Order, 'nothing', 0)
// @ts-expect-error
createdAfter(Order, 0, 'id')
declare const accounts: Repository<Mixed>
accounts.delete({ id: createdAfter(Mixed, 'id', 0), both: createdBefore(Mixed, 'both', 0) })
accounts.findBy({ family: createdAfter(Mixed, 'family', 0), families: createdAfter(Mixed, 'families', 0) })
// @ts-expect-error
createdAfter(Mixed, 'list', 0)
const Invoice = new EntitySchema<{ id: FlaxId; orderId: SnoId | null }>({
  name: 'invoice',
  columns: { id: idColumn(flax), orderId: idColumn.plain(sno, { nullable: true }) },
})
declare const invoices: Repository<{ id: FlaxId; orderId: SnoId | null }>
invoices.findBy({ id: createdAfter(Invoice, 'id', 0), orderId: createdAfter(Invoice, 'orderId', 0) })
// @ts-expect-error
invoices.findBy({ id: createdAfter(Invoice, 'orderId', 0) })
invoices.find(keyset(Invoice, { take: 5, field: 'orderId' }))
expectTypeOf({ customer: { id: orderId } }).not.toExtend<FindOptionsWhere<Order>>()
// @ts-expect-error
orders.findOneBy({ id: customerId })
// TypeORM's own In answers FindOperator<any>, so that this compiles; the wrong id is refused when it runs.
orders.findBy({ id: In([customerId]) })

// Writes.
expectTypeOf({ id: orderId, customer: { id: customerId } }).toExtend<DeepPartial<Order>>()
expectTypeOf({ customer: { id: orderId } }).not.toExtend<DeepPartial<Order>>()
orders.insert({ traceId: customerId, customer: { id: customerId } })
orders.update(orderId, { traceId: customerId })
orders.upsert({ id: orderId, traceId: null }, ['id'])
// @ts-expect-error
orders.update({ id: customerId }, { traceId: null })
// @ts-expect-error
orders.update(orderId, { traceId: orderId })

// Results.
expectTypeOf(orders.findOneByOrFail({ id: orderId }))
  .resolves.toHaveProperty('id')
  .toEqualTypeOf<SnoId>()

// Pages.
orders.find(keyset(Order, { take: 5, after: orderId, where: { customer: { id: customerId } } }))
orders.find(keyset(Order, { field: 'traceId', take: 5, after: customerId }))
// @ts-expect-error
keyset(Order, { take: 5, after: customerId })
// @ts-expect-error
keyset(Order, { take: 5, field: 'nothing' })
// @ts-expect-error
keyset(Order, { after: orderId })
// @ts-expect-error
keyset(Order, { take: 5, field: 'traceId', after: orderId })
// @ts-expect-error
keyset({ take: 5 })

// Helpers.
parameter(Order, 'customer', customerId)
expectTypeOf(fromDatabase(Order, 'id', null)).toEqualTypeOf<string | null>()
// @ts-expect-error
parameter(Order, 'nothing', orderId)
new EntitySchema<{ id: FlaxId }>({ name: 'one', columns: { id: idColumn(flax) } })

// Ids that the property's type gives to one table.
class Author {
  @FlaxIdColumn() id!: Id<'flax', 'author'>
  @FlaxIdColumn.plain({ array: true }) friendIds!: Id<'flax', 'author'>[]
}

class Book {
  @FlaxIdColumn() id!: Id<'flax', 'book'>
  @FlaxIdColumn.plain() authorId!: Id<'flax', 'author'>
  @ManyToOne(() => Author) author!: Relation<Author>
  // @ts-expect-error
  @SnoIdColumn.plain() editorId!: Id<'flax', 'author'>
}

declare const books: Repository<Book>
declare const authorId: Id<'flax', 'author'>
declare const bookId: Id<'flax', 'book'>
books.findBy({ id: bookId, authorId, author: { id: authorId } })
// TypeORM's partial types hide the property's type from what generates and reads ids.
books.insert({ id: flax.generate<'book'>(), authorId })
books.insert({ id: bookId, author: { id: authorId } })
books.update(bookId, { authorId })
// @ts-expect-error
books.findBy({ id: authorId })
// @ts-expect-error
books.findBy({ author: { id: bookId } })
// @ts-expect-error
books.findBy({ authorId: Not(MoreThan(bookId)) })
// @ts-expect-error
books.insert({ authorId: bookId })
// @ts-expect-error
books.insert({ author: { id: bookId } })
// @ts-expect-error
books.update(bookId, { authorId: bookId })
books.findBy({ id: createdBetween(Book, 'id', 0, 1), authorId: createdAfter(Book, 'authorId', 0) })
books.findBy({ author: { id: createdBefore(Author, 'id', 0) } })
// @ts-expect-error
books.findBy({ id: createdBetween(Author, 'id', 0, 1) })
books.find(keyset(Book, { take: 5, after: bookId, where: { authorId } }))
books.find(keyset(Book, { field: 'authorId', take: 5, after: authorId }))
// @ts-expect-error
keyset(Book, { take: 5, after: authorId })
expectTypeOf(books.findOneByOrFail({ id: bookId }))
  .resolves.toHaveProperty('authorId')
  .toEqualTypeOf<Id<'flax', 'author'>>()
