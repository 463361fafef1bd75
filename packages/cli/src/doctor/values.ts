import type { IdStorage } from '@snoflax/core'
import { showUtc } from '../ids/time.js'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-columns.js'
import { type Column, placeOf } from './live-database.js'
import { type Faulty, replacement } from './replacement.js'
import { type CheckName, type Finding, finding } from './report.js'
import { readStored } from './stored-value.js'

/** What the values of one column are. */
export interface Scan {
  readonly idColumn: IdColumn & { readonly storage: IdStorage<string> }
  readonly rowsRead: number
  /** False if only a sample was read. */
  readonly isComplete: boolean
  readonly malformed: Faults
  readonly future: Faults
  /** The ids of a sample, for looking them up elsewhere. */
  readonly ids: readonly string[]
}

/** Clocks differ, and the server's generators may lead theirs by ten seconds. */
const AHEAD_MS = 60_000

/** Undefined where the column's type suits no storage. */
export async function scan(examination: Examination, idColumn: IdColumn): Promise<Scan | undefined> {
  const { family, column, storage } = idColumn
  if (storage === undefined) return undefined
  const { database, nowMs, full, sample } = examination
  const [malformed, future] = [new Faults(), new Faults()]
  const ids: string[] = []
  let rowsRead = 0
  for await (const rows of database.batches(valuesSql(column, full ? undefined : sample))) {
    for (const { value } of rows) {
      rowsRead++
      const read = readStored(storage, value)
      if (read.is === 'malformed') malformed.add({ value }, read.reason)
      else if (read.is === 'misplaced') malformed.add({ value, id: read.id }, read.reason)
      else {
        const timeMs = family.timeMs(read.id)
        if (timeMs > nowMs + AHEAD_MS) future.add({ value }, `${read.id}, is from ${showUtc(timeMs)}`)
        if (ids.length < sample) ids.push(read.id)
      }
    }
  }
  return {
    idColumn: { ...idColumn, storage },
    rowsRead,
    isComplete: full || rowsRead <= sample,
    malformed,
    future,
    ids,
  }
}

const KEPT = 100

/** How many there are, the first of them, and what the very first is. */
class Faults {
  count = 0
  reason = ''
  readonly first: Faulty[] = []

  add(fault: Faulty, reason: string): void {
    if (this.count++ === 0) this.reason = reason
    if (this.first.length < KEPT) this.first.push(fault)
  }
}

/**
 * All values, or so many: both ends of an index, where ids from the future and strays lie, else any. One more than the
 * sample tells that there are more.
 */
export function valuesSql({ quotedTable, quotedName, isIndexed, rows }: Column, sample?: number): string {
  const all = `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IS NOT NULL`
  if (sample === undefined) return all
  if (!isIndexed || rows <= sample) return `${all} LIMIT ${sample + 1}`
  const half = Math.ceil((sample + 1) / 2)
  const end = (direction: string): string => `${all} ORDER BY ${quotedName} ${direction} LIMIT ${half}`
  return `SELECT value FROM (${end('ASC')}) AS low UNION ALL SELECT value FROM (${end('DESC')}) AS high`
}

/**
 * Values that are no id of the family or one in another storage's form, and ids that carry a time after now: made by a
 * clock that ran ahead, or by another family or epoch.
 */
export function checkValues(examination: Examination, { idColumn, malformed, future }: Scan): Finding[] {
  const { column, family, storage } = idColumn
  const found = (check: CheckName, { count, first }: Faults, message: string): Finding[] =>
    count === 0 ? [] : [finding(check, placeOf(column), message, replacement(examination, idColumn, first))]
  const wrong = `values that are no ${family.name} as storage ${storage.name} has it: ${malformed.count}; the first: ${malformed.reason}`
  const late = `ids from the future: ${future.count}; the first, ${future.reason}`
  return [...found('malformed', malformed, wrong), ...found('future', future, late)]
}
