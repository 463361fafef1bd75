import type { IdStorage } from '@snoflax/core'
import type { KeyWork } from '../key-work.js'
import type { BackfillOptions } from '../options.js'
import { placeOf } from '../root-plan.js'
import { RoundIds } from '../round-ids.js'
import { checkRowTime } from '../row-time.js'
import { quote } from '../sql-text.js'
import { refuseOtherSession } from '../under-way.js'
import type { Connection } from './connection.js'
import { refuseKeyless } from './data-checks.js'
import { mapTable } from './state.js'

/** Runs a batch: in a transaction of its own, or in one that is under way. */
export type RunBatch = <T>(batch: () => T) => T

/** The last round, as far as it is. */
interface Round {
  readonly [column: string]: unknown
  readonly round: number
  readonly done: number
  readonly total: number
  /** The position of its first row; the others follow without a gap. */
  readonly first: number
}

/** Makes the ids of all rows that have none: of a round that was cut short, then of those that came. */
export function fillKeys(
  connection: Connection,
  work: KeyWork,
  options: BackfillOptions,
  runBatch: RunBatch,
): void {
  const open = lastRound(connection, work.number)
  if (open !== undefined && open.done < open.total) fillRound(connection, work, open, options, runBatch)
  const round = runBatch(() => beginRound(connection, work, (open?.round ?? 0) + 1))
  if (round !== undefined) fillRound(connection, work, round, options, runBatch)
}

export function lastRound(connection: Connection, number: number): Round | undefined {
  return connection.query<Round>(
    `SELECT round, count(id) AS done, count(*) AS total, min(position) AS first FROM ${mapTable(number)} GROUP BY round ORDER BY round DESC LIMIT 1`,
  )[0]
}

/** Notes the order of all rows that are not noted yet. */
function beginRound(connection: Connection, work: KeyWork, round: number): Round | undefined {
  const { number, root, times } = work
  const map = mapTable(number)
  const timeMs = round === 1 ? times.timeMs : times.lateTimeMs
  refuseKeyless(connection, root)
  connection.run(
    `INSERT INTO ${map} (position, round, key, time_ms)
     SELECT (SELECT coalesce(max(position), 0) FROM ${map}) + row_number() OVER (ORDER BY ${times.order}), ?, t.${quote(root.key)}, ${timeMs}
       FROM ${quote(root.table)} AS t WHERE NOT EXISTS (SELECT 1 FROM ${map} AS m WHERE m.key = t.${quote(root.key)})`,
    [round],
  )
  refuseNotedTimes(connection, work)
  const begun = lastRound(connection, number)
  return begun?.round === round ? begun : undefined
}

/** Refused here, a round is not begun: once the row is mended, the next attempt notes its time anew. */
function refuseNotedTimes(connection: Connection, { number, root, storage, source }: KeyWork): void {
  if (source.kind === 'key') return
  const { family } = storage
  const [row] = connection.query<{ key: string; timeMs: number | null }>(
    `SELECT CAST(key AS TEXT) AS key, time_ms AS timeMs FROM ${mapTable(number)}
      WHERE time_ms IS NULL OR time_ms < ? OR time_ms > ? LIMIT 1`,
    [family.firstMs, family.lastMs],
  )
  if (row) checkRowTime(placeOf(root), row.key, row.timeMs ?? undefined, family)
}

function fillRound(
  connection: Connection,
  work: KeyWork,
  begun: Round,
  { batchSize = 1000, onProgress, signal }: BackfillOptions,
  runBatch: RunBatch,
): void {
  const { root } = work
  const ids = new RoundIds(work, lastId(connection, work, begun.round))
  const { round, total, first } = begun
  for (let done = begun.done; done < total; ) {
    signal?.throwIfAborted()
    done += runBatch(() => fillBatch(connection, work, round, first + done, batchSize, ids))
    onProgress?.({ table: root.table, columns: [root.key], done, total, round })
  }
}

function lastId(connection: Connection, { number, storage }: KeyWork, round: number): string | undefined {
  const [row] = connection.query<{ id: unknown }>(
    `SELECT ${readable(storage)} AS id FROM ${mapTable(number)} WHERE round = ? AND id IS NOT NULL ORDER BY position DESC LIMIT 1`,
    [round],
  )
  return row && storage.fromDatabase(row.id)
}

/** Drivers round large integers; as text they are exact. */
export const readable = ({ name }: IdStorage<string>, id = 'id'): string =>
  name === 'bigint' ? `CAST(${id} AS TEXT)` : id

function fillBatch(
  connection: Connection,
  work: KeyWork,
  round: number,
  from: number,
  batchSize: number,
  ids: RoundIds,
): number {
  const { storage, number } = work
  const rows = connection.query<{ position: number; key: string; timeMs: number | null }>(
    `SELECT position, CAST(key AS TEXT) AS key, time_ms AS timeMs FROM ${mapTable(number)}
      WHERE id IS NULL AND round = ? ORDER BY position LIMIT ?`,
    [round, batchSize],
  )
  if (rows[0]?.position !== from) refuseOtherSession()
  for (const { position, key, timeMs } of rows) {
    const id = nextId(connection, work, ids, ids.timeMs(key, timeMs), round)
    connection.run(`UPDATE ${mapTable(number)} SET id = ? WHERE position = ?`, [
      storage.toDatabase(id),
      position,
    ])
  }
  return rows.length
}

/** A row that came later may share its moment with rows that have their ids already. */
function nextId(
  connection: Connection,
  { number, storage }: KeyWork,
  ids: RoundIds,
  timeMs: number,
  round: number,
): string {
  for (;;) {
    const id = ids.next(timeMs)
    if (round === 1) return id
    const taken = connection.query(`SELECT 1 FROM ${mapTable(number)} WHERE id = ?`, [storage.toDatabase(id)])
    if (taken.length === 0) return id
  }
}
