export type { KeyOf, KeyOptions, MetaOption } from '@snoflax/core/adapter'
export {
  flaxId,
  type GeneratedBy,
  type IdOptions,
  type IdProperties,
  type IdProperty,
  idProperty,
  type PlainIdOptions,
  type PrefixOption,
  snoId,
} from './columns.js'
export { type FoundEntity, find } from './find.js'
export {
  type CreatedBetween,
  createdAfter,
  createdBefore,
  createdBetween,
  type KeysetOptions,
  keyset,
} from './time.js'
export { IdType } from './type.js'
