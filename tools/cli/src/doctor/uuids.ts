import type { Column } from '../live/database.js'
import type { Sample } from './recognized.js'

/** A column of UUIDs that no family has, or that are written in another way than its family writes them. */
export interface UuidColumn {
  readonly column: Column
  /** How it stores them. */
  readonly form: string
  readonly values: readonly string[]
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

const IGNORES_CASE = /_ci$|^NOCASE$/

/** The column, if all of its values are UUIDs. */
export function uuidsOf({ column, values }: Sample): UuidColumn[] {
  if (values.length === 0) return []
  const texts = values.map((value) => (typeof value === 'string' ? value.trimEnd() : ''))
  if (!texts.every((text) => UUID.test(text))) return []
  const isLower =
    IGNORES_CASE.test(column.collation ?? '') || texts.every((text) => text === text.toLowerCase())
  const form = column.type === 'uuid' ? 'uuid' : `text of a UUID${isLower ? '' : ' in upper case'}`
  return [{ column, form, values: texts }]
}
