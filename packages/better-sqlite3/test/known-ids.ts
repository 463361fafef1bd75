import type { KnownId } from '../../core/test/sql-cases.js'
import { bytesOf, hexText, sqlFields, type TestedFamily } from './families.js'
import type { Sql } from './sql.js'

/** Text ⇄ bytes ⇄ fields, and time. `option` is a last argument for functions whose result depends on it. */
export function checkId(sql: Sql, { prefix, family }: TestedFamily, id: KnownId, option?: number): void {
  const bytes = bytesOf(id.hex)
  const hex = hexText(bytes)
  const last = option === undefined ? '' : `, ${option}`
  for (const value of [id.text, bytes]) {
    sql.gives(`${prefix}_encode(?)`, [value], id.text)
    sql.gives(`${prefix}_is_valid(?)`, [value], 1n)
    if (id.timeMs !== undefined) {
      sql.gives(`${prefix}_time_ms(?${last})`, [value], BigInt(id.timeMs))
      sql.gives(`${prefix}_time(?${last})`, [value], sqliteTime(id.timeMs))
    }
    if (id.fields) sql.gives(`${prefix}_unpack(?${last})`, [value], sqlFields(id.fields))
    if (family.storages.includes('uuid')) {
      sql.gives(`${prefix}_to_uuid(?)`, [value], uuidOf(id.text))
    }
  }
  sql.gives(`${prefix}_decode(?)`, [id.text], hex)
  if (id.fields) sql.gives(`${prefix}_pack(?${last})`, [sqlFields(id.fields)], hex)
  if (family.storages.includes('uuid')) sql.gives(`${prefix}_from_uuid(?)`, [uuidOf(id.text)], hex)
}

/** As SQLite's own functions write it, or the refusal of what they can't. */
export function sqliteTime(timeMs: number): string | { refused: string } {
  const iso = Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : 'never'
  return /^\d{4}-/.test(iso) ? iso.replace('T', ' ').replace('Z', '') : { refused: 'TIME_OUT_OF_RANGE' }
}

const uuidOf = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
