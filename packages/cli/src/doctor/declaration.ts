import { type Database, type IdStorage, type StorageName, storageFor } from '@snoflax/core'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-columns.js'
import { placeOf } from './live-database.js'
import { type Cure, type Finding, finding } from './report.js'
import { storagesOf } from './stored-value.js'

/** The rules of one database for declarations of id columns. */
export interface ColumnRules {
  /** Why the type pads, truncates, reorders or changes ids, or has no room for some; undefined if it doesn't. */
  typeFault(idColumn: IdColumn, kind: Database): string | undefined
  /** Whether a fault of the type does no harm yet. */
  isWarning?(fault: string): boolean
  /** Whether the collation sorts by language or ignores case. */
  hasCollationFault(idColumn: IdColumn): boolean
  /** Problems of the column's CHECK, and advice. */
  checkConstraint?(examination: Examination, idColumn: IdColumn): Promise<Finding[]>
  /** What fixes the check's finding. */
  cure(examination: Examination, idColumn: IdColumn, check: 'type' | 'collation'): Cure | Promise<Cure>
  /** The statements that set a default that generates the column's ids, or drop it. */
  cureDefault(examination: Examination, idColumn: IdColumn): string | Promise<string>
  /** A statement that converts all values of a column to another storage, if the database has functions for it. */
  convertAll?(examination: Examination, idColumn: IdColumn, storage: StorageName): string | undefined
  /** The updates, with the statements around them that change the column's type to its new storage. */
  changeStorage?(
    examination: Examination,
    idColumn: IdColumn,
    updates: readonly string[],
  ): string | Promise<string>
}

/** Checks a column's type and collation. */
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
