import { type Database, IdError } from '@snoflax/core'
import {
  arrayLiteral,
  checkComparable,
  LATER,
  literalOf,
  MARKED,
  markOf,
  type SqlIds,
  withoutMarks,
} from '@snoflax/core/adapter'
import {
  Column,
  type DriverValueEncoder,
  entityKind,
  getTableColumns,
  is,
  isSQLWrapper,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLChunk,
  type SQLWrapper,
  StringChunk,
  Subquery,
  sql,
  Table,
  View,
} from 'drizzle-orm'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { type ColumnIds, elementOf, findIds, idColumnsOf, idsOf, isList, listOf } from '../id-column/ids.js'
import { declaredIn, isText } from './declared.js'

// Drizzle encodes what it binds to a column itself, but neither its own placeholders nor values in a raw template:
// `eq(orders.id, sql.placeholder('id'))` and sql`${orders.id} = ${id}` would send text to a binary column and find
// nothing. So the values of a statement that stand beside an id column are bound to it, and other ids are refused where the
// database would find nothing.

/** How a dialect writes SQL. */
export interface Writing {
  readonly inlineParams?: boolean
  /** In Drizzle 1.0: whether the text of each chunk is wanted, too. */
  readonly tagged?: boolean
  /** Of Drizzle 0.45. */
  readonly casing?: { getColumnCasing?(column: Column): string }
  escapeName(name: string): string
  escapeParam(index: number, value: unknown): string
}

/** The chunks of a statement with its ids encoded. */
export function boundStatement(
  chunks: readonly SQLChunk[],
  writing: Writing,
  isInline: boolean,
): readonly SQLChunk[] {
  const database = databaseOf(writing)
  if (database === undefined) return chunks
  const statement = new Statement(declaredIn(database).current(), database, writing)
  statement.add(chunks, isInline)
  return statement.bound()
}

/** `:1` is of the Data API of AWS. */
const PARAMETERS: Readonly<Record<string, Database>> = { $1: 'postgres', ':1': 'postgres', '?': 'sqlite' }

const databases = new WeakMap<Writing['escapeName'], Database | undefined>()

/** The database whose dialect writes; undefined if it is none of ours. */
function databaseOf(writing: Writing): Database | undefined {
  const { escapeName } = writing
  if (databases.has(escapeName)) return databases.get(escapeName)
  let database: Database | undefined
  try {
    const name = writing.escapeName('')
    database = name === '``' ? 'mysql' : name === '""' ? PARAMETERS[writing.escapeParam(0, null)] : undefined
  } catch {
    // drizzle-kit writes defaults without names and parameters.
  }
  databases.set(escapeName, database)
  return database
}

type DeclaredColumn = ColumnIds['inSql']

type Kind =
  | 'text'
  | 'name'
  | 'column'
  | 'param'
  | 'placeholder'
  | 'table'
  | 'opaque'
  | 'sql'
  | 'subquery'
  | 'rows'
  | 'wrapper'
  | 'value'

const kinds = new WeakMap<object, Kind>()

/** What a chunk is to Drizzle. It asks in this order, too. */
function kindOf(chunk: unknown): Kind {
  if (typeof chunk !== 'object' || chunk === null) return typeof chunk === 'function' ? 'opaque' : 'value'
  // Selections are proxies, which answer for `constructor` with a column.
  const kind = Object.getPrototypeOf(chunk)?.constructor as object | undefined
  if (kind === undefined) return 'value'
  const known = kinds.get(kind) ?? classify(chunk)
  kinds.set(kind, known)
  return known
}

const KINDS: readonly (readonly [kind: Kind, type: Parameters<typeof is>[1]])[] = [
  ['text', StringChunk],
  ['sql', SQL],
  ['name', Name],
  ['column', Column],
  ['param', Param],
  ['placeholder', Placeholder],
  ['table', Table],
  ['opaque', View],
  ['opaque', SQL.Aliased],
  ['subquery', Subquery],
] as never

function classify(chunk: object): Kind {
  const known = KINDS.find(([, type]) => is(chunk, type))
  if (known) return known[0]
  if (kindName(chunk) === 'ValueRows') return 'rows'
  return isSQLWrapper(chunk) ? 'wrapper' : 'value'
}

