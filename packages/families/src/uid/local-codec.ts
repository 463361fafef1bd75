import type { Id } from '@snoflax/core'
import {
  checkBytes,
  checkInteger,
  checkText,
  fail,
  isSpelled,
  radix64,
  readUint,
  refuseCharacter,
  show,
} from '@snoflax/core/define'
import { ALPHABET, LOCAL_BYTE_LENGTH, LOCAL_TEXT_LENGTH, MAX_SEQUENCE, STEP_US } from './layout.js'
import { checkTime, timeAtOrAfter, type UidTime, unixMs } from './time.js'

/** A local uid id: 11 characters; time in steps of 1.024 ms and sequence. Unique on one node only. */
export type UidLocalId = Id<'uidLocal'>

/** The fields of a local uid id. */
export interface UidLocalFields extends UidTime {
  /** Number within the step, 0 to 16383. */
  readonly sequence: number
}

export const NAME = 'uidLocal'

const coder = /* @__PURE__ */ radix64(NAME, ALPHABET)
/** 8 bytes are encoded as the first 8 of 12: 11 characters have 66 bits, of which 64 are used. */
const PADDED_BYTES = 12
const PADDING = '.....' // 5 of digit 0

export function encode(bytes: Uint8Array): UidLocalId {
  const padded = new Uint8Array(PADDED_BYTES)
  padded.set(checkBytes(NAME, bytes, LOCAL_BYTE_LENGTH))
  return coder.encode(padded).slice(0, LOCAL_TEXT_LENGTH) as UidLocalId
}

export function decode(text: string): Uint8Array {
  if (!isSpelled(ALPHABET, checkText(NAME, text, LOCAL_TEXT_LENGTH), 0)) refuseCharacter(NAME, ALPHABET, text)
  const padded = coder.decode(text + PADDING)
  if (padded[LOCAL_BYTE_LENGTH] !== 0) {
    const reason = `the last character of ${show(text)} sets bits beyond the 64th`
    fail('NOT_CANONICAL', NAME, reason, text, undefined, LOCAL_TEXT_LENGTH - 1)
  }
  return padded.slice(0, LOCAL_BYTE_LENGTH)
}

/**
 * Whether the characters from `start` on are the text of an id. The lowest two bits of the last one are unused and 0.
 */
export const check = (text: string, start = 0): boolean =>
  text.length - start === LOCAL_TEXT_LENGTH &&
  isSpelled(ALPHABET, text, start) &&
  ((ALPHABET.digits[text.charCodeAt(text.length - 1)] as number) & 3) === 0

/** Fields that are known to be in range. */
export function spell({ megaSeconds, seconds, microSeconds, sequence }: UidLocalFields): UidLocalId {
  const tail = ((microSeconds / STEP_US) << 14) | sequence
  return coder
    .spell(
      (megaSeconds << 4) | (seconds >> 16),
      ((seconds & 0xffff) << 8) | (tail >> 16),
      (tail & 0xffff) << 8,
      0,
    )
    .slice(0, LOCAL_TEXT_LENGTH) as UidLocalId
}

export function pack({ sequence, ...time }: UidLocalFields): UidLocalId {
  return spell({
    ...checkTime(NAME, time),
    sequence: checkInteger(NAME, 'sequence', sequence, 0, MAX_SEQUENCE),
  })
}

export function unpack(id: UidLocalId): UidLocalFields {
  const bytes = decode(id)
  const head = readUint(bytes, 0, 5)
  const tail = readUint(bytes, 5, 3)
  return {
    megaSeconds: Math.floor(head / 2 ** 20),
    seconds: head % 2 ** 20,
    microSeconds: (tail >> 14) * STEP_US,
    sequence: tail & MAX_SEQUENCE,
  }
}

export function timeMs(id: UidLocalId): number {
  return unixMs(unpack(id))
}

export function lowerBoundMs(timeMs: number): UidLocalId {
  return spell(timeAtOrAfter(timeMs))
}
