import {
  flake,
  flax,
  type IdFamily,
  type IdGenerator,
  prefixed,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { OpenDatabase } from '../databases/open-database.js'

/** One variant of the contract: whose ids, how stored, and where. */
export interface Variant {
  readonly database: OpenDatabase['kind']
  readonly storage: StorageName
  readonly family: IdFamily<string>
  readonly generator: IdGenerator<string>
}

/** A family and its generator in the tests. */
export interface Contestant {
  readonly family: IdFamily<string>
  readonly generator: IdGenerator<string>
}

/** Our own families. Families of users go through the suite in the same way. */
export const contestants: readonly Contestant[] = [
  contestant(flax.generator()),
  contestant(sno.generator({ partition: 77, meta: 3 })),
  contestant(flake.generator({ datacenter: 3, worker: 9 })),
  contestant(uid.generator({ node: 'contract' })),
  contestant(uidLocal.generator()),
]

/** Some of them with a prefix, which text columns store. */
export const prefixedContestants: readonly Contestant[] = [
  contestant(prefixed(flax, 'cus').generator()),
  contestant(prefixed(sno, 'order_line').generator({ partition: 7 })),
  contestant(prefixed(flake, 'evt').generator({ datacenter: 1, worker: 2 })),
]

function contestant<AnId extends string>(generator: IdGenerator<AnId>): Contestant {
  return { family: generator.family as unknown as IdFamily<string>, generator }
}

const STORAGES: readonly StorageName[] = ['uuid', 'text', 'binary', 'uuid8', 'bigint']

/** The database's name in storages: PGlite is PostgreSQL. MariaDB's columns are MySQL's. */
export const storageDatabase = (database: Variant['database']) =>
  database === 'pglite' ? 'postgres' : database

/** Whether ids are stored in another form than their text. */
export const converts = ({ database, storage, family }: Variant): boolean =>
  storageFor(family, storageDatabase(database), { storage, exactBigint: true }).converts

/** Every variant of a database: each family in each of its storages. */
export function variantsOf(
  database: Variant['database'],
  {
    families = contestants,
    storages = STORAGES,
  }: { families?: readonly Contestant[]; storages?: readonly StorageName[] } = {},
): Variant[] {
  return families.flatMap((one) =>
    storages
      .filter((storage) => isPossible(one.family, storage, database))
      .map((storage) => ({ database, storage, ...one })),
  )
}

/** Of these the first with each storage, with ids whose text varies in length, and with ranges that select too much. */
export function differing(variants: readonly Variant[]): Variant[] {
  const known = new Set<unknown>()
  return variants.filter(({ storage, family }) => {
    const traits = [
      storage,
      family.textLength === undefined && 'length varies',
      !family.exactRange && 'inexact range',
    ]
    const added = traits.filter((trait) => trait !== false && !known.has(trait))
    for (const trait of added) known.add(trait)
    return added.length > 0
  })
}

function isPossible(family: IdFamily<string>, storage: StorageName, database: Variant['database']): boolean {
  try {
    storageFor(family, storageDatabase(database), { storage })
    return true
  } catch {
    return false
  }
}
