import { type TimeSource, throughKey } from '../created-at.js'
import type { RowTimes } from '../key-work.js'
import { refuse } from '../refusal.js'
import type { RootPlan } from '../root-plan.js'
import { literal, quote } from '../sql-text.js'
import { Catalog } from './catalog.js'
import type { Connection } from './connection.js'

/** A row without a time has NULL. @throws {IdError} if there is no such column. */
export function rowTimes(connection: Connection, root: RootPlan, source: TimeSource): RowTimes {
  const key = `t.${quote(root.key)}`
  switch (source.kind) {
    case 'key':
      return { timeMs: 'NULL', lateTimeMs: 'NULL', order: key }
    case 'span':
      return { timeMs: evenly(source.fromMs, source.toMs, key), lateTimeMs: `${source.toMs}`, order: key }
    case 'column': {
      const value = timeColumn(connection, root, source)
      const timeMs = milliseconds(value, source.unit)
      return { timeMs, lateTimeMs: timeMs, order: `${timeMs}, ${value}, ${key}` }
    }
  }
}

const evenly = (fromMs: number, toMs: number, order: string): string =>
  `${fromMs} + (row_number() OVER (ORDER BY ${order}) - 1) * ${toMs - fromMs} / max(count(*) OVER () - 1, 1)`

type ColumnSource = Extract<TimeSource, { kind: 'column' }>

function timeColumn(
  connection: Connection,
  { table }: RootPlan,
  { column, through, timeZone }: ColumnSource,
): string {
  if (timeZone !== undefined)
    refuse(`${table}.${column}`, 'SQLite knows no time zones; texts without one are UTC', timeZone)
  const catalog = new Catalog(connection)
  if (through === undefined) return `t.${quote(catalog.column(table, column).name)}`
  const { target, targetColumns } = throughKey(catalog.foreignKeys, table, through)
  return `(SELECT related.${quote(catalog.column(target, column).name)} FROM ${quote(target)} AS related
    WHERE related.${quote(targetColumns[0] as string)} = t.${quote(through)})`
}

/** Whether there are numbers without a unit: no time can be told of them. */
export function holdsNumbers(connection: Connection, root: RootPlan, source: ColumnSource): boolean {
  if (source.unit !== undefined) return false
  const type = `typeof(${timeColumn(connection, root, source)})`
  return (
    connection.query(`SELECT 1 FROM ${quote(root.table)} AS t WHERE ${type} IN ('integer', 'real') LIMIT 1`)
      .length > 0
  )
}

/** Texts as SQLite's date functions read them. Numbers need a unit: SQLite would take them for days. */
function milliseconds(value: string, unit: 's' | 'ms' | undefined): string {
  const ofText = `unixepoch(${value}) * 1000 + CAST(substr(strftime('%f', ${value}), 4) AS INTEGER)`
  const ofNumber = unit === undefined ? 'NULL' : `CAST(${value} * ${unit === 's' ? 1000 : 1} AS INTEGER)`
  return `CASE WHEN typeof(${value}) = ${literal('text')} AND ${value} LIKE '%-%' THEN ${ofText}
    WHEN typeof(${value}) IN ('integer', 'real') THEN ${ofNumber} END`
}
