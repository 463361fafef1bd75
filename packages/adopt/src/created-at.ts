import type { CreatedAt } from './options.js'
import { refuse } from './refusal.js'

/** Where times come from, told apart. */
export type TimeSource =
  | {
      readonly kind: 'column'
      readonly column: string
      readonly through?: string
      readonly unit?: 's' | 'ms'
      readonly timeZone?: string
    }
  | { readonly kind: 'key'; readonly timeMs: (key: string) => number }
  | { readonly kind: 'span'; readonly fromMs: number; readonly toMs: number }

export function timeSource(table: string, createdAt: CreatedAt): TimeSource {
  if (typeof createdAt === 'string') return { kind: 'column', column: createdAt }
  if (typeof createdAt !== 'object' || createdAt === null) {
    return refuse(
      table,
      "createdAt says where a row's time comes from: a column, { column, through }, { key } or { from, to }",
      createdAt,
    )
  }
  if ('column' in createdAt) return { kind: 'column', ...createdAt }
  if ('key' in createdAt) return { kind: 'key', timeMs: createdAt.key }
  const [fromMs, toMs] = [createdAt.from.getTime(), createdAt.to.getTime()]
  if (fromMs <= toMs) return { kind: 'span', fromMs, toMs }
  return refuse(table, 'createdAt: from and to are valid Dates, the earlier one first', createdAt)
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
