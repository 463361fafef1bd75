export type {
  AnyFamily,
  Configuration,
  ConfigurationOf,
  IdField,
  ModelConfiguration,
} from './configuration.js'
export { type ExtensionOptions, idExtension } from './extension/extension.js'
export type { Generators } from './extension/generators.js'
export { type RawQueries, rawQueries } from './extension/raw.js'
export type { Extension } from './extension/types.js'
export { type Keyset, type KeysetOptions, keyset } from './keyset.js'
