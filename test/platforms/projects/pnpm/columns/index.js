import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

export const key = () => flaxId({ storage: 'binary' }).primaryKey()

export const visits = sqliteTable('visits', { id: key() })
