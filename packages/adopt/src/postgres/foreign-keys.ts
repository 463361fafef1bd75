import type { ReplacedColumn } from '../adoption.js'
import { newName } from '../column-names.js'
import type { BackfillOptions } from '../options.js'
import type { RootPlan } from '../root-plan.js'
import { quote, shownName } from '../sql-text.js'
import { givingWay } from './giving-way.js'
import type { Plan } from './plan.js'
import type { Session } from './session.js'
import { readRounds, writeRound } from './state.js'

/** Rows that a block of 8 kB is taken to hold, to turn a batch of rows into one of blocks. */
const ROWS_A_BLOCK = 50

/** How long a batch tries for rows that the application holds. */
export const BACKFILL_PATIENCE_MS = 60_000

/** A table's columns that take their new values from a root. */
export function followersOf({ columns }: Plan, table: string): ReplacedColumn[] {
  return columns.filter((one) => one.table === table && !one.isRoot)
}

export const tablesOf = ({ columns }: Plan): string[] =>
  [...new Set(columns.map(({ table }) => table))].sort()

/** Fills the new foreign keys of a table, some blocks at a time; rows that came later are the switch's. */
export async function fillForeignKeys(
  session: Session,
  plan: Plan,
  table: string,
  { batchSize = 1000, onProgress, signal }: BackfillOptions,
): Promise<void> {
  const followers = followersOf(plan, table)
  if (followers.length === 0) return
  const item = `${table} foreign keys`
  const [size] = await session.query<{ blocks: string }>(
    "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks",
    [table],
  )
  let state = (await readRounds(session, item))[0] ?? {
    round: 1,
    done: 0,
    total: Number(size?.blocks),
    lastId: null,
  }
  const step = Math.max(1, Math.round(batchSize / ROWS_A_BLOCK))
  while (state.done < state.total) {
    signal?.throwIfAborted()
    const { done, total } = state
    const filled = { ...state, done: Math.min(done + step, total) }
    await givingWay(session, BACKFILL_PATIENCE_MS, async () => {
      await session.query(fillBlocks(plan, table, followers), [`(${done},0)`, `(${filled.done},0)`])
      await writeRound(session, item, filled)
    })
    state = filled
    onProgress?.({
      table: shownName(table),
      columns: followers.map(({ column }) => column),
      done: state.done,
      total,
      round: 1,
    })
  }
}

function fillBlocks({ roots }: Plan, table: string, followers: readonly ReplacedColumn[]): string {
  const set = followers.map(({ column, root }) => {
    const { table: target, key } = roots[root] as RootPlan
    return `${quote(newName(column))} = (SELECT r.${quote(newName(key))} FROM ${target} AS r WHERE r.${quote(key)} = t.${quote(column)})`
  })
  const isEmpty = followers.map(
    ({ column }) => `t.${quote(newName(column))} IS NULL AND t.${quote(column)} IS NOT NULL`,
  )
  return `UPDATE ${table} AS t SET ${set.join(', ')}
   WHERE t.ctid >= $1::tid AND t.ctid < $2::tid AND (${isEmpty.join(' OR ')})`
}

/** Sets what differs from what the old values say: rows that came, and values that changed, meanwhile. */
export function reconcile({ roots, columns }: Plan): string[] {
  return columns
    .filter(({ isRoot }) => !isRoot)
    .flatMap(({ table, column, root }) => {
      const { table: target, key } = roots[root] as RootPlan
      const [own, added] = [`${quote(column)}`, quote(newName(column))]
      return [
        `UPDATE ${table} AS t SET ${added} = r.${quote(newName(key))} FROM ${target} AS r WHERE r.${quote(key)} = t.${own} AND t.${added} IS DISTINCT FROM r.${quote(newName(key))}`,
        `UPDATE ${table} SET ${added} = NULL WHERE ${own} IS NULL AND ${added} IS NOT NULL`,
      ]
    })
}
