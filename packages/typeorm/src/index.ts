export type { FoundIn, FoundRow, IdSource, KeyOf, KeyOptions } from '@snoflax/core/adapter'
export type {
  IdColumnOptions,
  PlainIdColumnOptions,
} from './columns/definition.js'
export {
  type FamilyColumn,
  FlakeIdColumn,
  FlaxIdColumn,
  IdColumn,
  type IdDecorator,
  idColumn,
  type OneOrMany,
  SnoIdColumn,
} from './declare/columns.js'
export { CreatedAt } from './declare/created-at.js'
export { findById } from './declare/find-by-id.js'
export { createdAfter, createdBefore, createdBetween, type KeysetOptions, keyset } from './declare/finding.js'
export { fromDatabase, type IdEntity, parameter } from './declare/raw-sql.js'
export { type PrepareOptions, prepareDataSource } from './prepare/data-source.js'
