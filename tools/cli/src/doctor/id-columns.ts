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
import { generatedBy, prefixedBy } from '../ids/defaults.js'
import { type FamilyOptions, familyNamed, withPrefix } from '../ids/families.js'
import { exactStorage, storageNamed } from '../ids/forms.js'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live/database.js'
import { Pace } from '../pace.js'
import type { Evidence, IdColumn } from './id-column.js'
import { recognized, type Sample, SHARE } from './recognized.js'
import { readStored, storagesOf, strictId } from './stored-value.js'
import { type UuidColumn, uuidsOf } from './uuids.js'

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
  readonly progress: (text: string) => void
}

/** Id columns, and values that were read to find them. */
export interface Identified {
  readonly columns: IdColumn[]
  /** All values of columns that may have ids, of tables that were read as a whole. */
  readonly whole: ReadonlyMap<Column, readonly unknown[]>
  /** Values of columns that are no id columns, but have UUIDs. */
  readonly uuids: readonly UuidColumn[]
}

/** Tables whose samples one round trip reads. */
const TABLES = 50

/** Finds the id columns: by option, by declaration, by default, by values, or by reference. */
export async function identify(
  database: LiveDatabase,
  columns: readonly Column[],
  { schema, families, stated, declared, progress }: Known,
  notes: string[],
): Promise<Identified> {
  const byPlace = new Map(columns.map((column) => [placeOf(column), column]))
  const places = stated.map((one) => one.place)
  const twice = places.find((place, n) => places.indexOf(place) !== n)
  if (twice !== undefined) throw new UsageError(`--column ${twice} is passed twice; pass it once`)
  for (const place of places) {
    const column = byPlace.get(place)
    if (column === undefined) throw new UsageError(`no column ${place}`)
    const reason = hiddenBy(column) ?? (column.isGenerated ? 'it is generated from other columns' : undefined)
    if (reason !== undefined) throw new UsageError(`${place} can't be examined, since ${reason}`)
  }
  notes.push(...hiddenNotes(database.kind, columns, schema))
  const own = columns.filter(isExamined)
  const found: IdColumn[] = []
  const whole = new Map<Column, readonly unknown[]>()
  const uuids: UuidColumn[] = []
  const byOption = new Map(stated.map((one) => [one.place, one]))
  const byOrm = new Map(declared.map((one) => [one.place, one]))
  const look = (column: Column, { values, isWhole }: Values): void => {
    const sample = { kind: database.kind, column, families, values }
    const [one, orm] = [byOption.get(placeOf(column)), byOrm.get(placeOf(column))]
    const definition = one ?? orm
    const known = withoutStacks(() =>
      definition
        ? {
            ...withStorage(sample, definition, one ? 'option' : 'declared'),
            isPrimary: orm?.isPrimary,
            accepting: orm?.accepting,
          }
        : (byDefault(sample) ?? recognized(sample, notes)),
    )
    if (known) found.push(known)
    else uuids.push(...uuidsOf(sample))
    if (isWhole && (known !== undefined || column.references !== undefined)) whole.set(column, values)
  }
  const tables = byTable(own)
  const pace = new Pace('tables')
  for (let start = 0; start < tables.length; start += TABLES) {
    const some = tables.slice(start, start + TABLES)
    const values = await valuesOf(
      database,
      some.map((table) => table.filter((column) => mayHoldIds(database.kind, column))),
    )
    for (const column of some.flat()) look(column, values.get(column) ?? { values: [], isWhole: false })
    progress(`looking for ids: ${pace.after(start + some.length, tables.length)}`)
  }
  return { columns: withReferences(database.kind, own, found), whole, uuids }
}

/** Whether it has values of its own, all of which can be read. */
export const isExamined = (column: Column): boolean => hiddenBy(column) === undefined && !column.isGenerated

const hiddenBy = ({ unreadable, isFiltered }: Column): string | undefined =>
  unreadable ?? (isFiltered ? 'row-level security hides rows from this role' : undefined)

/** Names what may contain ids, but can't be read, once for each reason: tables, or columns of tables that are read. */
function hiddenNotes(kind: Database, columns: readonly Column[], schema: string): string[] {
  const read = new Set(columns.filter(isExamined).map(({ table }) => table))
  const places = new Map<string, Set<string>>()
  for (const column of columns) {
    const { table } = column
    const hidden = hiddenBy(column)
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

function byTable(columns: readonly Column[]): Column[][] {
  const tables = new Map<string, Column[]>()
  for (const column of columns) {
    const own = tables.get(column.quotedTable)
    if (own === undefined) tables.set(column.quotedTable, [column])
    else own.push(column)
  }
  return [...tables.values()]
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

const DOMAIN = /\b([a-z][a-z_0-9]*)_(uuid8|uuid|text|bigint|binary)$/

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

interface Values {
  readonly values: readonly unknown[]
  /** Whether these are all. */
  readonly isWhole: boolean
}

/** Some values of each of the tables' columns, from the beginning, middle and end. */
async function valuesOf(
  database: LiveDatabase,
  tables: readonly (readonly Column[])[],
): Promise<ReadonlyMap<Column, Values>> {
  const found = new Map<Column, Values>()
  const filled = tables.filter((columns) => columns.length > 0)
  const heads = filled.map((columns) => {
    const list = columns.map(({ quotedName }, n) => `${quotedName} AS c${n}`).join(', ')
    return `SELECT ${list} FROM ${columns[0]?.quotedTable}`
  })
  const starts = await database.queries(heads.map((head) => `${head} LIMIT ${3 * ROWS}`))
  for (const [at, columns] of filled.entries()) {
    const start = starts[at] as Row[]
    const isWhole = start.length < 3 * ROWS
    const key = columns.find(({ isKey }) => isKey) ?? columns.find(({ isIndexed }) => isIndexed)
    const parts = isWhole ? [] : database.partsOf(columns[0] as Column, key)
    const rows: Row[] = isWhole ? start : start.slice(0, ROWS)
    for (const part of parts) rows.push(...(await database.query(`${heads[at]} ${part} LIMIT ${ROWS}`)))
    for (const [n, column] of columns.entries()) {
      const own = rows.map((row) => row[`c${n}`]).filter((value) => value != null)
      const values = isWhole || own.length >= ENOUGH ? own : await searched(database, column)
      found.set(column, { values, isWhole })
    }
  }
  return found
}

async function searched(database: LiveDatabase, { quotedName, quotedTable }: Column): Promise<unknown[]> {
  const rows = await database.query(
    `SELECT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable} LIMIT ${SEARCHED}) AS looked_at
      WHERE value IS NOT NULL LIMIT ${ROWS}`,
  )
  return rows.map((row) => row['value'])
}
