import { IdError } from '@snoflax/core'
import { arrayLiteral, checkComparable, isSilent, show, timeOf, withPath } from '@snoflax/core/adapter'
import type { ColumnIds } from './column-ids.js'

/** The meaning of an expression; undefined if it is unknown whether it is an id. */
export type Meaning = Held | OtherColumn | JsonObject | JsonArray | RowMeaning | Clash | undefined

/** An id, an array of ids, or the time of an id. */
export interface Held {
  readonly is: 'id' | 'list' | 'time'
  readonly ids: ColumnIds
  /** Whether `ids.typed()` declares it, whatever it is made of. */
  readonly isTyped?: boolean
  /** Whether it is the column to which a value is written; other values are compared with it. */
  readonly isWritten?: boolean
}

/** A column without ids, or what `asText()` marks. */
export interface OtherColumn {
  readonly is: 'other'
  /** Table and column, as far as they are known. */
  readonly place?: string
  /** Whether the table is not declared. */
  readonly isForeign?: boolean
  /** Whether it is the column to which a value is written. */
  readonly isWritten?: boolean
}

interface JsonObject {
  readonly is: 'object'
  readonly members: ReadonlyMap<string, Meaning>
}

interface JsonArray {
  readonly is: 'array'
  readonly of: Meaning
}

/** A row of expressions, for comparisons. */
export interface RowMeaning {
  readonly is: 'row'
  readonly items: readonly Meaning[]
}

/** Two columns of one name. */
interface Clash {
  readonly is: 'clash'
  readonly error: IdError
}

export const OTHER: OtherColumn = { is: 'other' }
/** What `asText()` marks. */
export const MARKED: OtherColumn = { is: 'other' }

export const heldOf = (ids: ColumnIds): Held => ({ is: ids.column.role === 'list' ? 'list' : 'id', ids })

/** The meaning of a column that is written to. */
export const writtenTo = (meaning: Meaning): Meaning =>
  isKey(meaning) || (meaning?.is === 'other' && meaning.place !== undefined)
    ? { ...meaning, isWritten: true }
    : meaning

export const isHeld = (meaning: Meaning): meaning is Held => meaning !== undefined && 'ids' in meaning

const isKey = (meaning: Meaning): meaning is Held => meaning?.is === 'id' || meaning?.is === 'list'

const isJson = (meaning: Meaning): meaning is JsonObject | JsonArray =>
  meaning?.is === 'object' || meaning?.is === 'array'

/** @throws {IdError} `INVALID_OPTION` for an expression that is not an id column. */
export function idsOf(meaning: Meaning, what: string): ColumnIds {
  if (meaning?.is === 'id') return meaning.ids
  throw new IdError(
    'INVALID_OPTION',
    `${what}: its first argument must be an id column that the plugin knows`,
    { field: what },
  )
}

export const itemOf = (meaning: Meaning, at: number): Meaning =>
  meaning?.is === 'row' ? meaning.items[at] : meaning

/** @param isAny whether each of them can be the result. @param check what two ids must fulfil. */
function joined(
  meanings: readonly Meaning[],
  isAny: boolean,
  check: (one: Held, other: Held) => void,
): Meaning {
  const rows = meanings.filter((one): one is RowMeaning => one?.is === 'row')
  if (rows[0]) {
    const items = rows[0].items.map((_, at) =>
      joined(
        rows.map((row) => row.items[at]),
        isAny,
        check,
      ),
    )
    return { is: 'row', items }
  }
  const keys = meanings.filter(isKey)
  const [first, ...more] = keys
  if (isAny && first && keys.every(({ ids }) => ids.isText) && more.some(({ ids }) => !ids.isLike(first.ids)))
    return OTHER
  for (const one of more) check(first as Held, one)
  const known = first ?? meanings.find((one) => isHeld(one) || isJson(one))
  return known || (isAny && meanings.includes(undefined)) ? known : meanings.find((one) => one !== undefined)
}

/**
 * The common meaning of expressions that are returned alternatively. Several kinds of ids that are stored as they are, such as
 * those of a user or else of an organization, are a text.
 *
 * @throws {IdError} `INVALID_OPTION` for ids of which some would be read as others.
 */
export const unite = (...meanings: readonly Meaning[]): Meaning =>
  joined(meanings, true, (one, other) => {
    equate(one, other)
    if (one.ids.isLike(other.ids)) return
    const [first, second] = [one, other].map(({ ids }) => `${ids.path} (${ids.family.name})`)
    throw one.ids.refuse(
      `one column of the result contains ids of ${first} and of ${second}, so some would be read as the other; ` +
        'select them apart, or declare the column with ids.typed(column, expression)',
    )
  })

/**
 * The common meaning of expressions that are compared, or of which one is written to the other.
 *
 * @throws {IdError} `INVALID_OPTION` for columns that can't be equal.
 */
