import {
  type Database,
  type IdFamily,
  type IdStorage,
  isPlausible,
  prefixed,
  readings,
  type StorageName,
} from '@snoflax/core'
import { isPrefixed, snakeCase } from '@snoflax/core/adapter'
import { UsageError } from '../exit.js'
import { type FamilyOptions, familyNamed, withPrefix } from '../ids/families.js'
import { storageNamed } from '../ids/forms.js'
import { type Column, type LiveDatabase, placeOf } from './live-database.js'
import { exactStorage, readStored, storagesOf } from './stored-value.js'

/** How it is known that a column holds ids. */
export type Evidence = 'told' | 'default' | 'reference' | 'values'

/** A column that holds ids. */
export interface IdColumn {
  readonly column: Column
  readonly family: IdFamily
  /** Undefined where its type suits none of the family's storages. */
  readonly storage: IdStorage<string> | undefined
  readonly evidence: Evidence
}

/** What the user says of a column. */
export interface Told {
  /** `table.column`, or `schema.table.column`. */
  readonly place: string
  readonly family: IdFamily
  readonly storage: StorageName | undefined
}

const TOLD = /^([^=]+\.[^=.]+)=([^:]+)(?::(.+))?$/

/** Reads `orders.id=flax`, `orders.id=flax:uuid8`, or `orders.id=flax:cus_` of a text column with a prefix. @throws {UsageError} */
export function parseTold(text: string, options: FamilyOptions): Told {
  const [, place, family, storage] = TOLD.exec(text) ?? []
  if (place === undefined || family === undefined) {
    throw new UsageError(
      `write a column as table.column=family, table.column=family:storage or table.column=family:prefix_, not ${text}`,
    )
  }
  if (storage?.endsWith('_')) {
    const kind = withPrefix(familyNamed(family, options), storage.slice(0, -1), { stored: 'prefixed' })
    return { place, family: kind, storage: 'text' }
  }
  return {
    place,
    family: familyNamed(family, options),
    storage: storage === undefined ? undefined : storageNamed(storage),
  }
}

/** Finds the columns that hold ids: told, by their default, by their values, or by what they reference. */
export async function identify(
  database: LiveDatabase,
  families: readonly IdFamily[],
  told: readonly Told[],
): Promise<IdColumn[]> {
  const columns = await database.columns()
  for (const { place } of told) {
    if (!columns.some((column) => placeOf(column) === place)) throw new UsageError(`no column ${place}`)
  }
  const found: IdColumn[] = []
  for (const column of columns) {
    const one = told.find(({ place }) => place === placeOf(column))
    const known =
      (one && (await withStorage(database, column, one.family, one.storage, 'told'))) ??
      (await byDeclaration(database, column, families)) ??
      (await byValues(database, column, families))
    if (known) found.push(known)
  }
  return withReferences(columns, found)
}

/** What references a column of ids holds ids of the same family and storage. */
function withReferences(columns: readonly Column[], found: readonly IdColumn[]): IdColumn[] {
  const known = new Map(found.map((one) => [placeOf(one.column), one]))
  let grown = true
  while (grown) {
    grown = false
    for (const column of columns) {
      const target = known.get(column.references ?? '')
      const own = known.get(placeOf(column))
      if (!target || (own && own.evidence !== 'values') || own?.family === target.family) continue
      known.set(placeOf(column), { ...target, column, evidence: 'reference' })
      grown = true
    }
  }
  return columns.flatMap((column) => known.get(placeOf(column)) ?? [])
}

const GENERATED = /\b([a-z_]+)_generate(?:_at)?(?:_(uuid8|uuid|text|bigint))?"?\(/
const DOMAIN = /\b([a-z_]+)_(uuid8|uuid|text|bigint|binary)$/

/** A column whose default makes ids, or whose type is one of pg-sql's domains. */
async function byDeclaration(
  database: LiveDatabase,
  column: Column,
  families: readonly IdFamily[],
): Promise<IdColumn | undefined> {
  const declared = GENERATED.exec(column.defaultSql ?? '') ?? DOMAIN.exec(column.declared)
  const family = families.find((one) => snakeCase(one.name) === declared?.[1])
  if (!declared || !family) return undefined
  const storage = (declared[2] ?? 'binary') as StorageName
  // The call may stand inside another one, which makes something else of its value.
  const fits = storagesOf(database.kind, column).includes(storage)
  return withStorage(database, column, family, fits ? storage : undefined, 'default')
}

