import { flake, flax, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'
import { snakeCase } from '@snoflax/core/adapter'
import { oneOf } from '../exit.js'

export interface FamilyOptions {
  /** Epoch of flake ids, in Unix milliseconds. */
  readonly epoch?: number | undefined
  /** Neighbourhood of uid ids, 5 to 10. */
  readonly neighbourhood?: number | undefined
}

/**
 * All families, the one whose alphabet allows least first: what reads as a sno reads as flax and uid too.
 */
export function families({ epoch, neighbourhood }: FamilyOptions = {}): readonly IdFamily[] {
  return [
    sno,
    neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood),
    flax,
    uidLocal,
    epoch === undefined ? flake : flake.withEpoch(epoch),
  ]
}

/** The family of a name, which may be written as in SQL too. @throws {UsageError} */
export function familyNamed(name: string, options?: FamilyOptions): IdFamily {
  const known = families(options)
  const inSql = known.find((family) => snakeCase(family.name) === name)
  const names = known.map((family) => family.name)
  return inSql ?? (known[names.indexOf(oneOf('family', names, name))] as IdFamily)
}
