import type { Database } from '@snoflax/core'
import { SqlIds } from '@snoflax/core/adapter'
import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { type ColumnIds, findIds } from '../id-column/ids.js'
import { type Declared, shared } from '../shared.js'

/** The id columns of a kind of database, and the other columns of their tables that can contain ids as text. */
class DeclaredIds implements Declared {
  private readonly ids = new SqlIds(
    'pass parameter(column, id) to send it as the column stores it, or asText(value) to send it as it is',
  )
  private readonly tables = new WeakSet<Table>()
  private waiting: ColumnIds[] = []
  private hasNew = false

  add(ids: ColumnIds): void {
    this.waiting.push(ids)
    this.hasNew = true
  }

  current(): SqlIds {
    if (this.hasNew) {
      this.hasNew = false
      // A reference waits for a target that is defined later.
      this.waiting = this.waiting.filter((ids) => !this.isSettled(ids))
    }
    return this.ids
  }

  private isSettled({ inSql }: ColumnIds): boolean {
    try {
      inSql.storage()
    } catch {
      return false
    }
    const { name, table } = inSql.column
    const columns = getTableColumns(table) as Record<string, Column> | undefined
    if (columns === undefined) {
      // The table is being built, or its definition failed.
      this.hasNew = true
      return false
    }
    // In Drizzle 0.45 the column of an array is another one than that of its elements.
    const column = Object.values(columns).find((one) => findIds(one)?.inSql === inSql)
    this.ids.add(name, column ? { ...inSql, column } : inSql)
    if (!this.tables.has(table)) {
      this.tables.add(table)
      for (const column of Object.values(columns)) {
        if (isText(column)) this.ids.addOther(column.name)
      }
    }
    return true
  }
}

/** The id columns of a kind of database. */
export function declaredIn(database: Database): Declared {
  const known = shared.declared.get(database)
  if (known) return known
  const declared = new DeclaredIds()
  shared.declared.set(database, declared)
  return declared
}

/** Whether a column without ids stores text. */
export const isText = (column: Column): boolean =>
  findIds(column) === undefined && /^(?:\w*text|(?:n?var)?char|character|clob)\b/i.test(column.getSQLType())
