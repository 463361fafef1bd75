import { checkCondition } from '@snoflax/core/adapter'
import { type Column, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import type { ColumnIds } from './ids.js'

type ExtraConfig = (...of: readonly unknown[]) => object

/** Where Drizzle keeps a table's checks, indexes and policies: it sets them once the columns are built. */
const EXTRA_CONFIG = Symbol.for('drizzle:ExtraConfigBuilder')

/** Adds a CHECK of the column's values to the constraints of its table. */
export function addCheck(table: Table, column: Column, ids: ColumnIds): void {
  const before = Object.getOwnPropertyDescriptor(table, EXTRA_CONFIG) ?? {}
  let builderOf: ExtraConfig | undefined
  const extraConfig: ExtraConfig = (...of) => {
    const constraints = (before.get ? (before.get() as ExtraConfig) : builderOf)?.(...of) ?? []
    const all: object[] = Array.isArray(constraints) ? constraints.flat() : Object.values(constraints)
    return [...all, ...checksOf(column, ids)]
  }
  Object.defineProperty(table, EXTRA_CONFIG, {
    get: () => extraConfig,
    set: before.set ?? ((builder) => (builderOf = builder)),
    configurable: true,
  })
}

/** The check names the column alone, without its table: SQLite copies a check to a table of another name. */
function checksOf(column: Column, ids: ColumnIds): object[] {
  const condition = (name: string) => ids.placed(() => checkCondition(ids.storage, name))
  if (condition(column.name) === undefined) return []
  const named = sql`${column}`
  const toQuery: SQL['toQuery'] = (config) => {
    const query = named.toQuery({ ...config, invokeSource: 'indexes' })
    return { ...query, sql: condition(query.sql) as string }
  }
  const check = Object.create(named, { toQuery: { value: toQuery } }) as SQL
  return [ids.dialect.core.check(`${getTableName(column.table)}_${column.name}_check`, check)]
}
