import type { CreatedAt } from './options.js'
import { refuse } from './refusal.js'
import { type ForeignKey, pathOf } from './replaced-columns.js'

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

/** The foreign key that `through` names. @throws {IdError} if it is none of one column. */
export function throughKey(foreignKeys: readonly ForeignKey[], table: string, through: string): ForeignKey {
  const found = foreignKeys.find(
    (one) => one.table === table && one.columns.length === 1 && one.columns[0] === through,
  )
  return (
    found ?? refuse(pathOf({ table, column: through }), 'createdAt.through is no foreign key of one column')
  )
}

/** The time of a row: its key's, or the one that was noted. */
export const rowTimeMs = (source: TimeSource, key: string, noted: string | number | null): number =>
  source.kind === 'key' ? source.timeMs(key) : Number(noted)

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
  const [fromMs, toMs] = [Number(createdAt.from), Number(createdAt.to)]
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
