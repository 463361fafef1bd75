export { type Keyset, type KeysetOptions, keyset } from './keyset.js'
export type { GeneratedIdOptions, MetaFamily, MetaOption, StorageOption } from './options.js'
export { fromDatabase, parameter, placeholder, toDatabase } from './parameters.js'
export {
  type CreatedAt,
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  wasCreatedBetween,
} from './time.js'
