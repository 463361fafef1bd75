import { flax } from '@snoflax/core'
import { type DatabaseKind, mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { differing as differingOf, variantsOf } from '@snoflax/test/contract'
import { VERSION } from './version.js'

/** The databases that TypeORM has a driver for. */
export const kinds: readonly DatabaseKind<OpenDatabase>[] = [sqlite, postgres, mysql].filter((kind) =>
  kind.selected(),
) as DatabaseKind<OpenDatabase>[]

/** Every family in every storage of every database. */
export const places = kinds.flatMap((kind) =>
  variantsOf(kind.name).map((variant) => ({
    name: `${kind.name}, ${variant.family.name} as ${variant.storage}`,
    kind,
    ...variant,
  })),
)

/** Of these the first with each storage, with ids whose text varies in length, and with ranges that select too much. */
export const differing = kinds.flatMap((kind) => {
  const own = places.filter((place) => place.kind === kind)
  return VERSION === '' ? (differingOf(own) as typeof own) : own
})

/** flax in every storage of every database, where the family makes no difference. */
export const flaxPlaces = places.filter(({ family }) => family.name === flax.name)

export type Place = (typeof places)[number]
