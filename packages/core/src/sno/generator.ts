import type { IdFamily, IdGenerator, IdOf } from '../family.js'
import { batch } from '../primitives/batch.js'
import { checkSpan, type Time, toUnixMs } from '../primitives/clock.js'
import { IdError } from '../primitives/errors.js'
import { blockUntil, type WaitOptions, waitingQueue } from '../primitives/waiting.js'
import { checkMeta, NAME, type SnoId, SPAN, spell } from './codec.js'
import { EPOCH_MS, UNIT_MS } from './layout.js'
import { type SnoGeneratorOptions, settle } from './options.js'
import { overflowWatch } from './overflow.js'
import { defaultPartition } from './partition.js'
import type { SnoSnapshot } from './snapshot.js'

/** The longest that `generate` blocks: three units. */
const MAX_BLOCK_MS = 12

/**
 * Generates ids of one partition. Two live generators may share a partition only with disjoint sequence bounds.
 */
export interface SnoGenerator extends IdGenerator<SnoId> {
  /** The partition, 0 to 65535. A default one is drawn with the first id, or when it is read. */
  readonly partition: number
  /** The first sequence number of each unit. */
  readonly sequenceMin: number
  /** The last sequence number of each unit. */
  readonly sequenceMax: number
  /** The last number used in the clock's current unit, or the first one if none was used. */
  readonly sequence: number
  /** How many numbers of the clock's current unit are used. */
  readonly length: number
  /** The number of ids in a unit of 4 ms. */
  readonly capacity: number
  /**
   * A new id with this metabyte; default the generator's. Blocks until the next unit if this one is used up.
   *
   * @throws {IdError} `CLOCK_MOVED_BACK` if the clock stepped back twice and has more than 12 ms to catch up;
   * `SEQUENCE_EXHAUSTED` if the clock stood still for 12 ms; `FIELD_OUT_OF_RANGE` for the metabyte.
   */
  generate<Of extends string = string>(meta?: number): IdOf<SnoId, Of>
  /** A new id, waiting without blocking for as long as necessary. Calls resolve in order; a signal aborts the wait. */
  generateAsync<Of extends string = string>(meta?: number, options?: WaitOptions): Promise<IdOf<SnoId, Of>>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number, meta?: number): IdOf<SnoId, Of>[]
  /**
   * An id with this time, rounded down to its unit. It has its own sequence numbers, so it never repeats an id of
   * `generate`, and ids for equal times sort in the order of the calls.
   *
   * Memory is bounded: it keeps the counters of the last 65,536 distinct units if times only ascend, else those of a
   * million. Between the first and the last unit whose counters were dropped, it throws rather than repeat an id.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`, `SEQUENCE_EXHAUSTED` when the unit's shard is used
   * up or its counter was dropped, `INVALID_OPTION` if the generator has explicit bounds and no `backfill` shard.
   */
  generateAt<Of extends string = string>(time: Time, meta?: number): IdOf<SnoId, Of>
  /** The state as plain JSON, from which a later generator can continue. */
  snapshot(): SnoSnapshot
}

