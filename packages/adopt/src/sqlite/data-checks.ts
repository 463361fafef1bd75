import type { ReplacedColumn } from '../adoption.js'
import { KeyTimes } from '../created-at.js'
import type { KeyRecipe } from '../key-recipe.js'
import { refuseIds, SAMPLE } from '../moved-keys.js'
import { refuse } from '../refusal.js'
import { pathOf } from '../replaced-columns.js'
import { placeOf, type RootPlan } from '../root-plan.js'
import { checkRowTime } from '../row-time.js'
import { quote } from '../sql-text.js'
import type { Connection } from './connection.js'
import { holdsNumbers, rowTimes } from './row-times.js'

/** @throws {IdError} for a row without a key: of SQLite's primary keys, only INTEGER ones refuse null. */
export function refuseKeyless(connection: Connection, { table, key }: RootPlan): void {
  const rows = connection.query(`SELECT 1 FROM ${quote(table)} WHERE ${quote(key)} IS NULL LIMIT 1`)
  if (rows.length > 0) refuse(pathOf({ table, column: key }), 'a row has NULL for a key; give it one')
}

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
  if (row === undefined) return
  if (row.timeMs === null && source.kind === 'column' && holdsNumbers(connection, root, source)) {
    refuse(`${root.table}.${source.column}`, "a column of numbers needs a unit, 's' or 'ms'")
  }
  checkRowTime(place, row.key, row.timeMs ?? undefined, family)
}

/** @throws {IdError} if the keys are such ids already. */
export function refuseMoved(connection: Connection, root: RootPlan, { source, storage }: KeyRecipe): void {
  if (source.kind === 'key') return
  const { timeMs } = rowTimes(connection, root, source)
  const key = `t.${quote(root.key)}`
  const rows = connection.query<{ key: unknown; timeMs: number }>(
    `SELECT CASE typeof(${key}) WHEN 'integer' THEN CAST(${key} AS TEXT) ELSE ${key} END AS key, ${timeMs} AS timeMs
       FROM ${quote(root.table)} AS t LIMIT ${SAMPLE}`,
  )
  refuseIds(placeOf(root), storage, source, rows)
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