export function equate(...meanings: readonly Meaning[]): Meaning {
  const common = joined(meanings, false, (one, other) => {
    checkComparable(one.ids.named, other.ids.named)
    if (one.is === other.is) return
    const [left, right] = [one, other].map(
      ({ is, ids: { path } }) => `${path} (${is === 'list' ? 'an array of ids' : 'one id'})`,
    )
    throw one.ids.refuse(`${left} and ${right} are never equal in the database; use = any(array)`)
  })
  if (common?.is === 'row') {
    for (const at of common.items.keys()) equate(...meanings.map((one) => itemOf(one, at)))
  } else if (isKey(common) && !common.isTyped) refuseOthers(common, meanings)
  return common
}

/**
 * SQLite and MySQL compare bytes and numbers with text, and find nothing. PostgreSQL refuses that, but stores a uuid or bytes
 * in a column of text.
 */
function refuseOthers({ ids }: Held, meanings: readonly Meaning[]): void {
  const { database, name } = ids.storage
  const isPostgres = database === 'postgres'
  if (isPostgres ? ids.isText || name === 'bigint' : !isSilent(ids.named)) return
  for (const one of meanings) {
    if (one?.is !== 'other' || one.place === undefined || (isPostgres && !one.isWritten)) continue
    throw ids.refuse(
      `${ids.path} stores ids as ${ids.storage.name}, and ${one.place} is not declared as an id column, so they would never ` +
        'be equal; declare it with .plain(), or mark it with asText() if it contains none',
    )
  }
}

/** The value to send to the driver beside an id. */
export function encode(value: unknown, { is, ids, isWritten = false }: Held): unknown {
  if (value === null) return value
  if (is === 'time') throw ids.refuse('createdAt() cannot be compared; use createdBetween()', value)
  // A driver would send NULL, which equals nothing.
  if (value === undefined) return ids.placed(() => ids.family.parse(value))
  // mysql2 writes an array as a list.
  if (is === 'id' && !(ids.isMysql && Array.isArray(value))) return ids.toDatabase(value, isWritten)
  if (!Array.isArray(value)) {
    throw new IdError(
      'INVALID_TYPE',
      `${ids.path}: expected an array of ids, got ${show(value)}; pass the array with eb.val([…])`,
      { value, path: ids.path },
    )
  }
  const stored = value.map((one) => ids.toDatabase(one, isWritten))
  return ids.isText ? value : is === 'id' ? stored : arrayLiteral(stored)
}

/** Whether a driver's value differs from what the application gets. */
export function isConverted(meaning: Meaning): boolean {
  switch (meaning?.is) {
    case 'id':
    case 'list':
      return !meaning.ids.isText
    case 'object':
      return [...meaning.members.values()].some(isConverted)
    case 'array':
      return isConverted(meaning.of)
    default:
      return meaning?.is === 'time' || meaning?.is === 'clash'
  }
}

/** Converts the rows that a driver has just made: one row after the other, since each is elsewhere in memory. */
export function decodeRows(
  rows: readonly Record<string, unknown>[],
  columns: readonly (readonly [name: string, meaning: Meaning])[],
): void {
  let path = ''
  withPath(
    () => path,
    () => {
      for (const row of rows) {
        for (let at = 0; at < columns.length; at++) {
          const [name, meaning] = columns[at] as (typeof columns)[number]
          const value = row[name]
          if (value === null) continue
          if (meaning?.is === 'id') {
            path = meaning.ids.path
            row[name] = meaning.ids.read(value)
          } else row[name] = decode(meaning, value)
        }
      }
    },
  )
}

function decode(meaning: Meaning, value: unknown, inJson = false): unknown {
  if (value === null || value === undefined) return value
  switch (meaning?.is) {
    case 'id':
      return decodeId(meaning.ids, value, inJson)
    case 'time':
      return timeOf(meaning.ids.family, decodeId(meaning.ids, value, inJson) as string)
    case 'list': {
      const list = typeof value === 'string' ? elementsOf(value) : value
      if (Array.isArray(list)) return list.map((one) => decodeId(meaning.ids, one, inJson))
      throw meaning.ids.refuse(`expected an array of ids, got ${show(value)}`, value)
    }
    case 'object':
    case 'array':
      return decodeJson(meaning, typeof value === 'string' ? JSON.parse(value) : value)
    default:
      return value
  }
}

/** JSON contains bytes as hex, which SQLite and MySQL write without a prefix. */
function decodeId(ids: ColumnIds, value: unknown, inJson: boolean): unknown {
  const { name, database } = ids.storage
  const isBareHex = inJson && name === 'binary' && database !== 'postgres' && typeof value === 'string'
  return ids.fromDatabase(isBareHex ? `\\x${value}` : value)
}

function decodeJson(meaning: JsonObject | JsonArray, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (meaning.is === 'array') {
    return Array.isArray(value) ? value.map((one) => decode(meaning.of, one, true)) : value
  }
  const object: Record<string, unknown> = { ...value }
  for (const [name, member] of meaning.members) {
    if (name in object) object[name] = decode(member, object[name], true)
  }
  return object
}

/** `{a,b}`, for drivers that don't know the type of the array. */
const elementsOf = (text: string): (string | null)[] | string =>
  /^\{.*\}$/.test(text)
    ? text.length === 2
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((one) => (one === 'NULL' ? null : one.replace(/^"(.*)"$/, '$1').replaceAll('\\\\', '\\')))
    : text
