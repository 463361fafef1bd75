import type { DataSource, EntityMetadata } from 'typeorm'
import { DriverUtils } from 'typeorm/driver/DriverUtils.js'
import { idColumnsIn, type PreparedColumn } from '../prepare/prepared-column.js'
import { passedOrPlainPath } from './compared-path.js'
import { idColumnAt } from './id-paths.js'
import { dialectOf, tokensOf } from './tokens.js'

/** What a query selects. */
export interface Selection {
  readonly dataSource: DataSource
  readonly expressionMap: {
    readonly aliases: readonly {
      readonly name: string
      readonly hasMetadata: boolean
      readonly metadata: EntityMetadata
    }[]
    readonly selects: readonly { readonly selection: string; readonly aliasName?: string }[]
  }
}

export type RawRow = Record<string, unknown>

/**
 * Puts ids where a query's raw rows have database values, in place. Raw rows are what `getRawMany` answers,
 * and what TypeORM itself compares and groups by, which bytes are no good for.
 */
export function putIdsIntoRows(rows: readonly RawRow[], selection: Selection): void {
  const [first] = rows
  if (first === undefined) return
  const columns = [...selectedIds(selection)].filter(([key]) => key in first)
  for (const row of rows) {
    for (const [key, { transformer }] of columns) row[key] = transformer.from(row[key])
  }
}

function selectedIds({
  dataSource,
  expressionMap: { aliases, selects },
}: Selection): Map<string, PreparedColumn> {
  const selected = new Map<string, PreparedColumn>()
  for (const { name, metadata } of aliases.filter(({ hasMetadata }) => hasMetadata)) {
    for (const column of idColumnsIn(metadata)) {
      selected.set(
        DriverUtils.buildAlias(dataSource.driver, undefined, name, column.metadata.databaseName),
        column,
      )
    }
  }
  for (const { selection, aliasName } of selects) {
    if (aliasName === undefined) continue
    const path = passedOrPlainPath(tokensOf(selection, dialectOf(dataSource)))
    const column = path === undefined ? undefined : idColumnAt(path, aliases)
    if (column) selected.set(aliasName, column)
    else selected.delete(aliasName)
  }
  return selected
}
