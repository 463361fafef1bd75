import { flake, flax, type IdFamily, type PrefixedFamily, sno, uid, uidLocal } from '@snoflax/core'

/** A family that the page knows, and how it makes an id of now. */
export interface Known {
  readonly family: IdFamily
  make(): string
}

/** The strictest alphabet first: what reads as a sno by chance is rare, the other way round it is the rule. */
export const KNOWN: readonly Known[] = [
  known(sno, sno.generator()),
  known(flax, flax),
  known(uid, uid.generator({ node: 'inspector' })),
  known(flake, flake.generator({ datacenter: 1, worker: 1 })),
  known(uidLocal, uidLocal.generator()),
]

export const FAMILIES = KNOWN.map(({ family }) => family)

/** The family as people call it, with the prefix that a text began with. */
export const titleOf = (family: IdFamily): string => {
  const { prefix, base } = family as Partial<PrefixedFamily>
  return base === undefined ? family.name : `${base.name} behind ${prefix}_`
}

function known(family: IdFamily, source: { generate(): string }): Known {
  return { family, make: () => source.generate() }
}
