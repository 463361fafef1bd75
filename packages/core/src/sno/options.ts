import { createBackfill, type SequenceBounds } from '../primitives/backfill.js'
import { type Clock, systemClock } from '../primitives/clock.js'
import { checkOptions, ownOptions, refuse } from '../primitives/options.js'
import { checkMeta, NAME } from './codec.js'
import { MAX_SEQUENCE, MAX_UNITS } from './layout.js'
import type { SnoOverflow } from './overflow.js'
import { checkPartition, orderBounds, restore, type SnoSnapshot, type SnoState } from './snapshot.js'

/** Options of `sno.generator`. */
export interface SnoGeneratorOptions {
  /**
   * 0 to 65535. No two live generators may share it. Default: a number that is random for each process and counts up
   * from there; another process may have the same one.
   */
  readonly partition?: number
  /**
   * The first sequence number for `generate`; with `sequenceMax` at least 6 numbers, in either order. 0 to
   * 61439 if neither is passed, 0 to 65535 if one is.
   */
  readonly sequenceMin?: number
  /** The last sequence number for `generate`. */
  readonly sequenceMax?: number
  /**
   * Sequence numbers for `generateAt`, apart from those of `generate`. Default: those of the snapshot, or 61440 to
   * 65535 if no bounds are passed.
   */
  readonly backfill?: SequenceBounds
  /** A state to continue from, instead of partition and bounds. */
  readonly snapshot?: SnoSnapshot
  /** The metabyte of ids for which none is passed, 0 to 255. Default 0. */
  readonly meta?: number
  /** The clock. Default `Date.now`. */
  readonly clock?: Clock
  /**
   * Called while calls wait because a unit is used up. If it throws, the call throws the same, and its number is lost.
   */
  readonly onOverflow?: (overflow: SnoOverflow) => void
}

/** 15 of 16 numbers for `generate`: 61,440 in 4 ms is about as many as a fast process can generate. */
const LIVE: SequenceBounds = { sequenceMin: 0, sequenceMax: 0xefff }
const BACKFILL: SequenceBounds = { sequenceMin: 0xf000, sequenceMax: MAX_SEQUENCE }

/** The options, checked and with defaults. */
export function settle(passed: SnoGeneratorOptions) {
  const options = checkOptions(NAME, passed, {
    partition: 'number',
    sequenceMin: 'number',
    sequenceMax: 'number',
    backfill: 'any',
    snapshot: 'any',
    meta: 'number',
    clock: 'function',
    onOverflow: 'function',
  })
  const state = startingState(options)
  const isDefault = state.sequenceMin === LIVE.sequenceMin && state.sequenceMax === LIVE.sequenceMax
  const shard = {
    backfill: options.backfill,
    snapshot: ownOptions(options.snapshot)?.backfill,
    standard: isDefault ? BACKFILL : undefined,
  }
  return {
    state,
    backfill: createBackfill(NAME, state, shard, MAX_SEQUENCE, MAX_UNITS, 'sequenceMax: 32767, '),
    clock: options.clock ?? systemClock,
    meta: checkMeta(options.meta ?? 0),
    onOverflow: options.onOverflow,
  }
}

function startingState({ partition, sequenceMin, sequenceMax, snapshot }: SnoGeneratorOptions): SnoState {
  if (snapshot !== undefined) {
    if (partition !== undefined || sequenceMin !== undefined || sequenceMax !== undefined) {
      refuse(
        NAME,
        'snapshot',
        undefined,
        'a snapshot contains partition and bounds; pass the snapshot or those, not both',
      )
    }
    return restore(snapshot)
  }
  const bounds =
    sequenceMin === undefined && sequenceMax === undefined
      ? LIVE
      : orderBounds(sequenceMin ?? 0, sequenceMax ?? MAX_SEQUENCE)
  return {
    ...bounds,
    partition: partition === undefined ? undefined : checkPartition(partition),
    sequence: bounds.sequenceMin,
    wallHi: 0,
    wallSafe: 0,
    drifts: 0,
  }
}
