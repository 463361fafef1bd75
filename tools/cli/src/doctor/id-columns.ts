import {
  type Database,
  type IdFamily,
  type IdStorage,
  isSameFamily,
  type StorageName,
  uuid7,
} from '@snoflax/core'
import { isPrefixed, snakeCase } from '@snoflax/core/adapter'
import { UsageError } from '../exit.js'
import { type FamilyOptions, familyNamed, withPrefix } from '../ids/families.js'
import { exactStorage, storageNamed } from '../ids/forms.js'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live/database.js'
import { recognized, type Sample, SHARE } from './recognized.js'
import { readStored, storagesOf, strictId } from './stored-value.js'

type Evidence = 'option' | 'declared' | 'default' | 'reference' | 'values'

export interface IdColumn {
  readonly column: Column
  readonly family: IdFamily
  /** The same family with the other keys that the column accepts, if it accepts any. */
  readonly accepting?: IdFamily | undefined
  /** Undefined if its type fits none of the family's storages. */
  readonly storage: IdStorage<string> | undefined
  readonly evidence: Evidence
  /** Whether an ORM declares it as the primary key. */
  readonly isPrimary?: boolean | undefined
}

export type StoredIds = IdColumn & { readonly storage: IdStorage<string> }

/** A column as the user or an ORM's schema declares it. */
export interface StatedColumn {
  /** `table.column`, or `schema.table.column`. */
  readonly place: string
  readonly family: IdFamily
  readonly accepting?: IdFamily
  readonly storage: StorageName | undefined
  readonly isPrimary?: boolean
}

const TOLD = /^([^=]+\.[^=.]+)=([^:]+)(?::(.+))?$/

/** Reads `orders.id=flax`, `orders.id=flax:uuid8` or, for a text column with a prefix, `orders.id=flax:cus_`. @throws {UsageError} */
export function parseColumn(text: string, options: FamilyOptions): StatedColumn {
  const [, place, family, storage] = TOLD.exec(text) ?? []
  if (place === undefined || family === undefined) {
    throw new UsageError(
      `--column must be table.column=family, table.column=family:storage or table.column=family:prefix_, not ${text}`,
    )
  }
  if (storage?.endsWith('_')) {
    const kind = withPrefix(familyNamed(family, options), storage.slice(0, -1))
    return { place, family: kind, storage: 'text' }
  }
  return {
    place,
    family: familyNamed(family, options),
    storage: storage === undefined ? undefined : storageOrPrefix(place, family, storage),
  }
}

/** @throws {UsageError} that also names the form of a prefix, if the text could be one. */
function storageOrPrefix(place: string, family: string, text: string): StorageName {
  const hint = /^[a-z][a-z0-9_]*$/i.test(text)
    ? `; for a text column with the prefix ${text}_, pass ${place}=${family}:${text}_`
    : ''
  try {
    return storageNamed(text)
  } catch (error) {
    throw new UsageError(`${(error as UsageError).message}${hint}`)
  }
}

export interface Known {
  /** The schema of pg-sql, whose tables have no ids of yours. */
  readonly schema: string
  readonly families: readonly IdFamily[]
  readonly stated: readonly StatedColumn[]
  readonly declared: readonly StatedColumn[]
}

