import type { StorageName } from '@snoflax/core'
import { type IdColumn, placeOf } from '../columns/column.js'
import { type Scan, valuesSql } from '../columns/scan.js'
import { exactStorage, readStored } from '../columns/stored-value.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { replacement } from './replacement.js'

const IDS_AT_ONCE = 500
const KEPT = 100

/** Ids of one family that are keys of two tables, with no foreign key that says why. */
export async function duplicates(examination: Examination, scans: readonly Scan[]): Promise<Finding[]> {
  const keys = scans.filter(({ idColumn: { column } }) => column.isKey && column.references === undefined)
  const findings: Finding[] = []
  for (const [n, one] of keys.entries()) {
    const others = keys.slice(n + 1).filter((other) => other.idColumn.family === one.idColumn.family)
    for (const other of others) findings.push(...(await shared(examination, ...bySize(one, other))))
  }
  return findings
}

const bySize = (a: Scan, b: Scan): [Scan, Scan] =>
  a.idColumn.column.rows <= b.idColumn.column.rows ? [a, b] : [b, a]

/** Looks the ids of one key up in the other. */
async function shared(examination: Examination, from: Scan, { idColumn: target }: Scan): Promise<Finding[]> {
  let count = 0
  const first: string[] = []
  for await (const ids of idsOf(examination, from)) {
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const found = await lookUp(examination, target, ids.slice(start, start + IDS_AT_ONCE))
      count += found.length
      first.push(...found.slice(0, KEPT - first.length))
    }
  }
  if (count === 0) return []
  const storage = storageOf(examination, target)
  const faults = first.map((id) => ({ id, value: storage.toDatabase(id), reason: '' }))
  return [
    {
      check: 'duplicate',
      severity: 'error',
      where: placeOf(target.column),
      message: `ids that are keys of ${placeOf(from.idColumn.column)} too, and no foreign key says why: ${count}; the first: ${first[0]}`,
      cure: replacement(examination, target, faults, false),
    },
  ]
}

const storageOf = ({ database }: Examination, { family, storage }: IdColumn) =>
  exactStorage(family, database.kind, storage as StorageName)

async function* idsOf(examination: Examination, { idColumn, ids }: Scan): AsyncIterable<readonly string[]> {
  if (!examination.full) yield ids
  else {
    const storage = storageOf(examination, idColumn)
    for await (const rows of examination.database.batches(valuesSql(idColumn.column))) {
      const read = rows.map((row) => readStored(storage, row['value']))
      yield read.flatMap((value) => (value.is === 'id' ? [value.id] : []))
    }
  }
}

async function lookUp(examination: Examination, target: IdColumn, ids: readonly string[]): Promise<string[]> {
  const storage = storageOf(examination, target)
  const { quotedName, quotedTable } = target.column
  const { database } = examination
  const rows = await database.query(
    `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${database.isOneOf(quotedName, ids.length)}`,
    ids.map((id) => storage.toDatabase(id)),
  )
  return rows.map((row) => storage.fromDatabase(row['value']))
}
