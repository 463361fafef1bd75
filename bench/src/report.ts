/** A part of the benchmarks that can be run by its name. */
export interface Section {
  readonly name: string
  run(): Report | Promise<Report>
}

/** What a section found: one row a contestant, one column a yardstick that it is measured against. */
export interface Report {
  readonly title: string
  readonly about: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface Column {
  /** The yardstick, of which every ratio in the column is a multiple. */
  readonly title: string
  /** Row name → the ratio to stay under. */
  readonly aims: Readonly<Record<string, number | undefined>>
}

export interface Row {
  readonly name: string
  /** One for each column, undefined where there is nothing to compare. */
  readonly ratios: readonly (number | undefined)[]
  /** How uneven the row's own rounds were; see `Timing`. */
  readonly spread: number
}
