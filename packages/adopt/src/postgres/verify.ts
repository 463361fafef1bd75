import type { ReplacedColumn, TableVerification, Verification } from '../adoption.js'
import { legacyName, newName } from '../column-names.js'
import { rowTimeMs } from '../created-at.js'
import { counted, driftOf } from '../faults.js'
import type { KeyRecipe } from '../key-recipe.js'
import { pathOf } from '../replaced-columns.js'
import { placeOf, type RootPlan } from '../root-plan.js'
import { quote, shownName } from '../sql-text.js'
import type { Begun } from '../under-way.js'
import { orderTable } from './keys.js'
import type { Plan } from './plan.js'
import type { Session } from './session.js'
import { readRounds } from './state.js'

const ROWS_A_PAGE = 10_000

/** What a column's old and new values are called, before and after the switch. */
interface Names {
  readonly old: string
  readonly new: string
}

type NamesOf = (column: string) => Names

export async function verifyPostgres(
  session: Session,
  { plan, phase }: Begun<Plan>,
  recipes: readonly KeyRecipe[],
): Promise<Verification> {
  const names: NamesOf =
    phase === 'switched'
      ? (column) => ({ old: quote(legacyName(column)), new: quote(column) })
      : (column) => ({ old: quote(column), new: quote(newName(column)) })
  const faults: string[] = []
  const tables: TableVerification[] = []
  for (const [i, root] of plan.roots.entries()) {
    faults.push(...(await keyFaults(session, i, root, names)))
    tables.push(await timesOf(session, i, root, names, recipes[i] as KeyRecipe, faults))
  }
  for (const column of plan.columns) {
    if (!column.isRoot) faults.push(...(await foreignKeyFaults(session, column, plan, names)))
  }
  if (phase === 'switched') faults.push(...(await unvalidated(session, plan)))
  return { tables, faults }
}

async function keyFaults(
  session: Session,
  number: number,
  root: RootPlan,
  names: NamesOf,
): Promise<string[]> {
  const { table, key } = root
  const path = placeOf(root)
  const id = names(key)
  const [found] = await session.query<{ missing: string; repeated: string }>(
    `SELECT count(*) FILTER (WHERE ${id.new} IS NULL) AS missing,
            count(${id.new}) - count(DISTINCT ${id.new}) AS repeated FROM ${table}`,
  )
  const faults = [
    ...counted(found?.missing, path, 'without an id'),
    ...counted(found?.repeated, path, 'with an id of another row'),
  ]
  for (const { round } of await readRounds(session, table)) {
    const [disorder] = await session.query<{ rows: string }>(
      `SELECT count(*) AS rows FROM (
         SELECT t.${id.new} AS id, lag(t.${id.new}) OVER (ORDER BY o.position) AS before
           FROM ${orderTable(number, round)} AS o JOIN ${table} AS t ON t.${id.old} = o.key WHERE t.${id.new} IS NOT NULL) AS pair
        WHERE id <= before`,
    )
    faults.push(...counted(disorder?.rows, path, 'out of the order of creation'))
  }
  return faults
}

/** Reads each id back and compares its time with the one that its row had. */
async function timesOf(
  session: Session,
  number: number,
  root: RootPlan,
  names: NamesOf,
  { storage, source }: KeyRecipe,
  faults: string[],
): Promise<TableVerification> {
  const { table, key } = root
  const path = placeOf(root)
  let [rows, maxDriftMs] = [0, 0]
  for (const { round, total } of await readRounds(session, table)) {
    for (let from = 0; from < total; from += ROWS_A_PAGE) {
      const page = await session.query<{ id: unknown; key: string; timeMs: string | null }>(
        `SELECT t.${names(key).new} AS id, o.key::text AS key, o.time_ms AS "timeMs"
           FROM ${orderTable(number, round)} AS o JOIN ${table} AS t ON t.${names(key).old} = o.key
          WHERE o.position > $1 AND o.position <= $2 AND t.${names(key).new} IS NOT NULL`,
        [from, from + ROWS_A_PAGE],
      )
      rows += page.length
      for (const row of page) {
        const rowMs = rowTimeMs(source, row.key, row.timeMs)
        maxDriftMs = Math.max(maxDriftMs, driftOf(storage, row.id, rowMs, `${path} ${row.key}`, faults))
      }
    }
  }
  return { table: shownName(table), rows, maxDriftMs }
}

/** Old values must lead to the same rows as new ones. Rows that came after the switch have no old values. */
async function foreignKeyFaults(
  session: Session,
  { table, column, root }: ReplacedColumn,
  { roots }: Plan,
  names: NamesOf,
): Promise<string[]> {
  const { table: target, key } = roots[root] as RootPlan
  const [own, id] = [names(column), names(key)]
  const [found] = await session.query<{ rows: string }>(
    `SELECT count(*) AS rows FROM ${table} AS c LEFT JOIN ${target} AS r ON r.${id.old} = c.${own.old}
      WHERE c.${own.old} IS NOT NULL AND c.${own.new} IS DISTINCT FROM r.${id.new}`,
  )
  return counted(found?.rows, pathOf({ table, column }), 'whose old and new values lead to different rows')
}

async function unvalidated(session: Session, { foreignKeys }: Plan): Promise<string[]> {
  const expected = foreignKeys.filter(({ validated }) => validated)
  const rows = await session.query<{ table: string; name: string }>(
    `SELECT k.table, k.name FROM unnest($1::text[], $2::text[]) AS k ("table", name)
      WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = k.table::regclass AND conname = k.name AND convalidated)`,
    [expected.map(({ table }) => table), expected.map(({ name }) => name)],
  )
  return rows.map(
    ({ table, name }) => `${shownName(table)}: foreign key ${name} is not there or not validated`,
  )
}
