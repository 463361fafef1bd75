/** Sections that are run in the same surroundings and written down together. */
export interface Chapter<Place> {
  /** As an argument it stands for all its sections; in the README it marks the place of its results. */
  readonly name: string
  readonly sections: readonly Section<Place>[]
  open(): Surroundings<Place> | Promise<Surroundings<Place>>
}

export interface Surroundings<Place> {
  readonly place: Place
  /** What results depend on. */
  readonly circumstances: string
  close?(): Promise<void>
}

/** A part of the benchmarks that can be run by its name. */
export interface Section<Place> {
  readonly name: string
  run(place: Place): Report | Promise<Report>
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
  /** How uneven the row's own rounds were, see `Timing`; undefined for what is no time. */
  readonly spread?: number
}
