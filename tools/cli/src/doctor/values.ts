import { fixedId, type IdFamily, type IdStorage, isSameFamily } from '@snoflax/core'
import { baseOf, isAccepting, isOpaque } from '@snoflax/core/adapter'
import { isPlausible } from '@snoflax/core/inspect'
import { exactStorage } from '../ids/forms.js'
import { showUtc } from '../ids/time.js'
import { type Column, type LiveDatabase, placeOf } from '../live/database.js'
import { Pace } from '../pace.js'
import type { Examination } from './examination.js'
import type { IdColumn, StoredIds } from './id-column.js'
import { type CheckName, type Finding, finding } from './report.js'
import { bareId, readStored, shown, strictId } from './stored-value.js'

/** How many values are wrong, and why the first is. */
class Faults {
  count = 0
  reason = ''

  add(reason: string, count = 1): void {
    if (this.count === 0) this.reason = reason
    this.count += count
  }
}

export interface Scan {
  readonly idColumn: StoredIds
  readonly rowsRead: number
  readonly isComplete: boolean
  readonly malformed: Faults
  readonly future: Faults
  /** The first ids, to compare with those of other tables. */
  readonly ids: readonly string[]
}

/** Clocks differ, and the server's generators may be ten seconds ahead of its clock. */
const AHEAD_MS = 60_000
/** How many ids of a table are compared with those of others. */
const COMPARED = 10_000

/** Undefined if the column's type fits no storage. */
export async function scan(examination: Examination, idColumn: IdColumn): Promise<Scan | undefined> {
  const { family, accepting, column, storage } = idColumn
  if (storage === undefined) return undefined
  const { nowMs, full, sample, progress, notes } = examination
  const [malformed, future, strange] = [new Faults(), new Faults(), new Faults()]
  const rivalOf = rivalsOf(examination, storage)
  const isOther = otherKeys(family, accepting)
  let isTimeless = false
  const ids: string[] = []
  const pace = new Pace('ids')
  let rowsRead = 0
  let others = 0
  for await (const values of valuesIn(examination, column)) {
    for (const value of values) {
      rowsRead++
      if (accepting?.is(value) && !family.is(value)) {
        others++
        continue
      }
      const read = readStored(storage, value)
      if (read.is !== 'id') malformed.add(read.reason)
      else {
        if (isOther(read.id)) isTimeless = true
        else if (!isOpaque(family)) {
          const timeMs = family.timeMs(read.id)
          if (timeMs > nowMs + AHEAD_MS) future.add(`${read.id}, is from ${showUtc(timeMs)}`)
        }
        if (ids.length < COMPARED) ids.push(read.id)
        const rival = rivalOf(value, read.id)
        if (rival !== undefined) strange.add(`${shown(value)} is ${rival}`)
      }
    }
    progress(
      `${placeOf(column)}: ${pace.after(rowsRead, full ? column.rows : Math.min(sample, column.rows))}`,
    )
  }
  if (isTimeless)
    notes.push(
      `${placeOf(column)}: its accept also takes keys that look like the column's own ids, so their times say nothing`,
    )
  if (others > 0)
    notes.push(
      `${placeOf(column)}: ${others} of ${rowsRead} values read are other keys that the column accepts`,
    )
  // Some ids look like another family's by chance.
  if (strange.count > 3 + (10 * rowsRead) / PROBES) malformed.add(strange.reason, strange.count)
  return {
    idColumn: { ...idColumn, storage },
    rowsRead,
    isComplete: full || rowsRead <= sample,
    malformed,
    future,
    ids,
  }
}

/** The values that were read to find id columns, if these are all; else they are read. */
async function* valuesIn(
  { database, whole, full, sample }: Examination,
  column: Column,
): AsyncIterable<readonly unknown[]> {
  const known = whole.get(column)
  if (known !== undefined && (full || known.length <= sample)) return yield known
  for await (const rows of database.batches(await valuesSql(database, column, full ? undefined : sample)))
    yield rows.map(({ value }) => value)
}

/** Random ids that are read as another family's. */
const PROBES = 4096
const FEW = 3

/**
 * Tells the name of another family that an id is rather of: one whose alphabet hardly any id of the column's family
 * keeps to, or any other if the id has a time at which none is generated.
 */
