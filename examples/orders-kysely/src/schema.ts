import { flax, type Id, sno } from '@snoflax/core'
import { idColumn, idPlugin, type WithIds } from '@snoflax/kysely'

/** Generates the ids of orders. A second process needs another partition; see docs/leases.md. */
export const orderIds = sno.generator({ partition: 1 })

export const ids = idPlugin({
  database: 'postgres',
  tables: {
    customers: { id: idColumn(flax) },
    orders: { id: idColumn(sno, { generator: orderIds }), customer_id: idColumn.ref('customers.id') },
  },
})

interface Tables {
  customers: { name: string }
  orders: { item: string; cents: number }
}

export type Database = WithIds<Tables, typeof ids>

export type CustomerId = Id<'flax', 'customers'>
export type OrderId = Id<'sno', 'orders'>
