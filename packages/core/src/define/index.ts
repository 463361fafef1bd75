export {
  type Alphabet,
  alphabet,
  isSpelled,
  refuseCharacter,
  type TextCoder,
} from '../primitives/alphabet.js'
export { type Backfill, type BackfillOptions, createBackfill } from '../primitives/backfill.js'
export { batch } from '../primitives/batch.js'
export { readUint } from '../primitives/bytes.js'
export { checkSpan, checkTimeField, systemClock, type TimeSpan, toUnixMs } from '../primitives/clock.js'
export { checkBytes, checkInteger, checkText, refuseType, show } from '../primitives/errors.js'
export { checkOptions, type OptionKind } from '../primitives/options.js'
export { radix64 } from '../primitives/radix64.js'
export { type RandomPool, randomPool, secureRandom } from '../primitives/random.js'
export { once } from '../primitives/realms.js'
export { blockUntil, type WaitingQueue, waitingQueue } from '../primitives/waiting.js'
export { uuidBytes, uuidText } from '../storage/uuid.js'
