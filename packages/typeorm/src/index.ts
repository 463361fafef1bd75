export type { IdSource } from '@snoflax/core/adapter'
export type { IdColumnOptions, PlainIdColumnOptions, PrefixOption } from './columns/definition.js'
export {
  type FamilyColumn,
  FlakeIdColumn,
  FlaxIdColumn,
  IdColumn,
  type IdDecorator,
  idColumn,
  type OneOrMany,
  SnoIdColumn,
  UidIdColumn,
  UidLocalIdColumn,
} from './declare/columns.js'
export { CreatedAt } from './declare/created-at.js'
export { createdAfter, createdBefore, createdBetween, type KeysetOptions, keyset } from './declare/finding.js'
export { type ColumnStorage, storageOf } from './declare/storage-of.js'
export { type PrepareOptions, prepareDataSource } from './prepare/data-source.js'
