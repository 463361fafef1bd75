export {
  type Accept,
  type Accepted,
  type AcceptingFamily,
  accepting,
} from './accepting.js'
export type { IdSource } from './adapter/id-source.js'
export { type BetterAuthOptions, betterAuthIds } from './better-auth.js'
export {
  columnFor,
  type IdColumn,
  type IdColumnOptions,
  type IdPage,
  type IdPageOptions,
} from './column-for.js'
export { defineFamily, type FamilyDefinition } from './define-family.js'
export type {
  Id,
  IdFamily,
  IdGenerator,
  IdOf,
  IdRange,
  IdsOf,
  Layout,
  LayoutField,
  OpaqueId,
  ParsedId,
  StorageName,
} from './family.js'
export { fixedId } from './fixed-id.js'
export {
  type FlakeFamily,
  type FlakeFields,
  type FlakeGenerator,
  type FlakeGeneratorOptions,
  type FlakeId,
  type FlakeIdentity,
  flake,
} from './flake/index.js'
export {
  type FlaxFamily,
  type FlaxFields,
  type FlaxGenerator,
  type FlaxGeneratorOptions,
  type FlaxId,
  flax,
} from './flax/index.js'
export { isSameFamily } from './identity.js'
export type { MonotonicFamily, MonotonicGenerator, MonotonicOptions } from './monotonic-family.js'
export { type OpaqueFamily, type OpaqueOptions, opaque } from './opaque.js'
export {
  type PrefixedFamily,
  type PrefixedGenerator,
  prefixed,
} from './prefixed/index.js'
export type { Alphabet } from './primitives/alphabet.js'
export type { BackfillSnapshot, SequenceBounds } from './primitives/backfill.js'
export type { Clock, Time } from './primitives/clock.js'
export { IdError, type IdErrorCode } from './primitives/errors.js'
export type { RandomSource } from './primitives/random.js'
export type { StandardSchema } from './primitives/standard-schema.js'
export type { WaitOptions } from './primitives/waiting.js'
export { type RecentOptions, recent } from './recent.js'
export { type FoundId, type IdInText, type Registry, registry } from './registry.js'
export {
  type SnoFamily,
  type SnoFields,
  type SnoGenerator,
  type SnoGeneratorOptions,
  type SnoId,
  type SnoOverflow,
  type SnoSnapshot,
  sno,
} from './sno/index.js'
export {
  type ColumnType,
  type Database,
  type DatabaseValue,
  type IdStorage,
  type StorageOptions,
  storageFor,
} from './storage/index.js'
export { type Ulid, type UlidFamily, type UlidFields, ulid } from './ulid/index.js'
export { type Uuid7, type Uuid7Family, type Uuid7Fields, uuid7, uuid7or4 } from './uuid7/index.js'
export {
  type TypeidFamily,
  type TypeidOptions,
  type TypeidSuffix,
  type TypeidSuffixFamily,
  typeid,
} from './uuid7/typeid.js'
