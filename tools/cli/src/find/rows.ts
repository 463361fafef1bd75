import type { Database } from '@snoflax/core'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live/database.js'
import { conditionOf, type LookUp, type Reference, sourceOf } from './look-up.js'
import type { Wanted } from './values.js'

/** A row that the id identifies, alone or with other columns. */
export interface FoundRow {
  readonly table: string
  readonly column: string
  readonly wanted: Wanted
  /** Its key, then its first other columns, as text; long values are cut and end in `…`. */
  readonly row: Readonly<Record<string, string | null>>
  /** Columns that are named like secrets. */
  readonly hidden: readonly string[]
  /** Columns that may not be read. */
  readonly unreadable: readonly string[]
  /** How many columns the row has besides. */
  readonly more: number
  /** Columns that refer to the column, and how often, counted up to ten thousand. */
  readonly referencedBy: readonly Reference[]
}

/** How many rows of a key are shown. */
export const SHOWN_ROWS = 10
/** How many columns of a row are shown besides its key, and how much of a value. */
const SHOWN = 7
const WIDTH = 40

/** The rows that have the id in a column, ordered by the rest of their key. */
export async function rowsOf(
  database: LiveDatabase,
  lookUp: LookUp,
  columns: readonly Column[],
  referencedBy: readonly Reference[],
): Promise<FoundRow[]> {
  const { column: key, wanted } = lookUp
  const { kind } = database
  const named = (some: readonly Column[]): string[] => some.map(({ name }) => name)
  const unreadable = columns.filter((one) => one.unreadable !== undefined)
  const open = columns.filter((one) => one.unreadable === undefined && placeOf(one) !== placeOf(key))
  const hidden = open.filter(({ name }) => isSecret(name))
  const shown = open.filter((one) => !hidden.includes(one))
  const ofKey = [key, ...shown.filter(({ isPrimary }) => isPrimary)]
  const rest = shown.filter(({ isPrimary }) => !isPrimary)
  const inRow = [...ofKey, ...rest.slice(0, Math.max(0, SHOWN + 1 - ofKey.length))]
  const list = inRow.map(({ quotedName, type }, n) => `${START[kind](quotedName, type)} AS c${n}`)
  const order = ofKey.slice(1).map(({ quotedName }) => quotedName)
  const rows = await database.query(
    `SELECT ${list.join(', ')} FROM ${sourceOf(lookUp, inRow)} WHERE ${conditionOf(kind, lookUp)}
      ${order.length > 0 ? `ORDER BY ${order.join(', ')}` : ''} LIMIT ${SHOWN_ROWS}`,
  )
  return rows.map((row) => ({
    table: key.table,
    column: key.name,
    wanted,
    row: Object.fromEntries(inRow.map(({ name }, n) => [name, cut(row, `c${n}`)])),
    hidden: named(hidden),
    unreadable: named(unreadable),
    more: 1 + shown.length - inRow.length,
    referencedBy,
  }))
}

/** Words that name a secret, alone or with others. */
const SECRET = /^(?:pwd|salt|hash|private|otp|totp|cvv|cvc|iban|ssn|pass(?:word|wd|phrase)?hash)s?$/
/** Words that also name one at the end of a word, as in `accesstoken`. */
const SECRET_END = /(?:password|passwd|passphrase|secret|token|credential|(?:api|private)key)s?$/
/** `passw`, `api_key`, `pass_hash` in the words of a name. */
const SECRET_WORDS = /\b(?:api key|pass code|passcode)s?\b/

/** Whether a column's values are nobody's business in a terminal, by the words of its name; `is_private` is a flag. */
export function isSecret(name: string): boolean {
  const words = name
    .replace(/(\p{Ll}|\d)(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(Boolean)
  if (/^(?:is|has)$/.test(words[0] ?? '')) return false
  return (
    words.some((word) => SECRET.test(word) || SECRET_END.test(word)) || SECRET_WORDS.test(words.join(' '))
  )
}

const mysqlStart = (name: string): string => `LEFT(${name}, ${WIDTH + 1})`
/** The beginning of a value, so that large ones stay in the database. */
const START: Readonly<Record<Database, (name: string, type: string) => string>> = {
  postgres: (name) => `left(${name}::text, ${WIDTH + 1})`,
  sqlite: (name) => `substr(${name}, 1, ${WIDTH + 1})`,
  mysql: mysqlStart,
  mariadb: mysqlStart,
}

function cut(row: Row, name: string): string | null {
  const value = row[name]
  if (value == null) return null
  const text = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text
}