/** Where the storage is not known: the one that most values have, else the first that the type allows. */
async function withStorage(
  database: LiveDatabase,
  column: Column,
  family: IdFamily,
  known: StorageName | undefined,
  evidence: Evidence,
): Promise<IdColumn> {
  const storageOf = (name: StorageName): IdStorage<string> => exactStorage(family, database.kind, name)
  if (known !== undefined) return { column, family, storage: storageOf(known), evidence }
  const allowed = storagesOf(database.kind, column).filter((name) => family.storages.includes(name))
  const values = allowed.length > 1 ? await sampleOf(database, column) : []
  const count = (storage: IdStorage<string>): number =>
    values.filter((value) => readStored(storage, value).is === 'id').length
  const [storage] = allowed.map(storageOf).sort((a, b) => count(b) - count(a))
  return { column, family, storage, evidence }
}

/** Other values look like ids now and then; a uuid hardly ever. */
const ENOUGH: Readonly<Record<StorageName, number>> = { uuid: 1, uuid8: 1, text: 8, binary: 8, bigint: 8 }
const SHARE = 0.8

/** A column of which a sample reads as ids of one family, made between 2010 and now. */
async function byValues(
  database: LiveDatabase,
  column: Column,
  families: readonly IdFamily[],
): Promise<IdColumn | undefined> {
  const suited = fits(database.kind, column, families)
  if (suited.length === 0) return undefined
  const values = await sampleOf(database, column)
  const fit = [...suited, ...prefixedFits(database.kind, column, families, values)].find((one) =>
    isFit(one, values),
  )
  return (
    fit && { column, family: fit.family, storage: fit.isProper ? fit.storage : undefined, evidence: 'values' }
  )
}

/** What a column could hold. */
interface Fit {
  readonly family: IdFamily
  readonly storage: IdStorage<string>
  /** False for numbers in a column of another type. */
  readonly isProper: boolean
}

function fits(kind: Database, column: Column, families: readonly IdFamily[]): Fit[] {
  const having = (name: StorageName, isProper: boolean): Fit[] =>
    families
      .filter((family) => family.storages.includes(name))
      .map((family) => ({ family, storage: exactStorage(family, kind, name), isProper }))
  const proper = storagesOf(kind, column).flatMap((name) => having(name, true))
  return mayHoldDigits(column) ? [...proper, ...having('bigint', false)] : proper
}

/** What a text column could hold with a prefix, by its first value. */
function prefixedFits(
  kind: Database,
  column: Column,
  families: readonly IdFamily[],
  [first]: readonly unknown[],
): Fit[] {
  if (typeof first !== 'string' || !storagesOf(kind, column).includes('text')) return []
  const kinds = readings(first, families).flatMap(({ family }) => (isPrefixed(family) ? [family] : []))
  return kinds
    .filter(({ base }) => base.storages.includes('text'))
    .map(({ base, prefix }) => prefixed(base, prefix, { stored: 'prefixed' }))
    .map((family) => ({ family, storage: exactStorage(family, kind, 'text'), isProper: true }))
}

/** Elsewhere digits are numbers of cards, of telephones, of accounts. */
const mayHoldDigits = ({ type, name, isKey }: Column): boolean =>
  /char|text|numeric|decimal/.test(type) && (isKey || /(?:^|_)id$|[a-z]Id$/.test(name))

function isFit(fit: Fit, values: readonly unknown[]): boolean {
  const likely = values.filter((value) => isLikely(fit, value))
  const isEnough = likely.length >= ENOUGH[fit.storage.name] && likely.length >= SHARE * values.length
  return isEnough && (fit.storage.name !== 'text' || mixesCases(fit.family, likely.join('')))
}

const DIGITS = /^\d{15,20}$/

function isLikely({ family, storage, isProper }: Fit, value: unknown): boolean {
  if (!isProper && !(typeof value === 'string' && DIGITS.test(value))) return false
  const read = readStored(storage, isProper ? value : BigInt(value as string))
  return read.is === 'id' && isPlausible(family, read.id)
}

/** Texts of digits or of one case alone are codes of another kind, where the family's alphabet has both cases. */
function mixesCases(family: IdFamily, text: string): boolean {
  const hasBoth = /[a-z]/.test(text) && /[A-Z]/.test(text)
  return hasBoth || !family.pattern.test(family.max.toUpperCase())
}

const SAMPLE = 50
/** Rows that are looked at, so that a column of nulls doesn't cost a whole table. */
const LOOKED_AT = 5000

/** Some values of the column. */
async function sampleOf(database: LiveDatabase, column: Column): Promise<unknown[]> {
  const { quotedName, quotedTable } = column
  const rows = await database.query(
    `SELECT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable} LIMIT ${LOOKED_AT}) AS looked_at
      WHERE value IS NOT NULL LIMIT ${SAMPLE}`,
  )
  return rows.map((row) => row['value'])
}
