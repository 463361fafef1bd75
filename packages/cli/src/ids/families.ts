import {
  flake,
  flax,
  IdError,
  type IdFamily,
  type IdReading,
  type PrefixedOptions,
  prefixed,
  readings,
  refusals,
  sno,
  uid,
  uidLocal,
} from '@snoflax/core'
import { snakeCase } from '@snoflax/core/adapter'
import { oneOf, UsageError } from '../exit.js'

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

/** The family with ids behind the prefix, if one is given. @throws {UsageError} */
export function withPrefix(
  family: IdFamily,
  prefix: string | undefined,
  options?: PrefixedOptions,
): IdFamily {
  if (prefix === undefined) return family
  try {
    return prefixed(family, prefix, options)
  } catch (error) {
    if (error instanceof IdError) throw new UsageError(`prefix: ${error.message}`)
    throw error
  }
}

/** What the input reads as. With a prefix, texts have that one, or none as in a column. */
export function readingsOf(
  input: string,
  known: readonly IdFamily[],
  prefix: string | undefined,
): { found: IdReading[]; refusals: string[] } {
  const kinds = known.map((family) => withPrefix(family, prefix))
  const found = readings(input, kinds)
  if (prefix !== undefined && found.length === 0) {
    for (const { family, form, id, plausible } of readings(input, known)) {
      const kind = kinds[known.indexOf(family)]
      if (kind !== undefined) found.push({ family: kind, form, id: `${prefix}_${id}`, plausible })
    }
  }
  return { found, refusals: [...new Set(refusals(input, kinds).map(({ error }) => error.message))] }
}

/** The family of a name, which may be written as in SQL too. @throws {UsageError} */
export function familyNamed(name: string, options?: FamilyOptions): IdFamily {
  const known = families(options)
  const inSql = known.find((family) => snakeCase(family.name) === name)
  const names = known.map((family) => family.name)
  return inSql ?? (known[names.indexOf(oneOf('family', names, name))] as IdFamily)
}
