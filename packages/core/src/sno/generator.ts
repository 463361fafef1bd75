import type { IdFamily, IdGenerator } from '../family.js'
import { batch } from '../primitives/batch.js'
import { type Clock, checkSpan, type Time, toUnixMs } from '../primitives/clock.js'
import { IdError } from '../primitives/errors.js'
import { blockUntil, WaitingQueue, type WaitOptions } from '../primitives/waiting.js'
import type { Backfill } from './backfill.js'
import { checkMeta, NAME, type SnoId, SPAN, spell } from './codec.js'
import { EPOCH_MS, UNIT_MS } from './layout.js'
import { type SnoGeneratorOptions, settle } from './options.js'
import { OverflowWatch } from './overflow.js'
import type { SnoSnapshot } from './snapshot.js'

/** The longest that `generate` blocks: three units. */
const MAX_BLOCK_MS = 3 * UNIT_MS

/**
 * Makes ids of one partition. Two live generators may share a partition only with disjoint sequence bounds.
 */
export interface SnoGenerator extends IdGenerator<SnoId> {
  /** Which generator this is, 0 to 65535. */
  readonly partition: number
  /** The first sequence number of each unit. */
  readonly sequenceMin: number
  /** The last one. */
  readonly sequenceMax: number
  /** The last number used in the clock's present unit, or the first one if none was. */
  readonly sequence: number
  /** How many numbers the clock's present unit has used. */
  readonly length: number
  /** How many ids fit a unit of 4 ms. */
  readonly capacity: number
  /**
   * A new id, with the given metabyte or the generator's own. Blocks for the next unit when this one is used
   * up.
   *
   * @throws {IdError} `CLOCK_MOVED_BACK` if the clock stepped back twice and has more than 12 ms to catch up;
   * `SEQUENCE_EXHAUSTED` if the clock stood still for 12 ms; `FIELD_OUT_OF_RANGE` for the metabyte.
   */
  generate(meta?: number): SnoId
  /** The same, waiting as long as it takes without blocking, in the order of the calls; a signal ends the wait. */
  generateAsync(meta?: number, options?: WaitOptions): Promise<SnoId>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch(count: number, meta?: number): SnoId[]
  /**
   * An id that carries the given moment, floored to its unit. It draws on a sequence shard of its own, so it
   * never repeats an id of `generate`, and ids for equal moments keep the order in which they were made.
   *
   * Memory is bounded: the counters of the last 65,536 distinct units are kept where moments only ascend, else of
   * a million. Between the units whose counters were dropped nothing is generated any more, rather than an id again.
   *
   * @throws {IdError} `TIME_OUT_OF_RANGE`, `INVALID_TIME`, `SEQUENCE_EXHAUSTED` when the unit's shard is used
   * up or its counter was dropped, `INVALID_OPTION` if the generator has explicit bounds and no `backfill` shard.
   */
  generateAt(time: Time, meta?: number): SnoId
  /** The state, to be restored by a later generator. Plain JSON. */
  snapshot(): SnoSnapshot
}

export function createGenerator(family: IdFamily<SnoId>, options: SnoGeneratorOptions = {}): SnoGenerator {
  return new Generator(family, options)
}

class Generator implements SnoGenerator {
  readonly partition: number
  readonly sequenceMin: number
  readonly sequenceMax: number
  private readonly clock: Clock
  private readonly meta: number
  private readonly backfill: Backfill | undefined
  private readonly overflow: OverflowWatch
  private wallHi: number
  private wallSafe: number
  private drifts: number
  private lastSequence: number
  private lastUnits = 0
  private readonly queue = new WaitingQueue(() => this.waitMs)

  constructor(
    readonly family: IdFamily<SnoId>,
    options: SnoGeneratorOptions,
  ) {
    const { state, backfill, clock, meta } = settle(options)
    this.partition = state.partition
    this.sequenceMin = state.sequenceMin
    this.sequenceMax = state.sequenceMax
    this.lastSequence = state.sequence
    this.wallHi = state.wallHi
    this.wallSafe = state.wallSafe
    this.drifts = state.drifts
    this.clock = clock
    this.meta = meta
    this.backfill = backfill
    this.overflow = new OverflowWatch(options.onOverflow)
  }

  get capacity(): number {
    return this.sequenceMax - this.sequenceMin + 1
  }

  get sequence(): number {
    return this.sequenceAt(this.units())
  }

  get length(): number {
    if (this.units() !== this.wallHi) return 0
    return Math.min(this.lastSequence - this.sequenceMin + 1, this.capacity)
  }

  // Functions of the instance, so that they can be handed around without it, as those of other families can.

  readonly generate = (meta: number = this.meta): SnoId => {
    checkMeta(meta)
    return this.attempt(meta) ?? this.block(meta)
  }

