import {
  flake,
  flax,
  IdError,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  uid,
  uidLocal,
} from '@snoflax/core'
import { uuid7 } from '@snoflax/families'

/**
 * What id columns can do: Prisma's own words, and ours, by which the operations of time belong to no other column. Prisma's type
 * has no room for the words of extensions.
 */
export const ID_TRAITS = ['equality', 'order', 'snoflax'] as unknown as readonly ['equality', 'order']

/** What a condition gives, in Prisma's words for every database. */
export const BOOLEAN_CODEC_ID = 'pg/bool@1'

/** What a contract says of a column besides its family and storage. */
export interface IdParams {
  /** The ids' prefix, such as `cus`. Columns hold bare ids. */
  readonly prefix?: string
  /** flake: Unix milliseconds that its time counts from. */
  readonly epoch?: number
  /** PostgreSQL: the domain of a text column, which Prisma takes as the type of columns that have parameters. */
  readonly domain?: string
}

/** A family in one storage: what a codec is for. */
export interface IdColumn {
  /** As contracts name it: `snoflax.FlaxText()`. */
  readonly name: string
  readonly codecId: string
  /** Of the same column read as the moment when its id was made. */
  readonly timeCodecId: string
  readonly family: IdFamily
  readonly storage: StorageName
}

/** The families, by the name of their constructors. The first storage that a database has takes the bare name. */
const FAMILIES: Readonly<Record<string, { family: IdFamily; storages: readonly StorageName[] }>> = {
  Flax: { family: flax, storages: ['uuid', 'text'] },
  Sno: { family: sno, storages: ['uuid', 'text'] },
  Flake: { family: flake, storages: ['bigint'] },
  Uid: { family: uid, storages: ['uuid', 'text'] },
  UidLocal: { family: uidLocal, storages: ['bigint', 'text'] },
  Uuid7: { family: uuid7, storages: ['uuid', 'text'] },
}

/** The columns that a database has. */
export const columnsIn = (has: (family: IdFamily, storage: StorageName) => boolean): readonly IdColumn[] =>
  Object.entries(FAMILIES).flatMap(([name, { family, storages }]) =>
    storages
      .filter((storage) => has(family, storage))
      .map((storage, index) => ({
        name: index === 0 ? name : `${name}${storage[0]?.toUpperCase()}${storage.slice(1)}`,
        codecId: `snoflax/${family.name}-${storage}@1`,
        timeCodecId: `snoflax/${family.name}-${storage}-time@1`,
        family,
        storage,
      })),
  )

const families = new Map<string, IdFamily>()

/** The family whose ids a column holds. @throws {IdError} for parameters that it can't have. */
export function familyOf({ family }: Pick<IdColumn, 'family'>, params: IdParams | undefined): IdFamily {
  const { prefix, epoch } = params ?? {}
  if (prefix === undefined && epoch === undefined) return family
  const key = `${family.name} ${prefix} ${epoch}`
  const known = families.get(key)
  if (known) return known
  const counted = epoch === undefined ? family : withEpoch(family, epoch)
  const made = prefix === undefined ? counted : prefixed(counted, prefix)
  families.set(key, made)
  return made
}

function withEpoch(family: IdFamily, epoch: number): IdFamily {
  if (family.name === flake.name) return flake.withEpoch(epoch)
  throw new IdError('INVALID_OPTION', `${family.name}: its epoch is fixed; leave epoch out, or use Flake`, {
    family: family.name,
    field: 'epoch',
    value: epoch,
  })
}

const PARAMS: Readonly<Record<keyof IdParams, 'string' | 'number'>> = {
  prefix: 'string',
  epoch: 'number',
  domain: 'string',
}

/** Reads the parameters of a contract. @throws {IdError} `INVALID_OPTION`. */
export function paramsOf(column: Pick<IdColumn, 'family'>, value: unknown): IdParams {
  const params = (value ?? {}) as Record<string, unknown>
  for (const [name, given] of Object.entries(params)) {
    const expected = PARAMS[name as keyof IdParams]
    if (typeof given === expected) continue
    throw new IdError(
      'INVALID_OPTION',
      `${column.family.name}: ${expected ? `${name} must be a ${expected}` : `${name} is no parameter of a column`}`,
      { family: column.family.name, field: name, value: given },
    )
  }
  familyOf(column, params)
  return params
}