/** Finds the id columns: by option, by declaration, by default, by values, or by reference. */
export async function identify(
  database: LiveDatabase,
  columns: readonly Column[],
  { schema, families, stated, declared }: Known,
  notes: string[],
): Promise<IdColumn[]> {
  const places = stated.map((one) => one.place)
  const twice = places.find((place, n) => places.indexOf(place) !== n)
  if (twice !== undefined) throw new UsageError(`--column ${twice} is passed twice; pass it once`)
  for (const place of places) {
    const column = columns.find((one) => placeOf(one) === place)
    if (column === undefined) throw new UsageError(`no column ${place}`)
    const reason = column.hidden ?? (column.isGenerated ? 'it is generated from other columns' : undefined)
    if (reason !== undefined) throw new UsageError(`${place} can't be examined, since ${reason}`)
  }
  notes.push(...hiddenNotes(database.kind, columns, schema))
  const own = columns.filter(isExamined)
  const found: IdColumn[] = []
  for (const table of byTable(own)) {
    const candidates = table.filter((column) => mayHoldIds(database.kind, column))
    const values = await valuesOf(database, candidates)
    for (const column of table) {
      const sample = { kind: database.kind, column, families, values: values.get(column) ?? [] }
      const here = ({ place }: StatedColumn): boolean => place === placeOf(column)
      const [one, orm] = [stated.find(here), declared.find(here)]
      const told = one ?? orm
      const known = withoutStacks(() =>
        told
          ? {
              ...withStorage(sample, told, one ? 'option' : 'declared'),
              isPrimary: orm?.isPrimary,
              accepting: orm?.accepting,
            }
          : (byDefault(sample) ?? recognized(sample, notes)),
      )
      if (known) found.push(known)
    }
  }
  return withReferences(database.kind, own, found)
}

/** Whether it has values of its own, all of which can be read. */
export const isExamined = ({ hidden, isGenerated }: Column): boolean => hidden === undefined && !isGenerated

/** Names what may contain ids, but can't be read, once for each reason: tables, or columns of tables that are read. */
function hiddenNotes(kind: Database, columns: readonly Column[], schema: string): string[] {
  const read = new Set(columns.filter(isExamined).map(({ table }) => table))
  const places = new Map<string, Set<string>>()
  for (const column of columns) {
    const { table, hidden } = column
    if (hidden === undefined || table.startsWith(`${schema}.`) || !mayHoldIds(kind, column)) continue
    const named = places.get(hidden) ?? new Set()
    places.set(hidden, named.add(read.has(table) ? placeOf(column) : table))
  }
  return Array.from(places, ([hidden, named]) => `not examined, since ${hidden}: ${[...named].join(', ')}`)
}

/** Most values are refused by most families, and collecting stack traces would take three quarters of the time. */
function withoutStacks<Result>(work: () => Result): Result {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = before
  }
}

function byTable(columns: readonly Column[]): Iterable<Column[]> {
  const tables = new Map<string, Column[]>()
  for (const column of columns)
    tables.set(column.quotedTable, [...(tables.get(column.quotedTable) ?? []), column])
  return tables.values()
}

const mayHoldIds = (kind: Database, column: Column): boolean => storagesOf(kind, column).length > 0

/** A column that references an id column has its family and storage; one that is stated without a prefix, its prefix. */
function withReferences(kind: Database, columns: readonly Column[], found: readonly IdColumn[]): IdColumn[] {
  const known = new Map(found.map((one) => [placeOf(one.column), one]))
  let grown = true
  while (grown) {
    grown = false
    for (const column of columns) {
      const target = known.get(column.references ?? '')
      const own = known.get(placeOf(column))
      if (!target || own?.family === target.family) continue
      if (own === undefined || own.evidence === 'values') {
        known.set(placeOf(column), { ...target, column, evidence: 'reference' })
      } else {
        const { family } = target
        if (!isPrefixed(family) || !isSameFamily(own.family, family.base)) continue
        const storage = own.storage && exactStorage(family, kind, own.storage.name)
        known.set(placeOf(column), { ...own, family, storage })
      }
      grown = true
    }
  }
  return columns.flatMap((column) => known.get(placeOf(column)) ?? [])
}

const GENERATED = /\b([a-z][a-z_0-9]*)_generate(?:_at)?(?:_(uuid8|uuid|text|bigint))?"?\(/
/** The prefix that a default puts before the text that it generates. */
const PREFIXING =
  /_encode"?\(.*, '([a-z](?:[a-z0-9_]*[a-z0-9])?)'(?:::text)?\)|^\(?'([a-z](?:[a-z0-9_]*[a-z0-9])?)_'(?:::text)? *\|\|/
const DOMAIN = /\b([a-z][a-z_0-9]*)_(uuid8|uuid|text|bigint|binary)$/

/** The prefix that a default adds to the ids that it generates. */
export function prefixedBy(defaultSql: string | undefined): string | undefined {
  const [, encoded, joined] = PREFIXING.exec(defaultSql ?? '') ?? []
  return encoded ?? joined
}

