import { type FlaxId, flake, flax, type IdFamily, sno } from '@snoflax/core'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import { FlaxIdColumn, IdColumn, type IdColumnOptions, keyset, SnoIdColumn } from '@snoflax/typeorm'
import { DataSource, Entity, JoinColumn, ManyToOne } from 'typeorm'

@Entity()
class Customer {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
}

/** Declares the key of an entity. */
function declare(
  family: IdFamily,
  options?: IdColumnOptions<never> & { readonly meta?: number },
): typeof Customer {
  class Order {
    id!: never
  }
  IdColumn(family as IdFamily<never>, options)(Order.prototype, 'id')
  Entity()(Order)
  return Order as unknown as typeof Customer
}

async function open(...entities: (typeof Customer)[]): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities,
    synchronize: true,
  }).initialize()
}

/** Opens an entity whose foreign key is declared as a column of ids, too. */
function openWith(column: (entity: never, property: string) => void) {
  class Order {
    id!: FlaxId
    customerId!: never
    customer!: Customer
  }
  FlaxIdColumn()(Order.prototype, 'id')
  column(Order.prototype as never, 'customerId')
  ManyToOne(() => Customer)(Order.prototype, 'customer')
  JoinColumn({ name: 'customerId' })(Order.prototype, 'customer')
  Entity()(Order)
  return open(Customer, Order)
}

async function found(id: FlaxId) {
  const dataSource = await open(Customer)
  return dataSource.getRepository(Customer).findOneBy({ id })
}

export default {
  'no generator': () => declare(flake),
  'no such generator': () => declare(flax, { generator: WRONG.notAGenerator as never }),
  'generator of another family': () => declare(flax, { generator: WRONG.ofAnotherFamily as never }),
  'generator of another epoch': () => declare(WRONG.laterFlake, { generator: WRONG.ofAnotherEpoch as never }),
  'misspelled option': () => declare(flax, { storge: 'text' } as object),
  'meta where ids carry none': () => declare(flax, { meta: 3 }),
  'meta above 255': () => declare(sno, { meta: 256 }),
  'foreign key of another family': () => openWith(SnoIdColumn.plain()),
  'foreign key in another storage': () => openWith(FlaxIdColumn.plain({ storage: 'text' })),
  'default of the database outside PostgreSQL': () => open(declare(flax, { default: 'database' })),
  'schema that needs quotes': () => declare(flax, { default: 'database', schema: 'Ids' }),
  'order in upper case': () => keyset(Customer, { order: 'DESC' as 'desc', take: 1 }),
  'page of no rows': () => keyset(Customer, { take: 0 }),
  'storage that the database lacks': () => open(declare(flax, { storage: 'uuid' })),
  'column of ids that are checked by time': () => open(declare(WRONG.ofOneRoute)),
  'malformed id': () => found(WRONG.malformedId as FlaxId),
  'id of another type': () => found(WRONG.idOfAnotherType),
} satisfies Mistakes
