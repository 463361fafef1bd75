export type { KeyOf, KeyOptions } from '@snoflax/core/adapter'
export {
  type ColumnOf,
  flakeId,
  flaxId,
  type GeneratedId,
  type GeneratedOptions,
  type IdAt,
  type IdColumn,
  type IdColumns,
  type IdPluginOptions,
  type IdsOf,
  type IdTables,
  idColumn,
  type MetaFamily,
  type MetaOption,
  type Role,
  type StorageOptions,
  snoId,
  type WithIdColumns,
} from './columns.js'
export { type IdPath, type IdPlugin, idPlugin, type WithIds } from './plugin.js'
export {
  asText,
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  type IdReference,
  type KeysetOptions,
  keyset,
} from './time.js'