const kindName = (chunk: object): unknown =>
  (chunk.constructor as { readonly [entityKind]?: string } | undefined)?.[entityKind]

/** What Drizzle writes for a chunk that consists of others; undefined for another one. */
function partsOf(chunk: unknown, kind: Kind, isInline: boolean): readonly SQLChunk[] | undefined {
  switch (kind) {
    case 'subquery': {
      const { alias, isWith, sql: query } = (chunk as Subquery)._ as Subquery['_'] & { isWith?: boolean }
      return isWith ? undefined : [OPEN, query, CLOSE, SPACE, new Name(alias)]
    }
    case 'rows': {
      const { cells } = chunk as { readonly cells: readonly unknown[] }
      const isRead = isInline || cells.some((cell) => kindOf(cell) === 'sql')
      return isRead ? (chunk as SQLWrapper).getSQL().queryChunks : undefined
    }
    case 'wrapper': {
      const { shouldOmitSQLParens } = chunk as { shouldOmitSQLParens?(): boolean }
      const query = (chunk as SQLWrapper).getSQL()
      return shouldOmitSQLParens?.call(chunk) ? [query] : [OPEN, query, CLOSE]
    }
    default:
      return Array.isArray(chunk)
        ? [OPEN, ...chunk.flatMap((one, at) => (at > 0 ? [COMMA, one] : [one])), CLOSE]
        : undefined
  }
}

const [OPEN, COMMA, CLOSE, SPACE] = ['(', ', ', ')', ' '].map((text) => sql.raw(text).queryChunks[0]) as [
  SQLChunk,
  SQLChunk,
  SQLChunk,
  SQLChunk,
]

