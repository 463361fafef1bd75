import 'reflect-metadata'
import { type FlakeId, type FlaxId, flake, flax, type SnoId } from '@snoflax/core'
import { type UidId, type UidLocalId, uid, uidLocal } from '@snoflax/families'
import type { OpenDatabase } from '@snoflax/test'
import {
  CreatedAt,
  columnOf,
  FlakeIdColumn,
  FlaxIdColumn,
  IdColumn,
  keyset,
  SnoIdColumn,
} from '@snoflax/typeorm'
import {
  Column,
  type DataSource,
  DeleteDateColumn,
  Entity,
  Index,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  OneToOne,
  PrimaryColumn,
  type Relation,
  Unique,
  VersionColumn,
} from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { kinds } from './sources.js'

const tickets = flake.generator({ datacenter: 1, worker: 7 })
const nodes = uid.generator({ node: 'shop' })
const locals = uidLocal.generator()

/** A shop: every family, storages mixed, and every kind of relation. */
@Entity()
class Tenant {
  @FlaxIdColumn() id!: FlaxId
  @CreatedAt() readonly createdAt!: Date
  @Column({ type: 'varchar', length: 50, unique: true }) slug!: string
  @OneToMany(
    () => Member,
    (member) => member.tenant,
    { cascade: true },
  )
  members!: Relation<Member>[]
}

@Entity()
@Unique(['tenant', 'email'])
class Member {
  @SnoIdColumn({ meta: 1 }) id!: SnoId
  @Column({ type: 'varchar', length: 50 }) email!: string
  @ManyToOne(
    () => Tenant,
    (tenant) => tenant.members,
  )
  tenant!: Relation<Tenant>
  @ManyToOne(() => Member, { nullable: true, cascade: true }) sponsor!: Relation<Member> | null
  @OneToOne(
    () => Profile,
    (profile) => profile.member,
    { cascade: true, eager: true },
  )
  profile!: Relation<Profile> | null
  @ManyToMany(() => Role, { cascade: true }) @JoinTable() roles!: Relation<Role>[]
  @VersionColumn() version!: number
}

/** Its key is its member's. */
@Entity()
class Profile {
  @PrimaryColumn('varchar') memberId!: SnoId
  @OneToOne(
    () => Member,
    (member) => member.profile,
    { onDelete: 'CASCADE' },
  )
  @JoinColumn({ name: 'memberId' })
  member!: Relation<Member>
  @Column('varchar') bio!: string
}

@Entity()
class Role {
  @IdColumn(uidLocal, { generator: locals }) id!: UidLocalId
  @Column({ type: 'varchar', length: 50, unique: true }) name!: string
  @ManyToMany(() => Permission, { cascade: true }) @JoinTable() permissions!: Relation<Permission>[]
}

@Entity()
class Permission {
  @IdColumn(uid, { generator: nodes, storage: 'binary' }) id!: UidId
  @Column('varchar') action!: string
}

@Entity()
class Product {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
  @ManyToOne(() => Tenant) tenant!: Relation<Tenant>
  @Column('varchar') name!: string
  @OneToMany(
    () => Price,
    (price) => price.product,
    { cascade: true },
  )
  prices!: Relation<Price>[]
  @ManyToMany(
    () => Category,
    (category) => category.products,
    { cascade: true },
  )
  @JoinTable()
  categories!: Relation<Category>[]
  @DeleteDateColumn() removedAt!: Date | null
}

/** Part of the key is a foreign key. */
@Entity()
class Price {
  @ManyToOne(
    () => Product,
    (product) => product.prices,
    { orphanedRowAction: 'delete' },
  )
  @JoinColumn({ name: 'productId' })
  product!: Relation<Product>
  @FlaxIdColumn.plain() @Index() productId!: FlaxId
  @PrimaryColumn({ type: 'varchar', length: 3 }) currency!: string
  @PrimaryColumn('int') since!: number
  @Column('int') cents!: number
}

@Entity()
class Category {
  @FlakeIdColumn({ generator: tickets, storage: 'binary' }) id!: FlakeId
  @Column('varchar') name!: string
  @ManyToOne(
    () => Category,
    (category) => category.children,
    { nullable: true },
  )
  parent!: Relation<Category> | null
  @OneToMany(
    () => Category,
    (category) => category.parent,
    { cascade: true },
  )
  children!: Relation<Category>[]
  @ManyToMany(
    () => Product,
    (product) => product.categories,
  )
  products!: Relation<Product>[]
}

@Entity()
class Order {
  @SnoIdColumn({ meta: 2, storage: 'binary' }) id!: SnoId
  @ManyToOne(() => Member) buyer!: Relation<Member>
  @OneToMany(
    () => OrderLine,
    (line) => line.order,
    { cascade: true },
  )
  lines!: Relation<OrderLine>[]
  @OneToMany(
    () => Payment,
    (payment) => payment.order,
    { cascade: true },
  )
  payments!: Relation<Payment>[]
  @FlaxIdColumn.plain({ nullable: true, unique: true }) idempotencyKey!: FlaxId | null
}

