export { type FieldBits, fieldBits } from './field-bits.js'
export {
  type IdReading,
  type IdRefusal,
  isPlausible,
  type ReadingOptions,
  readings,
  refusals,
} from './readings.js'
