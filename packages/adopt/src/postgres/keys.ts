import type { DatabaseValue, IdStorage } from '@snoflax/core'
import { newName } from '../column-names.js'
import type { KeyWork } from '../key-work.js'
import type { BackfillOptions } from '../options.js'
import { placeOf } from '../root-plan.js'
import { RoundIds } from '../round-ids.js'
import { checkRowTime } from '../row-time.js'
import { quote, shownName } from '../sql-text.js'
import type { PostgresRowTimes } from './row-times.js'
import type { Session } from './session.js'
import { type Round, readRounds, writeRound } from './state.js'

export type PostgresKeyWork = KeyWork<PostgresRowTimes>

interface Ordered {
  readonly [column: string]: unknown
  readonly position: string
  readonly key: string
  readonly timeMs: string | null
}

/** Where a round's rows stand in the order of their times. */
export const orderTable = (number: number, round: number): string =>
  `snoflax_adoption.order_${number + 1}_${round}`

/** Runs a batch: in a transaction of its own, as often as it takes, or in one that is under way. */
export type RunBatch = <T>(batch: (attempt: number) => Promise<T>) => Promise<T>

/** Gives each row that has none its id, round after round, until one was enough. */
export async function fillKeys(
  session: Session,
  work: PostgresKeyWork,
  options: BackfillOptions,
  runBatch: RunBatch,
  isEnough: (round: Round) => boolean,
): Promise<void> {
  let round = (await readRounds(session, work.root.table)).at(-1)
  while (round === undefined || round.done < round.total || !isEnough(round)) {
    if (round === undefined || round.done === round.total) {
      const number = (round?.round ?? 0) + 1
      round = await runBatch(() => beginRound(session, work, number))
    }
    round = await fillRound(session, work, round, options, runBatch)
  }
}

async function fillRound(
  session: Session,
  work: PostgresKeyWork,
  begun: Round,
  { batchSize = 1000, onProgress, signal }: BackfillOptions,
  runBatch: RunBatch,
): Promise<Round> {
  const { root } = work
  let round = begun
  let ids = idsAfter(work, begun)
  while (round.done < round.total) {
    signal?.throwIfAborted()
    round = await runBatch((attempt) => {
      // An attempt that came to nothing has moved the generator on.
      if (attempt > 1) ids = idsAfter(work, round)
      return fillBatch(session, work, round, batchSize, ids)
    })
    const { done, total } = round
    onProgress?.({ table: shownName(root.table), columns: [root.key], done, total, round: round.round })
  }
  return round
}

const idsAfter = (work: PostgresKeyWork, { lastId }: Round): RoundIds =>
  new RoundIds(work, lastId ?? undefined)

/** Notes the order of all rows that have no id yet. */
async function beginRound(session: Session, work: PostgresKeyWork, round: number): Promise<Round> {
  const { number, root, times } = work
  const table = orderTable(number, round)
  const timeMs = round === 1 ? times.timeMs : times.lateTimeMs
  await session.query(
    `CREATE TABLE ${table} AS SELECT row_number() OVER (ORDER BY ${times.order}) AS position,
            t.${quote(root.key)} AS key, CASE WHEN NOT ${times.isMissing} THEN ${timeMs} END AS time_ms
       FROM ${root.table} AS t WHERE t.${quote(newName(root.key))} IS NULL`,
  )
  await session.query(`ALTER TABLE ${table} ADD PRIMARY KEY (position)`)
  await refuseNotedTimes(session, work, table)
  const [count] = await session.query<{ total: string }>(`SELECT count(*) AS total FROM ${table}`)
  const begun = { round, done: 0, total: Number(count?.total), lastId: null }
  await writeRound(session, root.table, begun)
  return begun
}

/** Refused here, a round is not begun: once the row is mended, the next attempt notes its time anew. */
async function refuseNotedTimes(
  session: Session,
  { root, storage, source }: PostgresKeyWork,
  table: string,
): Promise<void> {
  if (source.kind === 'key') return
  const { family } = storage
  const [row] = await session.query<Ordered>(
    `SELECT key::text AS key, time_ms AS "timeMs" FROM ${table}
      WHERE time_ms IS NULL OR time_ms < $1 OR time_ms > $2 LIMIT 1`,
    [family.firstMs, family.lastMs],
  )
  if (row) checkRowTime(placeOf(root), row.key, row.timeMs === null ? undefined : Number(row.timeMs), family)
}

async function fillBatch(
  session: Session,
  work: PostgresKeyWork,
  state: Round,
  batchSize: number,
  making: RoundIds,
): Promise<Round> {
  const { root, storage } = work
  const table = orderTable(work.number, state.round)
  const rows = await session.query<Ordered>(
    `SELECT position, key::text AS key, time_ms AS "timeMs" FROM ${table} WHERE position > $1 AND position <= $2 ORDER BY position`,
    [state.done, state.done + batchSize],
  )
  const ids: string[] = []
  for (const row of rows) {
    const timeMs = making.timeMs(row.key, row.timeMs)
    ids.push(await nextId(session, work, making, timeMs, state.round))
  }
  await session.query(
    `UPDATE ${root.table} AS t SET ${quote(newName(root.key))} = made.id::${baseType(storage)}
       FROM unnest($1::text[], $2::text[]) AS made (position, id) JOIN ${table} AS o ON o.position = made.position::bigint
      WHERE t.${quote(root.key)} = o.key`,
    [rows.map(({ position }) => String(position)), ids.map((id) => asText(storage.toDatabase(id)))],
  )
  const filled = {
    ...state,
    done: Math.min(state.done + batchSize, state.total),
    lastId: ids.at(-1) ?? state.lastId,
  }
  await writeRound(session, root.table, filled)
  return filled
}

/** A row that came later may share its moment with rows that have their ids already. */
async function nextId(
  session: Session,
  work: PostgresKeyWork,
  making: RoundIds,
  timeMs: number,
  round: number,
): Promise<string> {
  for (;;) {
    const id = making.next(timeMs)
    if (round === 1 || !(await isTaken(session, work, id))) return id
  }
}

async function isTaken(session: Session, { root, storage }: PostgresKeyWork, id: string): Promise<boolean> {
  const rows = await session.query(
    `SELECT FROM ${root.table} WHERE ${quote(newName(root.key))} = $1::text::${baseType(storage)}`,
    [asText(storage.toDatabase(id))],
  )
  return rows.length > 0
}

export const baseType = ({ column }: IdStorage<string>): string => column.type

/** A value as text that the server casts to the column's type, whatever the driver. */
export function asText(value: DatabaseValue): string {
  if (!(value instanceof Uint8Array)) return String(value)
  return `\\x${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
