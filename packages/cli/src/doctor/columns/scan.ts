import type { Examination } from '../examination.js'
import type { Column, IdColumn } from './column.js'
import { exactStorage, readStored } from './stored-value.js'

/** A value that should not be where it is. */
export interface Fault {
  readonly value: unknown
  /** The id that it stands for, if it can be told. */
  readonly id: string | undefined
  readonly reason: string
}

/** What the values of one column are. */
export interface Scan {
  readonly idColumn: IdColumn
  readonly rowsRead: number
  /** False if only a sample was read. */
  readonly isComplete: boolean
  readonly malformed: Faults
  readonly future: Faults
  /** The ids of a sample, for looking them up elsewhere. */
  readonly ids: readonly string[]
}

/** How many there are, and the first of them. */
export interface Faults {
  readonly count: number
  readonly first: readonly Fault[]
}

const KEPT = 100
/** Clocks differ, and the server's generators may lead theirs by ten seconds. */
const AHEAD_MS = 60_000

export async function scan(examination: Examination, idColumn: IdColumn): Promise<Scan | undefined> {
  const { family, column, storage: name } = idColumn
  if (name === undefined) return undefined
  const { database, nowMs, full, sample } = examination
  const storage = exactStorage(family, database.kind, name)
  const [malformed, future] = [new FaultList(), new FaultList()]
  const ids: string[] = []
  let rowsRead = 0
  for await (const rows of database.batches(valuesSql(column, full ? undefined : sample))) {
    for (const row of rows) {
      rowsRead++
      const read = readStored(storage, row['value'])
      if (read.is !== 'id')
        malformed.add(row['value'], read.is === 'misplaced' ? read.id : undefined, read.reason)
      else {
        const timeMs = family.timeMs(read.id)
        if (timeMs > nowMs + AHEAD_MS) future.add(row['value'], read.id, new Date(timeMs).toISOString())
        if (ids.length < sample) ids.push(read.id)
      }
    }
  }
  return { idColumn, rowsRead, isComplete: full || rowsRead <= sample, malformed, future, ids }
}

class FaultList implements Faults {
  count = 0
  readonly first: Fault[] = []

  add(value: unknown, id: string | undefined, reason: string): void {
    this.count++
    if (this.first.length < KEPT) this.first.push({ value, id, reason })
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
