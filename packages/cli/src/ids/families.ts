import { flake, flax, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'
import { snakeCase } from '@snoflax/core/adapter'
import { UsageError } from '../exit.js'
import { parseTime } from './time.js'

export interface FamilyOptions {
  /** Epoch of flake ids, as a time. */
  readonly epoch?: string | undefined
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
    epoch === undefined ? flake : flake.withEpoch(parseTime(epoch)),
  ]
}

/** The family of a name, which may be written as in SQL too. @throws {UsageError} */
export function familyNamed(name: string, options?: FamilyOptions): IdFamily {
  const known = families(options)
  const found = known.find((family) => family.name === name || snakeCase(family.name) === name)
  if (found) return found
  throw new UsageError(`a family is one of ${known.map((family) => family.name).join(', ')}, not ${name}`)
}
