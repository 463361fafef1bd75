import type { IdFamily } from '../family.js'
import { IdError, show } from '../primitives/errors.js'
import { isBytes, isDate } from '../primitives/realms.js'
import type { IdStorage } from '../storage/index.js'
import { checkStored } from './check-stored.js'
import type { Reading } from './comparisons.js'
import type { Source } from './sources.js'

/** An id column. */
export interface NamedColumn {
  /** Table and column, as errors name it. */
  readonly place: string
  /** The family of its ids. */
  readonly family: IdFamily
  /** The table's name in the database, without its schema. A column without one may be of any table. */
  readonly table?: string
  /** Called when needed: a reference may take its storage from a table that is defined later. */
  readonly storage: () => IdStorage<string>
}

/** A value in SQL and the id columns that it may be compared with. */
export interface BesideName {
  /** The number of its chunk. */
  readonly chunk: number
  /** The id columns of that name. */
  readonly columns: readonly NamedColumn[]
}

/** A source of SQL, with its id columns by their names if you know what it is. */
export type NamedSource = Source & {
  readonly columns?: readonly (readonly [name: string, column: NamedColumn])[] | undefined
}

/** Finds the tables of a statement, when a name needs them; undefined where its text doesn't say. */
export type FindSources = () => readonly NamedSource[] | undefined

const sourcesOf =
  ({ isStatement, sources }: Reading): FindSources =>
  () =>
    isStatement ? sources : undefined

/** The advice in errors. */
export interface SqlAdvice {
  /** How to pass an id. */
  readonly advice: string
  /** How to declare that an expression returns ids. */
  readonly known: string
  /** How to pass several ids. Default: as a list. */
  readonly several?: string
}

/** What the chunks of SQL are. */
export interface SqlChunks extends SqlAdvice {
  /** The id column that a chunk is. */
  column(chunk: number): NamedColumn | undefined
  /** The value that a chunk is. */
  value(chunk: number): unknown
}

/**
 * Id columns by name, for SQL whose text names them: `id = ${id}`. The value can't be converted there, and an unconverted
 * id would find nothing. Names match regardless of case and underscores. Where the tables of the statement are known, a
 * name means their columns only; otherwise every column of that name.
 *
 * @example
 * const named = new NamedColumns()
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * named.add('customer_id', { table: 'orders', place: 'orders.customer_id', family: flax, storage })
 * const [one] = named.beside(readComparisons(`select * from orders where customer_id = ${markOf(0)}`, 'sqlite'))
 * one.columns[0].place // 'orders.customer_id'
 */
export class NamedColumns {
  /** By name, and by place. */
  private readonly columns = new Map<string, Map<string, NamedColumn[]>>()
  private readonly families = new Set<IdFamily>()
  private readonly tables = new Set<string>()

  /** Adds a column. Tables of one name may have different storages; all of them count, equal ones once. */
  add(name: string, column: NamedColumn): void {
    const key = withoutCase(name)
    const places = this.columns.get(key) ?? new Map<string, NamedColumn[]>()
    const known = places.get(column.place) ?? []
    const others = known.filter((one, at) => !known.slice(at + 1).some((later) => isSame(one, later)))
    this.columns.set(key, places.set(column.place, [...others, column]))
    this.families.add(column.family)
    if (column.table !== undefined) this.addTable(column.table)
  }

  /** Adds an alias of a column, such as `last` in `max(id) as last`, which counts whatever the tables. */
  addAlias(name: string, { table: _, ...column }: NamedColumn): void {
    this.add(name, { ...column, place: `${column.place} as ${name}` })
  }

  /** Adds a table by its name in the database, without its schema: one that has only other columns than those added. */
  addTable(name: string): void {
    this.tables.add(withoutCase(name))
  }

  /**
   * The columns with one of these names.
   *
   * @param find finds the tables of the statement; without them the columns of all tables.
   * @param qualifiers what stands before each name.
   */
  called(
    names: readonly string[],
    find?: FindSources,
    qualifiers: readonly (string | undefined)[] = [],
  ): NamedColumn[] {
    return names.flatMap((name, at) => {
      const columns = [...(this.columns.get(withoutCase(name))?.values() ?? [])].flat()
      const sources = find?.()
      const own = sources && this.meant(qualifiers[at], sources)
      if (!own) return columns
      const tables = new Set(own.flatMap(({ columns, table }) => (columns ? [] : withoutCase(table ?? ''))))
      const of = (others: readonly NamedColumn[], isMeant: (known: string) => boolean) => [
        ...own
          .flatMap((one) => [...(one.columns ?? [])])
          .flatMap(([known, column]) => (isMeant(known) ? [column] : [])),
        ...others.filter(({ table }) => table === undefined || tables.has(withoutCase(table))),
      ]
      const found = of(columns, (known) => isAs(known, name))
      if (columns.length === 0 || !own.some(({ isRenamed }) => isRenamed)) return found
      const families = new Set(found.flatMap((one) => (one.storage().converts ? [one.family] : [])))
      return [...found, ...of(this.all(), () => true).filter(({ family }) => !families.has(family))]
    })
  }

