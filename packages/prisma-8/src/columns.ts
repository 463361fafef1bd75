import {
  type Database,
  flake,
  flax,
  IdError,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  storageFor,
  typeid,
  ulid,
  uuid7,
} from '@snoflax/core'
import { show } from '@snoflax/core/adapter'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'

/**
 * Traits of id columns: Prisma's own, and one of ours, so that time operations apply to id columns only. Prisma's type
 * doesn't allow traits of extensions.
 */
export const ID_TRAITS = ['equality', 'order', 'snoflax'] as unknown as readonly ['equality', 'order']

/** The result type of a condition, for every database. */
export const BOOLEAN_CODEC_ID = 'pg/bool@1'

/** The parameters of a column in a contract, besides family and storage. */
export interface IdParams {
  /** The prefix of the ids, such as `cus`. Text columns store it, compact ones the id without it. */
  readonly prefix?: string
  /** flake: the epoch in Unix milliseconds. */
  readonly epoch?: number
  /** PostgreSQL: the domain of a text column, which Prisma uses as the type of columns with parameters. */
  readonly domain?: string
  /** The name of a family of your own, for the type of its ids in `contract.d.ts`. */
  readonly family?: string
}

/** A family in one storage. Each has its own codec. */
export interface IdColumn {
  /** The name in contracts: `FlaxUuid` of `snoflax.FlaxUuid()`. */
  readonly name: string
  readonly codecId: string
  /** The codec that reads the same column as creation time. */
  readonly timeCodecId: string
  readonly family: IdFamily
  readonly storage: StorageName
  /** Parameters of every column of this type. */
  readonly fixedParams: IdParams
}

const typeidSuffix = typeid('id').base
const ofSql = [flax, sno, flake, uid, uidLocal, uuid7, ulid, typeidSuffix]
const FAMILIES = [...ofSql, twitter, discord] as unknown as readonly IdFamily[]

/** Families whose ids @snoflax/pg-sql generates. */
export const MADE_BY_SQL: readonly string[] = ofSql.map(({ name }) => name)

const capitalized = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`

/**
 * The column types of a database, for our families and your own; one with the name of ours replaces it. The first
 * storage of a family has the family's name, without a suffix.
 *
 * @param storages those that Prisma's driver reads without loss.
 * @throws {IdError} `INVALID_OPTION` for a family of your own that can't be a column type.
 */
export function columnsOf(
  database: Database,
  storages: readonly StorageName[],
  own: readonly IdFamily[],
): readonly IdColumn[] {
  const known = new Set(FAMILIES.map(({ name }) => name))
  const families = new Map(FAMILIES.map((family) => [family.name, family]))
  checkOwn(own)
  for (const family of own) families.set(family.name, family)
  return [...families.values()].flatMap((family) => {
    const isOwn = !known.has(family.name)
    const stem = `snoflax/${isOwn ? 'own-' : ''}${family.name}`
    const possible = family.storages.filter((storage) => storages.includes(storage))
    if (isOwn && possible.length === 0) {
      refuseOwn(family, `has storage ${family.storages.join(', ')}, but columns store ${storages.join(', ')}`)
    }
    return possible.map((storage, index) => {
      storageFor(family, database, { storage })
      return {
        name: `${capitalized(family.name)}${index === 0 ? '' : capitalized(storage)}`,
        codecId: `${stem}-${storage}@1`,
        timeCodecId: `${stem}-${storage}-time@1`,
        family,
        storage,
        fixedParams: isOwn ? { family: family.name } : {},
      }
    })
  })
}

function checkOwn(own: readonly IdFamily[]): void {
  const names = new Set<string>()
  for (const family of own) {
    if (typeof family?.parse !== 'function' || !/^[a-z][A-Za-z0-9_]*$/.test(family.name)) {
      refuseOwn(
        family,
        'must be an IdFamily whose name is an identifier, since contracts name a type after it',
      )
    }
    if (names.has(family.name)) refuseOwn(family, 'is passed twice')
    names.add(family.name)
  }
}

function refuseOwn(family: IdFamily | undefined, reason: string): never {
  throw new IdError('INVALID_OPTION', `families: ${family?.name ?? show(family)} ${reason}`, {
    field: 'families',
    value: family,
  })
}

const derived = new WeakMap<IdFamily, Map<string, IdFamily>>()

/** The family of a column's ids. @throws {IdError} for parameters that the family doesn't have. */
export function familyOf({ family }: Pick<IdColumn, 'family'>, params: IdParams | undefined): IdFamily {
  const { prefix, epoch } = params ?? {}
  if (prefix === undefined && epoch === undefined) return family
  const ofFamily = derived.get(family) ?? new Map<string, IdFamily>()
  derived.set(family, ofFamily)
  const key = JSON.stringify([prefix, epoch])
  const known = ofFamily.get(key)
  if (known) return known
  const counted = epoch === undefined ? family : withEpoch(family, epoch)
  const result = prefix === undefined ? counted : withPrefix(counted, prefix)
  ofFamily.set(key, result)
  return result
}

/** TypeID allows fewer prefixes than `prefixed`. */
const withPrefix = (family: IdFamily, prefix: string): IdFamily =>
  family === (typeidSuffix as unknown) ? (typeid(prefix) as unknown as IdFamily) : prefixed(family, prefix)

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
  family: 'string',
}

/** Reads the parameters of a column from a contract. @throws {IdError} `INVALID_OPTION`. */
export function paramsOf(column: Pick<IdColumn, 'family'>, value: unknown): IdParams {
  const params = (value ?? {}) as Record<string, unknown>
  for (const [name, param] of Object.entries(params)) {
    const expected = PARAMS[name as keyof IdParams]
    if (typeof param === expected) continue
    throw new IdError(
      'INVALID_OPTION',
      `${column.family.name}: ${expected ? `${name} must be a ${expected}` : `${name} is not a parameter of an id column`}`,
      { family: column.family.name, field: name, value: param },
    )
  }
  familyOf(column, params)
  return params
}