function rivalsOf(
  { families, database: { kind } }: Examination,
  storage: IdStorage<string>,
): (value: unknown, id: string) => string | undefined {
  const { family, name } = storage
  if (isOpaque(family)) return () => undefined
  const own = baseOf(family)
  const rivals = families
    .filter((one) => one.name !== own.name && one.storages.includes(name))
    .map((one) => ({ one, isNarrow: isNarrower(one, own), form: exactStorage(one, kind, name) }))
  return (value, id) => {
    const bare = bareId(family, id)
    const isOwn = isPlausible(own, bare)
    return rivals.find(({ one, isNarrow, form }) => {
      if (isOwn && !isNarrow) return false
      const read = name === 'text' ? (one.is(bare) ? bare : undefined) : strictId(form, value)
      return read !== undefined && isPlausible(one, read)
    })?.one.name
  }
}

const NARROWER = new WeakMap<IdFamily, Map<IdFamily, boolean>>()

/** Whether texts of a family hardly ever are texts of the other one by chance. */
function isNarrower(family: IdFamily, other: IdFamily): boolean {
  if (family.textLength === undefined || family.textLength !== other.textLength) return false
  const known = NARROWER.get(other) ?? new Map<IdFamily, boolean>()
  NARROWER.set(other, known)
  const before = known.get(family)
  if (before !== undefined) return before
  const probes = Array.from({ length: PROBES }, (_, n) => bareId(other, fixedId(other, `probe ${n}`)))
  const found = probes.filter((id) => family.is(id)).length <= FEW
  known.set(family, found)
  return found
}

/** Whether a text is a key that the column accepts, whether or not it is an id as well. */
function otherKeys(family: IdFamily, accepting: IdFamily | undefined): (text: string) => boolean {
  if (accepting === undefined || !isAccepting(accepting)) return () => false
  const kinds = accepting.accepted.filter((one) => one instanceof RegExp || !isSameFamily(one, family))
  const checks = kinds.map((one) =>
    one instanceof RegExp ? new RegExp(`^(?:${one.source})$`, one.flags) : { test: one.is },
  )
  return (text) => checks.some((check) => check.test(text))
}

/**
 * All values, or a sample: both ends of an index, where ids from the future and foreign values are, else any. One value
 * more than the sample shows that there are more.
 */
async function valuesSql(
  database: LiveDatabase,
  { quotedTable, quotedName, isIndexed, pages }: Column,
  sample?: number,
): Promise<string> {
  const all = `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IS NOT NULL`
  if (sample === undefined) return all
  const some = `${all} LIMIT ${sample + 1}`
  if (!isIndexed || (pages !== undefined && pages * ROWS_A_PAGE <= sample)) return some
  // Estimates may be far off; then the ends would overlap or not be read.
  const [counted] = await database.query(`SELECT count(*) AS count FROM (${some}) AS counted`)
  if (Number(counted?.['count']) <= sample) return some
  const half = Math.ceil((sample + 1) / 2)
  const end = (direction: string): string =>
    `SELECT * FROM (${all} ORDER BY ${quotedName} ${direction} LIMIT ${half})`
  return `${end('ASC')} AS low UNION ALL ${end('DESC')} AS high`
}

/** At most as many as PostgreSQL allows. */
const ROWS_A_PAGE = 300

/**
 * Values that are not ids of the family or have another storage's form, and ids with a time in the future: from a clock
 * that was ahead, or from another family or epoch.
 */
export function checkValues({ idColumn, isComplete, malformed, future }: Scan): Finding[] {
  const { column, family, storage } = idColumn
  const found = (check: CheckName, { count }: Faults, message: string, cure: string): Finding[] => {
    if (count === 0) return []
    const leaves = isComplete ? cure : `${cure}; only a sample was read: pass --full to find all`
    return [finding(check, placeOf(column), message, { leaves })]
  }
  const wrong = `values that are not ${family.name} in storage ${storage.name}: ${malformed.count}; the first: ${malformed.reason}`
  const late = `ids from the future: ${future.count}; the first, ${future.reason}`
  return [
    ...found(
      'malformed',
      malformed,
      wrong,
      'correct them, with what references them, or declare a column that accepts them',
    ),
    ...found(
      'future',
      future,
      late,
      'correct the clock of what generates them; these sort after all others until then',
    ),
  ]
}
