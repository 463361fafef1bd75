import type { IdStorage } from '@snoflax/core'
import { showUtc } from '../ids/time.js'
import type { Examination } from './examination.js'
import type { IdColumn, StoredIds } from './id-columns.js'
import { type Column, placeOf, type Row } from './live-database.js'
import { Faults, lookUp, replacement } from './replacement.js'
import { type CheckName, type Finding, finding } from './report.js'
import { bareId, ownId, readStored, shown } from './stored-value.js'

export type TableChecks = readonly (readonly [
  check: CheckName,
  look: (examination: Examination) => Finding[] | Promise<Finding[]>,
])[]

/** Finds triggers that overwrite the ids of rows. `triggers` have `table` and `name`. */
export const triggerFindings = (
  columns: readonly IdColumn[],
  triggers: readonly Row[],
  overwrites: (trigger: Row, column: Column) => boolean,
): Finding[] =>
  columns.flatMap(({ column }) =>
    triggers.flatMap((trigger) => {
      const isOwn = trigger['table'] === column.table || trigger['table'] === column.quotedTable
      if (!isOwn || !overwrites(trigger, column)) return []
      const by = trigger['function'] === undefined ? '' : `, by ${trigger['function']}`
      const message = `trigger ${trigger['name']} overwrites the ids of rows${by}`
      const leaves = `set ${column.quotedName} only if it is NULL, as by coalesce`
      return [finding('trigger', placeOf(column), message, { leaves })]
    }),
  )

export const storedColumns = ({ columns }: Examination): StoredIds[] =>
  columns.filter((one): one is StoredIds => one.storage !== undefined)

/** Finds foreign keys without a row, in a sample or in all rows. Existing ids in another form are converted. */
export async function orphans(examination: Examination): Promise<Finding[]> {
  const { database, full, sample, allColumns } = examination
  const findings: Finding[] = []
  for (const idColumn of storedColumns(examination)) {
    const { quotedName, quotedTable, references, rows, collation } = idColumn.column
    const target = allColumns.find((column) => placeOf(column) === references)
    const parent = storedColumns(examination).find(({ column }) => column === target)
    if (target === undefined) continue
    // Only PostgreSQL can compare texts of two collations by a third one.
    const isPostgres = database.kind === 'postgres'
    if (!isPostgres && target.collation !== collation) continue
    const parentValue = `parent.${target.quotedName}${isPostgres && collation ? ' COLLATE "C"' : ''}`
    const limit = full ? '' : ` LIMIT ${sample}`
    const found = await database.query(
      `SELECT DISTINCT value FROM (SELECT ${quotedName} AS value FROM ${quotedTable}
        WHERE ${quotedName} IS NOT NULL${limit}) AS child
        WHERE NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parentValue} = child.value)
        LIMIT ${ORPHANS + 1}`,
    )
    if (found.length === 0) continue
    const faults = new Faults()
    const misplaced = found.flatMap(({ value }) => {
      const read = readStored(idColumn.storage, value)
      return read.is === 'misplaced' ? [{ value, id: read.id }] : []
    })
    const parentId = (id: string): string => (parent ? ownId(parent.family, bareId(idColumn.family, id)) : id)
    const ids = misplaced.map(({ id }) => parentId(id))
    const there = new Set(parent ? await lookUp(database, parent, ids) : [])
    for (const one of misplaced) if (there.has(parentId(one.id))) faults.add(one, '')
    const isComplete = full || rows <= sample
    const { sql } = await replacement({ ...examination, newIds: [] }, { idColumn, isComplete }, faults)
    const lost = found.length - faults.count
    const condition = `${quotedName} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${target.quotedTable} AS parent WHERE ${parentValue} = ${quotedTable}.${quotedName})`
    const leaves =
      lost > 0
        ? `restore the missing rows of ${target.table}, or change these: SELECT * FROM ${quotedTable} WHERE ${condition}`
        : isComplete
          ? undefined
          : 'only a sample was read: pass --full to find all'
    const more = found.length > ORPHANS ? 'more than ' : ''
    const message = `values without a row in ${references}: ${more}${Math.min(found.length, ORPHANS)}; the first: ${shown(found[0]?.['value'])}`
    const cure = { ...(sql !== undefined && { sql }), ...(leaves !== undefined && { leaves }) }
    findings.push(finding('reference', placeOf(idColumn.column), message, cure))
  }
  return findings
}

const ORPHANS = 1000

/** Whether a trigger assigns each new row's id, and not only if it is NULL. */
export function overwritesIds(body: string, column: Column): boolean {
  const name = `(?:"${escaped(column.name)}"|\`${escaped(column.name)}\`|${escaped(column.name)})`
  const own = `\\bnew\\s*\\.\\s*${name}(?!\\w)`
  if (new RegExp(`${own}\\s+is\\s+null`, 'i').test(body)) return false
  const value = `(${VALUE})(?=\\s*(?:;|$|\\bend\\b))`
  // A comparison in a condition is not an assignment.
  const assignment = `(?:^|[;{]|\\bbegin|\\bset|\\bthen|\\belse|\\$\\w*\\$|\\bdo)\\s*${own}\\s*:?=\\s*${value}`
  return [...body.matchAll(new RegExp(assignment, 'gi'))].some(
    ([, given]) => !new RegExp(own, 'i').test(given as string),
  )
}

/** An expression, up to a comma or semicolon outside parentheses. */
const VALUE = '(?:[^;,()]|\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))+?'

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const SOON_MS = 7 * 86_400_000

/** Finds tables whose last partition, up to this bound as the database returns it, ends within a week. */
export function endingPartition(
  { nowMs }: Examination,
  { column, storage }: StoredIds,
  bound: unknown,
): Finding[] {
  const ends = timeOf(storage, bound)
  if (ends === undefined || ends > nowMs + SOON_MS) return []
  const isOver = ends <= nowMs
  const message = `its last partition ends at ${showUtc(ends)}${isOver ? ': rows with new ids are refused' : ''}`
  const leaves = 'add partitions; npx snoflax range prints the bounds of a time'
  return [finding('partition', placeOf(column), message, { leaves }, isOver ? 'error' : 'warning')]
}

function timeOf(storage: IdStorage<string>, bound: unknown): number | undefined {
  const read = readStored(storage, bound)
  return read.is === 'malformed' ? undefined : storage.family.timeMs(read.id)
}

/** Whether a default generates another value for each row, which statement-based replicas evaluate again. */
export const isGeneratedByDatabase = ({ column }: IdColumn): boolean =>
  /\b(?:uuid|random_bytes|rand|nextval|now|current_timestamp|sysdate|uuid_short|\w+_generate)\b/i.test(
    column.defaultSql ?? '',
  )
