import type { IdFamily } from '../family.js'
import { isPrefixed } from '../identity.js'
import { isPlausible } from '../inspect/plausible.js'
import { IdError } from '../primitives/errors.js'
import type { Database } from '../storage/column.js'
import type { IdStorage } from '../storage/index.js'
import { neighbours } from './neighbours.js'
import { isWord, readSql, type SqlToken } from './read-sql.js'

/** An id column, as errors name it. */
export interface SqlIdColumn {
  /** Table and column, or entity and property. */
  readonly place: string
  /** Its storage, which a reference knows once its target is defined. */
  storage(): IdStorage<string>
}

/** A placeholder: its number from 0, or its name. */
export type PlaceholderKey = number | string

/**
 * In place of a value that a prepared statement gets when it is executed.
 *
 * @example
 * const value = (key: PlaceholderKey) => (key === 0 ? LATER : undefined)
 */
export const LATER: unique symbol = Symbol('later')

/** SQL, and what its placeholders are. */
export interface SqlWithValues {
  /** The SQL's text. */
  readonly sql: string
  /** The database, which decides on quotes and placeholders. */
  readonly dialect: Database
  /** Matches placeholders besides those of the database. */
  readonly placeholder?: RegExp
  /**
   * The value of a placeholder; {@link LATER} if it is not known yet; undefined for a column, and for a value that the caller
   * converts or that is no id.
   */
  value(key: PlaceholderKey): unknown
  /** Called for a value of {@link LATER} that stands beside no one column: pass it to {@link SqlIds.check} when it is known. */
  later?(key: PlaceholderKey): void
  /** The id column that a placeholder is, null for another column. What stands beside one is converted, id or not. */
  column?(key: PlaceholderKey): SqlIdColumn | null | undefined
  /**
   * The id column that a name means here, null for another column, several if it can be either; undefined where only the name
   * itself tells.
   */
  named?(parts: readonly string[]): SqlIdColumn | null | readonly (SqlIdColumn | null)[] | undefined
}

/** Stands around the number of a part. */
const MARK = '\uE000'

/**
 * Stands for a value or a column in SQL that a caller puts together from parts: a placeholder with the part's number.
 *
 * @example
 * markOf(3).length // 3
 */
export const markOf = (part: number): string => `${MARK}${part}${MARK}`

/**
 * Matches what {@link markOf} writes, as the placeholder of {@link SqlWithValues}.
 *
 * @example
 * MARKED.test(markOf(3)) // true
 */
export const MARKED = new RegExp(`${MARK}\\d+${MARK}`)

/**
 * The text of a part that the user wrote, without what would be taken for another part.
 *
 * @example
 * withoutMarks(markOf(3)) // ' 3 '
 */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, ' ')

const NOTHING: readonly SqlToken[] = []

/** Ids of the next years are range bounds. A text of letters that is no id mostly contains a later time. */
const AHEAD_MS = 5 * 365 * 86_400_000

/**
 * The id columns of an ORM whose storages convert, for SQL that the ORM doesn't encode. A value beside a column is
 * converted. Any other value that is an id is refused where the database can't refuse it itself: where ids are bytes, and
 * where they are numbers in SQLite and MySQL.
 *
 * @example
 * const ids = new SqlIds('pass parameter(column, id)')
 * ids.add('customer_id', { place: 'orders.customer_id', storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }) })
 * const sql = 'SELECT * FROM orders WHERE customer_id = ?'
 * ids.find({ sql, dialect: 'sqlite', value: () => 'Kpcan0M1FakODT4k' }).get(0)?.place // 'orders.customer_id'
 */
export class SqlIds {
  private readonly columns = new Map<string, SqlIdColumn[]>()
  private readonly others = new Set<string>()
  private known: { readonly all: readonly SqlIdColumn[]; readonly silent: readonly SqlIdColumn[] } | undefined

  /** @param advice the end of errors: how to mark an id, and a value that is not one. */
  constructor(private readonly advice: string) {}

  /** Adds an id column by its name in SQL. It replaces one of the same place, which a module that is loaded again defines. */
  add(name: string, column: SqlIdColumn): void {
    const key = name.toLowerCase()
    const others = this.columns.get(key)?.filter(({ place }) => place !== column.place) ?? []
    this.columns.set(key, [...others, column])
    this.known = undefined
  }

  /** Adds a column without ids, beside which a value is not one. A name of both kinds of columns means no one column. */
  addOther(name: string): void {
    this.others.add(name.toLowerCase())
  }

