import { type Clock, IdError, type IdGenerator } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import { placeOf, type RootPlan } from './plan.js'
import type { KeyRecipe } from './recipes.js'
import { refuse } from './refusal.js'

/** Makes the ids of a round's rows, in their order. */
export class RoundIds {
  private readonly place: string
  private readonly maker: IdMaker
  private readonly keyTimes: KeyTimes | undefined

  constructor(root: RootPlan, { source, generator, maxDriftMs }: KeyRecipe, lastId: string | null) {
    this.place = placeOf(root)
    this.maker = new IdMaker(generator, maxDriftMs, lastId ?? undefined)
    this.keyTimes = source.kind === 'key' ? new KeyTimes(this.place, source.timeMs) : undefined
  }

  /** The time of the next row: its key's, or the one that was noted. */
  timeMs(key: string, noted: string | number | null): number {
    return this.keyTimes ? this.keyTimes.next(key) : Number(noted)
  }

  /** Another id each time. */
  next(timeMs: number): string {
    return withPath(this.place, () => this.maker.next(timeMs))
  }
}

/** Times of rows whose keys carry them, in the order of the keys. */
export class KeyTimes {
  private lastMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly place: string,
    private readonly timeMs: (key: string) => number,
  ) {}

  next(key: string): number {
    const timeMs = this.timeMs(key)
    if (timeMs < this.lastMs) {
      refuse(
        this.place,
        `${JSON.stringify(key)} sorts after a key of a later time, so key order is not creation order`,
        key,
      )
    }
    this.lastMs = timeMs
    return timeMs
  }
}

/**
 * Makes ascending ids for rows that come in the order of their times. Where a moment's ids are used up, the
 * clock of the generator moves on, so that order is kept and the time is a little ahead.
 */
class IdMaker {
  private readonly generator: IdGenerator<string>
  private nowMs = 0
  private reads = 0

  constructor(
    makeGenerator: (clock: Clock) => IdGenerator<string>,
    private readonly maxDriftMs: number,
    private last?: string | undefined,
  ) {
    // A generator that waits for the next unit reads the clock again: then it is told the next millisecond.
    this.generator = makeGenerator(() => (this.reads++ === 0 ? this.nowMs : ++this.nowMs))
    // Ids of the last moment may lie above the last id without being used. The next moment's surely do not.
    if (last !== undefined) this.nowMs = this.generator.family.timeMs(last)
  }

  next(rowMs: number): string {
    this.nowMs = Math.max(rowMs, this.nowMs)
    let id = this.generate(rowMs)
    while (this.last !== undefined && this.generator.family.compare(id, this.last) <= 0) {
      this.nowMs++
      id = this.generate(rowMs)
    }
    this.last = id
    return id
  }

  private generate(rowMs: number): string {
    this.reads = 0
    const id = this.generator.generate()
    const driftMs = Math.max(this.generator.family.timeMs(id), this.nowMs) - rowMs
    if (driftMs <= this.maxDriftMs) return id
    const { name } = this.generator.family
    throw new IdError(
      'SEQUENCE_EXHAUSTED',
      `${name}: so many rows share the time ${new Date(rowMs).toISOString()} that ids would run ${driftMs} ms ` +
        `ahead of it; raise maxDriftMs (${this.maxDriftMs}), or take a family with more ids a moment`,
      { family: name, field: 'maxDriftMs', value: this.maxDriftMs },
    )
  }
}
