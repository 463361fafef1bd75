import type { Database } from '@snoflax/core'
import type { SQL } from 'drizzle-orm'
import type { ColumnIds } from './column-ids.js'
import type { ColumnRequest } from './options.js'

/** What an id column has to know about its database. */
export interface IdDialect {
  readonly database: Database
  /** An SQL expression that makes an id, where the database can. */
  readonly generate?: (ids: ColumnIds, request: ColumnRequest) => SQL
}
