import { type Database, type IdStorage, storageFor, uuid7 } from '@snoflax/core'
import { baseOf, isPrefixed, snakeCase } from '@snoflax/core/adapter'
import { isDatabaseError } from '../databases.js'
import type { Examination } from './examination.js'
import { generatedBy, type IdColumn, prefixedBy } from './id-columns.js'
import { placeOf } from './live-database.js'
import { type Cure, type Finding, finding } from './report.js'
import { headOf, readStored, shown, storagesOf } from './stored-value.js'

export interface ColumnRules {
  /** Why the type pads, truncates, reorders or changes ids, or has no room for some; undefined if it doesn't. */
  typeFault(idColumn: IdColumn, kind: Database): string | undefined
  /** Whether a fault of the type does no harm yet. */
  isWarning?(fault: string): boolean
  /** Whether the collation sorts by language or ignores case. */
  hasCollationFault(idColumn: IdColumn): boolean
  checkConstraint?(examination: Examination, idColumn: IdColumn): Promise<Finding[]>
  /** What fixes the check's finding. */
  cure(examination: Examination, idColumn: IdColumn, check: 'type' | 'collation'): Cure | Promise<Cure>
  /** The statements that set a default that generates the column's ids, or drop it. */
  cureDefault(examination: Examination, idColumn: IdColumn): string | Promise<string>
}

export async function checkDeclaration(
  rules: ColumnRules,
  examination: Examination,
  idColumn: IdColumn,
): Promise<Finding[]> {
  const { column, family, evidence } = idColumn
  const where = placeOf(column)
  const findings: Finding[] = []
  const fault = rules.typeFault(idColumn, examination.database.kind)
  if (fault !== undefined) {
    const cure = await rules.cure(examination, idColumn, 'type')
    findings.push(finding('type', where, fault, cure, rules.isWarning?.(fault) ? 'warning' : 'error'))
  }
  // Foreign UUIDs and ULIDs use one case only, which most collations sort correctly.
  const isForeign = evidence === 'values' && FOREIGN.test(family.max)
  if (!isForeign && rules.hasCollationFault(idColumn)) {
    const message = `the collation ${column.collation} doesn't sort ids as their text sorts`
    findings.push(finding('collation', where, message, await rules.cure(examination, idColumn, 'collation')))
  }
  // A CHECK can't describe the other keys that a column accepts.
  if (idColumn.accepting) return findings
  return [...findings, ...((await rules.checkConstraint?.(examination, idColumn)) ?? [])]
}

/** The largest UUID, also as ULID and TypeID. */
const FOREIGN = /^(?:f{8}-|(?:.*_)?7z{9})/i

/** The fault of a type that fits none of the family's storages, not the stated one, or is too short for the text. */
export function storageFault(kind: Database, idColumn: IdColumn): string | undefined {
  const { column, family, storage } = idColumn
  const declared = column.declared || 'a column without a type'
  if (storage === undefined) {
    return `${declared} doesn't fit ${family.name} ids; store them as ${targetOf(kind, idColumn).name}`
  }
  if (!storagesOf(kind, column).includes(storage.name))
    return `${declared} can't have storage ${storage.name}`
  if (storage.name !== 'text' || !(Number(column.length) < Number(family.textLength))) return undefined
  return `${declared} is too short for the ${family.textLength} characters of an id`
}

/** The storage that the column should have: its own, or the database's default for the family. */
export const targetOf = (
  kind: Database,
  { family, accepting = family, storage }: IdColumn,
): IdStorage<string> =>
  storageFor(accepting, kind, { exactBigint: true, ...(storage && { storage: storage.name }) })

/** What to do if the column's values need another form than the server's cast of the type gives them. */
export function leftToMigration(kind: Database, idColumn: IdColumn): Cure | undefined {
  const { column, family } = idColumn
  const { name } = targetOf(kind, idColumn)
  const [form] = storagesOf(kind, column)
  const isBare = !isPrefixed(family)
  // The text of a family without storage text is its number.
  const isDigits = form === 'text' && name === 'bigint' && !family.storages.includes('text') && isBare
  const isUuid = form === 'uuid' && name === 'text' && family.name === uuid7.name && isBare
  const isCast = form === undefined ? name === 'text' || name === 'bigint' : form === name
  if (isCast || isDigits || isUuid) return undefined
  return migrationTo(name)
}

/** Another form of the ids is left to a person, by its name. */
export const migrationTo = (form: string): Cure => ({
  leaves: `store its ids as ${form}: write a migration that reads and converts each row`,
})

/** Finds a default that doesn't generate the column's ids, by its SQL or by evaluating it. */
export async function checkDefault(
  rules: ColumnRules,
  examination: Examination,
  idColumn: IdColumn,
): Promise<Finding[]> {
  const instead = await generatedInstead(examination, idColumn)
  if (instead === undefined) return []
  const { column, family, storage } = idColumn
  const message = `its default generates ${instead}, but the column stores ${family.name} as ${storage?.name}`
  const cure = { sql: await rules.cureDefault(examination, idColumn) }
  return [finding('default', placeOf(column), message, cure)]
}

const DAY_MS = 86_400_000

/** Functions without state, whose values say more than their names: a TypeID has a prefix, or is a UUIDv7. */
const STATELESS = ['ulid', 'typeid']

async function generatedInstead(
  { database, nowMs }: Examination,
  { column, family, storage }: IdColumn,
): Promise<string | undefined> {
  const { defaultSql, counter, declared } = column
  if (storage === undefined) return undefined
  if (counter !== undefined) return `increasing numbers (${counter})`
  if (defaultSql === undefined) return undefined
  if (/\bnextval\(/i.test(defaultSql)) return 'numbers of a sequence'
  const [made, form = made === 'uuid7' ? 'uuid' : 'binary'] = generatedBy(defaultSql) ?? []
  const name = STATELESS.includes(String(made)) ? undefined : made
  // A nested call may be converted by the outer one.
  if (name !== undefined && /^(?:\(?'\w+'(?:::text)? *\|\| *)?[\w".]+\([^()]*\)\)?$/.test(defaultSql)) {
    const prefix = prefixedBy(defaultSql)
    const head = prefix === undefined ? '' : `${prefix}_`
    const isOwn = name === snakeCase(baseOf(family).name) && form === storage.name && head === headOf(storage)
    return isOwn ? undefined : `${name} as storage ${form}${head && ` with prefix ${head}`}`
  }
  // A constant marks rows without an id.
  if (name !== undefined || !defaultSql.includes('(')) return undefined
  const value = database.kind === 'postgres' ? `(${defaultSql})::${declared}` : defaultSql
  try {
    const [row] = await database.query(`SELECT ${value} AS value`)
    if (row?.['value'] == null) return undefined
    const read = readStored(storage, row['value'])
    if (read.is !== 'id') return `values such as ${shown(row['value'])}`
    const isOfNow = Math.abs(family.timeMs(read.id) - nowMs) < DAY_MS
    return isOfNow ? undefined : `ids whose time isn't now, such as ${shown(row['value'])}`
  } catch (error) {
    // It needs functions or settings of the application, or writes.
    if (isDatabaseError(error)) return undefined
    throw error
  }
}

/** The column, and all that reference it or are referenced by it, directly or indirectly, in the order of the report. */
export function tiedTo(columns: readonly IdColumn[], start: IdColumn): IdColumn[] {
  const tied = new Set([start])
  for (const one of tied) {
    for (const other of columns) {
      const isTied =
        other.column.references === placeOf(one.column) || one.column.references === placeOf(other.column)
      if (isTied) tied.add(other)
    }
  }
  return columns.filter((one) => tied.has(one))
}
