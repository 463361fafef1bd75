import { IdError } from '../primitives/errors.js'
import { NAME } from './codec.js'

/** Sequence numbers that a generator may use, 0 to 65535, both ends included. */
export interface SequenceBounds {
  /** The first. */
  readonly sequenceMin: number
  /** The last. */
  readonly sequenceMax: number
}

/**
 * The sequence shard of `generateAt`: each unit counts for itself, so that equal moments keep their order.
 */
export class Backfill {
  private readonly used = new Map<number, number>()

  constructor(private readonly bounds: SequenceBounds) {}

  next(units: number): number {
    const count = this.used.get(units) ?? 0
    const sequence = this.bounds.sequenceMin + count
    if (sequence > this.bounds.sequenceMax) {
      throw new IdError(
        'SEQUENCE_EXHAUSTED',
        `${NAME}: generateAt has made all ${count} ids of its shard for this unit of 4 ms`,
        { family: NAME },
      )
    }
    this.used.set(units, count + 1)
    return sequence
  }
}
