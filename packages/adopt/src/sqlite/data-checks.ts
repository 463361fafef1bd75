import type { ReplacedColumn } from '../adoption.js'
import { KeyTimes } from '../created-at.js'
import type { KeyRecipe } from '../key-recipe.js'
import { refuse } from '../refusal.js'
import { pathOf } from '../replaced-columns.js'
import { placeOf, type RootPlan } from '../root-plan.js'
import { checkRowTime } from '../row-time.js'
import { quote } from '../sql-text.js'
import type { Connection } from './connection.js'
import { rowTimes } from './row-times.js'

/** @throws {IdError} naming the first row whose time no id of the family can carry. */
export function refuseTimes(connection: Connection, root: RootPlan, { source, storage }: KeyRecipe): void {
  const { family } = storage
  const place = placeOf(root)
  const from = `FROM ${quote(root.table)} AS t`
  const keys = `CAST(t.${quote(root.key)} AS TEXT) AS key`
  if (source.kind === 'key') {
    const times = new KeyTimes(place, source.timeMs)
    const rows = connection.query<{ key: string }>(`SELECT ${keys} ${from} ORDER BY t.${quote(root.key)}`)
    for (const { key } of rows) checkRowTime(place, key, times.next(key), family)
    return
  }
  const { timeMs } = rowTimes(connection, root, source)
  const [row] = connection.query<{ key: string; timeMs: number | null }>(
    `SELECT * FROM (SELECT ${keys}, ${timeMs} AS timeMs ${from}) WHERE timeMs IS NULL OR timeMs < ? OR timeMs > ? LIMIT 1`,
    [family.firstMs, family.lastMs],
  )
  if (row !== undefined) checkRowTime(place, row.key, row.timeMs ?? undefined, family)
}

/** @throws {IdError} naming the first value that leads to no row: SQLite checks foreign keys only where told. */
export function refuseOrphans(connection: Connection, column: ReplacedColumn, root: RootPlan): void {
  const own = `c.${quote(column.column)}`
  const [row] = connection.query<{ value: string }>(
    `SELECT CAST(${own} AS TEXT) AS value FROM ${quote(column.table)} AS c WHERE ${own} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${quote(root.table)} AS r WHERE r.${quote(root.key)} = ${own}) LIMIT 1`,
  )
  if (row === undefined) return
  refuse(pathOf(column), `the value ${row.value} leads to no row of ${root.table}; mend it first`, row.value)
}
