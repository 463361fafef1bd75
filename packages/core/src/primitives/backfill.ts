import { checkInteger, fail, type IdErrorCode } from './errors.js'
import { checkOptions, ownOptions } from './options.js'

/** Sequence numbers that a generator may use (flake calls them counters), both ends included. */
export interface SequenceBounds {
  /** The first number. */
  readonly sequenceMin: number
  /** The last number. */
  readonly sequenceMax: number
}

/**
 * The state of `generateAt`, as plain JSON. Units are those of the family's time: 4 ms since 2010 in sno,
 * milliseconds since the epoch in flake, 1024 a second in uid.
 */
export interface BackfillSnapshot extends SequenceBounds {
  /** The first unit that was visited. */
  readonly from: number
  /** The last unit that was visited. Between the two, ids are generated only in `last`. */
  readonly to: number
  /** The unit of the last call. */
  readonly last: number
  /** How many ids that unit has. */
  readonly count: number
}

/** The options that decide on the shard of `generateAt`. */
interface BackfillOptions {
  /** The shard. Default: that of the snapshot. */
  readonly backfill?: SequenceBounds | undefined
  /** The state of an earlier generator. */
  readonly snapshot?: BackfillSnapshot | undefined
  /** The shard if neither is passed. */
  readonly standard?: SequenceBounds | undefined
}

const BOUNDS = { sequenceMin: 'number', sequenceMax: 'number' } as const
const SNAPSHOT = {
  sequenceMin: 'number',
  sequenceMax: 'number',
  from: 'number',
  to: 'number',
  last: 'number',
  count: 'number',
} as const

/** How many units keep their counters: if times only ascend, and otherwise (about 50 MB). */
const KEPT_ASCENDING = 0x1_0000
const KEPT = 0x10_0000

/** The sequence shard of `generateAt`. */
export interface Backfill {
  /** The next number of a unit. @throws {IdError} `SEQUENCE_EXHAUSTED`, `INVALID_OPTION` if there is no shard. */
  next(unit: number): number
  /** Undefined before the first call of `generateAt`. */
  snapshot(): BackfillSnapshot | undefined
}

/**
 * Each unit has a counter, so that ids for equal times keep their order. Memory is bounded: of the units whose counters
 * were dropped, only the first and the last are known, and no id is generated between them.
 *
 * @param family its name, for errors.
 * @param live the numbers of `generate`.
 * @param maxSequence the last number of a unit.
 * @param maxUnit the last unit of the family's time.
 * @param narrowing for the error: the option, if any is needed, that reserves the upper half for `generateAt`.
 * @throws {IdError} `INVALID_OPTION` if the shard overlaps the numbers of `generate`, `FIELD_OUT_OF_RANGE`.
 *
 * @example
 * const shard = { sequenceMin: 12, sequenceMax: 15 }
 * const backfill = createBackfill('ticket', { sequenceMin: 0, sequenceMax: 11 }, { backfill: shard }, 15, 2 ** 40)
 * backfill.next(1_793_491_200) // 12
 */
