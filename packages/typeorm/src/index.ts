export type { FoundIn, FoundRow, IdSource, KeyOf, KeyOptions } from '@snoflax/core/adapter'
export type {
  IdColumnOptions,
  PlainIdColumnOptions,
} from './columns/definition.js'
export type { IdEntity } from './columns/properties.js'
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
export { find } from './declare/find.js'
export {
  type Created,
  createdAfter,
  createdBefore,
  createdBetween,
  type IdPropertyOf,
  type KeysetOptions,
  keyset,
} from './declare/finding.js'
export { fromDatabase, parameter } from './declare/raw-sql.js'
export { type PrepareOptions, prepareDataSource } from './prepare/data-source.js'
