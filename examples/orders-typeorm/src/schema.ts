import 'reflect-metadata'
import { type FlaxId, type SnoId, sno } from '@snoflax/core'
import { CreatedAt, FlaxIdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { Column, Entity, Index, ManyToOne, type Relation } from 'typeorm'

/** Generates the ids of orders. A second process needs another partition; see docs/leases.md. */
export const orderIds = sno.generator({ partition: 1 })

@Entity('customers')
export class Customer {
  @FlaxIdColumn() id!: FlaxId
  @Column('varchar') name!: string
}

@Entity('orders')
export class Order {
  @SnoIdColumn({ generator: orderIds }) id!: SnoId
  @Index() @ManyToOne(() => Customer, { nullable: false }) customer!: Relation<Customer>
  @Column('varchar') item!: string
  @Column('int') cents!: number
  /** Read from the id; it is not a column. */
  @CreatedAt() readonly createdAt!: Date

  toJSON(): object {
    return { ...this, createdAt: this.createdAt }
  }
}
