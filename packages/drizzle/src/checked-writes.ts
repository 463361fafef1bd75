import { type Column, getTableColumns, is, Param, type Table } from 'drizzle-orm'
import type { DrizzleCopy } from './copy.js'
import { idColumnsOf, idsOf } from './id-column/ids.js'

// Drizzle encodes what it writes and what it compares by one method of the column. For columns whose conditions take any
// text, what builds an insert or the SET of an update gets a table whose columns check.

type Values = Readonly<Record<string, unknown>>

interface Inserted {
  readonly table: Table
  /** Rows, or a query. */
  readonly values: readonly Values[] | object
}

interface Builders {
  buildInsertQuery(this: object, inserted: Inserted): object
  buildUpdateSet(this: object, table: Table, set: Values): object
}

export function hookIntoWrites({ Dialect }: DrizzleCopy): void {
  const prototype = Dialect.prototype as unknown as Builders
  const { buildInsertQuery, buildUpdateSet } = prototype
  const checked: Builders = {
    buildInsertQuery(inserted) {
      const { table, values } = inserted
      const written = writtenTable(table)
      if (written === table) return buildInsertQuery.call(this, inserted)
      return buildInsertQuery.call(this, {
        ...inserted,
        table: written,
        values: Array.isArray(values) ? values.map((row) => writtenValues(table, written, row)) : values,
      })
    },
    buildUpdateSet(table, set) {
      const written = writtenTable(table)
      return buildUpdateSet.call(this, written, written === table ? set : writtenValues(table, written, set))
    },
  }
  for (const [name, value] of Object.entries(checked)) {
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
  }
}

const COLUMNS = Symbol.for('drizzle:Columns')
const tables = new WeakMap<Table, Table>()

/** The table as it is written to; itself if all its columns check. */
function writtenTable(table: Table): Table {
  const known = tables.get(table)
  if (known) return known
  const columns = idColumnsOf(table).filter(([, column]) => idsOf(column).takesAnyText)
  const written: Table =
    columns.length === 0
      ? table
      : Object.create(table, {
          [COLUMNS]: {
            value: {
              ...getTableColumns(table),
              ...Object.fromEntries(columns.map(([key, column]) => [key, writing(column)])),
            },
          },
        })
  tables.set(table, written)
  return written
}

/** The column as it is written to. */
export function writing(column: Column): Column {
  const ids = idsOf(column)
  if (!ids.takesAnyText) return column
  const check = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(check)
    else ids.toDatabase(value)
  }
  const value = (given: unknown, ...nested: []) => {
    check(given)
    return column.mapToDriverValue(given, ...nested)
  }
  return Object.create(column, { mapToDriverValue: { value } })
}

/** Drizzle has already bound values to the table's own columns. */
const writtenValues = (table: Table, written: Table, values: Values): Values => {
  const [own, writing]: Values[] = [getTableColumns(table), getTableColumns(written)]
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const isBound = is(value, Param) && value.encoder === own?.[key]
      return [key, isBound ? Object.create(value, { encoder: { value: writing?.[key] } }) : value]
    }),
  )
}
