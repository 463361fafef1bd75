import { randomBytes } from 'node:crypto'
import { type IdFamily, isPlausible } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import { showUtc } from '../ids/time.js'
import type { Examination } from './examination.js'
import type { IdColumn, StoredIds } from './id-columns.js'
import { type Column, placeOf } from './live-database.js'
import { Faults, replacement } from './replacement.js'
import { type CheckName, type Finding, finding } from './report.js'
import { readStored, shown } from './stored-value.js'

/** What the values of one column are. */
export interface Scan {
  readonly idColumn: StoredIds
  readonly rowsRead: number
  /** False if only a sample was read. */
  readonly isComplete: boolean
  readonly malformed: Faults
  readonly future: Faults
  /** Some ids, for looking them up elsewhere. */
  readonly ids: readonly string[]
}

/** Clocks differ, and the server's generators may lead theirs by ten seconds. */
const AHEAD_MS = 60_000
/** Ids of a table that are looked up in others. */
const LOOKED_UP = 1000

/** Undefined where the column's type suits no storage. */
export async function scan(examination: Examination, idColumn: IdColumn): Promise<Scan | undefined> {
  const { family, column, storage } = idColumn
  if (storage === undefined) return undefined
  const { database, nowMs, full, sample, progress } = examination
  const [malformed, future, strange] = [new Faults(), new Faults(), new Faults()]
  const rivals = rivalsOf(examination, idColumn)
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
        if (ids.length < LOOKED_UP) ids.push(read.id)
        const rival = rivals.find((one) => one.is(read.id) && isPlausible(one, read.id))
        if (rival) strange.add({ value }, `${shown(value)} is of family ${rival.name}`)
      }
    }
    progress(`${placeOf(column)}: ${rowsRead} ids read`)
  }
  // By chance an id looks like another family's now and then.
  if (strange.count > 3 + (10 * rowsRead) / PROBES) malformed.take(strange)
  return {
    idColumn: { ...idColumn, storage },
    rowsRead,
    isComplete: full || rowsRead <= sample,
    malformed,
    future,
    ids,
  }
}

const PROBES = 4096
const FEW = 3

/** Families of a smaller alphabet, as whose ids hardly any id of the column's can be read. */
function rivalsOf({ families }: Examination, { family, storage }: IdColumn): readonly IdFamily[] {
  if (!/^(?:text|uuid)$/.test(storage?.name ?? '') || isPrefixed(family)) return []
  const known = RIVALS.get(family)
  if (known) return known
  const others = families.filter((one) => one.name !== family.name && one.textLength === family.textLength)
  const probes =
    others.length === 0
      ? []
      : Array.from({ length: PROBES }, () => family.encode(randomBytes(family.byteLength)))
  const found = others.filter((one) => probes.filter((id) => one.is(id)).length <= FEW)
  RIVALS.set(family, found)
  return found
}

const RIVALS = new WeakMap<IdFamily, readonly IdFamily[]>()

/**
 * All values, or so many: both ends of an index, where ids from the future and strays are, else any. One more than the
 * sample tells that there are more.
 */
export function valuesSql({ quotedTable, quotedName, isIndexed, rows }: Column, sample?: number): string {
  const all = `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IS NOT NULL`
  if (sample === undefined) return all
  if (!isIndexed || rows <= sample) return `${all} LIMIT ${sample + 1}`
  const half = Math.ceil((sample + 1) / 2)
  const end = (direction: string): string =>
    `SELECT * FROM (${all} ORDER BY ${quotedName} ${direction} LIMIT ${half})`
  return `${end('ASC')} AS low UNION ALL ${end('DESC')} AS high`
}

/**
 * Values that are no id of the family or one in another storage's form, and ids that carry a time after now: made by a
 * clock that ran ahead, or by another family or epoch.
 */
export async function checkValues(examination: Examination, scan: Scan): Promise<Finding[]> {
  const { idColumn, malformed, future } = scan
  const { column, family, storage } = idColumn
  const found = async (check: CheckName, faults: Faults, message: string): Promise<Finding[]> =>
    faults.count === 0 || examination.skip.includes(check)
      ? []
      : [finding(check, placeOf(column), message, await replacement(examination, scan, faults))]
  const wrong = `values that are not ${family.name} in storage ${storage.name}: ${malformed.count}; the first: ${malformed.reason}`
  const late = `ids from the future: ${future.count}; the first, ${future.reason}`
  return [...(await found('malformed', malformed, wrong)), ...(await found('future', future, late))]
}