  private all(): NamedColumn[] {
    return [...this.columns.values()].flatMap((places) => [...places.values()].flat())
  }

  /** The tables of a name with this qualifier; undefined if one of them is unknown. */
  private meant(
    qualifier: string | undefined,
    sources: readonly NamedSource[],
  ): readonly NamedSource[] | undefined {
    const meant = sources.filter(({ table, alias }) => [table, alias].some((one) => isAs(one, qualifier)))
    const own = meant.length > 0 && !meant.some(({ isQuery }) => isQuery) ? meant : sources
    const isKnown = ({ columns, table, isQuery }: NamedSource) =>
      columns !== undefined || isQuery || (table !== undefined && this.tables.has(withoutCase(table)))
    return own.length > 0 && own.every(isKnown) ? own : undefined
  }

  /**
   * The values that SQL compares with, or writes to, columns that its text names, with the columns of that name.
   *
   * @param find finds the tables of the whole statement if the SQL is a part of one.
   */
  beside(reading: Reading, find = sourcesOf(reading)): BesideName[] {
    const { comparisons, aliases } = reading
    const named = (name: string) =>
      aliases.flatMap(({ name: alias, column }) =>
        column !== undefined && isAs(alias, name) ? [column] : [],
      )
    return comparisons.flatMap(({ rows, list, array, names, qualifiers }) =>
      names.flatMap((some, at) => {
        const columns = [
          ...this.called(some, find, qualifiers[at]),
          ...this.called(some.flatMap(named), find),
        ]
        if (columns.length === 0) return []
        const terms = rows.flatMap((row) => row[at] ?? []).map(({ chunk }) => chunk)
        return [...terms, ...[list, array].filter((chunk) => chunk !== undefined)].map((chunk) => ({
          chunk,
          columns,
        }))
      }),
    )
  }

  /**
   * Refuses what SQL compares with id columns and we can't convert, if their storage converts: ids in the SQL's text, in
   * JSON or in another query or list of values and, in SQLite and MySQL (which compare values of any types), unknown
   * columns.
   *
   * @param chunks what the chunks are.
   * @param find finds the tables of the whole statement if the SQL is a part of one.
   * @throws {IdError} `INVALID_OPTION`.
   */
  refuseUnseen(reading: Reading, chunks: SqlChunks, find = sourcesOf(reading)): void {
    const { known, advice, several = 'pass a list of ids' } = chunks
    const among = (numbers: readonly number[]) => numbers.flatMap((chunk) => chunks.column(chunk) ?? [])
    const columns = [...among(reading.all.chunks), ...this.called(reading.all.names, find)]
    for (const chunk of reading.json) {
      refuseId(
        columns,
        textsIn(chunks.value(chunk)),
        (id) => `the id ${id} is in a list or JSON, so it`,
        several,
      )
    }
    for (const { rows, names, qualifiers, texts } of reading.comparisons) {
      for (const [at, some] of names.entries()) {
        const written = texts[at] ?? []
        if (some.length + written.length === 0) continue
        const held = among(rows.flatMap((row) => row[at] ?? []).map(({ chunk }) => chunk))
        const columns = held.length > 0 ? held : this.called(some, find, qualifiers[at])
        refuseId(columns, written, WRITTEN, advice)
        for (const { name, chunk } of reading.aliases) {
          if (chunk === undefined || !some.some((one) => isAs(one, name))) continue
          refuseId(
            columns,
            chunks.value(chunk),
            (id) => `the id ${id} is in the SQL as ${name}, so it`,
            several,
          )
        }
        for (const one of held) this.refuseUnknown(one, some, known)
      }
    }
  }

  /**
   * {@link NamedColumns.refuseUnseen} for SQL that is used as an id.
   *
   * @throws {IdError} `INVALID_OPTION`.
   */
  refuseUnseenIn(column: NamedColumn, { parts, result }: Reading, { advice, known }: SqlAdvice): void {
    refuseId([column], parts.texts, WRITTEN, advice)
    if (result.length === 0) this.refuseUnknown(column, parts.names, known)
  }

  /**
   * Refuses unknown names that are compared with an id column.
   *
   * @throws {IdError} `INVALID_OPTION`, with the advice as its end.
   */
  refuseUnknown({ place, family, storage }: NamedColumn, names: readonly string[], advice: string): void {
    const { converts, name, database } = storage()
    const unknown = names.find((one) => !WORDS.test(one) && this.called([one]).length === 0)
    if (unknown === undefined || !converts || database === 'postgres') return
    throw new IdError(
      'INVALID_OPTION',
      `${place}: can't tell whether ${unknown} contains ids in the storage of this column (${name}); ${advice}`,
      { family: family.name, field: unknown, path: place },
    )
  }

  /**
   * Whether the value, or one in an array or in JSON, is an id of a column's family: a quick test before reading SQL.
   */
  mayContain(value: unknown): boolean {
    for (const text of textsIn(value)) for (const family of this.families) if (family.is(text)) return true
    return false
  }
}

/** Words that are not names of columns. */
const WORDS = /^(?:null|true|false|unknown|default|current_\w+|row)$/i

