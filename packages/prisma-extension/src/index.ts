export type {
  AnyFamily,
  Configuration,
  ConfigurationOf,
  IdField,
} from './configuration.js'
export type { Generators } from './extension/columns.js'
export {
  type Extension,
  type ExtensionOptions,
  type Find,
  type Found,
  idExtension,
} from './extension/extension.js'
export { type CreatedBetween, type StoredIds, storedIds } from './extension/stored-ids.js'
export { type Keyset, type KeysetOptions, keyset } from './keyset.js'
