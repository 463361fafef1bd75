import type { IdStorage } from '@snoflax/core'
import type { TableOptions } from './options.js'
import { type Key, pathOf } from './replaced-columns.js'

/** A table whose key is replaced, as the database tells of it. */
export interface RootPlan {
  readonly table: string
  readonly key: string
  /** As declared. */
  readonly keyType: string
  readonly family: string
  readonly storage: string
  /** Of the new column. */
  readonly type: string
  readonly default: string | undefined
}

export const rootPlan = (
  options: TableOptions,
  storage: IdStorage<string>,
  { table, column }: Key,
  keyType: string,
): RootPlan => ({
  table,
  key: column,
  keyType,
  family: storage.family.name,
  storage: storage.name,
  type: storage.column.sql,
  default: options.default,
})

export const placeOf = ({ table, key }: RootPlan): string => pathOf({ table, column: key })
