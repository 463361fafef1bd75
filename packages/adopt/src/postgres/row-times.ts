import { type TimeSource, throughKey } from '../created-at.js'
import type { RowTimes } from '../key-work.js'
import { refuse } from '../refusal.js'
import type { RootPlan } from '../root-plan.js'
import { literal, quote, shownName } from '../sql-text.js'
import { readForeignKeys } from './catalog.js'
import type { Session } from './session.js'

export interface PostgresRowTimes extends RowTimes {
  /** Whether a row has no time. Its `timeMs` may then be one, or an error. */
  readonly isMissing: string
}

/** @throws {IdError} if there is no such column, or it is of a type that holds no time. */
export async function rowTimes(
  session: Session,
  root: RootPlan,
  source: TimeSource,
): Promise<PostgresRowTimes> {
  const key = keyOrder(root, `t.${quote(root.key)}`)
  switch (source.kind) {
    case 'key':
      return { timeMs: 'NULL::bigint', lateTimeMs: 'NULL::bigint', order: key, isMissing: 'false' }
    case 'span':
      return {
        timeMs: evenly(source.fromMs, source.toMs, key),
        lateTimeMs: `${source.toMs}::bigint`,
        order: key,
        isMissing: 'false',
      }
    case 'column': {
      const value = await timeColumn(session, root, source)
      const times = await columnTimes(session, value, source)
      return { ...times, lateTimeMs: times.timeMs, order: `${value.sql}, ${key}` }
    }
  }
}

/** Old keys in order: texts by their code. */
export const keyOrder = ({ keyType }: RootPlan, column: string): string =>
  /^(text|character|citext)/.test(keyType) ? `${column} COLLATE "C"` : column

const evenly = (fromMs: number, toMs: number, order: string): string =>
  `${fromMs} + (row_number() OVER (ORDER BY ${order}) - 1) * ${toMs - fromMs} / greatest(count(*) OVER () - 1, 1)`

interface Value {
  readonly sql: string
  readonly table: string
  readonly column: string
}

type ColumnSource = Extract<TimeSource, { kind: 'column' }>

async function timeColumn(
  session: Session,
  { table }: RootPlan,
  { column, through }: ColumnSource,
): Promise<Value> {
  if (through === undefined) return { sql: `t.${quote(column)}`, table, column }
  const { target, targetColumns } = throughKey(await readForeignKeys(session), table, through)
  const sql = `(SELECT related.${quote(column)} FROM ${target} AS related
    WHERE related.${quote(targetColumns[0] as string)} = t.${quote(through)})`
  return { sql, table: target, column }
}

async function columnTimes(
  session: Session,
  { sql, table, column }: Value,
  { unit, timeZone = 'UTC' }: ColumnSource,
): Promise<Pick<PostgresRowTimes, 'timeMs' | 'isMissing'>> {
  const [found] = await session.query<{ type: string }>(
    'SELECT atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 AND attnum > 0',
    [table, column],
  )
  const place = `${shownName(table)}.${column}`
  const milliseconds = (instant: string) => ({
    timeMs: `floor(extract(epoch FROM ${instant}) * 1000)::bigint`,
    isMissing: `(${sql} IS NULL OR NOT isfinite(${sql}))`,
  })
  switch (found?.type) {
    case undefined:
      return refuse(place, 'there is no such column')
    case 'timestamp with time zone':
      return milliseconds(sql)
    case 'timestamp without time zone':
    case 'date':
      return milliseconds(`(${sql}::timestamp AT TIME ZONE ${literal(timeZone)})`)
    case 'integer':
    case 'bigint':
    case 'numeric':
      if (unit === undefined) return refuse(place, "a column of numbers needs a unit, 's' or 'ms'")
      return {
        // No bigint: NaN, infinity and what lies far outside are refused as times, with their rows.
        timeMs: `floor(${sql}::numeric * ${unit === 's' ? 1000 : 1})`,
        isMissing: `(${sql} IS NULL)`,
      }
    default:
      return refuse(
        place,
        `a column of type ${found?.type} tells no time; give one of timestamptz, timestamp, date or a number`,
      )
  }
}
