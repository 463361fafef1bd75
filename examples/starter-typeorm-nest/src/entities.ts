import { flax, type Id, prefixed } from '@snoflax/core'
import { CreatedAt, FlaxIdColumn } from '@snoflax/typeorm'
import { Column, Entity, ManyToOne, type Relation } from 'typeorm'

/** They check the ids that requests bring. */
export const customerId = prefixed(flax, 'cus')
export const orderId = prefixed(flax, 'ord')

@Entity('customers')
export class Customer {
  @FlaxIdColumn({ prefix: 'cus' }) id: Id<'cus'>
  @Column('varchar') name: string
}

@Entity('orders')
export class Order {
  @FlaxIdColumn({ prefix: 'ord' }) id: Id<'ord'>
  @ManyToOne(() => Customer, { nullable: false }) customer: Relation<Customer>
  @Column('integer') total: number
  @CreatedAt() readonly createdAt: Date // from the id: no column
}