/** A key of two foreign keys. */
@Entity()
class OrderLine {
  @PrimaryColumn('varchar') orderId!: SnoId
  @PrimaryColumn('varchar') productId!: FlaxId
  @ManyToOne(
    () => Order,
    (order) => order.lines,
    { onDelete: 'CASCADE' },
  )
  @JoinColumn({ name: 'orderId' })
  order!: Relation<Order>
  @ManyToOne(() => Product) @JoinColumn({ name: 'productId' }) product!: Relation<Product>
  @Column('int') quantity!: number
}

@Entity()
class Payment {
  @FlaxIdColumn() id!: FlaxId
  @ManyToOne(
    () => Order,
    (order) => order.payments,
  )
  order!: Relation<Order>
  @OneToMany(
    () => Refund,
    (refund) => refund.payment,
    { cascade: true },
  )
  refunds!: Relation<Refund>[]
  @Column('int') cents!: number
}

@Entity()
class Refund {
  @FlaxIdColumn() id!: FlaxId
  @ManyToOne(
    () => Payment,
    (payment) => payment.refunds,
  )
  payment!: Relation<Payment>
  @ManyToOne(() => Member, { nullable: true }) approvedBy!: Relation<Member> | null
  @Column('int') cents!: number
}

/** References two lines by their composite key. */
@Entity()
class Shipment {
  @FlaxIdColumn() id!: FlaxId
  @ManyToOne(() => OrderLine, { cascade: true }) line!: Relation<OrderLine>
}

