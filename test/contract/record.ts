import type { Variant } from './variant.js'

/** The result of a test of the contract: for docs/write-paths. */
export interface Cell {
  readonly orm: string
  readonly database: Variant['database']
  readonly storage: Variant['storage']
  readonly family: string
  /** What is done, such as "insert", and by which of the ORM's ways. */
  readonly operation: string
  readonly path: string
  /** Why the path is refused there; undefined if it works. */
  readonly refused: string | undefined
  /** Why it passes malformed ids to the database; undefined if it refuses them. */
  readonly unchecked: string | undefined
}

// A reporter reads it from each finished test.
declare module 'vitest' {
  interface TaskMeta {
    contract?: Cell
  }
}