  readonly generateAsync = async (meta: number = this.meta, options?: WaitOptions): Promise<SnoId> => {
    checkMeta(meta)
    let isWaiting = this.queue.isBusy
    if (isWaiting) this.overflow.enter()
    const attempt = (): SnoId | undefined => {
      if (isWaiting) return this.retry(meta)
      const id = this.attempt(meta)
      isWaiting = id === undefined
      if (isWaiting) this.overflow.enter()
      return id
    }
    try {
      return await this.queue.take(attempt, options)
    } finally {
      if (isWaiting) this.overflow.leave()
    }
  }

  readonly batch = (count: number, meta: number = this.meta): SnoId[] =>
    batch(NAME, () => this.generate(meta), count)

  readonly generateAt = (time: Time, meta: number = this.meta): SnoId => {
    checkMeta(meta)
    if (this.backfill === undefined) {
      throw new IdError(
        'INVALID_OPTION',
        `${NAME}: generateAt needs sequence numbers that generate() doesn't use; give the generator ` +
          `backfill: { sequenceMin, sequenceMax } outside ${this.sequenceMin} to ${this.sequenceMax}`,
        { family: NAME, field: 'backfill' },
      )
    }
    const units = unitsOf(toUnixMs(NAME, time))
    return spell(units, 0, meta, this.partition, this.backfill.next(units))
  }

  readonly snapshot = (): SnoSnapshot => {
    const now = this.units()
    const backfill = this.backfill?.snapshot
    return {
      partition: [this.partition >> 8, this.partition & 0xff],
      sequenceMin: this.sequenceMin,
      sequenceMax: this.sequenceMax,
      sequence: this.sequenceAt(now),
      now,
      wallHi: this.wallHi,
      wallSafe: this.wallSafe,
      drifts: this.drifts,
      ...(backfill && { backfill }),
    }
  }

  private units(): number {
    this.lastUnits = unitsOf(toUnixMs(NAME, this.clock()))
    return this.lastUnits
  }

  private sequenceAt(units: number): number {
    return units === this.wallHi ? this.lastSequence : this.sequenceMin
  }

  /** An id, or undefined if the clock must move first. Reads the clock once. */
  private attempt(meta: number): SnoId | undefined {
    const now = this.units()
    if (now === this.wallHi) {
      if (this.lastSequence >= this.sequenceMax) return undefined
      this.lastSequence++
    } else if (now > this.wallHi) {
      this.enter(now)
    } else if (now > this.wallSafe) {
      // Units up to wallHi are used with the present tick-tock bit, but with the other one only those up to
      // wallSafe.
      this.wallSafe = this.wallHi
      this.drifts = (this.drifts + 1) >>> 0
      this.enter(now)
    } else {
      return undefined
    }
    return spell(now, this.drifts & 1, meta, this.partition, this.lastSequence)
  }

  private enter(units: number): void {
    this.wallHi = units
    this.lastSequence = this.sequenceMin
  }

  private block(meta: number): SnoId {
    this.overflow.enter()
    try {
      const id = this.waitMs <= MAX_BLOCK_MS ? blockUntil(() => this.retry(meta), MAX_BLOCK_MS) : undefined
      if (id !== undefined) return id
    } finally {
      this.overflow.leave()
    }
    throw this.isUnitUsedUp ? this.exhausted() : this.movedBack()
  }

  private retry(meta: number): SnoId | undefined {
    const id = this.attempt(meta)
    if (id === undefined && this.isUnitUsedUp) this.overflow.look()
    return id
  }

  /** Why the last attempt failed: no number left, as opposed to a clock that is behind. */
  private get isUnitUsedUp(): boolean {
    return this.lastUnits === this.wallHi
  }

  /** How long the clock needs, going by its last reading, to wallHi, or past wallSafe if that is earlier. */
  private get waitMs(): number {
    return (Math.min(this.wallHi, this.wallSafe + 1) - this.lastUnits) * UNIT_MS
  }

  private exhausted(): IdError {
    return new IdError(
      'SEQUENCE_EXHAUSTED',
      `${NAME}: all ${this.capacity} ids of this unit are used and the clock stood still for ${MAX_BLOCK_MS} ms`,
      { family: NAME, waitMs: UNIT_MS },
    )
  }

  private movedBack(): IdError {
    return new IdError(
      'CLOCK_MOVED_BACK',
      `${NAME}: the clock moved back a second time, ids are possible again in ${this.waitMs} ms; generateAsync() waits`,
      { family: NAME, waitMs: this.waitMs },
    )
  }
}

/** The unit of a moment. @throws {IdError} `TIME_OUT_OF_RANGE`. */
function unitsOf(timeMs: number): number {
  const units = Math.floor((timeMs - EPOCH_MS) / UNIT_MS)
  checkSpan(SPAN, EPOCH_MS + units * UNIT_MS)
  return units
}