/** Shorter texts, such as most that Drizzle itself writes, contain no id in quotes. */
const SHORTEST = 3
const QUOTES = /['"$]/

/** A part of a statement that is mapped with an id column, and counts as a column where it stands. */
interface Mapped {
  readonly from: number
  readonly to: number
  readonly column: DeclaredColumn | null | undefined
}

class Statement {
  /** What Drizzle writes, without SQL in SQL. So that of query builders is not built twice. */
  private readonly chunks: SQLChunk[] = []
  /** The chunks whose values are written into the SQL. */
  private inlined: Set<number> | undefined
  private mapped: Map<number, Mapped[]> | undefined
  private readonly tables: Table[] = []
  private readonly named = new Map<string, readonly (DeclaredColumn | null)[] | undefined>()
  /** The mapped parts in the order of their text. */
  private readonly written: Mapped[] = []
  private text = ''
  private hasId = false
  private hasValue = false

  constructor(
    private readonly ids: SqlIds,
    private readonly database: Database,
    private readonly writing: Writing,
  ) {}

  add(chunks: readonly SQLChunk[], isInline: boolean): void {
    for (let at = 0; at < chunks.length; at++) {
      const chunk = chunks[at]
      if (chunk === undefined) continue
      const kind = kindOf(chunk)
      if (COMPARED.has(kind) || Array.isArray(chunk)) checkCompared(chunks, at)
      if (kind === 'sql') {
        this.addSql(chunk as SQL, isInline)
        continue
      }
      const parts = partsOf(chunk, kind, isInline)
      if (parts) {
        this.add(parts, isInline)
        continue
      }
      this.look(chunk, kind, isInline)
      if (isInline) {
        this.inlined ??= new Set()
        this.inlined.add(this.chunks.length)
      }
      this.chunks.push(chunk)
    }
  }

  private addSql(query: SQL, isInline: boolean): void {
    const from = this.chunks.length
    const table = tableSetBy(query)
    if (table) this.tables.push(table)
    this.add(query.queryChunks, isInline || isInlined(query))
    const to = this.chunks.length
    const ids = findIds(decoderOf(query))
    if (ids === undefined || from === to) return
    this.tables.push(ids.inSql.column.table)
    this.mapped ??= new Map()
    this.mapped.set(from, [...(this.mapped.get(from) ?? []), { from, to, column: columnIn(query) }])
  }

  /** Looks whether the statement has to be read. Drizzle itself writes numbers as limits. */
  private look(chunk: unknown, kind: Kind, isInline: boolean): void {
    switch (kind) {
      case 'text': {
        const text = textOf(chunk as StringChunk)
        if (text.length >= SHORTEST && QUOTES.test(text)) this.hasId ||= this.ids.mayBeIn(text, [])
        return
      }
      case 'column':
        this.tables.push((chunk as Column).table)
        return
      case 'table':
        this.tables.push(chunk as Table)
        return
      case 'param':
        if (isInline && findIds((chunk as Param).encoder)) this.hasId = true
    }
    const value = valueIn(chunk, kind)
    if (value === undefined || typeof value === 'number') return
    this.hasValue = true
    this.hasId ||= value === LATER || this.ids.mayBe(value)
  }

  /** Its chunks with its ids encoded. What stands beside an id column is encoded, id or not. */
  bound(): readonly SQLChunk[] {
    if (this.hasId || (this.hasValue && this.tables.some(hasConverting))) this.bind()
    const { inlined } = this
    const chunks = inlined
      ? this.chunks.map((chunk, at) => (inlined.has(at) ? new SQL([chunk]).inlineParams() : chunk))
      : this.chunks
    return this.writing.tagged ? [new SQL(chunks)] : chunks
  }

  private bind(): void {
    for (const at of this.inlined ?? []) {
      const { encoder } = this.chunks[at] as Param
      if (kindOf(this.chunks[at]) === 'param' && findIds(encoder)) this.encode(at, encoder)
    }
    this.write(0, this.chunks.length)
    for (const one of this.written) {
      this.text += ' ; '
      this.write(one.from, one.to, one)
    }
    const { ids } = this
    const found = ids.find({
      sql: this.text,
      dialect: this.database,
      placeholder: MARKED,
      value: (key) => this.valueAt(key as number),
      column: (key) => this.columnAt(key as number),
      named: (parts) => this.columnsCalled(parts.at(-1) as string),
      later: (key) => {
        const mapToDriverValue = (value: unknown) => {
          ids.check(value)
          return value
        }
        this.encode(key as number, { mapToDriverValue })
      },
    })
    for (const [key, declared] of found) {
      const { column } = declared as DeclaredColumn
      this.encode(key as number, encoderFor(column, this.valueAt(key as number)))
    }
  }

  /** Writes a part as text with marks for its values and columns, and for mapped parts, whose text follows later. */
  private write(from: number, to: number, outer?: Mapped): void {
    for (let at = from; at < to; ) {
      const ranges = this.mapped?.get(at) ?? []
      const inner = ranges[(outer?.from === at ? ranges.indexOf(outer) : ranges.length) - 1]
      if (inner) {
        this.text += markOf(this.chunks.length + this.written.length)
        this.written.push(inner)
        at = inner.to
      } else this.text += this.textAt(at++)
    }
  }

  private textAt(at: number): string {
    const chunk: unknown = this.chunks[at]
    switch (kindOf(chunk)) {
      case 'text':
        return withoutMarks(textOf(chunk as StringChunk))
      case 'name':
        return this.writing.escapeName(withoutMarks((chunk as Name).value))
      case 'table':
        return this.writing.escapeName('t')
      default:
        return markOf(at)
    }
  }

  private valueAt(key: number): unknown {
    const chunk = this.chunks[key]
    return chunk === undefined ? undefined : valueIn(chunk, kindOf(chunk))
  }

  private columnAt(key: number): DeclaredColumn | null | undefined {
    const chunk = this.chunks[key]
    if (chunk === undefined) return this.written[key - this.chunks.length]?.column
    if (is(chunk, SQL.Aliased)) return columnIn(chunk.sql)
    return kindOf(chunk) === 'column' ? columnIn(chunk) : undefined
  }

  /** The columns of its tables that a name means, null for one without ids: Drizzle names what it inserts and sets. */
  private columnsCalled(name: string): readonly (DeclaredColumn | null)[] | undefined {
    if (this.named.has(name)) return this.named.get(name)
    const { casing } = this.writing
    const called = [...new Set(this.tables)].flatMap((table) =>
      Object.values<Column>(getTableColumns(table)).filter(
        (column) => (casing?.getColumnCasing?.(column) ?? column.name) === name,
      ),
    )
    this.named.set(name, called.length > 0 ? called.map((column) => columnIn(column) ?? null) : undefined)
    return this.named.get(name)
  }

  private encode(at: number, encoder: DriverValueEncoder<unknown, unknown>): void {
    const chunk = this.chunks[at]
    const value = is(chunk, Param) ? chunk.value : chunk
    if (!this.inlined?.has(at) || value == null || is(value, Placeholder)) {
      this.chunks[at] = new Param(value, encoder)
      return
    }
    const stored = encoder.mapToDriverValue(value)
    this.chunks[at] = sql.raw(literalOf(Array.isArray(stored) ? arrayLiteral(stored) : stored, this.database))
  }
}

const hasConverting = (table: Table): boolean =>
  idColumnsOf(table).some(([, column]) => idsOf(column).storage.converts)

/** The value that a chunk is, if Drizzle encodes it by no column; undefined for null, and for other chunks. */
function valueIn(chunk: unknown, kind: Kind): unknown {
  if (kind === 'placeholder') return LATER
  const value = kind === 'param' && isBare(chunk as Param) ? (chunk as Param).value : chunk
  if (value === chunk && kind !== 'value') return undefined
  return is(value, Placeholder) ? LATER : (value ?? undefined)
}

/** The encoder of a value that stands beside the column: of one id, or of a list of them in one parameter. */
function encoderFor(column: Column, value: unknown): DriverValueEncoder<unknown, unknown> {
  if (value === LATER) {
    const mapToDriverValue = (later: unknown) => encoderFor(column, later).mapToDriverValue(later)
    return Object.create(column, { mapToDriverValue: { value: mapToDriverValue } })
  }
  if (isList(column) === Array.isArray(value)) return column
  return isList(column) ? elementOf(column) : listOf(column)
}

/** The id column that a chunk is, null for another column; that of SQL which is mapped with an id column. */
function columnIn(chunk: unknown): DeclaredColumn | null | undefined {
  if (is(chunk, Column)) {
    const inSql = findIds(chunk)?.inSql
    return inSql ? (isList(chunk) ? { ...inSql, column: chunk } : inSql) : null
  }
  const query = chunk as SQL
  const decoder = decoderOf(query)
  if (findIds(decoder)) return columnIn(decoder) ?? findIds(decoder)?.inSql
  const column = onlyChunkOf(query)
  return is(column, Column) ? columnIn(column) : undefined
}

/** The chunk that SQL consists of, if it is one. */
function onlyChunkOf({ queryChunks }: SQL): SQLChunk | undefined {
  // An empty text may stand before it and behind it.
  const chunks =
    queryChunks.length > 3
      ? []
      : queryChunks.filter((one) => kindOf(one) !== 'text' || textOf(one as StringChunk) !== '')
  return chunks.length === 1 ? chunks[0] : undefined
}

const decoderOf = (query: SQL): object => (query as unknown as { readonly decoder: object }).decoder

/** The column that a chunk is, alone in SQL too, or the one that a query selects. */
function comparedIn(chunk: unknown): Column | undefined {
  switch (kindOf(chunk)) {
    case 'column':
      return chunk as Column
    case 'sql':
      return comparedIn(onlyChunkOf(chunk as SQL))
    case 'opaque':
      return is(chunk, SQL.Aliased) ? comparedIn(chunk.sql) : undefined
    case 'wrapper': {
      if (!is(chunk, TypedQueryBuilder)) return undefined
      const fields = Object.values(chunk._.selectedFields as object)
      return fields.length === 1 ? comparedIn(fields[0]) : undefined
    }
    default:
      return undefined
  }
}

const COMPARED: ReadonlySet<Kind> = new Set(['column', 'wrapper', 'sql', 'opaque'])

/** The text between two compared operands. */
const BETWEEN_OPERANDS =
  /^[\s(]*(?:[=<>!@&]+|(?:not )?(?:between|in(?:\s*\(\s*select(?:\s+distinct)?\s)?))[\s(]*$/i
const BETWEEN = /\bbetween[\s(]*$/i
const PATTERN = /^ (?:not )?i?like $/

/**
 * Checks a column, or a query of one column, and what stands before it.
 *
 * @throws {IdError} `INVALID_OPTION` for columns that are never equal, and for a pattern on ids that are not stored as text.
 */
function checkCompared(chunks: readonly SQLChunk[], at: number): void {
  const [left, between, behind] = [chunks[at - 2], chunks[at - 1], chunks[at + 1]]
  const ids = findIds(chunks[at])
  if (
    ids &&
    kindOf(behind) === 'text' &&
    PATTERN.test(textOf(behind as StringChunk)) &&
    ids.storage.converts
  ) {
    const field = textOf(behind as StringChunk).trim()
    throw new IdError(
      'INVALID_OPTION',
      `${ids.place}: ${field} matches text, but these ids are not stored as text: the storage is ${ids.storage.name}`,
      { family: ids.family.name, field, path: ids.place },
    )
  }
  if (kindOf(between) !== 'text') return
  const text = textOf(between as StringChunk)
  const lower = chunks[at - 3]
  const isUpper =
    /^\s*and\s*$/i.test(text) && kindOf(lower) === 'text' && BETWEEN.test(textOf(lower as StringChunk))
  if (!isUpper && !BETWEEN_OPERANDS.test(text)) return
  const one = comparedIn(isUpper ? chunks[at - 4] : left)
  if (one === undefined) return
  for (const each of [chunks[at]].flat()) {
    const other = comparedIn(each)
    if (other) checkPair(one, other)
  }
}

/** Checks what an update sets columns of a table to: a uuid as PostgreSQL's text is no id. @throws {IdError} `INVALID_OPTION`. */
export function checkSet(table: Table, set: object): void {
  const columns = getTableColumns(table) as Readonly<Record<string, Column>>
  for (const [key, value] of Object.entries(set)) {
    const [column, other] = [columns[key], comparedIn(value)]
    if (column && other) checkPair(column, other)
  }
}

function checkPair(one: Column, other: Column): void {
  const [own, theirs] = [findIds(one), findIds(other)]
  if (own && theirs) checkComparable(own.inSql, theirs.inSql)
  else if (own?.storage.converts && isText(other)) throw neverEqual(one, other)
  else if (theirs?.storage.converts && isText(one)) throw neverEqual(other, one)
}

function neverEqual(column: Column, other: Column): IdError {
  const { place, family, storage } = idsOf(column)
  return new IdError(
    'INVALID_OPTION',
    `${place}: its ids (storage ${storage.name}) never equal the text of ${other.name}; declare ${other.name} with ` +
      '.ref() or .plain(), or store the ids as text',
    { family: family.name, path: place },
  )
}

/** Where the SET of an update keeps its table, which Drizzle's SQL only names. */
export const TABLE_SET = Symbol.for('snoflax.drizzle.table-set')

const tableSetBy = (query: SQL): Table | undefined =>
  (query as { readonly [TABLE_SET]?: Table | undefined })[TABLE_SET]

/** Whether Drizzle writes the values of the query into its SQL. */
const isInlined = (query: SQL): boolean =>
  (query as unknown as { readonly shouldInlineParams: boolean }).shouldInlineParams

/** The text of a chunk: a list of texts in Drizzle 0.45, one text in 1.0. */
const textOf = ({ value }: { readonly value: readonly string[] | string | undefined }): string =>
  typeof value === 'string' ? value : value?.length === 1 ? (value[0] as string) : (value ?? []).join('')

const plainEncoders = new WeakMap<object, unknown>()

/** A `sql.param(…)` without an encoder: it has the default one of its copy of Drizzle. */
function isBare({ constructor: kind, encoder }: Param): boolean {
  if (!plainEncoders.has(kind)) plainEncoders.set(kind, new (kind as typeof Param)(null).encoder)
  return plainEncoders.get(kind) === encoder
}
