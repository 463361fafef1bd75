import { type IdColumn, placeOf } from '../columns/column.js'
import { storagesOf } from '../columns/storages.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { changeType, modify } from './change.js'

/** A type that pads or reorders ids, can't hold all of them, or does not sort them. */
export async function checkType(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const { column, family, storage } = idColumn
  const fault = faultOf(examination.database.kind, idColumn)
  if (!fault) return []
  const sql =
    column.type === 'uuid'
      ? fromUuid(idColumn)
      : await changeType(examination, idColumn, storage ?? family.storages[0] ?? 'binary')
  return [{ check: 'type', where: placeOf(column), ...fault, cure: { sql } }]
}

type Fault = Pick<Finding, 'severity' | 'message'>

function faultOf(kind: Examination['database']['kind'], idColumn: IdColumn): Fault | undefined {
  const { column, family, storage } = idColumn
  const { declared, type, length } = column
  const error = (message: string): Fault => ({ severity: 'error', message })
  if (type === 'uuid')
    return error("MariaDB's uuid reorders the bytes before 10.11.5 and 11.0.3, so ids don't sort there")
  if (storage === undefined)
    return error(`${family.name} ids as ${declared} don't sort; store them as bigint`)
  if (!storagesOf(kind, column).includes(storage))
    return error(`storage ${storage} does not lie in ${declared}`)
  if (storage === 'bigint' && !/unsigned/i.test(declared)) {
    return { severity: 'warning', message: `${declared} has no place for numbers of 2^63 and above` }
  }
  if (storage === 'text' && Number(length) < Number(family.textLength)) {
    return error(`${declared} is too short for the ${family.textLength} characters of an id`)
  }
  if (type === 'binary' && length !== family.byteLength) {
    return error(`${declared} pads the ${family.byteLength} bytes of an id with zeros`)
  }
  return undefined
}

/** The characters whose codes are the uuid's bytes. */
function fromUuid({ column, family }: IdColumn): string {
  const { quotedTable, quotedName } = column
  const ascii = (length: number): string => `CHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`
  return [
    modify(column, ascii(36)),
    `UPDATE ${quotedTable} SET ${quotedName} = CONVERT(UNHEX(REPLACE(${quotedName}, '-', '')) USING ascii)`,
    modify(column, ascii(Number(family.textLength))),
  ].join(';\n')
}
