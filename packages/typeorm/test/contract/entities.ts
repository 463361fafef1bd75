import { type ContractPaths, converts, type Path, type Paths, type Variant } from '@snoflax/test/contract'
import { fromDatabase, IdColumn, parameter } from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  Entity,
  type EntityTarget,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  OneToOne,
  PrimaryColumn,
  type Relation,
  type Repository,
} from 'typeorm'

export interface CustomerEntity {
  id: string
  email: string
  name: string
  traceId: string | null
  referrerId: string | null
  referrer: CustomerEntity | null
  profile: ProfileEntity | null
  orders: OrderEntity[]
}

export interface ProfileEntity {
  id: string
  bio: string
  customerId: string
  customer: CustomerEntity
}

export interface OrderEntity {
  id: string
  total: number
  customerId: string
  customer: CustomerEntity
  lines: LineEntity[]
  tags: TagEntity[]
}

export interface LineEntity {
  orderId: string
  position: number
  quantity: number
  order: OrderEntity
}

export interface TagEntity {
  id: string
  label: string
}

/** The contract's schema as entities, for one family in one storage. */
export function entitiesFor({ family, storage, generator }: Variant) {
  const Id = () => IdColumn(family, { storage, generator })

  @Entity('customers')
  class Customer implements CustomerEntity {
    @Id() id!: string
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
    @Column('varchar') name!: string
    @IdColumn.plain(family, { name: 'trace_id', storage, nullable: true }) traceId!: string | null
    @Column({ type: 'varchar', name: 'referrer_id', nullable: true }) referrerId!: string | null
    @ManyToOne(() => Customer, { nullable: true })
    @JoinColumn({ name: 'referrer_id' })
    referrer!: Relation<Customer> | null
    @OneToOne(() => Profile, 'customer', { cascade: true }) profile!: Relation<Profile> | null
    @OneToMany(() => Order, 'customer', { cascade: true }) orders!: Relation<Order>[]
  }

  @Entity('profiles')
  class Profile implements ProfileEntity {
    @Id() id!: string
    @Column('varchar') bio!: string
    @Column({ type: 'varchar', name: 'customer_id' }) customerId!: string
    @OneToOne(() => Customer, 'profile')
    @JoinColumn({ name: 'customer_id' })
    customer!: Relation<Customer>
  }

  @Entity('orders')
  class Order implements OrderEntity {
    @Id() id!: string
    @Column('int') total!: number
    @Column({ type: 'varchar', name: 'customer_id' }) customerId!: string
    @ManyToOne(() => Customer, 'orders')
    @JoinColumn({ name: 'customer_id' })
    customer!: Relation<Customer>
    @OneToMany(() => Line, 'order', { cascade: true }) lines!: Relation<Line>[]
    @ManyToMany(() => Tag, { cascade: true })
    @JoinTable({
      name: 'order_tags',
      joinColumn: { name: 'order_id' },
      inverseJoinColumn: { name: 'tag_id' },
    })
    tags!: Relation<Tag>[]
  }

  @Entity('order_lines')
  class Line implements LineEntity {
    @PrimaryColumn({ type: 'varchar', name: 'order_id' }) orderId!: string
    @PrimaryColumn('int') position!: number
    @Column('int') quantity!: number
    @ManyToOne(() => Order, 'lines')
    @JoinColumn({ name: 'order_id' })
    order!: Relation<Order>
  }

  @Entity('tags')
  class Tag implements TagEntity {
    @Id() id!: string
    @Column({ type: 'varchar', length: 100, unique: true }) label!: string
  }

  return { Customer, Profile, Order, Line, Tag }
}

/** What the paths of the contract work with. */
export class Session {
  readonly customers: Repository<CustomerEntity>
  readonly orders: Repository<OrderEntity>

  constructor(
    readonly dataSource: DataSource,
    readonly variant: Variant,
  ) {
    this.customers = dataSource.getRepository('Customer' as EntityTarget<CustomerEntity>)
    this.orders = dataSource.getRepository('Order' as EntityTarget<OrderEntity>)
  }

  /** The parameter for SQL of our own. */
  bound(id: string): unknown {
    return converts(this.variant) ? parameter(this.customers.metadata, 'id', id) : id
  }

  /** The id of a row that such SQL returned. */
  read(value: unknown): string {
    return fromDatabase(this.customers.metadata, 'traceId', value) as string
  }
}

/** What a kind of paths gets and returns. */
type PathOf<Kind extends keyof ContractPaths<Session>> =
  ContractPaths<Session>[Kind] extends Paths<Session, infer Arguments, infer Result>
    ? Path<Session, Arguments, Result>
    : never

/** Paths by name; most have nothing but their `run`. */
export const paths = <Kind extends keyof ContractPaths<Session>>(
  all: Readonly<Record<string, PathOf<Kind> | PathOf<Kind>['run']>>,
): ContractPaths<Session>[Kind] =>
  Object.fromEntries(
    Object.entries(all).map(([name, one]) => [name, typeof one === 'function' ? { run: one } : one]),
  ) as never
