import { IdError } from '@snoflax/core'

/** Runs the action; an IdError out of it is told with the place, unless it has one. */
export function placedAt<Result>(place: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw error instanceof IdError && error.path === undefined ? error.at(place) : error
  }
}

/** The mistakes of a schema, to be told all at once. */
export class Mistakes {
  readonly #found = new Set<string>()

  collect(place: string, action: () => void): void {
    try {
      placedAt(place, action)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      this.#found.add(error.message)
    }
  }

  /** @throws {IdError} `INVALID_OPTION` listing them, if there are some. */
  raise(): void {
    if (this.#found.size > 0) throw new IdError('INVALID_OPTION', [...this.#found].join('\n'))
  }
}
