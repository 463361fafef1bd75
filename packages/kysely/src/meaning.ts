import { IdError } from '@snoflax/core'
import {
  arrayLiteral,
  checkComparable,
  isBytes,
  isStored,
  leak,
  type NamedColumn,
  refuseLeak,
  refuseUnconverted,
  show,
} from '@snoflax/core/adapter'
import type { ColumnIds, Declared } from './column-ids.js'

/** The meaning of an expression; undefined if it has nothing to do with ids. */
export type Meaning = IdMeaning | JsonObject | JsonArray | RowMeaning | RawMeaning | Clash | undefined

/** An id, an array of ids, the time of an id, or something computed from an id that may or may not be one. */
export interface IdMeaning {
  readonly is: 'id' | 'list' | 'time' | 'derived'
  readonly ids: ColumnIds
  /** Whether the user declares it so, whatever it is made of. */
  readonly isTyped?: boolean
}

/** A JSON object that contains ids. */
interface JsonObject {
  readonly is: 'object'
  readonly members: ReadonlyMap<string, Meaning>
}

/** A JSON array whose elements have one meaning. */
interface JsonArray {
  readonly is: 'array'
  readonly of: Meaning
}

/** A row of expressions, for comparisons. */
interface RowMeaning {
  readonly is: 'row'
  readonly items: readonly Meaning[]
}

/** Raw SQL of undeclared meaning. */
export interface RawMeaning {
  readonly is: 'raw'
  readonly declared: Declared
  /** The id columns that its text names, if their storage converts. */
  readonly named: readonly NamedColumn[]
}

/** Two columns of one name. */
interface Clash {
  readonly is: 'clash'
  readonly error: IdError
}

export const hasIds = (meaning: Meaning): meaning is IdMeaning => meaning !== undefined && 'ids' in meaning

const isJson = (meaning: Meaning): meaning is JsonObject | JsonArray =>
  meaning?.is === 'object' || meaning?.is === 'array'

export const isRaw = (meaning: Meaning): meaning is RawMeaning => meaning?.is === 'raw'

/**
 * The common meaning of expressions that are returned alternatively.
 *
 * @throws {IdError} `INVALID_OPTION` for ids of which some would be read as others.
 */
export function unite(...meanings: readonly Meaning[]): Meaning {
  return joined(meanings, (one, other) => {
    equate(one, other)
    if (one.ids.isLike(other.ids)) return
    const [first, second] = [one, other].map(({ ids }) => `${ids.path} (${ids.family.name})`)
    throw one.ids.refuse(
      `one column of the result contains ids of ${first} and of ${second}, so some would be read as the other; ` +
        'select them apart, or declare the column with ids.typed(column, expression)',
    )
  })
}

/**
 * The common meaning of expressions that are compared, or of which one is written to the other.
 *
 * @throws {IdError} `INVALID_OPTION` for ids that can't be equal.
 */
export const equate = (...meanings: readonly Meaning[]): Meaning =>
  joined(meanings, (one, other) => {
    checkComparable(one.ids.named, other.ids.named)
    if (one.is === other.is) return
    const [left, right] = [one, other].map(
      ({ is, ids: { path } }) => `${path} (${is === 'list' ? 'an array of ids' : 'one id'})`,
    )
    throw one.ids.refuse(`${left} and ${right} are never equal in the database; use = any(array)`)
  })

function joined(meanings: readonly Meaning[], check: (one: IdMeaning, other: IdMeaning) => void): Meaning {
  const rows = meanings.filter((one): one is RowMeaning => one?.is === 'row')
  const [row] = rows
  if (row) {
    const items = row.items.map((_, at) =>
      joined(
        rows.map(({ items }) => items[at]),
        check,
      ),
    )
    return { is: 'row', items }
  }
  const [first, ...others] = meanings.filter(
    (one): one is IdMeaning => one?.is === 'id' || one?.is === 'list',
  )
  if (!first) {
    return (
      meanings.find((one) => one?.is === 'time') ??
      meanings.find(hasIds) ??
      uniteJson(meanings.filter(isJson)) ??
      uniteRaw(meanings.filter(isRaw))
    )
  }
  for (const other of others) check(first, other)
  return first
}

const uniteRaw = (raws: readonly RawMeaning[]): Meaning =>
  raws[0] && { ...raws[0], named: raws.flatMap(({ named }) => named) }

/** JSON of one shape, else an expression that may contain ids. */
function uniteJson([first, ...others]: readonly (JsonObject | JsonArray)[]): Meaning {
  const [ids] = first ? idsIn(first) : []
  const isSame = others.every((one) => first && shapeOf(one) === shapeOf(first))
  return isSame || ids === undefined ? first : { is: 'derived', ids }
}

function shapeOf(meaning: Meaning): string {
  if (hasIds(meaning)) return `${meaning.is} ${meaning.ids.family.name} ${meaning.ids.storage.name}`
  if (meaning?.is === 'array') return `[${shapeOf(meaning.of)}]`
  if (meaning?.is !== 'object') return ''
  return `{${[...meaning.members].map(([name, member]) => `${name}: ${shapeOf(member)}`)}}`
}

