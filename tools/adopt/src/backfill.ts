import { quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn } from './adoption.js'
import { type Driver, mapOf } from './driver.js'
import { RoundIds } from './ids.js'
import { refuseOtherSession } from './obstacles.js'
import type { BackfillOptions } from './options.js'
import { differs, newName, type Plan, type RootPlan, shownName } from './plan.js'
import type { KeyRecipe } from './recipes.js'
import { type Round, readRounds, writeRound } from './state.js'
import { refuseKeyless, refuseUntimed, rowTimes } from './times.js'
import type { Work } from './work.js'

const BATCH_SIZE = 1000

/** Runs a batch: in its own transaction, retried if necessary, or in one that is open. */
type RunBatch = <Result>(batch: (attempt: number) => Work<Result>) => Work<Result>

interface KeyWork {
  readonly db: Driver
  readonly root: RootPlan
  readonly recipe: KeyRecipe
  readonly map: string
  /** The condition for rows that are not in the map yet. */
  readonly isNew: string
  readonly options: BackfillOptions
  readonly runBatch: RunBatch
}

/** The share of the previous round's rows above which another round is not worthwhile. */
const SHRINKING = 0.8

type Rounds = 'first' | 'until few are left' | 'last, in a transaction'

/** Generates ids, table by table: first for the rest of an interrupted round, then for rows that have none. */
export function* fillKeys(
  db: Driver,
  { roots }: Plan,
  recipes: readonly KeyRecipe[],
  rounds: Rounds,
  options: BackfillOptions = {},
): Work<void> {
  const { batchSize = BATCH_SIZE } = options
  for (const [number, root] of roots.entries()) {
    const map = mapOf(db, number)
    const work: KeyWork = {
      db,
      root,
      recipe: recipes[number] as KeyRecipe,
      map,
      isNew: db.hasNewColumns
        ? `t.${quoteName(newName(root.key))} IS NULL`
        : `NOT EXISTS (SELECT 1 FROM ${map} AS m WHERE m."key" = t.${quoteName(root.key)})`,
      options,
      runBatch: rounds === 'last, in a transaction' ? (batch) => batch(1) : (batch) => db.transaction(batch),
    }
    let round = (yield* readRounds(db, root.table)).at(-1)
    const before = round?.round ?? 0
    // If rows are inserted faster than rounds run, they never become few; the switch does the rest.
    let previous = Number.POSITIVE_INFINITY
    const isEnough = ({ round: number, total }: Round): boolean =>
      rounds === 'first' ||
      (number > before &&
        (rounds !== 'until few are left' || total < batchSize || total > SHRINKING * previous))
    while (round === undefined || round.done < round.total || !isEnough(round)) {
      if (round && round.round > before && round.done === round.total) previous = round.total
      const open: Round =
        round === undefined || round.done === round.total
          ? yield* beginRound(work, (round?.round ?? 0) + 1)
          : round
      round = yield* fillRound(work, open)
    }
  }
}

/** Stores the order of all rows that have no id yet. */
function* beginRound(work: KeyWork, round: number): Work<Round> {
  const { db, root, recipe, map, isNew, runBatch } = work
  const { storage, source } = recipe
  const times = yield* rowTimes(db, root, source)
  const timeMs = round === 1 ? times.timeMs : times.lateTimeMs
  return yield* runBatch(function* () {
    yield* refuseKeyless(db, root)
    // A reused key, as SQLite reuses the last one, belongs to another row.
    if (!db.hasNewColumns) {
      const isSame = source.kind === 'column' ? `AND NOT ${differs(timeMs, `${map}.time_ms`)}` : ''
      yield* db.run([
        `DELETE FROM ${map} WHERE NOT EXISTS
           (SELECT 1 FROM ${root.table} AS t WHERE t.${quoteName(root.key)} = ${map}."key" ${isSame})`,
      ])
    }
    yield* db.run([
      `INSERT INTO ${map} (round, position, "key", time_ms)
       SELECT ${round}, row_number() OVER (ORDER BY ${times.order}), t.${quoteName(root.key)}, ${timeMs}
         FROM ${root.table} AS t WHERE ${isNew} ORDER BY 2`,
    ])
    const noted = `SELECT "key", time_ms FROM ${map} WHERE round = ${round}`
    // If a row is refused here, the round isn't stored, so the next attempt reads the corrected row.
    if (source.kind !== 'key') yield* refuseUntimed(db, root, storage.family, noted)
    const [count] = yield* db.query<{ total: string | number }>(
      `SELECT count(*) AS total FROM (${noted}) AS noted`,
    )
    const begun = { item: root.table, round, done: 0, total: Number(count?.total), lastId: null }
    yield* writeRound(db, begun)
    return begun
  })
}