export function createGenerator(family: IdFamily<SnoId>, options: SnoGeneratorOptions = {}): SnoGenerator {
  const { state, backfill, clock, meta: ownMeta, onOverflow } = settle(options)
  const { sequenceMin, sequenceMax } = state
  let { partition } = state
  let { wallHi, wallSafe, drifts, sequence: lastSequence } = state
  let lastUnits = 0
  const overflow = overflowWatch(onOverflow)
  const capacity = sequenceMax - sequenceMin + 1

  const clockUnits = (): number => {
    lastUnits = unitsOf(toUnixMs(NAME, clock()))
    return lastUnits
  }
  /** Drawn when it is needed: some runtimes, such as Cloudflare Workers, have no randomness while modules load. */
  const ownPartition = (): number => {
    partition ??= defaultPartition()
    return partition
  }
  const sequenceAt = (units: number): number => (units === wallHi ? lastSequence : sequenceMin)
  const enter = (units: number): void => {
    wallHi = units
    lastSequence = sequenceMin
  }

  /** An id, or undefined if the clock must move first. Reads the clock once. */
  const attempt = (meta: number): SnoId | undefined => {
    const drawn = partition ?? ownPartition()
    const now = clockUnits()
    if (now === wallHi) {
      if (lastSequence >= sequenceMax) return undefined
      lastSequence++
    } else if (now > wallHi) {
      enter(now)
    } else if (now > wallSafe) {
      // Units up to wallHi are used with the current tick-tock bit; with the other one, only those up to wallSafe.
      wallSafe = wallHi
      drifts = (drifts + 1) >>> 0
      enter(now)
    } else {
      return undefined
    }
    return spell(now, drifts & 1, meta, drawn, lastSequence)
  }

  /** Whether the last attempt failed because no number was left, not because the clock is behind. */
  const isUnitUsedUp = (): boolean => lastUnits === wallHi

  const retry = (meta: number): SnoId | undefined => {
    const id = attempt(meta)
    if (id === undefined && isUnitUsedUp()) overflow.look()
    return id
  }

  /** Milliseconds from the clock's last reading to wallHi, or past wallSafe if that is earlier. */
  const waitMs = (): number => (Math.min(wallHi, wallSafe + 1) - lastUnits) * UNIT_MS

  const block = (meta: number): SnoId => {
    overflow.enter()
    try {
      const id = waitMs() <= MAX_BLOCK_MS ? blockUntil(() => retry(meta), MAX_BLOCK_MS) : undefined
      if (id !== undefined) return id
    } finally {
      overflow.leave()
    }
    if (isUnitUsedUp()) {
      throw new IdError(
        'SEQUENCE_EXHAUSTED',
        `${NAME}: all ${capacity} ids of this unit are used up and the clock has not moved for ${MAX_BLOCK_MS} ms; ` +
          `retry in ${UNIT_MS} ms, or use generateAsync(), which waits`,
        { family: NAME, waitMs: UNIT_MS },
      )
    }
    throw new IdError(
      'CLOCK_MOVED_BACK',
      `${NAME}: the clock moved back again; retry in ${waitMs()} ms, or use generateAsync(), which waits`,
      { family: NAME, waitMs: waitMs() },
    )
  }

  const queue = waitingQueue(NAME, waitMs)
  const generate = (meta = ownMeta): SnoId => {
    checkMeta(meta)
    return attempt(meta) ?? block(meta)
  }
  return {
    family,
    get partition() {
      return ownPartition()
    },
    sequenceMin,
    sequenceMax,
    capacity,
    get sequence() {
      return sequenceAt(clockUnits())
    },
    get length() {
      return clockUnits() === wallHi ? Math.min(lastSequence - sequenceMin + 1, capacity) : 0
    },
    generate,
    async generateAsync(meta = ownMeta, options) {
      checkMeta(meta)
      let isWaiting = queue.isBusy()
      if (isWaiting) overflow.enter()
      try {
        return await queue.take(() => {
          if (isWaiting) return retry(meta)
          const id = attempt(meta)
          isWaiting = id === undefined
          if (isWaiting) overflow.enter()
          return id
        }, options)
      } finally {
        if (isWaiting) overflow.leave()
      }
    },
    batch: (count, meta) => batch(NAME, () => generate(meta), count),
    generateAt(time, meta = ownMeta) {
      checkMeta(meta)
      const units = unitsOf(toUnixMs(NAME, time))
      return spell(units, 0, meta, ownPartition(), backfill.next(units))
    },
    snapshot() {
      const now = clockUnits()
      const backfillState = backfill.snapshot()
      return {
        partition: [ownPartition() >> 8, ownPartition() & 0xff],
        sequenceMin,
        sequenceMax,
        sequence: sequenceAt(now),
        now,
        wallHi,
        wallSafe,
        drifts,
        ...(backfillState && { backfill: backfillState }),
      }
    },
  } as SnoGenerator
}

/** The unit of a time. @throws {IdError} `TIME_OUT_OF_RANGE`. */
function unitsOf(timeMs: number): number {
  const units = Math.floor((timeMs - EPOCH_MS) / UNIT_MS)
  checkSpan(SPAN, EPOCH_MS + units * UNIT_MS)
  return units
}
