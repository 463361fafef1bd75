import { type Collection, EntitySchema } from '@mikro-orm/core'
import { type SqlEntityManager, MikroORM as Sqlite } from '@mikro-orm/sqlite'
import { idProperty } from '@snoflax/mikro-orm'
import type { OpenDatabase, SqliteDatabase } from '@snoflax/test'
import type { Variant } from '@snoflax/test/contract'
import { ormOnServer } from '../drivers.js'

export interface CustomerEntity {
  id: string
  email: string
  name: string
  traceId: string | null
  referrer: CustomerEntity | null
  profile: ProfileEntity | null
  orders: Collection<OrderEntity>
}

export interface ProfileEntity {
  id: string
  bio: string
  customer: CustomerEntity
}

export interface OrderEntity {
  id: string
  total: number
  customer: CustomerEntity
  lines: Collection<LineEntity>
  tags: Collection<TagEntity>
}

export interface LineEntity {
  order: OrderEntity
  position: number
  quantity: number
}

export interface TagEntity {
  id: string
  label: string
}

/** The contract's schema as entities, for one family. */
export function entitiesFor({
  family,
  storage,
  generator,
}: Pick<Variant, 'family' | 'storage' | 'generator'>) {
  const Customer: EntitySchema<CustomerEntity> = new EntitySchema({
    name: 'Customer',
    tableName: 'customers',
    properties: {
      id: idProperty(family, { storage, generator }),
      email: { type: 'string', length: 100, unique: true },
      name: { type: 'string' },
      traceId: idProperty.plain(family, { storage, nullable: true }),
      referrer: { kind: 'm:1', entity: () => Customer, nullable: true },
      profile: { kind: '1:1', entity: () => Profile, mappedBy: 'customer', nullable: true },
      orders: { kind: '1:m', entity: () => Order, mappedBy: 'customer' },
    },
  })
  const Profile: EntitySchema<ProfileEntity> = new EntitySchema({
    name: 'Profile',
    tableName: 'profiles',
    properties: {
      id: idProperty(family, { storage, generator }),
      bio: { type: 'string' },
      customer: { kind: '1:1', entity: () => Customer, inversedBy: 'profile' },
    },
  })
  const Order: EntitySchema<OrderEntity> = new EntitySchema({
    name: 'Order',
    tableName: 'orders',
    properties: {
      id: idProperty(family, { storage, generator }),
      total: { type: 'integer' },
      customer: { kind: 'm:1', entity: () => Customer },
      lines: { kind: '1:m', entity: () => Line, mappedBy: 'order' },
      tags: { kind: 'm:n', entity: () => Tag, pivotTable: 'order_tags' },
    },
  })
  const Line: EntitySchema<LineEntity> = new EntitySchema({
    name: 'Line',
    tableName: 'order_lines',
    properties: {
      order: { kind: 'm:1', entity: () => Order, primary: true },
      position: { type: 'integer', primary: true },
      quantity: { type: 'integer' },
    },
  })
  const Tag: EntitySchema<TagEntity> = new EntitySchema({
    name: 'Tag',
    tableName: 'tags',
    properties: {
      id: idProperty(family, { storage, generator }),
      label: { type: 'string', length: 100, unique: true },
    },
  })
  return { Customer, Profile, Order, Line, Tag }
}

/** What the paths of the contract work with. */
export interface Session {
  readonly family: Variant['family']
  readonly orm: Orm
  readonly entities: ReturnType<typeof entitiesFor>
  /** A new one, as for each request. */
  em(): SqlEntityManager
}

export interface Orm {
  readonly em: SqlEntityManager
  readonly schema: Sqlite['schema']
  close(): Promise<void>
}

/** MikroORM on a database of the tests. */
export async function ormOn(
  database: OpenDatabase,
  entities: readonly object[],
  more: object = {},
): Promise<Orm> {
  const options = { entities: entities as EntitySchema[], allowGlobalContext: false, debug: false, ...more }
  return database.kind === 'sqlite'
    ? (Sqlite.init({ ...options, dbName: (database as SqliteDatabase).file }) as Promise<never>)
    : (ormOnServer(database, options) as Promise<never>)
}

export async function open(database: OpenDatabase, variant: Variant): Promise<Session> {
  const entities = entitiesFor(variant)
  const orm = await ormOn(database, Object.values(entities))
  // Makes what is missing: the tables may be there.
  await orm.schema.update({ safe: true })
  return { family: variant.family, orm, entities, em: () => orm.em.fork() }
}
