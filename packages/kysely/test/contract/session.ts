import { idColumn, idPlugin, type WithIds } from '@snoflax/kysely'
import type {
  MysqlDatabase,
  OpenDatabase,
  PgliteDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from '@snoflax/test'
import type { Variant } from '@snoflax/test/contract'
import * as kysely from 'kysely'
import {
  type Dialect,
  Kysely,
  MysqlDialect,
  ParseJSONResultsPlugin,
  PostgresDialect,
  type RawBuilder,
  SqliteDialect,
  sql,
} from 'kysely'

/** The contract's tables, without their generated ids and references. */
interface Plain {
  customers: { email: string; name: string; trace_id: string | null; referrer_id: string | null }
  profiles: { bio: string }
  orders: { total: number }
  tags: { label: string }
  order_lines: { position: number; quantity: number }
}

export function pluginFor({ database, storage, family, generator }: Variant) {
  const id = idColumn(family, { storage, generator })
  return idPlugin({
    database: database === 'pglite' ? 'postgres' : database,
    tables: {
      customers: {
        id,
        trace_id: idColumn.plain(family, { storage }),
        referrer_id: idColumn.ref('customers.id'),
      },
      profiles: { id, customer_id: idColumn.ref('customers.id') },
      orders: { id, customer_id: idColumn.ref('customers.id') },
      tags: { id },
      order_lines: { order_id: idColumn.ref('orders.id') },
      orders_tags: { order_id: idColumn.ref('orders.id'), tag_id: idColumn.ref('tags.id') },
    },
  })
}

export type Plugin = ReturnType<typeof pluginFor>

/** Kysely on a database that has the contract's schema. */
export interface Session {
  readonly db: Kysely<WithIds<Plain, Plugin>>
  readonly ids: Plugin
  readonly variant: Variant
}

/** PGlite's dialect came with Kysely 0.29. */
export const PGliteDialect = (
  kysely as unknown as { PGliteDialect?: new (config: { pglite: unknown }) => Dialect }
).PGliteDialect

export function dialectFor(database: OpenDatabase): Dialect {
  switch (database.kind) {
    case 'postgres':
      return new PostgresDialect({ pool: (database as PostgresDatabase).pool })
    case 'sqlite':
      return new SqliteDialect({ database: (database as SqliteDatabase).connection })
    case 'mysql':
      return new MysqlDialect({ pool: (database as MysqlDatabase).pool.pool as never })
    case 'pglite':
      return new (PGliteDialect as NonNullable<typeof PGliteDialect>)({
        pglite: (database as PgliteDatabase).connection,
      })
  }
}

export async function open(database: OpenDatabase, variant: Variant): Promise<Session> {
  const ids = pluginFor(variant)
  const db = new Kysely<WithIds<Plain, Plugin>>({
    dialect: dialectFor(database),
    plugins: [ids, new ParseJSONResultsPlugin()],
  })
  for (const table of tables(ids)) await database.query(table.compile(db).sql)
  return { db, ids, variant }
}

function tables(ids: Plugin): RawBuilder<unknown>[] {
  const id = (path: Parameters<Plugin['columnType']>[0]) => ids.columnType(path)
  return [
    sql`create table customers (id ${id('customers.id')} primary key not null, email varchar(80) not null unique,
      name varchar(80) not null, trace_id ${id('customers.trace_id')},
      referrer_id ${id('customers.referrer_id')} references customers (id))`,
    sql`create table profiles (id ${id('profiles.id')} primary key not null, bio varchar(80) not null,
      customer_id ${id('profiles.customer_id')} not null unique references customers (id))`,
    sql`create table orders (id ${id('orders.id')} primary key not null, total integer not null,
      customer_id ${id('orders.customer_id')} not null references customers (id))`,
    sql`create table tags (id ${id('tags.id')} primary key not null, label varchar(80) not null unique)`,
    sql`create table order_lines (order_id ${id('order_lines.order_id')} not null references orders (id),
      position integer not null, quantity integer not null, primary key (order_id, position))`,
    sql`create table orders_tags (order_id ${id('orders_tags.order_id')} not null references orders (id),
      tag_id ${id('orders_tags.tag_id')} not null references tags (id), primary key (order_id, tag_id))`,
  ]
}