  /** Whether a value may have to be converted or refused: a quick test. */
  mayBe(value: unknown): boolean {
    if (typeof value !== 'string' && !Array.isArray(value)) return false
    const { all } = this.converting()
    if (typeof value !== 'string' || /^[\s[{]/.test(value))
      return textsIn(value).some((text) => all.some(isOf(text)))
    for (const { storage } of all) if (storage().family.is(value)) return true
    return false
  }

  /** Whether a statement may contain an id: a quick test, without reading the SQL. */
  mayBeIn(sql: string, values: Iterable<unknown>): boolean {
    for (const value of values) if (this.mayBe(value)) return true
    const { silent } = this.converting()
    return (
      silent.length > 0 &&
      /['"$]/.test(sql) &&
      sql.split(/['"$]/).some((text) => textsIn(text).some((one) => silent.some(isOf(one))))
    )
  }

  /**
   * Refuses a value that stands beside no column, if it is an id that the database would not refuse.
   *
   * @throws {IdError} `INVALID_OPTION`.
   */
  check(value: unknown): void {
    const texts = textsIn(value)
    const silent = this.converting().silent.filter((one) => texts.some((text) => mayBe(text, one)))
    if (silent.length > 0) throw this.refuse(silent, value, 'stands beside no column that is known, so it')
  }

  /**
   * The columns by which values must be converted.
   *
   * @throws {IdError} `INVALID_OPTION` for an id that can't be converted and that the database would not refuse.
   */
  find(given: SqlWithValues): Map<PlaceholderKey, SqlIdColumn> {
    const { sql, dialect, placeholder, value, column } = given
    const tokens = readSql(sql, { dialect, placeholder })
    const keys = keysOf(tokens)
    const columnOf = (token: SqlToken) => {
      const key = keys.get(token)
      return key === undefined ? undefined : column?.(key)
    }
    const beside = neighbours(tokens, (token) => columnOf(token) !== undefined)
    const meanings = new Map<readonly SqlToken[], (SqlIdColumn | null)[]>()
    const recast = recastIn(tokens)
    // Bytes cast to text equal no bytes.
    const columnsOf = (token: SqlToken) =>
      this.columnsBeside(token, columnOf, given).filter(
        (one) => one === null || !recast.has(token) || !isSilent(one),
      )
    const found = new Map<PlaceholderKey, SqlIdColumn | undefined>()
    for (const token of tokens) {
      const key = keys.get(token)
      const one = key === undefined ? literalIn(token) : value(key)
      if (one === undefined || (key === undefined && token.kind !== 'string')) continue
      const tokensBeside = beside.get(token) ?? NOTHING
      const columns = meanings.get(tokensBeside) ?? tokensBeside.flatMap(columnsOf)
      meanings.set(tokensBeside, columns)
      if (one === LATER) {
        const [first] = columns
        const isOne = first && columns.every((each) => each && isAlike(each, first))
        if (!isOne && (first === undefined || columns.some(Boolean))) given.later?.(key as PlaceholderKey)
        else if (first?.storage().converts) found.set(key as PlaceholderKey, first)
        continue
      }
      const own = tokensBeside
        .flatMap((each) => (each.kind === 'placeholder' ? columnsOf(each) : []))
        .find((each) => each?.storage().converts)
      const meant = key !== undefined && own ? own : this.columnOfValue(one, columns)
      if (key === undefined) {
        if (meant && isSilent(meant)) throw this.refuse([meant], one, 'is written into the SQL, so it')
        continue
      }
      const before = found.get(key)
      if (found.has(key) && before !== meant && !(before && meant && isAlike(before, meant))) {
        const silent = [before, meant].filter((each) => each !== undefined && isSilent(each)) as SqlIdColumn[]
        if (silent.length > 0) throw this.refuse(silent, one, 'also stands beside something else, so it')
      }
      found.set(key, meant ?? before)
    }
    for (const [key, one] of found) if (one === undefined) found.delete(key)
    return found as Map<PlaceholderKey, SqlIdColumn>
  }

  /** The columns that a token is; null for one without ids. */
  private columnsBeside(
    token: SqlToken,
    columnOf: (token: SqlToken) => SqlIdColumn | null | undefined,
    { named }: SqlWithValues,
  ): readonly (SqlIdColumn | null)[] {
    if (token.kind === 'placeholder') return [columnOf(token) ?? null]
    const meant = named?.(token.parts)
    if (meant !== undefined) return [meant].flat()
    const name = (token.parts.at(-1) as string).toLowerCase()
    return [...(this.columns.get(name) ?? []), ...(this.others.has(name) ? [null] : [])]
  }

  /** The column that a value is an id of, of those that it stands beside. */
  private columnOfValue(value: unknown, columns: readonly (SqlIdColumn | null)[]): SqlIdColumn | undefined {
    const texts = textsIn(value)
    if (texts.length === 0) return undefined
    const ids = columns.flatMap((one) => one ?? []).filter((one) => texts.some((text) => isOf(text)(one)))
    const [first, ...more] = ids
    if (first === undefined) {
      if (columns.length === 0) this.check(value)
      return undefined
    }
    const isWhole = Array.isArray(value) || texts[0] === value
    const isOne = isWhole && !columns.includes(null) && more.every((one) => isAlike(one, first))
    if (isOne) return first.storage().converts ? first : undefined
    const silent = ids.filter(isSilent)
    if (silent.length > 0)
      throw this.refuse(silent, value, 'can be one of several columns, or is in a list as text, so it')
    return undefined
  }

  /** One column for each form in which ids are stored. */
  private converting(): NonNullable<SqlIds['known']> {
    if (this.known) return this.known
    const columns = [...this.columns.values()].flat().filter((one) => one.storage().converts)
    const all = columns.filter((one, at) => !columns.slice(0, at).some((other) => isAlike(one, other)))
    this.known = { all, silent: all.filter(isSilent) }
    return this.known
  }

  private refuse(columns: readonly SqlIdColumn[], value: unknown, reason: string): IdError {
    const [{ place, storage }] = columns as [SqlIdColumn]
    const { family, name } = storage()
    const places = [...new Set(columns.map((one) => one.place))].join(' or ')
    return new IdError(
      'INVALID_OPTION',
      `${places}: the id ${JSON.stringify(value)} ${reason} is not converted to the storage of the column (${name}); ` +
        this.advice,
      { family: family.name, value, path: place },
    )
  }
}

const isOf =
  (text: string) =>
  ({ storage }: SqlIdColumn): boolean =>
    storage().family.is(text)

/**
 * Whether the database would compare an unconverted id with the column, and find nothing.
 *
 * @example
 * isSilent({ place: 'orders.id', storage: () => storageFor(flax, 'postgres', { storage: 'uuid' }) }) // false
 */
export function isSilent({ storage }: SqlIdColumn): boolean {
  const { converts, name, database } = storage()
  return converts && (name === 'binary' || (name === 'bigint' && database !== 'postgres'))
}

/**
 * Whether the stored ids of one column are those of the other.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * isAlike({ place: 'orders.customer_id', storage }, { place: 'customers.id', storage }) // true
 */
export function isAlike(one: SqlIdColumn, other: SqlIdColumn): boolean {
  const [a, b] = [one.storage(), other.storage()]
  return a.name === b.name && a.family.name === b.family.name
}

/** Whether a text that stands beside no known column is an id: not every text of its form is. */
function mayBe(text: string, { storage }: SqlIdColumn): boolean {
  const family: IdFamily = storage().family
  return (
    family.is(text) && (isPrefixed(family) || isPlausible(family, text, { nowMs: Date.now() + AHEAD_MS }))
  )
}

/** The text itself, the texts of a list, and those of a list as JSON or as PostgreSQL's text of an array. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'string') return []
  const list = /^\s*[[{]\s*"?[^"\s,[\]{}:]+"?\s*[,\]}]/.test(value) ? value.split(/[\s,"[\]{}]+/) : []
  return [value, ...list]
}

/** The operands that SQL casts to another type than bytea. */
function recastIn(tokens: readonly SqlToken[]): ReadonlySet<SqlToken | undefined> {
  const recast = new Set<SqlToken | undefined>()
  for (const [at, token] of tokens.entries()) {
    const isCast = token.text === '::' || (isWord(token, 'AS') && isWord(tokens[at - 3], 'CAST'))
    if (!isCast || tokens[at + 1]?.parts.at(-1)?.toLowerCase() === 'bytea') continue
    const isInBrackets = tokens[at - 1]?.text === ')' && tokens[at - 3]?.text === '('
    recast.add(tokens[isInBrackets ? at - 2 : at - 1])
  }
  return recast
}

/** A string literal without its quotes and what may stand before them. */
const literalIn = ({ kind, text }: SqlToken): string | undefined =>
  kind === 'string' ? text.replace(/^\w*\s*['"]|^\$\w*\$|['"]$|\$\w*\$$/g, '') : undefined

/** The number or name of each placeholder. */
function keysOf(tokens: readonly SqlToken[]): Map<SqlToken, PlaceholderKey> {
  const keys = new Map<SqlToken, PlaceholderKey>()
  let next = 0
  for (const token of tokens) {
    if (token.kind !== 'placeholder') continue
    const [, number, part, name] =
      /^(?:[?$](\d+)|\uE000(\d+)\uE000|[:@$](?:\.\.\.)?(.+))$/.exec(token.text) ?? []
    keys.set(
      token,
      name ?? (part !== undefined ? Number(part) : number !== undefined ? Number(number) - 1 : next++),
    )
  }
  return keys
}