/** All ids in a meaning. */
export function idsIn(meaning: Meaning): ColumnIds[] {
  if (hasIds(meaning)) return [meaning.ids]
  if (meaning?.is === 'row') return meaning.items.flatMap(idsIn)
  if (meaning?.is === 'array') return idsIn(meaning.of)
  if (meaning?.is === 'object') return [...meaning.members.values()].flatMap(idsIn)
  return []
}

/** The value to send to the driver where an expression of this meaning is expected. */
export function encode(value: unknown, expected: Meaning): unknown {
  if (isRaw(expected)) refuseUnconverted(expected.named, value, NAMED_IN_TEXT)
  if (!hasIds(expected) || value === null) return value
  const { is, ids } = expected
  // A driver would send NULL, which equals nothing.
  if (value === undefined) return ids.placed(() => ids.family.parse(value))
  switch (is) {
    case 'id':
      // mysql2 writes an array as a list.
      if (Array.isArray(value) && ids.isMysql) return value.map((one) => ids.toDatabase(one))
      return ids.toDatabase(value)
    case 'list':
      if (Array.isArray(value)) return arrayLiteral(value.map((one) => ids.toDatabase(one)))
      throw new IdError(
        'INVALID_TYPE',
        `${ids.path}: expected an array of ids, got ${show(value)}; pass the array with eb.val([…])`,
        {
          value,
          path: ids.path,
        },
      )
    case 'time':
      throw ids.refuse('createdAt() cannot be compared; use createdBetween()', value)
    case 'derived':
      if (ids.storage.converts && mayBeId(value, ids)) {
        throw untold(ids, value)
      }
      return value
  }
}

/** The advice for an id beside a column that only the text of raw SQL names. */
export const NAMED_IN_TEXT =
  'name it by sql.ref(), or pass ids.parameter(column, id); notAnId(value) is for other values'

export const untold = (ids: ColumnIds, value: unknown): IdError =>
  ids.refuse(
    `can't tell whether ${show(value)} must be converted to the column's storage (${ids.storage.name}); ` +
      'pass ids.parameter(column, id), or notAnId(value) for other values',
    value,
  )

const mayBeId = (value: unknown, { storage }: ColumnIds): boolean =>
  typeof value === 'string' ||
  isBytes(value) ||
  typeof value === 'bigint' ||
  (typeof value === 'number' && storage.name === 'bigint') ||
  (Array.isArray(value) && value.some((one) => typeof one === 'string' || isBytes(one)))

/** The value of a row, converted for the application. */
export function decode(meaning: Meaning, value: unknown, inJson = false): unknown {
  if (value === null || value === undefined || meaning === undefined) return value
  switch (meaning.is) {
    case 'id':
      return decodeId(meaning.ids, value, inJson)
    case 'time':
      return meaning.ids.family.time(decodeId(meaning.ids, value, inJson) as string)
    case 'list': {
      const list = typeof value === 'string' ? elementsOf(value) : value
      if (Array.isArray(list)) return list.map((one) => decodeId(meaning.ids, one, inJson))
      throw meaning.ids.refuse(`expected an array of ids, got ${show(value)}`, value)
    }
    case 'derived':
      refuseLeak(meaning.ids.named, value, DECLARED)
      return value
    case 'object':
    case 'array':
      return decodeJson(meaning, typeof value === 'string' ? JSON.parse(value) : value)
    case 'raw':
      return refuseLeaks(meaning.declared, undefined, value)
    case 'clash':
      throw meaning.error
    case 'row':
      return value
  }
}

/** JSON contains bytes as hex, which SQLite and MySQL write without a prefix. */
function decodeId(ids: ColumnIds, value: unknown, inJson: boolean): string | null {
  const { name, database } = ids.storage
  const isBareHex = inJson && name === 'binary' && database !== 'postgres' && typeof value === 'string'
  return ids.fromDatabase(isBareHex ? `\\x${value}` : value)
}

function decodeJson(meaning: JsonObject | JsonArray, value: unknown): unknown {
  if (value === null) return null
  if (meaning.is === 'array') return (value as unknown[]).map((one) => decode(meaning.of, one, true))
  const object: Record<string, unknown> = { ...(value as object) }
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

const DECLARED =
  'declare it with ids.typed(column, expression), with ids.rows({ … }, sql) for raw SQL, or with notAnId(expression)'

/**
 * Checks a value that raw SQL returned, which may be an id of any column.
 *
 * @param name of its column, if it has one: any number could be an id, and any 16 bytes, so those are looked at by name.
 * @throws {IdError} `INVALID_OPTION` if it is.
 */
export function refuseLeaks(declared: Declared, name: string | undefined, value: unknown): unknown {
  if (value === null) return value
  for (const table of declared.values()) {
    for (const [column, ids] of table) {
      const isTelling = ids.storage.name !== 'bigint' && ids.family.byteLength < UUID_BYTES
      if (ids.storage.converts && (column === name || isTelling) && isStored(ids.named, value))
        throw leak(ids.named, value, DECLARED)
    }
  }
  return value
}

const UUID_BYTES = 16
