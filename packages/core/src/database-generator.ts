import type { IdFamily } from './family.js'
import { IdError } from './primitives/errors.js'
import { uid } from './uid/index.js'

/**
 * Checks that what @snoflax/pg-sql makes as `uid` is read right by this family: ids don't tell their neighbourhood,
 * and the database's is 8. A flake's epoch can't be checked, since the database is told its own.
 *
 * @throws {IdError} `INVALID_OPTION` for a uid of another neighbourhood.
 *
 * @example
 * checkDatabaseGenerator(uid.withNeighbourhood(8))
 */
export function checkDatabaseGenerator(family: IdFamily): void {
  if (family.name !== uid.name || !('neighbourhood' in family)) return
  if (family.neighbourhood === uid.neighbourhood) return
  throw new IdError(
    'INVALID_OPTION',
    `uid: the database makes ids with a neighbourhood of ${uid.neighbourhood}, not ${family.neighbourhood}`,
    { family: 'uid', field: 'neighbourhood', value: family.neighbourhood },
  )
}
