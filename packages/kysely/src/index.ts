export type { KeyOf, KeyOptions, MetaOption } from '@snoflax/core/adapter'
export * from './columns.js'
export {
  type FoundById,
  type IdPath,
  type IdPlugin,
  type IdPluginOptions,
  idPlugin,
  type KeysetOptions,
  type NameOption,
  type WithIds,
} from './plugin.js'
