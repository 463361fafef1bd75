import { type Column, getTableColumns, is, Param, Placeholder, SQL, type Table } from 'drizzle-orm'
import { type ColumnIds, findIds } from '../id-column/ids.js'
import { boundFor } from './values.js'

// Drizzle encodes the values of a row, but not those in SQL: `values({ id: sql`${id}` })` would store text in a binary
// column. So what is written to an id column is bound to it, by its key.

/** What is written, by the keys of the table. */
export type Row = Readonly<Record<string, unknown>>

/** What we read of the arguments of `buildInsertQuery`. */
export interface Insert {
  readonly table: Table
  readonly values: readonly Row[] | SQL | Select
  readonly select?: boolean
}

/** A query builder: what it selects stands in its configuration. */
interface Select {
  readonly config: {
    readonly fields: Row
    readonly setOperators: readonly { readonly rightSelect: Select }[]
  }
}

/** An insert with everything in it bound. */
export function boundInsert<Given extends Insert>(insert: Given): Given {
  return { ...insert, values: boundValues(insert) }
}

function boundValues({ table, values, select }: Insert): Insert['values'] {
  if (is(values, SQL)) return boundFor(values, ...idColumnsOf(table).map(([, , column]) => column))
  return select ? boundSelect(table, values as Select) : (values as Row[]).map((row) => boundRow(table, row))
}

function boundSelect(table: Table, select: Select): Select {
  const { fields, setOperators } = select.config
  const config = {
    ...select.config,
    fields: boundRow(table, fields),
    setOperators: setOperators.map((one) => ({ ...one, rightSelect: boundSelect(table, one.rightSelect) })),
  }
  return Object.create(select, { config: { value: config } })
}

/** What an insert or update has for a table, its SQL bound to the columns that take it. */
export function boundRow(table: Table, row: Row): Row {
  const bound = idColumnsOf(table).flatMap(([key, , column]) => {
    const value = boundTo(column, row[key])
    return value === row[key] ? [] : [[key, value]]
  })
  return bound.length === 0 ? row : { ...row, ...Object.fromEntries(bound) }
}

const idColumns = new WeakMap<Table, [key: string, ids: ColumnIds, column: Column][]>()

function idColumnsOf(table: Table) {
  const known = idColumns.get(table)
  if (known) return known
  const found = Object.entries<Column>(getTableColumns(table)).flatMap(
    ([key, column]): [string, ColumnIds, Column][] => {
      const ids = findIds(column)
      return ids ? [[key, ids, column]] : []
    },
  )
  idColumns.set(table, found)
  return found
}

/** What is written to an id column, if it is SQL bound to it. */
export function boundTo(column: Column, value: unknown): unknown {
  if (is(value, SQL.Aliased)) return boundFor(value.sql, column).as(value.fieldAlias)
  return is(value, SQL) ? boundFor(value, column) : value
}

/**
 * Builds a prepared insert with a new id for each execution, where Drizzle would repeat the one that it got when it was
 * prepared. MySQL's `$returningId()` is answered the ids of the last execution.
 */
export function withFreshIds<Built>(insert: Insert, build: (insert: Insert) => Built): Built {
  const made: Record<string, string>[] = []
  const values = (insert.values as readonly Row[]).map((row) => {
    const last: Record<string, string> = {}
    made.push(last)
    const fresh = idColumnsOf(insert.table).flatMap(([key, ids]) => {
      const { generate } = ids
      if (generate === undefined || !isMissing(row[key])) return []
      const mapToDriverValue = () => {
        last[key] = generate()
        return ids.toDatabase(last[key])
      }
      // A placeholder's value is encoded at each execution, and every object has one by this name.
      return [[key, new Param(new Placeholder('constructor'), { mapToDriverValue })]]
    })
    return { ...row, ...Object.fromEntries(fresh) }
  })
  const built = build({ ...insert, values })
  const { generatedIds } = built as { readonly generatedIds?: Row[] }
  generatedIds?.forEach((given, at) => {
    generatedIds[at] = Object.setPrototypeOf(made[at] as object, given)
  })
  return built
}

const isMissing = (value: unknown): boolean =>
  value === undefined || (is(value, Param) && value.value === undefined)
