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
  type CompiledQuery,
  type Dialect,
  Kysely,
  MysqlDialect,
  ParseJSONResultsPlugin,
  PostgresDialect,
  SqliteDialect,
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
  const id = idColumn(family)
  return idPlugin({
    database: database === 'pglite' ? 'postgres' : database,
    tables: {
      customers: {
        id: id({ storage, generator }),
        trace_id: id.plain({ storage }),
        referrer_id: id.ref('customers.id'),
      },
      profiles: { id: id({ storage, generator }), customer_id: id.ref('customers.id') },
      orders: { id: id({ storage, generator }), customer_id: id.ref('customers.id') },
      tags: { id: id({ storage, generator }) },
      order_lines: { order_id: id.ref('orders.id') },
      orders_tags: { order_id: id.ref('orders.id'), tag_id: id.ref('tags.id') },
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
  for (const { sql } of schema(db, ids)) await database.query(sql)
  return { db, ids, variant }
}

/** The statements of a migration. */
function schema({ schema: make }: Session['db'], ids: Plugin): CompiledQuery[] {
  const id = (path: Parameters<Plugin['columnType']>[0]) => ids.columnType(path)
  return [
    make
      .createTable('customers')
      .addColumn('id', id('customers.id'), (column) => column.primaryKey().notNull())
      .addColumn('email', 'varchar(80)', (column) => column.notNull().unique())
      .addColumn('name', 'varchar(80)', (column) => column.notNull())
      .addColumn('trace_id', id('customers.trace_id'))
      .addColumn('referrer_id', id('customers.referrer_id'), (column) => column.references('customers.id')),
    make
      .createTable('profiles')
      .addColumn('id', id('profiles.id'), (column) => column.primaryKey().notNull())
      .addColumn('bio', 'varchar(80)', (column) => column.notNull())
      .addColumn('customer_id', id('profiles.customer_id'), (column) =>
        column.notNull().unique().references('customers.id'),
      ),
    make
      .createTable('orders')
      .addColumn('id', id('orders.id'), (column) => column.primaryKey().notNull())
      .addColumn('total', 'integer', (column) => column.notNull())
      .addColumn('customer_id', id('orders.customer_id'), (column) =>
        column.notNull().references('customers.id'),
      ),
    make
      .createTable('tags')
      .addColumn('id', id('tags.id'), (column) => column.primaryKey().notNull())
      .addColumn('label', 'varchar(80)', (column) => column.notNull().unique()),
    make
      .createTable('order_lines')
      .addColumn('order_id', id('order_lines.order_id'), (column) => column.notNull().references('orders.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('quantity', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('order_lines_key', ['order_id', 'position']),
    make
      .createTable('orders_tags')
      .addColumn('order_id', id('orders_tags.order_id'), (column) => column.notNull().references('orders.id'))
      .addColumn('tag_id', id('orders_tags.tag_id'), (column) => column.notNull().references('tags.id'))
      .addPrimaryKeyConstraint('orders_tags_key', ['order_id', 'tag_id']),
  ].map((statement) => statement.compile())
}
