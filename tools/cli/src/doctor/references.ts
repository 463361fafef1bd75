import { placeOf } from '../live/database.js'
import type { Examination } from './examination.js'
import type { StoredIds } from './id-columns.js'
import { type Finding, finding } from './report.js'
import { shown } from './stored-value.js'

export const storedColumns = ({ columns }: Examination): StoredIds[] =>
  columns.filter((one): one is StoredIds => one.storage !== undefined)

const COUNTED = 1000

/** Finds foreign keys without a row, in a sample or in all rows: where they were added or the rows written unchecked. */
export async function orphans(examination: Examination): Promise<Finding[]> {
  const { database, full, sample, allColumns } = examination
  const findings: Finding[] = []
  for (const { column } of storedColumns(examination)) {
    const { quotedName, quotedTable, references, rows, collation } = column
    const target = allColumns.find((one) => placeOf(one) === references)
    // Only PostgreSQL can compare texts of two collations by a third one.
    const isPostgres = database.kind === 'postgres'
    if (target === undefined || (!isPostgres && target.collation !== collation)) continue
    const parent = `parent.${target.quotedName}${isPostgres && collation ? ' COLLATE "C"' : ''}`
    const limit = full ? '' : ` LIMIT ${sample}`
    const found = await database.query(
      `SELECT DISTINCT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable}
        WHERE ${quotedName} IS NOT NULL${limit}) AS child
        WHERE NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parent} = child.value)
        LIMIT ${COUNTED + 1}`,
    )
    if (found.length === 0) continue
    const condition = `${quotedName} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parent} = ${quotedTable}.${quotedName})`
    const sampled = full || rows <= sample ? '' : ' (only a sample was read)'
    const leaves = `restore the missing rows of ${target.table}, or change these${sampled}: SELECT * FROM ${quotedTable} WHERE ${condition}`
    const more = found.length > COUNTED ? 'more than ' : ''
    const message = `values without a row in ${references}: ${more}${Math.min(found.length, COUNTED)}; the first: ${shown(found[0]?.['value'])}`
    findings.push(finding('reference', placeOf(column), message, { leaves }))
  }
  return findings
}
