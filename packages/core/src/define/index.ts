export {
  type Alphabet,
  alphabet,
  isSpelled,
  refuseCharacter,
} from '../primitives/alphabet.js'
export { createBackfill } from '../primitives/backfill.js'
export { batch } from '../primitives/batch.js'
export { readUint } from '../primitives/bytes.js'
export { checkSpan, checkTimeField, systemClock, type TimeSpan, toUnixMs } from '../primitives/clock.js'
export { checkBytes, checkInteger, checkText, fail, refuseType, show } from '../primitives/errors.js'
export { checkOptions, type OptionKind } from '../primitives/options.js'
export { radix64, type TextCoder } from '../primitives/radix.js'
export { secureRandom } from '../primitives/random.js'
export { once } from '../primitives/realms.js'
export { blockUntil, waitingQueue } from '../primitives/waiting.js'
