import { type Database, type IdStorage, type StorageName, storageFor } from '@snoflax/core'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-columns.js'
import { placeOf } from './live-database.js'
import { type Finding, finding } from './report.js'
import { storagesOf } from './stored-value.js'

/** What a database makes of the declaration of a column of ids. */
export interface ColumnRules {
  /** What pads, cuts or reorders ids, can't hold all of them, or makes other values of them. */
  typeFault(idColumn: IdColumn, kind: Database): string | undefined
  /** Whether a fault of the type may come to harm, and has not yet. */
  isWarning?(fault: string): boolean
  /** Whether text is compared by a language, or without regard to case. */
  hasCollationFault(idColumn: IdColumn): boolean
  /** What is wrong with the column's CHECK, or could be better. */
  checkConstraint?(examination: Examination, idColumn: IdColumn): Promise<Finding[]>
  /** The statements that mend it. */
  cure(examination: Examination, idColumn: IdColumn, check: 'type' | 'collation'): string | Promise<string>
  /** The statements that give a column a default of its own ids, or none. */
  cureDefault(examination: Examination, idColumn: IdColumn): string | Promise<string>
  /** A statement that gives all values of a column another storage, if the database has functions for it. */
  convertAll?(examination: Examination, idColumn: IdColumn, storage: StorageName): string | undefined
  /** The updates, between what gives the column the type of its new storage. */
  changeStorage?(
    examination: Examination,
    idColumn: IdColumn,
    updates: readonly string[],
  ): string | Promise<string>
}

/** What is wrong with a column's type and collation. */
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
    const sql = await rules.cure(examination, idColumn, 'type')
    findings.push(finding('type', where, fault, { sql }, rules.isWarning?.(fault) ? 'warning' : 'error'))
  }
  // UUIDs and ULIDs of others are of one case, which most languages sort as we do.
  const isForeign = evidence === 'values' && FOREIGN.test(family.max)
  if (!isForeign && rules.hasCollationFault(idColumn)) {
    const message = `the collation ${column.collation} doesn't sort ids as their text sorts`
    const sql = await rules.cure(examination, idColumn, 'collation')
    findings.push(finding('collation', where, message, { sql }))
  }
  return [...findings, ...((await rules.checkConstraint?.(examination, idColumn)) ?? [])]
}

/** The greatest UUID, and of ULID and TypeID. */
const FOREIGN = /^(?:f{8}-|(?:.*_)?7z{9})/i

/** A type that suits none of the family's storages or not the one that was told, or is too short for a text. */
export function storageFault(kind: Database, idColumn: IdColumn): string | undefined {
  const { column, family, storage } = idColumn
  const declared = column.declared || 'a column without a type'
  if (storage === undefined) {
    return `${family.name} ids as ${declared} don't sort; store them as ${targetOf(kind, idColumn).name}`
  }
  if (!storagesOf(kind, column).includes(storage.name))
    return `${declared} can't hold storage ${storage.name}`
  if (storage.name !== 'text' || !(Number(column.length) < Number(family.textLength))) return undefined
  return `${declared} is too short for the ${family.textLength} characters of an id`
}

/** The storage that the column is to have: its own, or else the one that the database has for the family. */
export const targetOf = (kind: Database, { family, storage }: IdColumn): IdStorage<string> =>
  storageFor(family, kind, { exactBigint: true, ...(storage && { storage: storage.name }) })
