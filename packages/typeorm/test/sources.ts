import {
  flake,
  flax,
  type IdFamily,
  type IdGenerator,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { type DatabaseKind, mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { VERSION } from './version.js'

/** The databases that TypeORM has a driver for. */
export const kinds: readonly DatabaseKind<OpenDatabase>[] = [sqlite, postgres, mysql].filter((kind) =>
  kind.selected(),
) as DatabaseKind<OpenDatabase>[]

/** A family with what makes its ids. */
export interface Source {
  readonly family: IdFamily<string>
  readonly generator: IdGenerator<string>
}

export const sources: readonly Source[] = [
  flax.generator(),
  sno.generator({ partition: 5 }),
  flake.generator({ datacenter: 1, worker: 2 }),
  uid.generator({ node: 'typeorm' }),
  uidLocal.generator(),
].map((generator) => ({ family: generator.family, generator }) as unknown as Source)

const STORAGES: readonly StorageName[] = ['uuid', 'text', 'binary', 'uuid8', 'bigint']

/** The storages that a family has in a database. */
export function storagesOf({ family }: Source, { name }: DatabaseKind<OpenDatabase>): StorageName[] {
  const database = name === 'pglite' ? 'postgres' : name
  return STORAGES.filter((storage) => {
    try {
      return storageFor(family, database, { storage }).name === storage
    } catch {
      return false
    }
  })
}

/** Every family in every storage of every database. */
export const places = kinds.flatMap((kind) =>
  sources.flatMap((source) =>
    storagesOf(source, kind).map((storage) => ({
      name: `${kind.name}, ${source.family.name} as ${storage}`,
      kind,
      storage,
      ...source,
    })),
  ),
)

/** flax in every storage of every database, where the family makes no difference. */
export const flaxPlaces = places.filter(({ family }) => family.name === flax.name)

/**
 * The first place with each storage of a database, and with families whose ids vary in length or whose ranges select too
 * much; all places for other versions of TypeORM.
 */
export const differing = places.filter(
  (place, at) => VERSION !== '' || places.findIndex((one) => traitsOf(one) === traitsOf(place)) === at,
)

export type Place = (typeof places)[number]

function traitsOf({ kind, storage, family }: Place): string {
  return `${kind.name} ${storage} ${family.textLength === undefined} ${family.exactRange}`
}