/** Family and storage, by their SQL names, of the ids that a default generates, also by PostgreSQL 18's own function. */
export const generatedBy = (defaultSql: string | undefined): (string | undefined)[] | undefined =>
  /\buuidv7\(/.test(defaultSql ?? '') ? ['uuid7', undefined] : GENERATED.exec(defaultSql ?? '')?.slice(1)

/** A column whose default generates ids, or whose type is a domain of pg-sql, unless its values are other ids. */
function byDefault(sample: Sample): IdColumn | undefined {
  const { kind, column, families, values } = sample
  const generated = generatedBy(column.defaultSql) ?? DOMAIN.exec(column.declared)?.slice(1)
  const base = families.find((one) => snakeCase(one.name) === generated?.[0])
  if (!generated || !base) return undefined
  const prefix = base.storages.includes('text') ? prefixedBy(column.defaultSql) : undefined
  const family = withPrefix(base, prefix)
  const form = generated[1] ?? (family.name === uuid7.name ? 'uuid' : 'binary')
  const storage = (prefix === undefined ? form : 'text') as StorageName
  // The call may be nested in another one that changes its value.
  const fits = storagesOf(kind, column).includes(storage)
  const known = withStorage(sample, { family, storage: fits ? storage : undefined }, 'default')
  const own = values.filter((value) => known.storage && readStored(known.storage, value).is !== 'malformed')
  const others = own.length >= SHARE * values.length ? undefined : recognized(sample, [])
  return others === undefined || others.family === family ? known : others
}

/** If the storage is unknown: that of most values, else the first that the type allows. */
function withStorage(
  { kind, column, values }: Sample,
  { family, storage: known }: Pick<StatedColumn, 'family' | 'storage'>,
  evidence: Evidence,
): IdColumn {
  if (known !== undefined) return { column, family, storage: exactStorage(family, kind, known), evidence }
  const allowed = storagesOf(kind, column)
    .filter((name) => family.storages.includes(name))
    .map((name) => exactStorage(family, kind, name))
  const count = (storage: IdStorage<string>): number =>
    values.filter((value) => strictId(storage, value) !== undefined).length
  const [storage] = allowed.length > 1 ? allowed.sort((a, b) => count(b) - count(a)) : allowed
  return { column, family, storage, evidence }
}

/** How many rows are read in each part of a table. */
const ROWS = 100
/** How many values suffice to recognize a column, and in how many rows a sparse one is searched for them. */
const ENOUGH = 8
const SEARCHED = 5000

/** Some values of each of a table's columns, from its beginning, middle and end. */
async function valuesOf(
  database: LiveDatabase,
  columns: readonly Column[],
): Promise<ReadonlyMap<Column, unknown[]>> {
  const values = new Map<Column, unknown[]>()
  const [first] = columns
  if (first === undefined) return values
  const list = columns.map(({ quotedName }, n) => `${quotedName} AS c${n}`).join(', ')
  const head = `SELECT ${list} FROM ${first.quotedTable}`
  const start = await database.query(`${head} LIMIT ${3 * ROWS}`)
  const isWhole = start.length < 3 * ROWS
  const key = columns.find(({ isKey }) => isKey) ?? columns.find(({ isIndexed }) => isIndexed)
  const parts = isWhole ? [] : database.partsOf(first, key)
  const rows: Row[] = isWhole ? start : start.slice(0, ROWS)
  for (const part of parts) rows.push(...(await database.query(`${head} ${part} LIMIT ${ROWS}`)))
  for (const [n, column] of columns.entries()) {
    const own = rows.map((row) => row[`c${n}`]).filter((value) => value != null)
    values.set(column, isWhole || own.length >= ENOUGH ? own : await searched(database, column))
  }
  return values
}

async function searched(database: LiveDatabase, { quotedName, quotedTable }: Column): Promise<unknown[]> {
  const rows = await database.query(
    `SELECT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable} LIMIT ${SEARCHED}) AS looked_at
      WHERE value IS NOT NULL LIMIT ${ROWS}`,
  )
  return rows.map((row) => row['value'])
}
