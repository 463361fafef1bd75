import { type IdColumn, placeOf } from '../columns/column.js'
import { storagesOf } from '../columns/storages.js'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import { retype } from './retype.js'

/** A type that can't hold the storage, cuts ids, or pads them. */
export function checkType({ schema }: Examination, idColumn: IdColumn): Finding[] {
  const { column, family, storage } = idColumn
  const message = typeFault(idColumn)
  if (message === undefined) return []
  const target = storage ?? family.storages[0] ?? 'binary'
  return [
    {
      check: 'type',
      severity: 'error',
      where: placeOf(column),
      message,
      cure: { sql: retype(schema, idColumn, target) },
    },
  ]
}

/** What is wrong with it, in words. */
export function typeFault({ column, family, storage }: IdColumn): string | undefined {
  const { declared, type, length } = column
  if (storage === undefined)
    return `${family.name} ids as ${declared} don't sort; store them as ${family.storages[0]}`
  if (!storagesOf('postgres', column).includes(storage))
    return `storage ${storage} does not lie in ${declared}`
  if (storage !== 'text' || length === undefined || length === family.textLength) return undefined
  if (length < Number(family.textLength))
    return `${declared} is too short for the ${family.textLength} characters of an id`
  return type === 'bpchar'
    ? `${declared} pads ids with spaces; they have ${family.textLength} characters`
    : undefined
}
