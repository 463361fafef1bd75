export { type FieldBits, fieldBits } from './field-bits.js'
export { isPlausible, type ReadingOptions } from './plausible.js'
export { type IdReading, readings } from './readings.js'
export { type IdRefusal, refusals } from './refusals.js'
