import type { FamilyDefinition, IdFamily, LayoutField, StorageName } from './family.js'
import { checkInteger, IdError, show } from './primitives/errors.js'
import { COLUMNS } from './storage/column.js'

const MAX_TAG = 0xff
/** Of a Date, which errors show. */
const MAX_MS = 8.64e15

/**
 * Refuses what would otherwise show late: as ids in a database that can't be read.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE`, `INVALID_OPTION`.
 */
export function checkDefinition<AnId extends string, Fields>(
  definition: FamilyDefinition<AnId, Fields>,
): void {
  const { name, byteLength, layout, storages, tag } = definition
  checkInteger(name, 'byteLength', byteLength, 1, Number.MAX_SAFE_INTEGER)
  checkLayout(name, layout.fields, byteLength)
  checkStorages(name, storages)
  checkInteger(name, 'tag', tag, 0, MAX_TAG)
  const firstMs = checkInteger(name, 'firstMs', definition.firstMs, -MAX_MS, MAX_MS)
  checkInteger(name, 'lastMs', definition.lastMs, firstMs, MAX_MS)
}

function checkLayout(family: string, fields: readonly LayoutField[], byteLength: number): void {
  const wanted = 8 * byteLength
  let sum = 0
  for (const { name, bits } of fields) sum += checkInteger(family, `layout.${name}.bits`, bits, 1, wanted)
  if (sum === wanted) return
  const message = `the layout's fields have ${sum} bits together, and ${byteLength} bytes have ${wanted}`
  refuse(family, 'layout', fields, message)
}

function checkStorages(family: string, storages: readonly StorageName[]): void {
  if (storages.length > 0 && storages.every((storage) => storage in COLUMNS.postgres)) return
  const known = Object.keys(COLUMNS.postgres).join(', ')
  const message = `storages are one or more of ${known}, not ${storages.join(', ') || 'none'}`
  refuse(family, 'storages', storages, message)
}

/** Whether the smallest and the largest id have the form that the definition tells of. */
export function checkEnds<AnId extends string, Fields>(
  family: IdFamily<AnId, Fields>,
): IdFamily<AnId, Fields> {
  checkForm(family, 'min', family.min)
  checkForm(family, 'max', family.max)
  return family
}

function checkForm({ name, textLength, pattern }: IdFamily, end: string, id: string): void {
  if (textLength !== undefined && id.length !== textLength) {
    refuse(name, end, id, `${end} has ${id.length} characters (${show(id)}), and textLength is ${textLength}`)
  }
  // Unlike `test`, `search` neither minds nor moves the lastIndex of a pattern with flag g.
  if (id.search(pattern) !== 0) refuse(name, end, id, `${end} (${show(id)}) does not match ${pattern}`)
}

function refuse(family: string, field: string, value: unknown, message: string): never {
  throw new IdError('INVALID_OPTION', `${family}: ${message}`, { family, field, value })
}
