import { type Column, placeOf, type Row } from '../live/database.js'
import { Pace } from '../pace.js'
import type { Examination } from './examination.js'
import type { StoredIds } from './id-column.js'
import { type Finding, finding } from './report.js'
import { shown } from './stored-value.js'

export const storedColumns = ({ columns }: Examination): StoredIds[] =>
  columns.filter((one): one is StoredIds => one.storage !== undefined)

const COUNTED = 1000
/** Foreign keys that one round trip checks. */
const AT_ONCE = 50

/** Finds foreign keys without a row, in a sample or in all rows: where they were added or the rows written unchecked. */
export async function orphans(examination: Examination): Promise<Finding[]> {
  const { database, allColumns, progress } = examination
  const byPlace = new Map(allColumns.map((column) => [placeOf(column), column]))
  const links = storedColumns(examination).flatMap(({ column }) => {
    const target = byPlace.get(column.references ?? '')
    // Only PostgreSQL can compare texts of two collations by a third one.
    const isComparable = database.kind === 'postgres' || target?.collation === column.collation
    return target !== undefined && isComparable ? [linkOf(examination, column, target)] : []
  })
  const findings: Finding[] = []
  const pace = new Pace('foreign keys')
  for (let start = 0; start < links.length; start += AT_ONCE) {
    const some = links.slice(start, start + AT_ONCE)
    const found = await database.queries(some.map(({ sql }) => sql))
    findings.push(...some.flatMap((link, n) => orphansOf(examination, link, found[n] as Row[])))
    progress(pace.after(start + some.length, links.length))
  }
  return findings
}

interface Link {
  readonly column: Column
  readonly target: Column
  readonly parent: string
  /** Returns the values without a row. */
  readonly sql: string
}

function linkOf({ database: { kind }, full, sample }: Examination, column: Column, target: Column): Link {
  const { quotedName, quotedTable, collation } = column
  const parent = `parent.${target.quotedName}${kind === 'postgres' && collation ? ' COLLATE "C"' : ''}`
  const limit = full ? '' : ` LIMIT ${sample}`
  const sql = `SELECT DISTINCT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable}
    WHERE ${quotedName} IS NOT NULL${limit}) AS child
    WHERE NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parent} = child.value)
    LIMIT ${COUNTED + 1}`
  return { column, target, parent, sql }
}

function orphansOf({ full, sample }: Examination, { column, target, parent }: Link, found: Row[]): Finding[] {
  if (found.length === 0) return []
  const { quotedName, quotedTable, references, rows } = column
  const condition = `${quotedName} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parent} = ${quotedTable}.${quotedName})`
  const sampled = full || rows <= sample ? '' : ' (only a sample was read)'
  const leaves = `restore the missing rows of ${target.table}, or change these${sampled}: SELECT * FROM ${quotedTable} WHERE ${condition}`
  const more = found.length > COUNTED ? 'more than ' : ''
  const message = `values without a row in ${references}: ${more}${Math.min(found.length, COUNTED)}; the first: ${shown(found[0]?.['value'])}`
  return [finding('reference', placeOf(column), message, { leaves })]
}
