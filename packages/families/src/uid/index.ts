export type { UidDistance } from './distance.js'
export type { UidGenerator } from './generator.js'
export {
  type UidFamily,
  type UidFields,
  type UidGeneratorOptions,
  type UidGlobalGenerator,
  type UidId,
  uid,
} from './global.js'
export { type UidLocalFamily, type UidLocalFields, type UidLocalId, uidLocal } from './local.js'
export type { UidNode } from './node.js'
export type { UidStepOptions } from './steps.js'
export type { UidTime } from './time.js'
export type { VectorClock, VectorClockGap, VectorClocks } from './vector-clock.js'