export function createBackfill(
  family: string,
  live: SequenceBounds,
  options: BackfillOptions,
  maxSequence: number,
  maxUnit: number,
  narrowing = '',
): Backfill {
  const { backfill, snapshot: saved, standard } = ownOptions(options)
  checkOptions(family, backfill, BOUNDS, 'backfill')
  checkOptions(family, saved, SNAPSHOT, 'snapshot')
  const integer = (name: string, value: number, minimum: number, maximum: number): number =>
    checkInteger(family, name, value, minimum, maximum)
  const ordered = (bounds: SequenceBounds, whose: 'backfill' | 'snapshot'): SequenceBounds => {
    const one = integer(`${whose}.sequenceMin`, bounds.sequenceMin, 0, maxSequence)
    const other = integer(`${whose}.sequenceMax`, bounds.sequenceMax, 0, maxSequence)
    return { sequenceMin: Math.min(one, other), sequenceMax: Math.max(one, other) }
  }
  const refuse = (code: IdErrorCode, field: string, reason: string): never =>
    fail(code, family, reason, undefined, field)
  const checkApart = (own: SequenceBounds, { sequenceMin, sequenceMax }: SequenceBounds, whose: string) => {
    if (own.sequenceMax < sequenceMin || own.sequenceMin > sequenceMax) return
    refuse(
      'INVALID_OPTION',
      'backfill',
      `backfill ${own.sequenceMin} to ${own.sequenceMax} overlaps ${whose} ${sequenceMin} to ${sequenceMax}: ids ` +
        'could repeat',
    )
  }

  const advisedShard = (): string => {
    const half = (maxSequence + 1) / 2
    const isFree = live.sequenceMin > 0 || live.sequenceMax < maxSequence
    const [min, max] = !isFree
      ? [half, maxSequence]
      : live.sequenceMax < maxSequence
        ? [live.sequenceMax + 1, maxSequence]
        : [0, live.sequenceMin - 1]
    return `${isFree ? '' : narrowing}backfill: { sequenceMin: ${min}, sequenceMax: ${max} }`
  }

  /** Number of ids by unit; the unit of the last call is last. */
  const counts = new Map<number, number>()
  let droppedFrom = Number.POSITIVE_INFINITY
  let droppedTo = Number.NEGATIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  let isAscending = true

  const bounds = backfill ?? saved ?? standard
  const shard = bounds && ordered(bounds, backfill === undefined && saved ? 'snapshot' : 'backfill')
  if (shard) checkApart(shard, live, 'the live sequence')
  if (shard && saved) {
    const before = ordered(saved, 'snapshot')
    if (JSON.stringify(before) !== JSON.stringify(shard)) checkApart(shard, before, "the snapshot's")
    droppedFrom = integer('snapshot.from', saved.from, 0, maxUnit)
    droppedTo = integer('snapshot.to', saved.to, droppedFrom, maxUnit)
    last = integer('snapshot.last', saved.last, droppedFrom, droppedTo)
    const size = before.sequenceMax - before.sequenceMin + 1
    counts.set(last, integer('snapshot.count', saved.count, 1, size))
  }

  /** Drops the least recently used half of the counters. */
  const drop = (): void => {
    const kept = counts.size / 2
    for (const unit of counts.keys()) {
      if (counts.size <= kept) return
      counts.delete(unit)
      droppedFrom = Math.min(droppedFrom, unit)
      droppedTo = Math.max(droppedTo, unit)
    }
  }

  return {
    next(unit) {
      if (!shard) {
        return refuse(
          'INVALID_OPTION',
          'backfill',
          "generateAt needs sequence numbers that generate() doesn't use; create the generator with " +
            `${advisedShard()}, for example`,
        )
      }
      const count = counts.get(unit) ?? 0
      if (count === 0 && unit >= droppedFrom && unit <= droppedTo) {
        refuse(
          'SEQUENCE_EXHAUSTED',
          'time',
          'generateAt no longer knows which ids it generated for this time, so it could repeat one; pass the ' +
            'times in ascending order, or use a generator with another number or backfill shard',
        )
      }
      const sequence = shard.sequenceMin + count
      if (sequence > shard.sequenceMax) {
        const reason = `generateAt has used all ${count} ids of its shard for this time`
        refuse('SEQUENCE_EXHAUSTED', 'time', reason)
      }
      if (count > 0 && unit !== last) counts.delete(unit)
      counts.set(unit, count + 1)
      isAscending &&= unit >= last
      last = unit
      if (counts.size > (isAscending ? KEPT_ASCENDING : KEPT)) drop()
      return sequence
    },
    snapshot() {
      const count = counts.get(last)
      if (!shard || !count) return undefined
      let [from, to] = [droppedFrom, droppedTo]
      for (const unit of counts.keys()) {
        from = Math.min(from, unit)
        to = Math.max(to, unit)
      }
      return { ...shard, from, to, last, count }
    },
  }
}
