import { type Database, IdError } from '@snoflax/core'
import { type Column, is, SQL, type Table } from 'drizzle-orm'
import { idsOf } from '../id-column/ids.js'
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