const ENTITIES = [
  Tenant,
  Member,
  Profile,
  Role,
  Permission,
  Product,
  Price,
  Category,
  Order,
  OrderLine,
  Payment,
  Refund,
  Shipment,
]

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
  let database: OpenDatabase
  let dataSource: DataSource
  beforeAll(async () => {
    database = await kind.open()
    dataSource = await openDataSource(database, ENTITIES)
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })

  async function shop(slug: string) {
    const role = { name: `admin of ${slug}`, permissions: [{ action: 'read' }, { action: 'write' }] }
    const tenant = await dataSource.getRepository(Tenant).save({
      slug,
      members: [
        { email: 'ada@example.org', profile: { bio: 'First' }, roles: [role] },
        { email: 'ben@example.org', profile: { bio: 'Second' } },
      ],
    })
    const [ada, ben] = tenant.members as [Member, Member]
    const product = await dataSource.getRepository(Product).save({
      tenant,
      name: 'Tea',
      prices: [
        { currency: 'EUR', since: 1, cents: 300 },
        { currency: 'EUR', since: 2, cents: 350 },
      ],
      categories: [{ name: 'Hot', children: [{ name: 'Very hot' }] }],
    })
    return { tenant, ada, ben, product }
  }

  test('the schema matches the database', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
    expect(upQueries.map(({ query }) => query)).toEqual([])
  })

  test('a whole graph is written by cascades and read by both strategies', async () => {
    const { tenant, ada, product } = await shop('graph')
    for (const relationLoadStrategy of ['join', 'query'] as const) {
      const found = await dataSource.getRepository(Tenant).findOneOrFail({
        where: { id: tenant.id },
        relations: { members: { roles: { permissions: true }, profile: true } },
        relationLoadStrategy,
      })
      const first = found.members.find(({ id }) => id === ada.id)
      expect(first?.profile).toMatchObject({ memberId: ada.id, bio: 'First' })
      expect(first?.roles[0]?.permissions.map(({ action }) => action).sort()).toEqual(['read', 'write'])
      const tea = await dataSource.getRepository(Product).findOneOrFail({
        where: { id: product.id },
        relations: { prices: true, categories: { children: true }, tenant: true },
        relationLoadStrategy,
      })
      expect(tea.prices.map(({ cents }) => cents).sort()).toEqual([300, 350])
      expect(tea.categories).toMatchObject([{ name: 'Hot', children: [{ name: 'Very hot' }] }])
      expect(tea.tenant.id).toBe(tenant.id)
    }
  })

  test('keys that are foreign keys, and references to them, are written and read', async () => {
    const { ada, product } = await shop('keys')
    const order = await dataSource.getRepository(Order).save({
      buyer: ada,
      lines: [{ product, quantity: 2 }],
      payments: [{ cents: 600, refunds: [{ cents: 100, approvedBy: ada }] }],
    })
    const lines = dataSource.getRepository(OrderLine)
    const line = await lines.findOneByOrFail({ orderId: order.id, productId: product.id })
    expect(line.quantity).toBe(2)
    const shipment = await dataSource.getRepository(Shipment).save({ line })
    const shipped = await dataSource.getRepository(Shipment).findOneOrFail({
      where: { line: { orderId: order.id } },
      relations: { line: { product: true } },
    })
    expect(shipped).toMatchObject({
      id: shipment.id,
      line: { productId: product.id, product: { name: 'Tea' } },
    })
    expect(() => columnOf(dataSource, Shipment, 'line')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', path: 'Shipment.line' }),
    )
    const refunds = await dataSource.getRepository(Refund).find({
      where: { payment: { order: { buyer: { id: ada.id } } } },
      relations: { payment: { order: { buyer: true } }, approvedBy: true },
    })
    expect(refunds).toMatchObject([
      { cents: 100, approvedBy: { id: ada.id }, payment: { order: { id: order.id } } },
    ])
    await lines.update({ orderId: order.id, productId: product.id }, { quantity: 5 })
    expect(await lines.sum('quantity', { orderId: order.id })).toBe(5)
  })

  test('members and their sponsors are written by one save', async () => {
    const members = dataSource.getRepository(Member)
    const tenants = dataSource.getRepository(Tenant)
    const tenant = await tenants.save(tenants.create({ slug: 'circle' }))
    const [first, second] = members.create([
      { email: 'first@example.org', tenant },
      { email: 'second@example.org', tenant },
    ]) as [Member, Member]
    first.sponsor = second
    second.sponsor = first
    await members.save([first, second])
    const found = await members.findOneOrFail({
      where: { id: first.id },
      relations: { sponsor: { sponsor: true } },
    })
    expect(found.sponsor).toMatchObject({ id: second.id, sponsor: { id: first.id } })
    expect(tenant.createdAt).toEqual(flax.time(tenant.id))
  })

  test('after a failed save, the same objects can be saved and referenced', async () => {
    const { tenant } = await shop('again')
    const members = dataSource.getRepository(Member)
    const sponsor = members.create({ tenant })
    sponsor.email = 'ada@example.org'
    const member = members.create({ email: 'cid@example.org', tenant })
    member.sponsor = sponsor
    await expect(members.save(member)).rejects.toThrow(/unique|duplicate/i)
    const { id } = Object.assign(sponsor, { email: 'dan@example.org' })
    await members.insert({ id, email: 'dan@example.org', tenant })
    await members.save({ email: 'eve@example.org', tenant, sponsor })
    await members.save(member)
    expect(await members.countBy({ sponsor: { id } })).toBe(2)
  })

  test('rows are changed and removed, orphans too', async () => {
    const { ada, ben, product, tenant } = await shop('changes')
    const members = dataSource.getRepository(Member)
    const loaded = await members.findOneOrFail({
      where: { id: ada.id },
      relations: { roles: true, sponsor: true },
    })
    await members.save(Object.assign(loaded, { sponsor: ben, roles: [] }))
    expect(
      await members.findOneOrFail({ where: { id: ada.id }, relations: { roles: true, sponsor: true } }),
    ).toMatchObject({
      version: 2,
      roles: [],
      sponsor: { id: ben.id },
    })
    await members.save(loaded)
    expect((await members.findOneByOrFail({ id: ada.id })).version).toBe(2)

    const products = dataSource.getRepository(Product)
    const tea = await products.findOneOrFail({ where: { id: product.id }, relations: { prices: true } })
    tea.prices = tea.prices.filter(({ since }) => since === 2)
    await products.save(tea)
    expect(await dataSource.getRepository(Price).countBy({ productId: product.id })).toBe(1)
    await products.softDelete(tea.id)
    expect(await products.countBy({ tenant: { id: tenant.id } })).toBe(0)
    await products.restore(tea.id)
    expect(await products.countBy({ tenant: { id: tenant.id } })).toBe(1)
    await members.update(ada.id, { sponsor: null })
    await members.remove(await members.findOneByOrFail({ id: ben.id }))
    expect(await dataSource.getRepository(Profile).existsBy({ memberId: ben.id })).toBe(false)
  })

  test('an upsert by a foreign key and a column returns the stored id', async () => {
    const { tenant, ada } = await shop('upsert')
    const row = { tenant: { id: tenant.id }, email: 'ada@example.org', version: 3 } as Member
    await dataSource.getRepository(Member).upsert(row, ['tenant', 'email'])
    expect(row.id).toBe(ada.id)
  })

  test('keyset pages contain each row once, in both directions', async () => {
    const { tenant } = await shop(`pages`)
    const products = dataSource.getRepository(Product)
    await products.save(Array.from({ length: 24 }, (_, i) => ({ tenant, name: `Item ${i}` })))
    const all = (await products.find({ where: { tenant: { id: tenant.id } }, order: { id: 'ASC' } })).map(
      ({ id }) => id,
    )
    for (const order of ['asc', 'desc'] as const) {
      const seen: FlaxId[] = []
      for (;;) {
        const where = [{ tenant: { id: tenant.id } }]
        const page = await products.find(keyset<Product>({ order, take: 7, after: seen.at(-1), where }))
        if (page.length === 0) break
        seen.push(...page.map(({ id }) => id))
      }
      expect(seen).toEqual(order === 'asc' ? all : [...all].reverse())
    }
  })
})
