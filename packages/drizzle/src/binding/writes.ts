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
  if (is(values, SQL)) return boundFor(values, ...Object.values(getTableColumns(table)).filter(findIds))
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
  const columns: Record<string, Column> = getTableColumns(table)
  const entries = Object.entries(row).map(([key, value]) => {
    const column = columns[key]
    return [key, column && findIds(column) ? boundTo(column, value) : value]
  })
  return Object.fromEntries(entries)
}

/** What is written to an id column, if it is SQL bound to it. */
export function boundTo(column: Column, value: unknown): unknown {
  if (is(value, SQL.Aliased)) return boundFor(value.sql, column).as(value.fieldAlias)
  return is(value, SQL) ? boundFor(value, column) : value
}

/**
 * The rows of a prepared insert with a new id for each execution, where Drizzle would repeat the one that it got when
 * it was prepared. MySQL's `$returningId()` is answered the last.
 */
export function withFreshIds(table: Table, rows: readonly Row[]) {
  const columns = Object.entries<Column>(getTableColumns(table))
  const fresh = rows.map((row) =>
    columns.flatMap(([key, column]) => {
      const ids = isMissing(row[key]) ? findIds(column) : undefined
      return ids?.generate ? [{ key, parameter: new FreshId(ids, ids.generate) }] : []
    }),
  )
  return {
    rows: rows.map((row, at) => ({
      ...row,
      ...Object.fromEntries((fresh[at] ?? []).map(({ key, parameter }) => [key, parameter.sql])),
    })),
    answer(built: unknown): unknown {
      const { generatedIds = [] } = built as { readonly generatedIds?: readonly Row[] }
      for (const [at, made] of generatedIds.entries()) {
        for (const { key, parameter } of fresh[at] ?? [])
          Object.defineProperty(made, key, { get: () => parameter.last })
      }
      return built
    },
  }
}

const isMissing = (value: unknown): boolean =>
  value === undefined || (is(value, Param) && value.value === undefined)

class FreshId {
  /** Of the last execution. */
  last: string | undefined
  /** Drizzle encodes a placeholder's value at each execution, and every object has one by this name. */
  readonly sql: Param

  constructor(ids: ColumnIds, generate: () => string) {
    const mapToDriverValue = () => {
      this.last = generate()
      return ids.toDatabase(this.last)
    }
    this.sql = new Param(new Placeholder('constructor'), { mapToDriverValue })
  }
}
