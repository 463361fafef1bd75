export type { KeyOf, KeyOptions, MetaOption } from '@snoflax/core/adapter'
export { type Found, find } from './find.js'
export type {
  AnyIdColumn,
  DatabaseDefaultOptions,
  DialectName,
  GeneratedOptions,
  GeneratorOption,
  IdColumn,
  IdColumnConfig,
  IdColumns,
  MysqlDefaultOptions,
  ReferenceOptions,
  SQLiteStorageOptions,
  StorageOptions,
} from './id-column/types.js'
export { type Keyset, type KeysetOptions, keyset } from './keyset.js'
export { fromDatabase, parameter, placeholder, type ValueOf } from './parameters.js'
export { type SeedFunctions, seedIds } from './seed.js'
export { type AnyDatabase, checkColumns } from './stored-columns.js'
export {
  type CreatedAt,
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  wasCreatedBetween,
} from './time.js'
export { typedIds } from './typed-ids.js'
