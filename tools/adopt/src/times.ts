import type { IdFamily, IdStorage } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import type { Driver, TimeColumn } from './driver.js'
import { keyTimes } from './ids.js'
import { refuse } from './obstacles.js'
import { pathOf, placeOf, type RootPlan } from './plan.js'
import type { KeyRecipe, TimeSource } from './recipes.js'
import type { Work } from './work.js'

/** The times of a table's rows, as SQL over its alias `t`. */
interface RowTimes {
  /** Whole Unix milliseconds; NULL for a row without a time, and if keys contain the times. */
  readonly timeMs: string
  /** The same for rows inserted later: if times are spread over a span, its end. */
  readonly lateTimeMs: string
  /** The order of the rows. */
  readonly order: string
}

/** @throws {IdError} if there is no such column, or it contains no time. */
export function* rowTimes(db: Driver, root: RootPlan, source: TimeSource): Work<RowTimes> {
  const key = db.keyOrder(root, `t.${quoteName(root.key)}`)
  switch (source.kind) {
    case 'key':
      return { timeMs: 'NULL', lateTimeMs: 'NULL', order: key }
    case 'span':
      return { timeMs: evenly(source, key), lateTimeMs: `${source.toMs}`, order: key }
    case 'column': {
      const { timeMs, order } = yield* db.timeOf(yield* timeColumn(db, root, source))
      return { timeMs, lateTimeMs: timeMs, order: `${order}, ${key}` }
    }
  }
}

/** Not with integers, since the product of many rows and a long span is none of 64 bits. */
const evenly = ({ fromMs, toMs }: { fromMs: number; toMs: number }, order: string): string =>
  `${fromMs} + coalesce(round((row_number() OVER (ORDER BY ${order}) - 1) * ${toMs - fromMs}.0 / nullif(count(*) OVER () - 1, 0)), 0)`

function* timeColumn(
  db: Driver,
  { table }: RootPlan,
  { column, through, ...source }: Extract<TimeSource, { kind: 'column' }>,
): Work<TimeColumn> {
  if (through === undefined) return { ...source, sql: `t.${quoteName(column)}`, table, column }
  const foreignKeys = yield* db.catalog.readForeignKeys(db)
  const { target, targetColumns } =
    foreignKeys.find(
      ({ table: own, columns }) => own === table && columns.length === 1 && columns[0] === through,
    ) ?? refuse(pathOf({ table, column: through }), 'createdAt.through must be a foreign key of one column')
  const sql = `(SELECT related.${quoteName(column)} FROM ${target} AS related
    WHERE related.${quoteName(targetColumns[0] as string)} = t.${quoteName(through)})`
  return { ...source, sql, table: target, column }
}

/** @throws {IdError} naming the first row for which no id can be generated. */
export function* checkTimes(db: Driver, root: RootPlan, recipe: KeyRecipe): Work<void> {
  const { source, storage } = recipe
  yield* refuseKeyless(db, root)
  if (source.kind === 'key') return yield* checkKeyTimes(db, root, storage.family, source.timeMs)
  const { timeMs } = yield* rowTimes(db, root, source)
  const key = `t.${quoteName(root.key)}`
  yield* refuseUntimed(
    db,
    root,
    storage.family,
    `SELECT ${key} AS "key", ${timeMs} AS time_ms FROM ${root.table} AS t`,
  )
  const sample = yield* db.query<{ key: unknown; timeMs: string | number }>(
    `SELECT ${readable(db, storage, key)} AS "key", ${timeMs} AS "timeMs" FROM ${root.table} AS t LIMIT ${SAMPLE}`,
  )
  refuseIds(placeOf(root), storage, source, sample)
}

/** @throws {IdError} for a row without a key, which SQLite accepts unless the key is an INTEGER. */
export function* refuseKeyless(db: Driver, root: RootPlan): Work<void> {
  const rows = yield* db.query(`SELECT 1 FROM ${root.table} WHERE ${quoteName(root.key)} IS NULL LIMIT 1`)
  if (rows.length > 0) refuse(placeOf(root), 'a row has NULL as its key; set the key')
}

/** @throws {IdError} `INVALID_TIME`, `TIME_OUT_OF_RANGE` for the first of some rows, `key` and `time_ms`. */
export function* refuseUntimed(db: Driver, root: RootPlan, family: IdFamily, rows: string): Work<void> {
  const [row] = yield* db.query<{ key: string; timeMs: string | number | null }>(
    `SELECT CAST("key" AS ${db.textType}) AS "key", time_ms AS "timeMs" FROM (${rows}) AS noted
      WHERE time_ms IS NULL OR time_ms < ${family.firstMs} OR time_ms > ${family.lastMs} LIMIT 1`,
  )
  if (row) checkRowTime(placeOf(root), row.key, row.timeMs === null ? undefined : Number(row.timeMs), family)
}

const KEYS_A_PAGE = 10_000

function* checkKeyTimes(
  db: Driver,
  root: RootPlan,
  family: IdFamily,
  timeMs: (key: string) => number,
): Work<void> {
  const place = placeOf(root)
  const timeOf = keyTimes(place, timeMs)
  for (let after: unknown; ; ) {
    const { keys, last } = yield* db.keysAfter(root, after, KEYS_A_PAGE)
    for (const key of keys) checkRowTime(place, key, timeOf(key), family)
    if (keys.length < KEYS_A_PAGE) return
    after = last
  }
}

/** @throws {IdError} `INVALID_TIME` for a row without a time, `TIME_OUT_OF_RANGE`. */
function checkRowTime(
  place: string,
  key: string,
  timeMs: number | undefined,
  { name, firstMs, lastMs }: IdFamily,
): void {
  if (timeMs !== undefined && timeMs >= firstMs && timeMs <= lastMs) return
  const row = `${place} ${key}`
  if (timeMs === undefined)
    refuse(row, 'the row has no time; fill its createdAt column, or use { from, to }', key, 'INVALID_TIME')
  const iso = (time: number): string =>
    Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : `${time} ms`
  refuse(
    row,
    `${name}: the row's time ${iso(timeMs)} is outside ${iso(firstMs)} to ${iso(lastMs)}`,
    timeMs,
    'TIME_OUT_OF_RANGE',
  )
}

const SAMPLE = 100
/** More than the clocks of applications and databases differ. */
const TOLERANCE_MS = 60_000

/**
 * @throws {IdError} if most keys are ids of the family with the time of their row: a program that runs again after its
 * adoption would give every row another id.
 */
function refuseIds(
  place: string,
  storage: IdStorage<string>,
  source: TimeSource,
  rows: readonly { readonly key: unknown; readonly timeMs: string | number }[],
): void {
  const toleranceMs = source.kind === 'span' ? source.toMs - source.fromMs : TOLERANCE_MS
  const ids = rows.filter(
    ({ key, timeMs }) => Math.abs(idTimeMs(storage, key) - Number(timeMs)) <= toleranceMs,
  )
  if (ids.length <= rows.length / 2) return
  refuse(
    place,
    `the keys are already ${storage.family.name} ids of their rows' times: this adoption has already been finished`,
  )
}

/** The time of an id; NaN for other values. */
function idTimeMs({ family, fromDatabase }: IdStorage<string>, key: unknown): number {
  try {
    return family.timeMs(fromDatabase(key))
  } catch {
    return Number.NaN
  }
}

/** A value as text, since drivers round large integers. */
export const readable = ({ textType }: Driver, { name }: IdStorage<string>, value: string): string =>
  name === 'bigint' ? `CAST(${value} AS ${textType})` : value
