import { IdError } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import { refuse } from './obstacles.js'
import { placeOf, type RootPlan } from './plan.js'
import type { KeyRecipe } from './recipes.js'

/** Reads times from keys that contain them. Rows must come in the order of their keys. */
export function keyTimes(place: string, timeMsOf: (key: string) => number): (key: string) => number {
  let lastMs = Number.NEGATIVE_INFINITY
  return (key) => {
    const timeMs = timeMsOf(key)
    if (timeMs < lastMs) {
      refuse(
        place,
        `${JSON.stringify(key)} sorts after a key of a later time, so the keys do not sort by creation time; use another createdAt`,
        key,
      )
    }
    lastMs = timeMs
    return timeMs
  }
}

/**
 * Generates ascending ids for the rows of a round, which come in the order of their times. When the ids of one time are
 * used up, the generator's clock advances: the order is kept, and the ids' times are a little ahead.
 */
export class RoundIds {
  /** The time of the next row: that of its key, or the one in the map. */
  readonly timeMs: (key: string, notedMs: number) => number
  private readonly place: string
  private readonly generator
  private readonly maxDriftMs: number
  private nowMs = 0
  private reads = 0

  constructor(
    root: RootPlan,
    { source, generator, maxDriftMs }: KeyRecipe,
    private last: string | null,
  ) {
    this.place = placeOf(root)
    this.timeMs =
      source.kind === 'key' ? keyTimes(this.place, source.timeMs) : (_, notedMs: number) => notedMs
    // A generator that waits for the next unit reads the clock again, and then gets the next millisecond.
    this.generator = generator(() => (this.reads++ === 0 ? this.nowMs : ++this.nowMs))
    this.maxDriftMs = maxDriftMs
    // Continues after the time of the last id: other ids of that time may be larger.
    if (last !== null) this.nowMs = this.generator.family.timeMs(last)
  }

  next(rowMs: number): string {
    return withPath(this.place, () => {
      this.nowMs = Math.max(rowMs, this.nowMs)
      let id = this.generate(rowMs)
      while (this.last !== null && this.generator.family.compare(id, this.last) <= 0) {
        this.nowMs++
        id = this.generate(rowMs)
      }
      this.last = id
      return id
    })
  }

  private generate(rowMs: number): string {
    this.reads = 0
    const id = this.generator.generate()
    const driftMs = Math.max(this.generator.family.timeMs(id), this.nowMs) - rowMs
    if (driftMs <= this.maxDriftMs) return id
    const { name } = this.generator.family
    throw new IdError(
      'SEQUENCE_EXHAUSTED',
      `${name}: too many rows share the time ${new Date(rowMs).toISOString()}: their ids would run ${driftMs} ms ` +
        `ahead of it; raise maxDriftMs (${this.maxDriftMs}), or use a family with more ids per millisecond`,
      { family: name, field: 'maxDriftMs', value: this.maxDriftMs },
    )
  }
}
