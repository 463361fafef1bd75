import { IdError } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn, TableVerification, Verification } from './adoption.js'
import { type Driver, mapOf } from './driver.js'
import { differs, legacyName, newName, pathOf, placeOf, type RootPlan, rootOf, shownName } from './plan.js'
import type { KeyRecipe } from './recipes.js'
import { idBeside, newValueOf } from './references.js'
import { type Begun, readRounds } from './state.js'
import { readable } from './times.js'
import type { Work } from './work.js'

const ROWS_A_PAGE = 10_000

interface Comparison {
  readonly db: Driver
  /** The columns of old and new values; undefined if the new ones are still in the map. */
  readonly old: (column: string) => string
  readonly new: ((column: string) => string) | undefined
  readonly isSwitched: boolean
  readonly faults: string[]
}

export function* verify<Details>(
  db: Driver<Details>,
  { plan, phase }: Begun<Details>,
  recipes: readonly KeyRecipe[],
): Work<Verification> {
  const isSwitched = phase === 'switched'
  const comparison: Comparison = {
    db,
    isSwitched,
    old: (column) => quoteName(isSwitched ? legacyName(column) : column),
    new:
      isSwitched || db.hasNewColumns
        ? (column) => quoteName(isSwitched ? column : newName(column))
        : undefined,
    faults: [],
  }
  const { faults } = comparison
  const tables: TableVerification[] = []
  for (const [number, root] of plan.roots.entries()) {
    const map = mapOf(db, number)
    const waiting = yield* compareKeys(comparison, root, map)
    tables.push({ ...(yield* compareTimes(comparison, root, map, recipes[number] as KeyRecipe)), waiting })
  }
  for (const column of plan.columns.filter(({ isRoot }) => !isRoot)) {
    yield* compareReferences(comparison, column, plan.roots)
  }
  faults.push(...(yield* db.foreignKeyFaults(plan, phase)))
  return { tables, faults }
}

/** Returns how many rows wait for the switch to give them ids. */
function* compareKeys(comparison: Comparison, root: RootPlan, map: string): Work<number> {
  const { db, isSwitched, old, new: added } = comparison
  const id = added ? `t.${added(root.key)}` : 'm.id'
  const joined = `${map} AS m ON m."key" = t.${old(root.key)}`
  const [found] = yield* db.query<{ missing: string; repeated: string }>(
    `SELECT count(*) - count(${id}) AS missing, count(${id}) - count(DISTINCT ${id}) AS repeated
       FROM ${root.table} AS t ${added ? '' : `LEFT JOIN ${joined}`}`,
  )
  const [disorder] = yield* db.query<{ rows: string }>(
    `SELECT count(*) AS "rows" FROM (
       SELECT ${id} AS id, lag(${id}) OVER (PARTITION BY m.round ORDER BY m.position) AS "before"
         FROM ${root.table} AS t JOIN ${joined} WHERE ${id} IS NOT NULL) AS pair WHERE id <= "before"`,
  )
  const path = placeOf(root)
  // Before the switch, only rows that the backfill has passed should have one.
  const [lost] = yield* db.query<{ rows: string }>(
    `SELECT count(*) AS "rows" FROM ${root.table} AS t JOIN ${joined} JOIN ${db.own('round')} AS d ON d.item = $1 AND d.round = m.round
      WHERE ${id} IS NULL AND m.position <= d.done`,
    [root.table],
  )
  const missing = isSwitched ? found?.missing : lost?.rows
  count(comparison, missing, path, 'without an id')
  count(comparison, found?.repeated, path, 'with an id of another row')
  count(comparison, disorder?.rows, path, 'out of the order of creation')
  return Number(found?.missing) - Number(missing)
}

/** Reads each id back and compares its time with that of its row. */
function* compareTimes(
  { db, old, new: added, faults }: Comparison,
  root: RootPlan,
  map: string,
  { storage, source }: KeyRecipe,
): Work<Omit<TableVerification, 'waiting'>> {
  const id = added ? `t.${added(root.key)}` : 'm.id'
  let [rows, maxDriftMs] = [0, 0]
  for (const { round, total } of yield* readRounds(db, root.table)) {
    for (let from = 0; from < total; from += ROWS_A_PAGE) {
      const page = yield* db.query<{ id: unknown; key: string; timeMs: string | null }>(
        `SELECT ${readable(db, storage, id)} AS id, CAST(m."key" AS ${db.textType}) AS "key", m.time_ms AS "timeMs"
           FROM ${map} AS m JOIN ${root.table} AS t ON t.${old(root.key)} = m."key"
          WHERE m.round = ${round} AND m.position > ${from} AND m.position <= ${from + ROWS_A_PAGE} AND ${id} IS NOT NULL`,
      )
      rows += page.length
      for (const row of page) {
        try {
          const idMs = storage.family.timeMs(storage.fromDatabase(row.id))
          const rowMs = source.kind === 'key' ? source.timeMs(row.key) : Number(row.timeMs)
          maxDriftMs = Math.max(maxDriftMs, Math.abs(idMs - rowMs))
        } catch (error) {
          if (!(error instanceof IdError)) throw error
          faults.push(`${placeOf(root)} ${row.key}: ${error.message}`)
        }
      }
    }
  }
  return { table: shownName(root.table), rows, maxDriftMs }
}

/** Old values must reference the same rows as new ones. Rows inserted after the switch have no old values. */
function* compareReferences(
  comparison: Comparison,
  column: ReplacedColumn,
  roots: readonly RootPlan[],
): Work<void> {
  const { db, isSwitched, old, new: added } = comparison
  // Until then the switch sets those that changed.
  if (added === undefined || !isSwitched) return
  const { table: target, key } = rootOf(roots, column)
  const own = `c.${old(column.column)}`
  if (column.via !== undefined) {
    const idOf = idBeside(db.database, roots, column, old, added)
    const value = newValueOf(db.database, column, own, 'c', idOf)
    const [found] = yield* db.query<{ rows: string }>(
      `SELECT count(*) AS "rows" FROM ${column.table} AS c
        WHERE ${own} IS NOT NULL AND ${differs(`c.${added(column.column)}`, value)}`,
    )
    return count(comparison, found?.rows, pathOf(column), OTHERS)
  }
  const [found] = yield* db.query<{ rows: string }>(
    `SELECT count(*) AS "rows" FROM ${column.table} AS c LEFT JOIN ${target} AS r ON r.${old(key)} = ${own}
      WHERE ${own} IS NOT NULL AND ${differs(`c.${added(column.column)}`, `r.${added(key)}`)}`,
  )
  count(comparison, found?.rows, pathOf(column), OTHERS)
}

const OTHERS = 'whose old and new values reference different rows'

function count({ faults }: Comparison, rows: string | undefined, path: string, what: string): void {
  if (Number(rows) > 0) faults.push(`${path}: ${rows} ${Number(rows) === 1 ? 'row' : 'rows'} ${what}`)
}
