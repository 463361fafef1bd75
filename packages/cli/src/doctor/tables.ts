import type { IdStorage } from '@snoflax/core'
import { literal } from '../ids/forms.js'
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

/** Finds triggers that overwrite the ids of rows. `triggers` have `table` and `name`; `cureOf` returns the statements. */
export const triggerFindings = (
  columns: readonly IdColumn[],
  triggers: readonly Row[],
  cureOf: (trigger: Row, column: Column) => string | undefined,
): Finding[] =>
  columns.flatMap(({ column }) =>
    triggers.flatMap((trigger) => {
      const isOwn = trigger['table'] === column.table || trigger['table'] === column.quotedTable
      const sql = isOwn ? cureOf(trigger, column) : undefined
      if (sql === undefined) return []
      const by = trigger['function'] === undefined ? '' : `, by ${trigger['function']}`
      const message = `trigger ${trigger['name']} overwrites the ids of rows${by}`
      return [finding('trigger', placeOf(column), message, { sql })]
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

/** A trigger that overwrites each row's id, changed to set the id only if it is NULL. Undefined if it does so already. */
export function keepingIds(body: string, column: Column): string | undefined {
  const name = `(?:"${escaped(column.name)}"|\`${escaped(column.name)}\`|${escaped(column.name)})`
  const own = `\\bnew\\s*\\.\\s*${name}(?!\\w)`
  if (new RegExp(`${own}\\s+is\\s+null`, 'i').test(body)) return undefined
  let isChanged = false
  const changed = body.replace(
    new RegExp(`(${own})(\\s*:?=\\s*)(${VALUE})(?=\\s*(?:;|$|\\bend\\b))`, 'gi'),
    (all, target: string, sign: string, value: string, at: number) => {
      // A comparison in a condition is not an assignment.
      const before = body.slice(0, at)
      if (
        new RegExp(own, 'i').test(value) ||
        !/(?:^|[;{]|\bbegin|\bset|\bthen|\belse|\$\w*\$|\bdo)\s*$/i.test(before)
      )
        return all
      isChanged = true
      return `${target}${sign}coalesce(${target}, ${value})`
    },
  )
  return isChanged ? changed : undefined
}

/** An expression, up to a comma or semicolon outside parentheses. */
const VALUE = '(?:[^;,()]|\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))+?'

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The last partition of a table partitioned by ranges of ids. */
export interface LastPartition {
  readonly idColumn: StoredIds
  /** The bounds as the database returns them; `from` is undefined if it has none. */
  readonly from: unknown
  readonly to: unknown
}

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS
/** More than the hours of a week. */
const MOST_PARTITIONS = 200

/** Finds tables whose last partition ends within a week: later rows would be refused. */
export function endingPartition(
  { nowMs, database }: Examination,
  { idColumn, from, to }: LastPartition,
  add: (name: string, from: string, to: string) => string,
): Finding[] {
  const { column, storage, family } = idColumn
  const ends = timeOf(storage, to)
  if (ends === undefined || ends > nowMs + SOON_MS) return []
  const begins = (from === undefined ? undefined : timeOf(storage, from)) ?? ends - 30 * DAY_MS
  const span = ends - begins
  /** Of names: to the day, or to the minute. */
  const precision = span % DAY_MS === 0 ? 10 : 16
  const until = nowMs + Math.max(2 * span, SOON_MS)
  const statements: string[] = []
  const bound = (timeMs: number): string =>
    literal(database.kind, storage.toDatabase(family.lowerBound(timeMs)))
  for (let start = ends, n = 0; n < MOST_PARTITIONS && start <= until; n++) {
    const end = after(start, span)
    const name = `${column.table.replace(/^.*\./, '')}_${new Date(start).toISOString().slice(0, precision).replace(/\D/g, '')}`
    statements.push(add(name, n === 0 ? literal(database.kind, to as never) : bound(start), bound(end)))
    start = end
  }
  const message = `its last partition ends at ${showUtc(ends)}${ends <= nowMs ? ': rows with new ids are refused' : ''}`
  const severity = ends <= nowMs ? 'error' : 'warning'
  return [finding('partition', placeOf(column), message, { sql: statements.join(';\n') }, severity)]
}

/** Monthly partitions stay monthly. */
function after(startMs: number, spanMs: number): number {
  const start = new Date(startMs)
  const isMonth =
    startMs % DAY_MS === 0 && start.getUTCDate() === 1 && spanMs >= 28 * DAY_MS && spanMs <= 31 * DAY_MS
  return isMonth ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) : startMs + spanMs
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
