import type { BackfillSnapshot } from '../primitives/backfill.js'
import { checkInteger, refuseType } from '../primitives/errors.js'
import { refuse } from '../primitives/options.js'
import { NAME } from './codec.js'
import { MAX_PARTITION, MAX_SEQUENCE, MAX_UNITS } from './layout.js'

/**
 * A generator's state, with the field names of the Go implementation's JSON. Times are in units of 4 ms since 2010.
 */
export interface SnoSnapshot {
  /** The partition's high and low byte. */
  readonly partition: readonly [number, number]
  /** The first sequence number of each unit. */
  readonly sequenceMin: number
  /** The last sequence number of each unit. 0 means 65535, as if left out of the Go implementation's JSON. */
  readonly sequenceMax: number
  /** The last number used in the unit `now`, or the first one if none was used. */
  readonly sequence: number
  /** The unit of the snapshot. If it is not `wallHi`, `wallHi` counts as used up. */
  readonly now: number
  /** The last unit in which an id was generated. */
  readonly wallHi: number
  /** The last unit in use when the clock stepped back. */
  readonly wallSafe: number
  /** How often the clock stepped back. Its lowest bit is the tick-tock bit. */
  readonly drifts: number
  /** The state of `generateAt`, which the Go implementation lacks. Undefined before its first call. */
  readonly backfill?: BackfillSnapshot
}

/** The initial state of a generator. */
export interface SnoState {
  /** Undefined if it is still to be drawn. */
  readonly partition: number | undefined
  readonly sequenceMin: number
  readonly sequenceMax: number
  readonly sequence: number
  readonly wallHi: number
  readonly wallSafe: number
  readonly drifts: number
}

const MAX_UINT32 = 0xffff_ffff
/** The Go implementation's documentation says 4, but its code requires 6. */
const MIN_CAPACITY = 6

/** Bounds in ascending order. @throws {IdError} `INVALID_OPTION` for fewer than 6 numbers. */
export function orderBounds(one: number, other: number): { sequenceMin: number; sequenceMax: number } {
  const sequenceMin = Math.min(checkBound('sequenceMin', one), checkBound('sequenceMax', other))
  const sequenceMax = Math.max(one, other)
  if (sequenceMax - sequenceMin + 1 < MIN_CAPACITY) {
    const reason = `sequence bounds must include at least ${MIN_CAPACITY} numbers, not ${sequenceMin} to ${sequenceMax}`
    refuse(NAME, 'sequenceMax', sequenceMax, reason)
  }
  return { sequenceMin, sequenceMax }
}

function checkBound(field: string, value: number): number {
  return checkInteger(NAME, field, value, 0, MAX_SEQUENCE)
}

/** The state of a snapshot, as the Go implementation restores it. */
export function restore(snapshot: SnoSnapshot): SnoState {
  if (typeof snapshot !== 'object' || snapshot === null)
    refuseType(NAME, 'a snapshot must be an object', snapshot, 'snapshot')
  const { sequenceMin, sequenceMax } = orderBounds(
    snapshot.sequenceMin,
    // As in the Go implementation's JSON, where an absent field is 0: without an upper bound there is no limit.
    snapshot.sequenceMax === 0 && snapshot.sequenceMin !== MAX_SEQUENCE ? MAX_SEQUENCE : snapshot.sequenceMax,
  )
  const now = checkInteger(NAME, 'now', snapshot.now, 0, MAX_UNITS)
  const wallHi = checkInteger(NAME, 'wallHi', snapshot.wallHi, 0, MAX_UNITS)
  const sequence = checkInteger(NAME, 'sequence', snapshot.sequence, 0, MAX_UINT32) || sequenceMin
  if (sequence < sequenceMin) {
    const reason = `a snapshot's sequence must be at or above its lower bound ${sequenceMin}, not ${sequence}`
    refuse(NAME, 'sequence', sequence, reason)
  }
  return {
    partition: partitionNumber(snapshot.partition),
    sequenceMin,
    sequenceMax,
    // A snapshot of another unit doesn't say how many numbers of wallHi are used, so all of them count as used.
    sequence: sequence === sequenceMin && now > 0 && now !== wallHi ? sequenceMax : sequence,
    wallHi,
    wallSafe: checkInteger(NAME, 'wallSafe', snapshot.wallSafe, 0, MAX_UNITS),
    drifts: checkInteger(NAME, 'drifts', snapshot.drifts, 0, MAX_UINT32),
  }
}

function partitionNumber(partition: readonly [number, number]): number {
  if (!Array.isArray(partition) || partition.length !== 2) {
    refuseType(NAME, "a snapshot's partition must be an array of two bytes", partition, 'partition')
  }
  const [high, low] = partition.map((byte) => checkInteger(NAME, 'partition', byte, 0, 0xff)) as [
    number,
    number,
  ]
  return (high << 8) | low
}

export function checkPartition(partition: number): number {
  return checkInteger(NAME, 'partition', partition, 0, MAX_PARTITION)
}
