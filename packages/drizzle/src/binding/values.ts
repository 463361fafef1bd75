import { type Database, IdError } from '@snoflax/core'
import {
  arrayLiteral,
  type Comparison,
  checkComparable,
  isStored,
  leak,
  markOf,
  mayCompare,
  type NamedColumn,
  NamedColumns,
  type NamedSource,
  type Reading,
  readComparisons,
  refuseLeak,
  refuseUnconverted,
  type Term,
  withoutMarks,
} from '@snoflax/core/adapter'
import {
  Column,
  type DriverValueDecoder,
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
  ViewBaseConfig,
} from 'drizzle-orm'
import { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { type ColumnIds, findIds, IDS, idsOf, isList } from '../id-column/ids.js'
import { type Selecting, type Statement, shared } from '../shared.js'

// Drizzle encodes the values passed to eq() and similar, but neither its own placeholders nor values in a raw template:
// `eq(orders.id, sql.placeholder('id'))` and sql`${orders.id} = ${id}` would send text to a binary column and find
// nothing. So we bind values that are compared with an id column to the column.

/** The same SQL with its compared values bound, for places where Drizzle later drops their columns. */
export function bound(query: SQL): SQL {
  if (isInlined(query)) return query
  return new SQL(bindCompared(query.queryChunks).map((chunk) => (is(chunk, SQL) ? bound(chunk) : chunk)))
}

/** The chunks of a query, with the values that are compared with an id column encoded as its ids. */
export function bindCompared(given: SQLChunk[]): SQLChunk[] {
  if (!given.some(isPartOfComparison)) return given
  const texts = textsIn(given)
  if (texts.length === 0 && !hasChunk(given, hasValue)) {
    checkComparedColumns(given)
    return given
  }
  const isOfColumn = hasChunk(given, isOfIds)
  if (texts.length === 0 && !isOfColumn && !hasChunk(given, isNameOrDerived)) return given
  const isNamed = (columns: NamedColumns) =>
    hasChunk(given, mayBeIn(columns)) || columns.mayContain(texts.flatMap(quotedIn))
  const named = isOfColumn
    ? []
    : [...shared.named].filter(([database, columns]) => isNamed(columns) && mayBeOf(database))
  if (named.length === 0 && !isOfColumn) return given
  const query = new MarkedQuery()
  const chunks = query.copy(given)
  const column = columnAmong(query.cells)
  if (column) query.bind(idsOf(column).storage.database)
  else for (const [database] of named) query.bind(database)
  return column || named.length > 0 ? chunks : given
}

/**
 * SQL that is written to an id column, with its values encoded as ids of the column. For several columns it can't know
 * which, so it only checks.
 *
 * @throws {IdError} `INVALID_OPTION` for an id in it that no rule encodes.
 */
export function boundFor(written: SQL, ...columns: readonly Column[]): SQL {
  const query = new MarkedQuery()
  const copy = new SQL(query.copy(written.queryChunks)).mapWith(decoderOf(written))
  const [column] = columns
  if (column === undefined || !query.cells.some(({ isValue }) => isValue)) return written
  query.bind(idsOf(column).storage.database, columns)
  return copy
}

/** SQL that is written to a column without ids, so that its ids are sent as text. */
function sentAsItIs(written: SQL, database: Database): SQL {
  const query = new MarkedQuery()
  const copy = new SQL(query.copy(written.queryChunks)).mapWith(decoderOf(written))
  if (!query.cells.some(({ isValue }) => isValue)) return written
  const { result } = query.bind(database)
  for (const { chunk } of result) query.cells[chunk]?.encode(AS_IT_IS)
  return copy
}

/** The values of a row, by the keys of the table. */
export type Row = Readonly<Record<string, unknown>>

/** The parts of a query builder's configuration that we read. */
export interface SelectConfig extends Selecting {
  readonly fields: Row
  /** The same in Drizzle 1.0, in the form from which it builds SQL. */
  readonly fieldsFlat?: readonly { readonly path: readonly string[]; readonly field: unknown }[]
  readonly setOperators: readonly { readonly rightSelect: Select }[]
}

/** A query builder. */
export interface Select {
  readonly config: SelectConfig
}

/** A query with the SQL that it selects bound to columns. */
export function boundSelect(columns: IdColumns, select: Select): Select {
  return Object.create(select, { config: { value: boundSelectConfig(columns, select.config) } })
}

export function boundSelectConfig(columns: IdColumns, config: SelectConfig): SelectConfig {
  const setOperators = config.setOperators.map((one) => ({
    ...one,
    rightSelect: boundSelect(columns, one.rightSelect),
  }))
  const fields = boundRow(columns, config.fields)
  const fieldsFlat = config.fieldsFlat?.map((one) => {
    const [key, ...deeper] = one.path
    return deeper.length > 0 ? one : { ...one, field: fields[key as string] }
  })
  return { ...config, fields, setOperators, ...(fieldsFlat && { fieldsFlat }) }
}

/** Columns by keys. */
export type IdColumns = readonly (readonly [key: string, column: Column])[]

/** The row of an insert or update, with its SQL bound to the columns that it is written to. */
function boundRow(columns: IdColumns, row: Row): Row {
  const bound = columns.flatMap(([key, column]) => {
    const value = boundTo(column, row[key])
    return value === row[key] ? [] : [[key, value]]
  })
  return bound.length === 0 ? row : { ...row, ...Object.fromEntries(bound) }
}

/** A row that is written to a table. Drizzle names the columns beside its values. */
export function boundWrite(table: Table, row: Row, database: Database): Row {
  const bound = boundRow(idColumnsOf(table), row)
  const columns: Readonly<Record<string, Column>> = getTableColumns(table)
  const others = Object.entries(bound).flatMap(([key, value]) => {
    const column = is(value, SQL) && columns[key]
    return column && !findIds(column) ? [[key, sentAsItIs(value, database)]] : []
  })
  return others.length === 0 ? bound : { ...bound, ...Object.fromEntries(others) }
}

/** The value for an id column; SQL is bound to the column. */
export function boundTo(column: Column, value: unknown): unknown {
  if (is(value, SQL.Aliased)) return boundFor(value.sql, column).as(value.fieldAlias)
  return is(value, SQL) ? boundFor(value, column) : value
}

/** The text between two compared columns, in SQL without values. Ids are not conditions, so AND belongs to BETWEEN. */
const BETWEEN_COLUMNS = /^[\s(]*(?:[=<>!@&]+|(?:not )?(?:in|between)|and)[\s(]*$/

/** Checks compared columns in SQL without values and texts of the user, which needs no other check. */
function checkComparedColumns(given: readonly SQLChunk[]): void {
  for (const [at, between] of given.entries()) {
    if (!is(between, StringChunk) || !BETWEEN_COLUMNS.test(textOf(between))) continue
    const [left, right] = [idColumnOf(given[at - 1]), idColumnOf(given[at + 1])]
    if (left && right) checkComparable(idsOf(left).named, idsOf(right).named)
  }
}

const mayBeOf = (database: Database) => [undefined, database].includes(shared.statement?.database)

/** Whether a chunk is a value that may be an id of a column that only the text names. */
const mayBeIn = (columns: NamedColumns) => (chunk: unknown) =>
  !(chunk instanceof Column) &&
  (is(chunk, Placeholder) || columns.mayContain(isBare(chunk) ? chunk.value : chunk))

/** A word that Drizzle itself writes into conditions, or operators, blanks and parentheses. */
const DRIZZLES = /[\s(),=<>!@&]+|is(?: not)? null|in|i?like|between|and|or|not|asc|desc|exists/y

/** Word by word, since one pattern for all of them takes exponential time, or a stack as deep as the text is long. */
function isDrizzles(text: string): boolean {
  DRIZZLES.lastIndex = 0
  while (DRIZZLES.lastIndex < text.length) if (!DRIZZLES.test(text)) return false
  return true
}

/** The texts in SQL, nested SQL included, that Drizzle did not write. */
const textsIn = (chunks: readonly SQLChunk[], texts: string[] = []): string[] => {
  for (const chunk of chunks) {
    if (chunk instanceof Column) continue
    if (is(chunk, StringChunk)) {
      const text = textOf(chunk)
      if (!isDrizzles(text)) texts.push(text)
    } else if (is(chunk, SQL) && !isInlined(chunk)) textsIn(chunk.queryChunks, texts)
  }
  return texts
}

const quotedIn = (text: string): string[] =>
  [...text.matchAll(/(['"])(.*?)\1/g)].map(([, , one]) => one as string)

/** A quick test, since much SQL compares nothing and need not be read, such as bulk inserts. */
function isPartOfComparison(chunk: SQLChunk): boolean {
  if (chunk instanceof Param) return false
  if (chunk instanceof Column) return isOfIds(chunk)
  return is(chunk, StringChunk) ? mayCompare(textOf(chunk)) : isOfIds(chunk)
}

/** Chunks that may contain ids although no text says so. */
const isNameOrDerived = (chunk: unknown): boolean =>
  !(chunk instanceof Column) && (is(chunk, Name) || is(chunk, SQL.Aliased) || idsIn(chunk).length > 0)

const isOfIds = (chunk: unknown): boolean => idColumnOf(chunk) !== undefined

/** Whether the test is true for a chunk, or for one of nested SQL. */
const hasChunk = (chunks: readonly SQLChunk[], isSo: (chunk: unknown) => boolean): boolean =>
  chunks.some(
    (chunk) =>
      !(chunk instanceof StringChunk) &&
      (isSo(chunk) ||
        (!(chunk instanceof Column) &&
          is(chunk, SQL) &&
          !isInlined(chunk) &&
          hasChunk(chunk.queryChunks, isSo))),
  )

/** Quotes a name of `sql.identifier()` until the database is known. It is removed from the user's texts. */
const QUOTE = '\u0000'

/** A query with its nested SQL, as text with marks, and the cells that the marks stand for. */
class MarkedQuery {
  readonly cells: Cell[] = []
  /** The fields of its selections. */
  readonly selected: unknown[] = []
  text = ''

  /** Reads chunks without changing them. */
  read(chunks: readonly SQLChunk[]): this {
    this.copy(chunks)
    return this
  }

  /** Reads chunks and returns a copy, nested SQL included, such as `in (${sql.join(…)})`. */
  copy(chunks: readonly SQLChunk[]): SQLChunk[] {
    const copy = [...chunks]
    for (const [key, chunk] of chunks.entries()) {
      // Drizzle writes nothing for it.
      if (chunk === undefined) continue
      if (chunk instanceof Column) this.mark(copy, key)
      else if (is(chunk, StringChunk)) this.text += withoutMarks(textOf(chunk))
      else if (is(chunk, Name)) this.text += QUOTE + withoutMarks(chunk.value) + QUOTE
      else if (is(chunk, SQL) && !isInlined(chunk) && !idColumnOf(chunk)) {
        this.selected.push(...(shared.selections.get(chunk) ?? []))
        copy[key] = new SQL(this.copy(chunk.queryChunks))
      } else this.mark(copy, key)
    }
    return copy
  }

  private mark(holder: unknown[], key: number): void {
    this.text += markOf(this.cells.push(new Cell(holder, key)) - 1)
  }

  reading(database: Database): Reading {
    const quote = database === 'mysql' || database === 'mariadb' ? '`' : '"'
    return readComparisons(this.text.replaceAll(QUOTE, quote), database)
  }

  /** Encodes the values that are compared with ids. If the SQL is written to `takers`, encodes its result for them. */
  bind(database: Database, takers: readonly Column[] = []): Reading {
    const { cells } = this
    const reading = this.reading(database)
    const { comparisons, expressions, result } = reading
    for (const comparison of comparisons) bindComparison(cells, comparison)
    const [taker, ...others] = takers
    if (taker && others.length === 0) for (const { chunk } of result) cells[chunk]?.encode(taker)
    for (const column of takers) for (const cell of cells) cell.refuseId(column)
    for (const expression of expressions) {
      const involved = expression.map((chunk) => cells[chunk] as Cell)
      const column = columnAmong(involved)
      if (column) {
        for (const cell of involved) cell.refuseId(column)
        continue
      }
      // The text after a table names its column.
      const [ids] = involved.filter(({ chunk }) => !is(chunk, Table)).flatMap((cell) => cell.ids)
      const beside = ids ? [ids] : involved.flatMap(({ chunk }) => namedIn(chunk, database))
      if (beside.length > 0) for (const cell of involved) cell.refuseNamed(beside)
    }
    const named = shared.named.get(database)
    const whole = shared.statement
    if (whole === undefined) return reading
    const isNaming = comparisons.some(({ names }) => names.some(({ length }) => length > 0))
    const find = () => whole.sources(database)
    for (const names of isNaming ? [named, whole.aliases(database)] : []) {
      for (const { chunk, columns } of names?.beside(reading, find) ?? []) cells[chunk]?.refuseNamed(columns)
    }
    const seen = {
      column: (chunk: number) => cells[chunk]?.ids[0],
      value: (chunk: number) => cells[chunk]?.value,
      advice: 'pass it as a value, or by parameter(column, id)',
      known: 'put the column into the template, or map the expression with .mapWith(column)',
    }
    named?.refuseUnseen(reading, seen, find)
    return reading
  }
}

/** How a dialect writes SQL. */
export interface Writing {
  escapeName(name: string): string
  escapeParam(index: number, value: unknown): string
}

/** Builds SQL: a part of the statement being built, or a new statement. */
export const inStatement = <Built>(
  chunks: readonly SQLChunk[],
  writing: Writing,
  build: () => Built,
): Built => (shared.statement ? build() : withStatement(new GivenStatement(chunks, writing), build))

function withStatement<Built>(one: Statement | undefined, build: () => Built): Built {
  const before = shared.statement
  shared.statement = one
  try {
    return build()
  } finally {
    shared.statement = before
  }
}

/** `:1` is of the Data API of AWS. */
const PARAMETERS: Readonly<Record<string, Database>> = { $1: 'postgres', ':1': 'postgres', '?': 'sqlite' }

/** The chunks of a statement, and the dialect that builds it. */
class GivenStatement implements Statement {
  private readonly known = new Map<Database, NamedColumns>()
  private readonly read = new Map<Database, readonly NamedSource[] | undefined>()

  constructor(
    private readonly chunks: readonly SQLChunk[],
    private readonly writing: Writing,
  ) {}

  /** The database whose dialect builds it; undefined if it is none of ours. */
  get database(): Database | undefined {
    const { writing } = this
    try {
      const name = writing.escapeName('')
      if (name === '``') return 'mysql'
      return name === '""' ? PARAMETERS[writing.escapeParam(0, null)] : undefined
    } catch {
      // drizzle-kit writes defaults without names and parameters.
      return undefined
    }
  }

  /** The tables that its names of columns can mean. */
  sources(database: Database): readonly NamedSource[] | undefined {
    if (!this.read.has(database)) {
      const sources = withStatement(undefined, () => sourcesIn(this.chunks, database))
      this.read.set(database, sources)
    }
    return this.read.get(database)
  }

  /** Its aliases of ids, in subqueries too. */
  aliases(database: Database): NamedColumns {
    const known = this.known.get(database)
    if (known) return known
    const aliases = new NamedColumns()
    this.known.set(database, aliases)
    for (const [name, chunk] of aliasesIn(this.chunks, database)) {
      const column = idColumnOf(chunk)
      for (const named of column ? [idsOf(column).named] : namedIn(chunk, database)) {
        aliases.addAlias(name, named)
      }
    }
    return aliases
  }
}

/** What a statement reads from and writes to, in its subqueries too; undefined where its text doesn't say. */
function sourcesIn(chunks: readonly SQLChunk[], database: Database): readonly NamedSource[] | undefined {
  const queries = queriesIn(chunks)
  const cells = queries.flatMap((query) => query.cells)
  const tables = new Set([
    ...queries.flatMap(({ selected }) => selected.flatMap((field) => tableOf(field) ?? [])),
    ...cells.flatMap(({ chunk }) => tableOf(chunk) ?? []),
  ])
  const sources: NamedSource[] = []
  for (const query of queries) {
    const reading = query.reading(database)
    if (!reading.isStatement) return undefined
    for (const source of reading.sources) {
      const chunk = source.chunk === undefined ? undefined : query.cells[source.chunk]?.chunk
      const own = tableOf(chunk)
      const { table, schema } = own ? nameOf(own) : source
      const known = [...tables].map((one) => ({ ...nameOf(one), columns: namedOf(one) }))
      const meant = known.filter((one) => one.table === table && one.schema === schema)
      if (is(chunk, View)) sources.push({ ...source, ...answeredBy(chunk) })
      else if (is(chunk, Subquery)) sources.push({ ...source, alias: chunk._.alias, isQuery: true })
      else if (meant.length > 0) sources.push(...meant.map((one) => ({ ...source, ...one })))
      else sources.push(source)
    }
  }
  return sources
}

/** SQL and the queries that are chunks of it. */
function queriesIn(chunks: readonly SQLChunk[]): MarkedQuery[] {
  const query = new MarkedQuery().read(chunks)
  const inner = query.cells.flatMap(({ chunk }) =>
    is(chunk, Subquery)
      ? queriesIn([sql`(${chunk._.sql})`])
      : is(chunk, TypedQueryBuilder)
        ? queriesIn([sql`(${(chunk as unknown as SQLWrapper).getSQL()})`])
        : [],
  )
  return [query, ...inner]
}

/** The table that a chunk is, or whose column it is or is encoded by. */
function tableOf(chunk: unknown): Table | undefined {
  if (is(chunk, Table)) return chunk
  const column = is(chunk, Param) ? chunk.encoder : chunk
  return is(column, Column) ? column.table : undefined
}

const ORIGINAL_NAME = Symbol.for('drizzle:OriginalName')
const SCHEMA = Symbol.for('drizzle:Schema')

interface TableMembers {
  readonly [ORIGINAL_NAME]: string
  readonly [SCHEMA]: string | undefined
}

/** Its name in the database, without its alias. */
function nameOf(table: Table): Pick<NamedSource, 'table' | 'schema'> {
  const { [ORIGINAL_NAME]: name, [SCHEMA]: schema } = table as unknown as TableMembers
  return { table: name, schema }
}

const namedOf = (table: Table) =>
  idColumnsOf(table).map(([, column]) => [column.name, idsOf(column).named] as const)

/** The columns of a view, unless it has SQL. */
function answeredBy(view: View): Pick<NamedSource, 'columns'> {
  const fields = Object.values((view as unknown as ViewMembers)[ViewBaseConfig].selectedFields)
  if (!fields.every((field) => is(field, Column))) return {}
  const columns = fields.flatMap((field) => {
    const ids = findIds(field)
    return ids ? [[field.name, ids.named] as const] : []
  })
  return { columns }
}

type Alias = readonly [name: string, chunk: unknown]

/** Remembers the fields of a selection, since Drizzle replaces columns by bare names there. */
export function rememberSelected(selection: SQL, fields: readonly { readonly field: unknown }[]): void {
  shared.selections.set(
    selection,
    fields.map(({ field }) => field),
  )
}

const aliasOf = (field: unknown): Alias[] => (is(field, SQL.Aliased) ? [[field.fieldAlias, field]] : [])

function aliasesIn(chunks: readonly SQLChunk[], database: Database): Alias[] {
  const query = new MarkedQuery().read(chunks)
  const { cells, selected } = query
  const written = query.reading(database).aliases.flatMap(({ name, chunk = -1, isCast }): Alias[] => {
    const column = cells[chunk]?.column
    return column && !isCast ? [[name, column]] : []
  })
  return [
    ...selected.flatMap(aliasOf),
    ...written,
    ...cells.flatMap(({ chunk }) => aliasesOf(chunk, database)),
  ]
}

function aliasesOf(chunk: unknown, database: Database): Alias[] {
  if (is(chunk, Subquery)) return aliasesIn([chunk._.sql], database)
  if (is(chunk, TypedQueryBuilder)) return aliasesIn([(chunk as unknown as SQLWrapper).getSQL()], database)
  if (!is(chunk, View)) return []
  const { selectedFields } = (chunk as unknown as ViewMembers)[ViewBaseConfig]
  return Object.values(selectedFields).flatMap(aliasOf)
}

interface ViewMembers {
  readonly [ViewBaseConfig]: { readonly selectedFields: Row }
}

/** Whether Drizzle writes the values of the query into its SQL. */
const isInlined = (query: SQL): boolean =>
  (query as unknown as { shouldInlineParams: boolean }).shouldInlineParams

/** The text of a chunk: a list of texts in Drizzle 0.45, one text in 1.0. */
const textOf = ({ value }: { readonly value: readonly string[] | string }): string =>
  typeof value === 'string' ? value : value.join('')

type Encoder = Column | DriverValueEncoder<unknown, unknown>

/** The place of a chunk: in the chunks of SQL, or in a list that is one of them. */
class Cell {
  constructor(
    private readonly holder: unknown[],
    private readonly key: number,
  ) {}

  get chunk(): unknown {
    return this.holder[this.key]
  }

  /** The column of ids, or of lists of them, whose storage the chunk has: itself, or SQL that is mapped with it. */
  get column(): Column | undefined {
    return idColumnOf(this.chunk)
  }

  /** The columns whose ids are part of its value. */
  get ids(): readonly NamedColumn[] {
    return idsIn(this.chunk)
  }

  get value(): unknown {
    const { chunk } = this
    return is(chunk, Param) ? chunk.value : chunk
  }

  /** Whether the chunk, or one in a list, is a value that nothing encodes. */
  get isValue(): boolean {
    return hasValue(this.chunk)
  }

  encode(encoder: Encoder): void {
    const { chunk } = this
    if (chunk instanceof Column) return
    if (isSelect(chunk) && is(encoder, Column)) {
      const [key = ''] = Object.keys(chunk._.selectedFields as object)
      this.holder[this.key] = boundSelect([[key, encoder]], chunk as unknown as Select)
    } else if (isBare(chunk)) this.holder[this.key] = new Param(chunk.value, encoder)
    else if (isValue(chunk) || Array.isArray(chunk)) this.holder[this.key] = new Param(chunk, encoder)
  }

  /**
   * Refuses an id that no rule has encoded, since it would be sent as text. A placeholder is checked when it gets its
   * value.
   */
  refuseId(column: Column): void {
    const ids = idsOf(column)
    if (ids.storage.converts) this.refuse((value) => checkNoId(ids, value))
  }

  /** The same beside columns that only the text names. */
  refuseNamed(columns: readonly NamedColumn[]): void {
    this.refuse((value) => {
      refuseUnconverted(
        columns,
        value,
        'pass parameter(column, id), or put the column into the template; sql.param(text, textColumn) is for other values',
      )
      return value
    })
  }

  /** @param check throws for a value that can't be sent as it is. */
  private refuse(check: (value: unknown) => unknown): void {
    if (!this.isValue) return
    for (const { chunk, isValue } of this.spread()) {
      if (is(chunk, Placeholder)) this.encode({ mapToDriverValue: check })
      else if (isValue) check(is(chunk, Param) ? chunk.value : chunk)
    }
  }

  /** The cells of a list, else this one. The list is copied, since it is the user's. */
  spread(): Cell[] {
    if (!Array.isArray(this.chunk)) return [this]
    const copy = [...this.chunk]
    this.holder[this.key] = copy
    return copy.map((_, key) => new Cell(copy, key))
  }
}

function checkNoId(ids: ColumnIds, value: unknown): unknown {
  if (!ids.family.is(value)) return value
  throw new IdError(
    'INVALID_OPTION',
    `${ids.place}: can't tell whether the id ${JSON.stringify(value)} in this SQL must be converted to the column's ` +
      `storage (${ids.storage.name}); pass parameter(column, id), or sql.param(text, textColumn) for other values`,
    { family: ids.family.name, value, path: ids.place },
  )
}

/** The id column that a chunk is, or whose ids it returns. */
export function idColumnOf(chunk: unknown): Column | undefined {
  if (typeof chunk !== 'object' || chunk === null || chunk instanceof StringChunk) return undefined
  if (findIds(chunk)) return chunk as Column
  if (chunk instanceof Column) return undefined
  if (is(chunk, SQL)) return findIds(decoderOf(chunk)) && (decoderOf(chunk) as unknown as Column)
  if (is(chunk, SQL.Aliased)) return returnedColumn(chunk.sql)
  if (!isSelect(chunk)) return undefined
  // Other SQL may contain values that are not bound yet.
  const [field] = Object.values(chunk._.selectedFields as object)
  return idColumnOf(is(field, SQL.Aliased) ? field.sql : field)
}

/** The column whose ids SQL returns: the one that it is mapped with, else the one that its expression returns. */
function returnedColumn(query: SQL): Column | undefined {
  if (isMapped(query) || !hasChunk(query.queryChunks, isOfIds)) return idColumnOf(query)
  const read = new MarkedQuery().read(query.queryChunks)
  const { cells } = read
  const { database } = idsOf(columnAmong(cells) as Column).storage
  const results = read.reading(database).result.filter(({ chunk }) => !cells[chunk]?.isValue)
  const columns = results.map(({ chunk, isCast }) => (isCast ? undefined : cells[chunk]?.column))
  const [column] = columns
  const isSame = (one: Column | undefined) => one && column && idsOf(one).isAs(idsOf(column))
  return columns.every(isSame) ? column : undefined
}

/**
 * Maps SQL that returns ids with their column, and makes ids in another form throw when they are read.
 *
 * @returns whether ids are part of its value.
 */
export function mapResult(query: SQL, database: Database): boolean {
  const decoder = returnedColumn(query) ?? LeakGuard.of(query, database)
  if (decoder && !isMapped(query)) query.mapWith(decoder)
  return decoder !== undefined
}

/** Builds a query or write with a selection. */
export function inSelecting<Built>(one: Selecting, build: () => Built): Built {
  const before = shared.selecting
  shared.selecting = [one, ...before]
  try {
    return build()
  } finally {
    shared.selecting = before
  }
}

/** The tables that names in a selected expression can mean. */
function selectedFrom(query: SQL, database: Database): readonly NamedSource[] | undefined {
  const { selecting, statement } = shared
  if (selecting.length === 0 || selecting.some(({ setOperators }) => setOperators?.length)) return undefined
  const tables = selecting.flatMap(({ table, from, joins = [], withList = [] }) => [
    ...[table, from].filter(Boolean),
    ...joins.map((one) => one.table),
    ...withList,
  ])
  const chunks = [sql`select `, ...query.queryChunks, sql` from ${sql.join(tables as SQLChunk[], sql`, `)}`]
  const own = withStatement(undefined, () => sourcesIn(chunks, database))
  const around = statement ? statement.sources(database) : []
  return own && around && [...own, ...around]
}

export const isMapped = (query: SQL): boolean =>
  decoderOf(query) !== decoderOf(new (query.constructor as typeof SQL)([]))

const MAPPED =
  'map it with .mapWith(column) if it is an id, and with a function if not, such as .mapWith(String); ' +
  'fromDatabase(column, value) converts ids inside it'

/** Registered, so that two copies of this package know each other's decoders. */
const GUARDS = Symbol.for('snoflax.drizzle.guards')

/** Reads the results of SQL on ids, and refuses ids in stored form, as `cast`, `||` and `json_agg` return them. */
class LeakGuard implements DriverValueDecoder<unknown, unknown> {
  readonly [GUARDS] = true
  /** Columns that only the text names, in each query that selects it. Other columns of the same name may be meant. */
  private readonly named = new Set<NamedColumn>()

  private constructor(readonly columns: readonly NamedColumn[]) {}

  static isGuard(decoder: object): decoder is LeakGuard {
    return GUARDS in decoder
  }

  /** The columns that the text of an aliased field names, if nothing maps it. */
  static named(query: SQL, database: Database): readonly NamedColumn[] {
    if (isMapped(query) && !LeakGuard.isGuard(decoderOf(query))) return []
    const { parts } = new MarkedQuery().read(query.queryChunks).reading(database)
    const whole = shared.statement
    return shared.named.get(database)?.called(parts.names, whole && (() => whole.sources(database))) ?? []
  }

  static of(query: SQL, database: Database): LeakGuard | undefined {
    const read = new MarkedQuery().read(query.queryChunks)
    const { parts } = read.reading(database)
    const columns = parts.chunks.flatMap((chunk) => read.cells[chunk]?.ids ?? [])
    const named = shared.named.get(database)?.called(parts.names, () => selectedFrom(query, database)) ?? []
    const decoder = decoderOf(query)
    const guard = LeakGuard.isGuard(decoder) ? decoder : new LeakGuard(columns)
    for (const one of named) guard.named.add(one)
    return columns.length > 0 || guard.named.size > 0 ? guard : undefined
  }

  mapFromDriverValue(value: unknown): unknown {
    for (const column of this.columns) refuseLeak(column, value, MAPPED)
    const stored = [...this.named].find((one) => {
      const { converts, name } = one.storage()
      return converts && name !== 'bigint' && isStored(one, value)
    })
    if (stored) throw leak(stored, value, MAPPED)
    return value
  }
}

/** The columns whose ids are part of a chunk's value; for a table, all its id columns. */
function idsIn(chunk: unknown): readonly NamedColumn[] {
  const column = idColumnOf(chunk)
  if (column) return [idsOf(column).named]
  if (is(chunk, Table)) return idColumnsOf(chunk).map(([, one]) => idsOf(one).named)
  if (is(chunk, SQL.Aliased)) return idsIn(chunk.sql)
  const decoder = is(chunk, SQL) && decoderOf(chunk)
  return decoder && LeakGuard.isGuard(decoder) ? decoder.columns : []
}

const namedIn = (chunk: unknown, database: Database): readonly NamedColumn[] =>
  is(chunk, SQL.Aliased) ? LeakGuard.named(chunk.sql, database) : []

const tables = new WeakMap<Table, IdColumns>()

/** The id columns of a table by their keys. */
export function idColumnsOf(table: Table): IdColumns {
  const found =
    tables.get(table) ?? Object.entries<Column>(getTableColumns(table)).filter(([, one]) => findIds(one))
  tables.set(table, found)
  return found
}

/** A query of one column, which may be used as its values. */
const isSelect = (chunk: unknown): chunk is TypedQueryBuilder<never> =>
  is(chunk, TypedQueryBuilder) && Object.keys(chunk._.selectedFields as object).length === 1

const decoderOf = (query: SQL) =>
  (query as unknown as { decoder: DriverValueDecoder<unknown, unknown> }).decoder

const hasValue = (chunk: unknown): boolean =>
  Array.isArray(chunk)
    ? chunk.some(hasValue)
    : !(chunk instanceof Column) &&
      (isValue(chunk) || isBare(chunk) || (isSelect(chunk) && idColumnOf(chunk) === undefined))

/** A `sql.param(…)` without an encoder: it has the default one of its copy of Drizzle. */
const isBare = (chunk: unknown): chunk is Param =>
  is(chunk, Param) && chunk.encoder === new (chunk.constructor as typeof Param)(null).encoder

/** A value that Drizzle sends as a parameter, or a placeholder for one. Null needs no encoding. */
const isValue = (chunk: unknown): boolean =>
  typeof chunk === 'object'
    ? chunk !== null && (is(chunk, Placeholder) || (!isSQLWrapper(chunk) && !isOfDrizzle(chunk)))
    : SENT.test(typeof chunk)

const SENT = /^(?:string|number|bigint|boolean)$/

const isOfDrizzle = ({ constructor: kind }: object): boolean => kind !== undefined && entityKind in kind

/**
 * Encodes the values of a comparison as ids of the column that they are compared with.
 *
 * @throws {IdError} `INVALID_OPTION` for a pattern on ids that are not stored as text, and for columns that are never
 * equal.
 */
function bindComparison(cells: readonly Cell[], comparison: Comparison): void {
  const { rows, list, array, pattern } = comparison
  const width = Math.max(...rows.map(({ length }) => length))
  const cellsOf = (terms: readonly Term[]): Cell[] =>
    terms.map(({ chunk }) => cells[chunk] as Cell).filter(({ column }, at) => !(column && terms[at]?.isCast))
  const sides = rows.map((row) => row.map(cellsOf))
  if (pattern !== undefined) {
    refusePattern(sides.flat(2), pattern)
    return
  }
  const listed = list === undefined ? [] : (cells[list] as Cell).spread().map((cell) => [[cell]])
  // A row may itself be a list.
  const whole = [...sides, ...listed].map((row) =>
    row.length < width && row[0]?.[0] ? row[0][0].spread().map((cell) => [cell]) : row,
  )
  for (let position = 0; position < width; position++) {
    bindCells(
      whole.flatMap((row) => row[position] ?? []),
      array === undefined ? undefined : cells[array],
    )
  }
}

function bindCells(cells: readonly Cell[], list: Cell | undefined): void {
  const column = columnAmong(cells)
  for (const { column: other } of list ? [...cells, list] : cells) {
    if (column && other && other !== column) checkComparable(idsOf(column).named, idsOf(other).named)
  }
  if (column) {
    for (const cell of isList(column) ? cells : cells.flatMap((one) => one.spread())) cell.encode(column)
    list?.encode(listOf(column))
  } else if (list?.column) {
    for (const cell of cells) cell.encode(elementOf(list.column))
  } else if (cells.some(({ chunk }) => is(chunk, Column))) {
    // The comparison is not one of ids.
    for (const cell of cells.flatMap((one) => one.spread())) cell.encode(AS_IT_IS)
  }
}

const columnAmong = (cells: readonly Cell[]): Column | undefined =>
  cells.find(({ column }) => column !== undefined)?.column

const AS_IT_IS: Encoder = { mapToDriverValue: (value) => value }

/** The encoder of one id, for comparisons with the elements of an array. */
export function elementOf(column: Column): DriverValueEncoder<unknown, unknown> {
  const ids = idsOf(column)
  return Object.assign({ mapToDriverValue: (id: unknown) => ids.toDatabase(id) }, { [IDS]: ids })
}

/** The encoder of a list of ids, for `any(…)`. */
function listOf(column: Column): Encoder {
  const ids = idsOf(column)
  return {
    mapToDriverValue(list) {
      if (Array.isArray(list)) return arrayLiteral(list.map((id) => ids.toDatabase(id)))
      const message = `${ids.place}: any() takes an array of ids, not ${JSON.stringify(list)}`
      throw new IdError('INVALID_TYPE', message, { value: list, path: ids.place })
    },
  }
}

function refusePattern(cells: readonly Cell[], operator: string): void {
  const column = columnAmong(cells)
  const pattern = cells.find(({ isValue }) => isValue)
  if (column === undefined || pattern === undefined) return
  const { storage, place } = idsOf(column)
  if (!storage.converts) return
  throw new IdError(
    'INVALID_OPTION',
    `${place}: ${operator} matches text, but these ids are not stored as text: the storage is ${storage.name}`,
    { family: storage.family.name, field: operator, value: pattern.chunk, path: place },
  )
}
