import type { Id } from '@snoflax/core'
import { checkInteger, radix64, readUint, type TextCoder } from '@snoflax/core/define'
import { ALPHABET, MAX_NODE, MAX_SEQUENCE, STEP_US } from './layout.js'
import { checkTime, timeAtOrAfter, type UidStep, type UidTime, unixMs } from './time.js'

/** A global uid id: 16 characters; time in steps of 1.024 ms, node, sequence. */
export type UidId = Id<'uid'>

/** The fields of a global uid id. */
export interface UidFields extends UidTime {
  /** Fingerprint of the node, 0 to 2^32 - 1. */
  readonly node: number
  /** Number within the step, 0 to 16383. */
  readonly sequence: number
}

export const NAME = 'uid'

export const coder: TextCoder<UidId> = /* @__PURE__ */ radix64(NAME, ALPHABET)

/** The functions of a family with this neighbourhood, 5 to 10. */
export function neighbourhoodCodec(neighbourhood: number): {
  spell(step: UidStep, node: number): UidId
  pack(fields: UidFields): UidId
  unpack(id: UidId): UidFields
  timeMs(id: UidId): number
  lowerBoundMs(timeMs: number): UidId
  upperBoundMs(timeMs: number): UidId
} {
  const window = 2 ** neighbourhood
  const nodeScale = window
  const highScale = 2 ** 32 * nodeScale

  /** Fields that are known to be in range. The 48 bits between the first and the last 24 fit a double. */
  const spell = ({ megaSeconds, seconds, microSeconds, sequence }: UidStep, node: number): UidId => {
    const high = (seconds & 0xffff) >> neighbourhood
    const middle = high * highScale + node * nodeScale + (seconds % window)
    return coder.spell(
      (megaSeconds << 4) | (seconds >> 16),
      Math.floor(middle / 2 ** 24),
      middle % 2 ** 24,
      ((microSeconds / STEP_US) << 14) | sequence,
    )
  }

  const unpack = (id: UidId): UidFields => {
    const bytes = coder.decode(id)
    const head = readUint(bytes, 0, 3)
    const middle = readUint(bytes, 3, 6)
    const tail = readUint(bytes, 9, 3)
    const high = Math.floor(middle / highScale)
    return {
      megaSeconds: head >>> 4,
      seconds: ((head & 15) << 16) | (high << neighbourhood) | (middle % window),
      microSeconds: (tail >> 14) * STEP_US,
      node: Math.floor(middle / nodeScale) % 2 ** 32,
      sequence: tail & MAX_SEQUENCE,
    }
  }

  const lowest = (step: UidStep): UidId => spell(step, 0)

  return {
    spell,
    pack: ({ node, sequence, ...time }) =>
      spell(
        { ...checkTime(NAME, time), sequence: checkInteger(NAME, 'sequence', sequence, 0, MAX_SEQUENCE) },
        checkInteger(NAME, 'node', node, 0, MAX_NODE),
      ),
    unpack,
    timeMs: (id) => unixMs(unpack(id)),
    lowerBoundMs: (timeMs) => lowest(timeAtOrAfter(timeMs)),
    upperBoundMs(timeMs) {
      const time = timeAtOrAfter(timeMs)
      if (time.seconds % window === 0 && time.microSeconds === 0) return lowest(time)
      // Any node may have generated an id in this window, so only the next window is larger than all of them.
      const nextWindow = time.seconds - (time.seconds % window) + window
      return lowest({ ...time, seconds: nextWindow, microSeconds: 0 })
    },
  }
}
