import { flake, flax, type IdFamily, type PrefixedFamily, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'

/** A family of the page, and how to generate an id with the current time. */
export interface Known {
  readonly family: IdFamily
  make(): string
}

const typeidSuffix = typeid('id').base

/**
 * The strictest form first: few other ids can be read as a sno, but nearly every sno as another. Every id of
 * Discord also has a plausible time as one of Twitter, but only Twitter's ids older than four years as Discord's.
 */
export const KNOWN: readonly Known[] = [
  known(sno, sno.generator()),
  known(flax, flax),
  known(uid, uid.generator({ node: 'inspector' })),
  known(flake, flake.generator({ datacenter: 1, worker: 1 })),
  known(uidLocal, uidLocal.generator()),
  known(uuid7, uuid7),
  known(typeidSuffix, typeidSuffix),
  known(ulid, ulid),
  known(discord, discord.generator({ worker: 1, process: 1 })),
  known(twitter, twitter.generator({ datacenter: 1, worker: 1 })),
]

export const FAMILIES = KNOWN.map(({ family }) => family)

/** The family's display name, with the prefix of the text. */
export const titleOf = (family: IdFamily): string => {
  const { prefix, base } = family as Partial<PrefixedFamily>
  return base === undefined ? family.name : `${base.name} behind ${prefix}_`
}

function known<AnId extends string, Fields>(
  family: IdFamily<AnId, Fields>,
  source: { generate(): string },
): Known {
  return { family: family as unknown as IdFamily, make: () => source.generate() }
}
