import { flake, flax, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'
import { UsageError } from '../exit.js'
import { parseTime } from './time.js'

export interface FamilyOptions {
  /** Epoch of flake ids, as a time. */
  readonly epoch?: string | undefined
  /** Neighbourhood of uid ids, 5 to 10. */
  readonly neighbourhood?: number | undefined
}

/** Any family; the commands look at fields by name only to show them. */
export type AnyFamily = IdFamily

/**
 * All families, the one whose alphabet allows least first: what reads as a sno reads as flax and uid too.
 */
export function families({ epoch, neighbourhood }: FamilyOptions = {}): readonly AnyFamily[] {
  return [
    sno,
    neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood),
    flax,
    uidLocal,
    epoch === undefined ? flake : flake.withEpoch(parseTime(epoch)),
  ]
}

/** The family of a name, which may be written as in SQL too. @throws {UsageError} */
export function familyNamed(name: string, options?: FamilyOptions): AnyFamily {
  const known = families(options)
  const found = known.find((family) => family.name === name || sqlName(family) === name)
  if (found) return found
  throw new UsageError(`a family is one of ${known.map((family) => family.name).join(', ')}, not ${name}`)
}

/** The family's name in SQL: uid_local. */
export const sqlName = ({ name }: AnyFamily): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