function* fillRound(work: KeyWork, begun: Round): Work<Round> {
  const { root, recipe, options, runBatch } = work
  let round = begun
  let ids = new RoundIds(root, recipe, round.lastId)
  while (round.done < round.total) {
    options.signal?.throwIfAborted()
    const anew = (): RoundIds => {
      ids = new RoundIds(root, recipe, round.lastId)
      return ids
    }
    // A failed attempt has advanced the generator.
    round = yield* runBatch((attempt) => fillBatch(work, round, attempt > 1 ? anew() : ids, anew))
    const { done, total } = round
    options.onProgress?.({
      table: shownName(root.table),
      columns: [root.key],
      done,
      total,
      round: round.round,
    })
  }
  return round
}

/** Generates and stores the ids of the next rows. `anew` restarts after the last stored id. */
function* fillBatch(work: KeyWork, open: Round, ids: RoundIds, anew: () => RoundIds): Work<Round> {
  const { db, root, recipe, map, options } = work
  const { round, done, total } = open
  const known = (yield* readRounds(db, root.table)).find((one) => one.round === round)
  if (known?.done !== done) refuseOtherSession()
  const end = Math.min(done + (options.batchSize ?? BATCH_SIZE), total)
  const rows = yield* db.query<{ position: string | number; key: string; timeMs: string | number | null }>(
    `SELECT position, CAST("key" AS ${db.textType}) AS "key", time_ms AS "timeMs" FROM ${map}
      WHERE round = ${round} AND position > ${done} AND position <= ${end} ORDER BY position`,
  )
  const areTaken = (some: readonly string[]) => db.isAnyTaken(root, map, recipe.storage, some)
  const nextOf = (from: RoundIds, { key, timeMs }: (typeof rows)[number]): string =>
    from.next(from.timeMs(key, Number(timeMs)))
  let newIds = rows.map((row) => nextOf(ids, row))
  // A later row may have the time of rows that already have ids.
  if (round > 1 && (yield* areTaken(newIds))) {
    const others = anew()
    newIds = []
    for (const row of rows) {
      let id = nextOf(others, row)
      while (yield* areTaken([id])) id = nextOf(others, row)
      newIds.push(id)
    }
  }
  yield* db.storeIds(
    root,
    map,
    recipe.storage,
    rows.map(({ position }, n) => ({ round, position: Number(position), id: newIds[n] as string })),
  )
  const filled = { ...open, done: end, lastId: newIds.at(-1) ?? open.lastId }
  yield* writeRound(db, filled)
  return filled
}

/** What follows from the keys: columns of some rows, or of all in some blocks. */
interface Part extends Pick<Round, 'round' | 'total'> {
  readonly table: string
  readonly columns: readonly ReplacedColumn[]
  readonly rowsAUnit: number
}

/** Fills a part in batches, each in a transaction with its progress, from the last one that was stored. */
export function* fillPart(
  db: Driver,
  { table, columns, round, total, rowsAUnit }: Part,
  { batchSize = BATCH_SIZE, onProgress, signal }: BackfillOptions,
  fill: (from: number, to: number) => Work<unknown>,
): Work<void> {
  const item = `${table} rows`
  const step = Math.max(1, Math.round(batchSize / rowsAUnit))
  const names = columns.map(({ column }) => column)
  const known = (yield* readRounds(db, item)).find((one) => one.round === round)
  let filled: Round = known ?? { item, round, done: 0, total, lastId: null }
  while (filled.done < filled.total) {
    signal?.throwIfAborted()
    const next = { ...filled, done: Math.min(filled.done + step, filled.total) }
    yield* db.transaction(function* () {
      yield* fill(filled.done, next.done)
      yield* writeRound(db, next)
    })
    filled = next
    onProgress?.({ table: shownName(table), columns: names, done: next.done, total: next.total, round })
  }
}
