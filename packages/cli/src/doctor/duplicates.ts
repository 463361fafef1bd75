import type { Examination } from './examination.js'
import { placeOf } from './live-database.js'
import { replacement } from './replacement.js'
import { type Finding, finding } from './report.js'
import { readStored } from './stored-value.js'
import { type Scan, valuesSql } from './values.js'

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
  const faults = first.map((id) => ({ value: target.storage.toDatabase(id) }))
  const message = `ids that are keys of ${placeOf(from.idColumn.column)} too, and no foreign key says why: ${count}; the first: ${first[0]}`
  return [finding('duplicate', placeOf(target.column), message, replacement(examination, target, faults))]
}

async function* idsOf(examination: Examination, { idColumn, ids }: Scan): AsyncIterable<readonly string[]> {
  if (!examination.full) yield ids
  else {
    for await (const rows of examination.database.batches(valuesSql(idColumn.column))) {
      const read = rows.map((row) => readStored(idColumn.storage, row['value']))
      yield read.flatMap((value) => (value.is === 'id' ? [value.id] : []))
    }
  }
}

async function lookUp(
  { database }: Examination,
  { column: { quotedName, quotedTable }, storage }: Scan['idColumn'],
  ids: readonly string[],
): Promise<string[]> {
  const parameters = ids.map((_, n) => (database.kind === 'postgres' ? `$${n + 1}` : '?'))
  const rows = await database.query(
    `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IN (${parameters.join(', ')})`,
    ids.map((id) => storage.toDatabase(id)),
  )
  return rows.map((row) => storage.fromDatabase(row['value']))
}
