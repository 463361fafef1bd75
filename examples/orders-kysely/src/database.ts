import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { type Database, ids } from './schema.js'

export const db = new Kysely<Database>({
  dialect: new PGliteDialect({ pglite: new PGlite() }),
  plugins: [ids],
})

export async function migrate(): Promise<void> {
  const { schema } = db
  await schema
    .createTable('customers')
    .addColumn('id', ids.columnType('customers.id'), (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('orders')
    .addColumn('id', ids.columnType('orders.id'), (column) => column.primaryKey())
    .addColumn('customer_id', ids.columnType('orders.customer_id'), (column) =>
      column.notNull().references('customers.id'),
    )
    .addColumn('item', 'text', (column) => column.notNull())
    .addColumn('cents', 'integer', (column) => column.notNull())
    .execute()
  await schema.createIndex('orders_of_customer').on('orders').columns(['customer_id', 'id']).execute()
}
