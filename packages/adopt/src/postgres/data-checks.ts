import type { IdFamily } from '@snoflax/core'
import type { ReplacedColumn } from '../adoption.js'
import { KeyTimes } from '../created-at.js'
import type { KeyRecipe } from '../key-recipe.js'
import { refuseIds, SAMPLE } from '../moved-keys.js'
import { refuse } from '../refusal.js'
import { pathOf } from '../replaced-columns.js'
import { placeOf, type RootPlan } from '../root-plan.js'
import { refuseTime } from '../row-time.js'
import { quote, shownName } from '../sql-text.js'
import { keyOrder, type PostgresRowTimes } from './row-times.js'
import type { Session } from './session.js'

const KEYS_A_PAGE = 10_000

/** @throws {IdError} naming the first row whose time no id of the family can carry. */
export async function refuseTimes(
  session: Session,
  root: RootPlan,
  { source, storage }: KeyRecipe,
  times: PostgresRowTimes,
): Promise<void> {
  const { family } = storage
  if (source.kind === 'key') return refuseKeyTimes(session, root, family, source.timeMs)
  const [row] = await session.query<{ key: string; timeMs: string | null }>(
    `SELECT key, time_ms AS "timeMs" FROM (
       SELECT t.${quote(root.key)}::text AS key, CASE WHEN NOT ${times.isMissing} THEN ${times.timeMs} END AS time_ms
         FROM ${root.table} AS t) AS row
      WHERE time_ms IS NULL OR time_ms < $1 OR time_ms > $2 LIMIT 1`,
    [family.firstMs, family.lastMs],
  )
  if (row !== undefined)
    refuseTime(placeOf(root), row.key, row.timeMs === null ? undefined : Number(row.timeMs), family)
}

/** @throws {IdError} if the keys are such ids already. */
export async function refuseMoved(
  session: Session,
  root: RootPlan,
  { source, storage }: KeyRecipe,
  times: PostgresRowTimes,
): Promise<void> {
  if (source.kind === 'key') return
  const rows = await session.query<{ key: string; timeMs: string }>(
    `SELECT t.${quote(root.key)}::text AS key, ${times.timeMs} AS "timeMs" FROM ${root.table} AS t LIMIT ${SAMPLE}`,
  )
  refuseIds(placeOf(root), storage, source, rows)
}

async function refuseKeyTimes(
  session: Session,
  root: RootPlan,
  family: IdFamily,
  timeMs: (key: string) => number,
): Promise<void> {
  const place = placeOf(root)
  const column = quote(root.key)
  const order = keyOrder(root, column)
  const times = new KeyTimes(place, timeMs)
  for (let last: string | null = null; ; ) {
    const rows: { key: string }[] = await session.query(
      `SELECT ${column}::text AS key FROM ${root.table}
        WHERE $1::text IS NULL OR ${order} > $1::${root.keyType} ORDER BY ${order} LIMIT ${KEYS_A_PAGE}`,
      [last],
    )
    for (const row of rows) {
      const time = times.next(row.key)
      if (time < family.firstMs || time > family.lastMs) refuseTime(place, row.key, time, family)
    }
    if (rows.length < KEYS_A_PAGE) return
    last = rows.at(-1)?.key ?? null
  }
}

/** @throws {IdError} naming the first value that leads to no row, as a foreign key that is not validated lets. */
export async function refuseOrphans(session: Session, column: ReplacedColumn, root: RootPlan): Promise<void> {
  const own = quote(column.column)
  const [row] = await session.query<{ value: string }>(
    `SELECT c.${own}::text AS value FROM ${column.table} AS c WHERE c.${own} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${root.table} AS r WHERE r.${quote(root.key)} = c.${own}) LIMIT 1`,
  )
  if (row === undefined) return
  refuse(
    pathOf(column),
    `the value ${row.value} leads to no row of ${shownName(root.table)}; mend it first`,
    row.value,
  )
}
