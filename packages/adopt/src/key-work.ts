import type { KeyRecipe } from './key-recipe.js'
import type { RootPlan } from './root-plan.js'

/** The times of a table's rows, as SQL over its alias `t`. */
export interface RowTimes {
  /** Whole Unix milliseconds. */
  readonly timeMs: string
  /** The same for rows that come later: where times are spread over a span, its end. */
  readonly lateTimeMs: string
  /** What rows are ordered by. */
  readonly order: string
}

/** The making of one table's new keys. */
export interface KeyWork<Times extends RowTimes = RowTimes> extends KeyRecipe {
  /** Of the table, among those given. */
  readonly number: number
  readonly root: RootPlan
  readonly times: Times
}
