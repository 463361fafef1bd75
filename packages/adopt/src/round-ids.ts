import { KeyTimes } from './created-at.js'
import { IdMaker } from './id-maker.js'
import type { KeyWork } from './key-work.js'
import { at } from './refusal.js'
import { placeOf } from './root-plan.js'

/** Makes the ids of a round's rows, in their order. */
export class RoundIds {
  private readonly place: string
  private readonly maker: IdMaker
  private readonly keyTimes: KeyTimes | undefined

  constructor({ root, source, generator, maxDriftMs }: KeyWork, lastId?: string) {
    this.place = placeOf(root)
    this.maker = new IdMaker(generator, maxDriftMs, lastId)
    this.keyTimes = source.kind === 'key' ? new KeyTimes(this.place, source.timeMs) : undefined
  }

  /** The time of the next row: its key's, or the one that was noted. */
  timeMs(key: string, noted: string | number | null): number {
    return this.keyTimes ? this.keyTimes.next(key) : Number(noted)
  }

  /** Another id each time. */
  next(timeMs: number): string {
    return at(this.place, () => this.maker.next(timeMs))
  }
}
