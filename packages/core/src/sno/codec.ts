import type { Id } from '../family.js'
import { readUint } from '../primitives/bytes.js'
import { checkTimeField } from '../primitives/clock.js'
import { checkInteger, fail } from '../primitives/errors.js'
import { radix32 } from '../primitives/radix.js'
import { ALPHABET, EPOCH_MS, LAST_MS, MAX_META, MAX_PARTITION, MAX_SEQUENCE, UNIT_MS } from './layout.js'

/** A sno id: 16 characters; time in units of 4 ms, metabyte, partition, sequence. */
export type SnoId = Id<'sno'>

/** The fields of a sno id. */
export interface SnoFields {
  /** Unix milliseconds at which the 4 ms unit starts, from 2010-01-01 to 2079-09-07. */
  readonly timeMs: number
  /** The tick-tock bit, which toggles when the clock steps back, so that the time can be used again. */
  readonly tickTock: 0 | 1
  /** The metabyte, 0 to 255. */
  readonly meta: number
  /** The generator's partition, 0 to 65535. */
  readonly partition: number
  /** Number within the unit, 0 to 65535. */
  readonly sequence: number
}

export const NAME = 'sno'
export const SPAN = { name: NAME, firstMs: EPOCH_MS, lastMs: LAST_MS }

export const coder = /* @__PURE__ */ radix32<SnoId>(NAME, ALPHABET)

/** The text of fields that are known to be in range. */
export function spell(
  units: number,
  tickTock: number,
  meta: number,
  partition: number,
  sequence: number,
): SnoId {
  const high = Math.floor(units / 2 ** 19)
  return coder.spell(
    high,
    ((units - high * 2 ** 19) << 1) | tickTock,
    (meta << 12) | (partition >> 4),
    ((partition & 15) << 16) | sequence,
  )
}

export function checkMeta(meta: number): number {
  return checkInteger(NAME, 'meta', meta, 0, MAX_META)
}

export function pack({ timeMs, tickTock, meta, partition, sequence }: SnoFields): SnoId {
  const units = (checkTimeField(SPAN, timeMs) - EPOCH_MS) / UNIT_MS
  if (!Number.isInteger(units)) {
    const reason = `timeMs must be a multiple of ${UNIT_MS}, the start of a unit, not ${timeMs}`
    fail('FIELD_OUT_OF_RANGE', NAME, reason, timeMs, 'timeMs')
  }
  return spell(
    units,
    checkInteger(NAME, 'tickTock', tickTock, 0, 1),
    checkMeta(meta),
    checkInteger(NAME, 'partition', partition, 0, MAX_PARTITION),
    checkInteger(NAME, 'sequence', sequence, 0, MAX_SEQUENCE),
  )
}

export function unpack(id: SnoId): SnoFields {
  const bytes = coder.decode(id)
  return {
    timeMs: timeOf(bytes),
    tickTock: (readUint(bytes, 4, 1) & 1) as 0 | 1,
    meta: readUint(bytes, 5, 1),
    partition: readUint(bytes, 6, 2),
    sequence: readUint(bytes, 8, 2),
  }
}

export function timeMs(id: SnoId): number {
  return timeOf(coder.decode(id))
}

export function meta(id: SnoId): number {
  return readUint(coder.decode(id), 5, 1)
}

export function withMeta(id: SnoId, meta: number): SnoId {
  const bytes = coder.decode(id)
  bytes[5] = checkMeta(meta)
  return coder.encode(bytes)
}

function timeOf(bytes: Uint8Array): number {
  return EPOCH_MS + Math.floor(readUint(bytes, 0, 5) / 2) * UNIT_MS
}
