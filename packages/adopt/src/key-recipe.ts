import { type Database, type IdStorage, storageFor } from '@snoflax/core'
import { type TimeSource, timeSource } from './created-at.js'
import { type AdoptionOptions, MAX_DRIFT_MS, type TableOptions } from './options.js'
import { at, refuse } from './refusal.js'

/** What the new keys of a table are made with. */
export interface KeyRecipe {
  readonly storage: IdStorage<string>
  readonly source: TimeSource
  readonly generator: TableOptions['generator']
  readonly maxDriftMs: number
}

/** Those of the tables given. @throws {IdError} for an option that can't be. */
export const keyRecipes = (
  { tables, maxDriftMs = MAX_DRIFT_MS }: AdoptionOptions,
  database: Database,
): KeyRecipe[] =>
  tables.map((options) => ({
    storage: storageOf(options, database),
    source: timeSource(options.table, options.createdAt),
    generator: options.generator,
    maxDriftMs,
  }))

function storageOf(
  { table, generator, storage, exactBigint }: TableOptions,
  database: Database,
): IdStorage<string> {
  if (typeof generator !== 'function') {
    refuse(
      table,
      'give a generator: (clock) => flax.generator({ monotonic: true, clock })',
      generator,
      'GENERATOR_REQUIRED',
    )
  }
  const { family } = generator(() => Date.now())
  return at(table, () => storageFor(family, database, { storage, exactBigint }))
}
