import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const orders = sqliteTable('orders', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  what: text().notNull(),
})
