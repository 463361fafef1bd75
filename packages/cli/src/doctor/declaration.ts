import { type Database, type IdStorage, storageFor } from '@snoflax/core'
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
}

/** What is wrong with a column's type and collation. */
export async function checkDeclaration(
  rules: ColumnRules,
  examination: Examination,
  idColumn: IdColumn,
): Promise<Finding[]> {
  const { column } = idColumn
  const where = placeOf(column)
  const findings: Finding[] = []
  const fault = rules.typeFault(idColumn, examination.database.kind)
  if (fault !== undefined) {
    const sql = await rules.cure(examination, idColumn, 'type')
    findings.push(finding('type', where, fault, { sql }, rules.isWarning?.(fault) ? 'warning' : 'error'))
  }
  if (rules.hasCollationFault(idColumn)) {
    const message = `the collation ${column.collation} orders ids otherwise than their text does`
    const sql = await rules.cure(examination, idColumn, 'collation')
    findings.push(finding('collation', where, message, { sql }))
  }
  return [...findings, ...((await rules.checkConstraint?.(examination, idColumn)) ?? [])]
}

/** A type that suits none of the family's storages or not the one that was told, or is too short for a text. */
export function storageFault(kind: Database, idColumn: IdColumn): string | undefined {
  const { column, family, storage } = idColumn
  const declared = column.declared || 'a column without a type'
  if (storage === undefined) {
    return `${family.name} ids as ${declared} don't sort; store them as ${targetOf(kind, idColumn).name}`
  }
  if (!storagesOf(kind, column).includes(storage.name))
    return `storage ${storage.name} does not lie in ${declared}`
  if (storage.name !== 'text' || !(Number(column.length) < Number(family.textLength))) return undefined
  return `${declared} is too short for the ${family.textLength} characters of an id`
}

/** The storage that the column is to have: its own, or else the one that the database has for the family. */
export const targetOf = (kind: Database, { family, storage }: IdColumn): IdStorage<string> =>
  storageFor(family, kind, { exactBigint: true, ...(storage && { storage: storage.name }) })