/** All texts in a value, which may be JSON or PostgreSQL's text of an array, or in a list of them. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'string') return []
  if (!/^\s*[[{"]/.test(value)) return [value]
  try {
    return textsInJson(JSON.parse(value))
  } catch {
    return elementsOf(value) ?? [value]
  }
}

/** The elements of PostgreSQL's text of an array, such as `{a,"b"}`. No id needs an escape there. */
const elementsOf = (value: unknown): string[] | undefined =>
  typeof value === 'string' && /^\s*\{.*\}\s*$/s.test(value) ? value.split(/[{},"\s]+/) : undefined

const textsInJson = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsInJson)
      : []

const WRITTEN = (id: string): string => `the id ${id} is written into the text of the SQL, so it`

const SHOWN = 3

function isSame(one: NamedColumn, other: NamedColumn): boolean {
  if (one.family.name !== other.family.name) return false
  try {
    const [its, others] = [one.storage(), other.storage()]
    return its.name === others.name && its.converts === others.converts
  } catch {
    // A reference to a table that is not defined yet.
    return false
  }
}

/** A name without case and underscores, for comparison. */
const withoutCase = (name: string): string => name.replaceAll('_', '').toLowerCase()

const isAs = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && withoutCase(one) === withoutCase(other)

/**
 * Refuses a value that is compared with the name of an id column if it is an id that the storage would convert.
 *
 * @throws {IdError} `INVALID_OPTION`, with the advice as its end.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * refuseUnconverted([{ place: 'orders.id', family: flax, storage }], 7, 'pass parameter(column, id)') // undefined: 7 is no id
 */
export function refuseUnconverted(columns: readonly NamedColumn[], value: unknown, advice: string): void {
  refuseId(
    columns,
    value,
    (shown) => `the text of the SQL names the column, so the id ${shown} beside it`,
    advice,
  )
}

function refuseId(
  columns: readonly NamedColumn[],
  value: unknown,
  reason: (shown: string) => string,
  advice: string,
): void {
  const list = Array.isArray(value) ? value : elementsOf(value)
  if (list) {
    for (const one of list) refuseId(columns, one, reason, advice)
    return
  }
  const ofFamily = columns.filter(({ family }) => family.is(value))
  const column = ofFamily.find(({ storage }) => storage().converts)
  if (!column) return
  const { place, family } = column
  const all = distinct([place, ...ofFamily.map((one) => one.place)])
  const places = all.slice(0, SHOWN).join(' or ')
  const more = all.length <= SHOWN ? '' : `, or ${all.length - SHOWN} others`
  const storages = distinct(ofFamily.map(({ storage }) => storage().name)).join(' or ')
  throw new IdError(
    'INVALID_OPTION',
    `${places}${more}: ${reason(JSON.stringify(value))} isn't converted to the column's storage (${storages}); ${advice}`,
    { family: family.name, value, path: place },
  )
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]

/**
 * Refuses the result of an expression of an id column if it may contain an unconverted id: text, bytes, arrays, JSON
 * and, for the storage `bigint`, numbers.
 *
 * @throws {IdError} `INVALID_OPTION`, with the advice as its end.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * refuseLeak({ place: 'orders.id', family: flax, storage }, 7, 'map it with the column') // undefined: 7 is no id
 */
export function refuseLeak({ place, family, storage }: NamedColumn, value: unknown, advice: string): void {
  const { converts, name } = storage()
  if (converts && mayLeak(value, name === 'bigint')) throw leak({ place, family, storage }, value, advice)
}

/**
 * The error that {@link refuseLeak} throws.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * leak({ place: 'orders.id', family: flax, storage }, 'x', 'map it').code // 'INVALID_OPTION'
 */
export function leak({ place, family, storage }: NamedColumn, value: unknown, advice: string): IdError {
  const { name } = storage()
  return new IdError(
    'INVALID_OPTION',
    `${place}: an expression returns ${show(value)}, which may be an id in the column's storage (${name}); ${advice}`,
    { family: family.name, value, path: place },
  )
}

/**
 * Whether a value, or one in JSON, is an id in the form of the column's storage. For `bigint`, every number is.
 *
 * @example
 * const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
 * isStored({ place: 'orders.id', family: flax, storage }, 'shop') // false
 */
export function isStored(column: NamedColumn, value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || isDate(value)) return false
  const storage = column.storage()
  try {
    checkStored(storage, value)
    return storage.fromDatabase(value) !== null
  } catch {
    const isJson = typeof value === 'object' && !isBytes(value)
    return isJson && Object.values(value as object).some((one) => isStored(column, one))
  }
}

/**
 * No stored id is shorter, and none of this length has only digits, unlike counts, which some drivers return as text.
 */
const SHORTEST = 8
const COUNT = /^-?\d{1,15}$/

function mayLeak(value: unknown, mayBeNumber: boolean): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || isDate(value)) return false
  if (typeof value === 'number' || typeof value === 'bigint') return mayBeNumber
  if (typeof value === 'string') return mayBeNumber || (value.length >= SHORTEST && !COUNT.test(value))
  return isBytes(value) || Object.values(value as object).some((one) => mayLeak(one, mayBeNumber))
}
