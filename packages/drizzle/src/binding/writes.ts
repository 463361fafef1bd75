import { type Database, IdError } from '@snoflax/core'
import { type Column, is, Param, Placeholder, SQL, sql, type Table } from 'drizzle-orm'
import { findIds, idsOf } from '../id-column/ids.js'
import {
  boundFor,
  boundSelect,
  boundSelectConfig,
  boundWrite,
  idColumnOf,
  idColumnsOf,
  isMapped,
  type Row,
  type Select,
  type SelectConfig,
} from './values.js'

// Drizzle encodes the values of a row, but not those in SQL: `values({ id: sql`${id}` })` would store text in a binary
// column. So what is written to an id column is bound to it, by its key.

/** The arguments of `buildInsertQuery` that we read. */
export interface Insert {
  readonly table: Table
  readonly values: readonly Row[] | SQL | Select
  readonly select?: boolean
  /** In MySQL only. */
  readonly ignore?: boolean
  readonly onConflict?: unknown
  readonly returning?: readonly { readonly field: unknown }[]
}

/**
 * MySQL has no RETURNING: `$returningId()` returns the ids generated for the rows, whether they were inserted or not.
 *
 * @throws {IdError} `INVALID_OPTION` if a row may have another id.
 */
export function checkReturningId({ ignore, onConflict, returning = [] }: Insert): void {
  const column = returning.map(({ field }) => field as Column).find((one) => findIds(one) !== undefined)
  const ids = column && idsOf(column)
  const unknown =
    (ignore && 'that ignore() skipped') ||
    (onConflict && 'that an upsert updated') ||
    (ids?.generate === undefined && column?.default !== undefined && 'whose ids the database generates')
  if (!ids || !unknown) return
  throw new IdError(
    'INVALID_OPTION',
    `${ids.place}: $returningId() doesn't know the ids of rows ${unknown}; ` +
      'select them by a unique column instead',
    { family: ids.family.name, field: '$returningId', path: ids.place },
  )
}

/** An insert with everything in it bound. */
export function boundInsert<Given extends Insert>(insert: Given, database: Database): Given {
  return { ...insert, values: boundValues(insert, database) }
}

function boundValues({ table, values, select }: Insert, database: Database): Insert['values'] {
  const columns = idColumnsOf(table)
  if (is(values, SQL)) return boundFor(values, ...columns.map(([, column]) => column))
  return select
    ? boundSelect(columns, values as Select)
    : (values as Row[]).map((row) => boundWrite(table, row, database))
}

/**
 * Binds the queries of a union, of which one may select a column and another SQL.
 *
 * @throws {IdError} `INVALID_OPTION` for ids that Drizzle would read wrongly, since it decodes all rows by the first query.
 */
export function boundUnion(config: SelectConfig): SelectConfig {
  if (config.setOperators.length === 0) return config
  const sides = [config, ...config.setOperators.map(({ rightSelect }) => rightSelect.config)]
  const columns = sides.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([key, field]): [string, Column][] => {
      const column = idColumnOf(field)
      return column ? [[key, column]] : []
    }),
  )
  for (const { fields } of sides) readAsFirst(config.fields, fields)
  return boundSelectConfig(columns, config)
}

/** Joins return rows of rows. */
function readAsFirst(first: unknown, field: unknown): void {
  if (isRow(field)) {
    for (const [key, inner] of Object.entries(field))
      readAsFirst(isRow(first) ? first[key] : undefined, inner)
    return
  }
  const column = idColumnOf(field)
  if (column === undefined) return
  const ids = idsOf(column)
  const { family, converts } = ids.storage
  const given = is(first, SQL.Aliased) ? first.sql : first
  if (is(given, SQL) && !isMapped(given) && converts) given.mapWith(column)
  const firstColumn = idColumnOf(first)
  const reader = firstColumn && idsOf(firstColumn)
  if (reader?.isAs(ids) || !(converts || reader?.storage.converts)) return
  const read = reader ? `as those of ${reader.place}` : 'as they are stored'
  throw new IdError(
    'INVALID_OPTION',
    `${ids.place}: the first query of this union, intersect or except reads its ids ${read}; ` +
      "select columns of one family and storage in all of its queries, the first one's mapped with .mapWith(column) if it is SQL",
    { family: family.name, path: ids.place },
  )
}

const isRow = (field: unknown): field is Row =>
  typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype

/**
 * Builds a prepared insert that generates new ids at each execution; Drizzle would repeat those generated when it was
 * prepared. MySQL's `$returningId()` gets the ids of the last execution.
 */
export function withFreshIds<Built>(insert: Insert, build: (insert: Insert) => Built): Built {
  const rowIds: Record<string, string>[] = []
  const values = (insert.values as readonly Row[]).map((row) => {
    const last: Record<string, string> = {}
    rowIds.push(last)
    const fresh = idColumnsOf(insert.table).flatMap(([key, column]) => {
      const ids = idsOf(column)
      const { generate } = ids
      if (generate === undefined || !isMissing(row[key])) return []
      const mapToDriverValue = () => {
        last[key] = generate()
        return ids.toDatabase(last[key])
      }
      // A placeholder's value is encoded at each execution, and every object has a property of this name.
      return [[key, sql`${new Param(new Placeholder('constructor'), { mapToDriverValue })}`]]
    })
    return { ...row, ...Object.fromEntries(fresh) }
  })
  const built = build({ ...insert, values })
  const { generatedIds } = built as { readonly generatedIds?: Row[] }
  generatedIds?.forEach((given, at) => {
    generatedIds[at] = Object.setPrototypeOf(rowIds[at] as object, given)
  })
  return built
}

const isMissing = (value: unknown): boolean =>
  value === undefined || (is(value, Param) && value.value === undefined)
