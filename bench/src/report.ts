/** Sections that run in the same environment and are reported together. */
export interface Chapter<Place> {
  /** Its name: as an argument it means all its sections; its results are in results/<name>.txt. */
  readonly name: string
  readonly sections: readonly Section<Place>[]
  open(): Surroundings<Place> | Promise<Surroundings<Place>>
}

export interface Surroundings<Place> {
  readonly place: Place
  /** The environment on which results depend. */
  readonly circumstances: string
  close?(): Promise<void>
}

/** A part of the benchmarks that can be run by its name. */
export interface Section<Place> {
  readonly name: string
  run(place: Place): Report | Promise<Report>
}

/** The results of a section: a row for each contestant, a column for each yardstick. */
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
  /** One ratio for each column, undefined if there is nothing to compare. */
  readonly ratios: readonly (number | undefined)[]
  /** How much the row's rounds varied, see `Timing`; undefined if the value is not a time. */
  readonly spread?: number
}
