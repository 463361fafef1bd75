import { checkInteger, IdError } from '../primitives/errors.js'
import { NAME } from './codec.js'
import { MAX_UNITS } from './layout.js'

/** Sequence numbers that a generator may use, 0 to 65535, both ends included. */
export interface SequenceBounds {
  /** The first. */
  readonly sequenceMin: number
  /** The last. */
  readonly sequenceMax: number
}

/** What a snapshot tells of `generateAt`: its shard, and what it made. Units are of 4 ms since 2010. */
export interface SnoBackfillSnapshot extends SequenceBounds {
  /** The first unit that was visited. */
  readonly from: number
  /** The last one. Between the two nothing is generated any more, but in `last`. */
  readonly to: number
  /** The unit of the last call. */
  readonly last: number
  /** How many ids it has. */
  readonly count: number
}

/** Units whose counters are kept: of times that only ascend those of the last minutes, of others about 50 MB. */
const KEPT_ASCENDING = 2 ** 16
const KEPT = 2 ** 20

/**
 * The sequence shard of `generateAt`: each unit counts for itself, so that equal moments keep their order. Memory is
 * bounded: of the units whose counter was dropped only the first and the last are known, and between them nothing is
 * generated any more.
 */
export class Backfill {
  /** By unit, how many ids it has. */
  private readonly counts = new Map<number, number>()
  private droppedFrom = Number.POSITIVE_INFINITY
  private droppedTo = Number.NEGATIVE_INFINITY
  private last = Number.NEGATIVE_INFINITY
  private isAscending = true

  constructor(
    private readonly bounds: SequenceBounds,
    snapshot: SnoBackfillSnapshot | undefined,
  ) {
    if (snapshot === undefined) return
    const unit = (field: 'from' | 'to' | 'last', minimum: number): number =>
      checkInteger(NAME, `backfill.${field}`, snapshot[field], minimum, MAX_UNITS)
    this.droppedFrom = unit('from', 0)
    this.droppedTo = unit('to', this.droppedFrom)
    this.last = unit('last', 0)
    this.counts.set(this.last, checkInteger(NAME, 'backfill.count', snapshot.count, 1, 2 ** 16))
  }

  next(units: number): number {
    const count = this.counts.get(units) ?? this.firstOf(units)
    const sequence = this.bounds.sequenceMin + count
    if (sequence > this.bounds.sequenceMax) {
      throw new IdError(
        'SEQUENCE_EXHAUSTED',
        `${NAME}: generateAt has made all ${count} ids of its shard for this unit of 4 ms`,
        { family: NAME },
      )
    }
    this.isAscending &&= units >= this.last
    this.last = units
    this.counts.set(units, count + 1)
    if (this.counts.size > (this.isAscending ? KEPT_ASCENDING : KEPT)) this.drop()
    return sequence
  }

  /** Undefined where `generateAt` was not called. */
  get snapshot(): SnoBackfillSnapshot | undefined {
    if (this.counts.size === 0) return undefined
    let [from, to] = [this.droppedFrom, this.droppedTo]
    for (const unit of this.counts.keys()) {
      from = Math.min(from, unit)
      to = Math.max(to, unit)
    }
    const { sequenceMin, sequenceMax } = this.bounds
    return {
      sequenceMin,
      sequenceMax,
      from,
      to,
      last: this.last,
      count: this.counts.get(this.last) as number,
    }
  }

  private firstOf(units: number): number {
    if (units < this.droppedFrom || units > this.droppedTo) return 0
    throw new IdError(
      'SEQUENCE_EXHAUSTED',
      `${NAME}: generateAt no longer knows which ids of this moment it made, so it makes no more of them; ` +
        'go through the moments in order, or use a generator with another partition or backfill shard',
      { family: NAME, field: 'time' },
    )
  }

  /** Forgets the half of the counters that is further from the last call's. */
  private drop(): void {
    const units = [...this.counts.keys()].sort((a, b) => Math.abs(a - this.last) - Math.abs(b - this.last))
    for (const unit of units.slice(units.length / 2)) {
      this.counts.delete(unit)
      this.droppedFrom = Math.min(this.droppedFrom, unit)
      this.droppedTo = Math.max(this.droppedTo, unit)
    }
  }
}
