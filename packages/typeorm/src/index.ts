export { CreatedAt } from './columns/created-at.js'
export type { IdColumnOptions, IdSource, PlainIdColumnOptions } from './columns/definition.js'
export { idColumn } from './columns/entity-schema.js'
export {
  type FamilyColumn,
  FlakeIdColumn,
  FlaxIdColumn,
  SnoIdColumn,
  type SnoIdColumnOptions,
  type SnoSource,
  UidColumn,
  UidLocalColumn,
} from './columns/family-columns.js'
export { IdColumn, type IdDecorator } from './columns/id-column.js'
export { createdAfter, createdBefore, createdBetween } from './find-operators.js'
export { type KeysetOptions, keyset } from './keyset.js'
export { prepareDataSource } from './prepare/prepare-data-source.js'
export { type ColumnStorage, storageOf } from './storage-of.js'
