export {
  type DiscordId,
  discord,
  type SnowflakeFamily,
  type SnowflakeFields,
  type SnowflakeGenerator,
  type SnowflakeGeneratorOptions,
  type TwitterId,
  twitter,
} from './snowflake/index.js'
export type { MonotonicFamily, MonotonicGenerator, MonotonicOptions } from './time-field.js'
export {
  type TypeidFamily,
  type TypeidOptions,
  type TypeidSuffix,
  type TypeidSuffixFamily,
  typeid,
} from './typeid/index.js'
export {
  type UidDistance,
  type UidFamily,
  type UidFields,
  type UidGenerator,
  type UidGeneratorOptions,
  type UidGlobalGenerator,
  type UidId,
  type UidLocalFamily,
  type UidLocalFields,
  type UidLocalId,
  type UidNode,
  type UidStepOptions,
  type UidTime,
  uid,
  uidLocal,
  type VectorClock,
  type VectorClockGap,
  type VectorClocks,
} from './uid/index.js'
export { type Ulid, type UlidFamily, type UlidFields, ulid } from './ulid/index.js'
export { type Uuid7, type Uuid7Family, type Uuid7Fields, uuid7, uuid7or4 } from './uuid7/index.js'
