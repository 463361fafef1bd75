import { IdError, type IdStorage } from '@snoflax/core'
import {
  closingOf,
  isWord,
  NAMED_PLACEHOLDER,
  readSql,
  type SqlToken,
  splitAtCommas,
} from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import {
  type Belonging,
  dataSourceOf,
  type Paths,
  type PreparedColumn,
  preparedOf,
  type Remembered,
} from '../columns/prepared.js'
import { once, pathOf, pathsOf } from './comparisons.js'

/** A name in a query's FROM, and its id columns by path. */
export interface Source {
  readonly name: string
  readonly paths: Paths
  /** The entity's metadata, if it is an entity's table. */
  readonly metadata?: EntityMetadata
}

/** A source in the text of SQL. */
export interface WrittenSource extends Source {
  /** The token of its name. */
  readonly token: SqlToken
}

/** A query in a text: the sources that its names can mean, and the query around it. */
export interface Scope {
  readonly sources: WrittenSource[]
  readonly outer: Scope | undefined
  readonly columns: Map<string, PreparedColumn | undefined>
}

/** The queries of a text, by their tokens. */
export function scopesOf(tokens: readonly SqlToken[], written: readonly WrittenSource[]) {
  const scopes = new Map<SqlToken, Scope>()
  const current = new Map<number, Scope>()
  for (const token of tokens) {
    const { open } = token
    if (isWord(token, ...COMBINING)) current.delete(open)
    const outer = scopes.get(tokens[open] as SqlToken)
    scopes.set(
      token,
      once(current, open, () => ({ sources: [], outer, columns: new Map() })),
    )
  }
  for (const one of written) scopes.get(one.token)?.sources.push(one)
  return scopes
}

/** A name in a query's FROM, as TypeORM knows it. */
export interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
  /** The SQL of a subquery, in parentheses. */
  readonly subQuery?: string
  readonly tablePath?: string
}

/** One selected expression, or several, and the alias that TypeORM appends. */
export interface Selected {
  readonly selection: string
  readonly aliasName?: string
}

/** The parts of a query builder that say what it selects. */
export interface Selection extends Belonging {
  readonly expressionMap: {
    readonly aliases: readonly Alias[]
    readonly selects: readonly Selected[]
    readonly commonTableExpressions: readonly unknown[]
  }
  /** `WITH …`, or an empty text. */
  createCteExpression(): string
}

/** An application repeats its texts, except for lists of varying length, which are long. */
const REMEMBERED = { texts: 500, length: 10_000 }

/** The cached result for a text with these aliases, or a new one. */
export function remembered<Value>(
  known: Map<string, Remembered>,
  text: string,
  aliases: readonly Alias[],
  make: () => Value,
): Value {
  if (text.length > REMEMBERED.length) return make()
  const before = known.get(text)
  const isSame =
    before?.sources.length === aliases.length &&
    aliases.every(
      (one, i) => one.name === before.sources[i]?.name && behind(one) === before.sources[i].behind,
    )
  if (isSame) return before.value as Value
  const value = make()
  if (known.size >= REMEMBERED.texts) known.clear()
  known.set(text, { sources: aliases.map((one) => ({ name: one.name, behind: behind(one) })), value })
  return value
}

const behind = (one: Alias): unknown => (one.hasMetadata ? one.metadata : one.subQuery)

/** A query as TypeORM writes it, with `:name` for its parameters. */
export const tokensOf = (query: string, dataSource: DataSource): SqlToken[] =>
  readSql(query, { dialect: preparedOf(dataSource).database, placeholder: NAMED_PLACEHOLDER })

/** The id column that a path in a query means. Earlier sources take precedence. */
export const idColumnAt = (path: string, sources: readonly Source[]): PreparedColumn | undefined =>
  idColumnBehind(path, sources) ?? bareIdColumn(path, sources)

/** The id column of a path without a source, unless several sources have it. */
function bareIdColumn(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const found = new Set(
    sources.flatMap(({ paths }) => paths.get(path) ?? paths.get(path.toLowerCase()) ?? []),
  )
  const [column, ...others] = found
  const isSame = ({ storage }: PreparedColumn) =>
    storage.name === column?.storage.name && storage.family.name === column.storage.family.name
  return others.every(isSame) ? column : undefined
}

/** The column that a path means in a FROM: an id column or another one. Undefined if no source has the path. */
export function columnIn(
  path: string,
  sources: readonly Source[],
): { readonly idColumn: PreparedColumn | undefined } | undefined {
  const idColumn = idColumnAt(path, sources)
  const [form, first] = [path.toLowerCase(), path.split('.')[0]?.toLowerCase()]
  const isThere = sources.some(
    ({ name, metadata }) =>
      (first !== form && name.toLowerCase() === first) ||
      metadata?.columns.some(({ databaseName }) => databaseName.toLowerCase() === form),
  )
  return idColumn || isThere ? { idColumn } : undefined
}

/** The same for a path that begins with a source's name; names that differ only in case are the last choice. */
export function idColumnBehind(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  for (const form of [(text: string) => text, (text: string) => text.toLowerCase()]) {
    for (const { name, paths } of sources) {
      const isBehind = form(path).startsWith(`${form(name)}.`)
      const column = isBehind && paths.get(form(path.slice(name.length + 1)))
      if (column) return column
    }
  }
  return undefined
}

/** The sources of a builder, by alias, then by table. */
export function sourcesOf(
  aliases: readonly Alias[],
  dataSource: DataSource,
  /** `WITH …`, if the builder has common table expressions. */
  common = '',
): Source[] {
  const entities = aliases.filter(({ hasMetadata }) => hasMetadata)
  const others = aliases.filter(({ hasMetadata }) => !hasMetadata)
  const tables = tablesOf(dataSource)
  writtenSources(tokensOf(common, dataSource), dataSource, tables)
  const pathsOf = ({ subQuery, tablePath = '' }: Alias): Paths =>
    subQuery === undefined
      ? (tables.get(tablePath.toLowerCase())?.paths ?? new Map())
      : idsOfSelect(tokensOf(subQuery, dataSource).slice(1), dataSource)
  return [
    ...entities.map(({ name, metadata }) => sourceOf(name, metadata)),
    ...others.map((alias) => ({ name: alias.name, paths: pathsOf(alias) })),
    ...entities.map(({ metadata }) => sourceOf(metadata.tableName, metadata)),
  ]
}

export const sourceOf = (name: string, metadata: EntityMetadata): Source => ({
  name,
  paths: preparedOf(dataSourceOf(metadata)).paths.get(metadata) ?? new Map(),
  metadata,
})

/** The id columns that a query answers, by their names there, or by other names in their order. */
export function idsOfSelect(
  tokens: readonly SqlToken[],
  dataSource: DataSource,
  names: readonly string[] = [],
  tables = tablesOf(dataSource),
): Paths {
  // Its common table expressions are added to the tables.
  if (isWord(tokens[0], 'WITH')) writtenSources(tokens, dataSource, tables)
  const [first = [], ...others] = selectsIn(tokens).map((select) => answeredBy(select, dataSource, tables))
  const united = others.filter(({ length }) => length === first.length)
  return new Map(
    first.flatMap(({ key, column }, i): [string, PreparedColumn][] => {
      const name = names[i] ?? key
      if (name === undefined) return []
      const one = theOnly([column, ...united.map((answered) => answered[i]?.column)], name)
      return one ? [[name, one]] : []
    }),
  )
}

/** What a SELECT answers, in order. */
function answeredBy(tokens: readonly SqlToken[], dataSource: DataSource, tables: Tables): Expression[] {
  const level = tokens[0]?.open
  const written = writtenSources(tokens, dataSource, tables)
  const own = written.filter(({ token }) => token.open === level)
  return expressionsOf(selectionOf(tokens), own.length > 0 ? own : written, dataSource)
}

/** What a SELECT without brackets selects. */
export function selectionOf(select: readonly SqlToken[]): readonly SqlToken[] {
  const from = select.findIndex((token) => isWord(token, 'FROM') && token.open === select[0]?.open)
  return select.slice(1, from === -1 ? undefined : from)
}

/** The queries that a UNION and the like combine, without brackets around them. */
function selectsIn(tokens: readonly SqlToken[]): (readonly SqlToken[])[] {
  const level = tokens[0]?.open
  const cut = tokens.findIndex((one) => one.open === level && isWord(one, ...COMBINING))
  const query = cut === -1 ? tokens : tokens.slice(0, cut)
  const next = isWord(tokens[cut + 1], 'ALL', 'DISTINCT') ? cut + 2 : cut + 1
  const others = cut === -1 ? [] : selectsIn(tokens.slice(next))
  const select = query.findIndex((one) => one.open === level && isWord(one, 'SELECT'))
  if (select !== -1) return [query.slice(select), ...others]
  const isBracketed = query[0]?.text === '('
  return isBracketed ? [...selectsIn(query.slice(1, closingOf(query, 0))), ...others] : others
}

/** What INSERT … SELECT stores: the name of each column, and the expression for it. */
export function insertedIn(
  tokens: readonly SqlToken[],
  dataSource: DataSource,
): (readonly [string, readonly SqlToken[]])[] {
  const open = isWord(tokens[0], 'INSERT') ? tokens.findIndex(({ text }) => text === '(') : -1
  if (open === -1) return []
  const end = closingOf(tokens, open)
  const names = tokens.slice(open + 1, end).flatMap(({ parts }) => parts)
  return selectsIn(tokens.slice(end + 1)).flatMap((select) => {
    const expressions = splitAtCommas(selectionOf(select)).map((one) => withName(one, dataSource).tokens)
    return expressions.length === names.length
      ? expressions.map((one, i) => [names[i] ?? '', one] as const)
      : []
  })
}

/** The one id column of several expressions, some of which may be something else, such as NULL. */
function theOnly(
  columns: readonly (PreparedColumn | undefined)[],
  name: string | undefined,
): PreparedColumn | undefined {
  const [first, ...others] = columns.filter((column) => column !== undefined)
  // Other texts are no ids.
  if (others.length + 1 < columns.length && !first?.storage.converts) return undefined
  const other = others.find(({ storage }) => !isReadAs(storage, first?.storage))
  if (first && other) refuseMixed(first, other, name)
  return first
}

/** Whether the stored ids of one column are those of the other. */
export const isReadAs = (one: IdStorage<string>, other: IdStorage<string> | undefined): boolean =>
  (one.name === other?.name && one.family.name === other.family.name) || !(one.converts || other?.converts)

function refuseMixed(
  { path, storage }: PreparedColumn,
  other: PreparedColumn,
  name = 'an expression',
): never {
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${name} is an id of ${path} in some rows and of ${other.path} in others, which are indistinguishable; select them ` +
      'under two names',
    { family: storage.family.name, path, field: name },
  )
}

/** The sources that SQL can name: tables of entities, and common table expressions read so far. */
type Tables = Map<string, Source>

const tablesOf = ({ entityMetadatas }: DataSource): Tables =>
  new Map(
    entityMetadatas.map((metadata) => [
      metadata.tableName.toLowerCase(),
      sourceOf(metadata.tableName, metadata),
    ]),
  )

/** The sources in FROM clauses, by alias and by their own name. */
export function writtenSources(
  tokens: readonly SqlToken[],
  dataSource: DataSource,
  tables = tablesOf(dataSource),
): WrittenSource[] {
  const isInFrom = new Map<number, boolean>()
  return tokens.flatMap((token, i): WrittenSource[] => {
    const name = token.parts.at(-1) ?? ''
    const { open } = token
    const before = tokens[i - 1]
    if (isWord(token, ...FROM)) isInFrom.set(open, true)
    else if (isWord(token, ...NOT_FROM)) isInFrom.set(open, false)
    if (isWord(before, 'WITH', 'RECURSIVE') || before?.text === ',') {
      const paths = idsOfCommonTable(tokens, i, dataSource, tables)
      if (paths) tables.set(name.toLowerCase(), { name, paths })
    }
    const isSource = before?.text === ',' ? isInFrom.get(open) : isWord(before, ...FROM, ...JOINS)
    if (!isSource) return []
    const isQuery = token.text === '(' && beginsQuery(tokens[i + 1])
    const end = isQuery ? closingOf(tokens, i) : i
    const query = isQuery && idsOfSelect(tokens.slice(i + 1, end), dataSource, [], tables)
    const table = query ? { name: '', paths: query } : tables.get(name.toLowerCase())
    if (table === undefined) return []
    const alias = isWord(tokens[end + 1], 'AS') ? tokens[end + 2] : tokens[end + 1]
    const named = alias?.kind === 'name' ? [{ ...table, name: alias.parts.join('.'), token }] : []
    return named.length > 0 && query ? named : [...named, { ...table, token }]
  })
}

const beginsQuery = (token: SqlToken | undefined): boolean =>
  isWord(token, 'SELECT', 'WITH') || token?.text === '('

const COMBINING = ['UNION', 'EXCEPT', 'INTERSECT']
const FROM = ['FROM', 'UPDATE', 'USING']
const JOINS = ['JOIN', 'STRAIGHT_JOIN', 'INTO', 'ONLY', 'LATERAL']
const NOT_FROM = [
  'SELECT',
  'WHERE',
  'SET',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'RETURNING',
  'WINDOW',
  'VALUES',
]

/** The id columns of `name (columns) AS (SELECT …)`. */
function idsOfCommonTable(
  tokens: readonly SqlToken[],
  at: number,
  dataSource: DataSource,
  tables: Tables,
): Paths | undefined {
  const hasNames = tokens[at + 1]?.text === '('
  const as = hasNames ? closingOf(tokens, at + 1) + 1 : at + 1
  const names = hasNames ? tokens.slice(at + 2, as - 1).flatMap(({ parts }) => parts) : []
  // [NOT] MATERIALIZED may stand in between.
  const open = [as + 1, as + 2, as + 3].find((i) => tokens[i]?.text === '(') ?? tokens.length
  if (!isWord(tokens[as], 'AS') || !beginsQuery(tokens[open + 1])) return undefined
  return idsOfSelect(tokens.slice(open + 1, closingOf(tokens, open)), dataSource, names, tables)
}

/** A selected expression: its name in the row, and its id column. */
export interface Expression {
  readonly key: string | undefined
  readonly column: PreparedColumn | undefined
  readonly tokens: readonly SqlToken[]
}

/** The selected expressions that have an alias, or the name of their column. */
export function expressionsOf(
  selection: readonly SqlToken[],
  sources: readonly Source[],
  dataSource: DataSource,
  aliasName?: string,
): Expression[] {
  const entities = sources.filter(({ metadata }) => metadata)
  const keyOf = (name: SqlToken, column: PreparedColumn) =>
    idColumnAt(name.parts.join('.'), entities) === column
      ? column.metadata.databaseName
      : nameIn(name, dataSource)
  return splitAtCommas(selection).flatMap((expression): Expression[] => {
    if (expression.length === 1 && expression[0]?.text.endsWith('*')) return allOf(expression[0], sources)
    const { tokens, name } = withName(expression, dataSource)
    const paths = pathsOf(tokens)
    const query = isWord(tokens[0], 'ARRAY') ? tokens.slice(1) : tokens
    const isQuery = query[0]?.text === '(' && beginsQuery(query[1])
    const [answered] = isQuery ? idsOfSelect(query.slice(1, -1), dataSource).values() : []
    const [first = answered, ...others] = paths.map((path) => idColumnAt(path, sources))
    const column = first && theOnly([first, ...others.filter((one) => one !== undefined)], aliasName ?? name)
    const ownKey = column && tokens.length === 1 ? keyOf(tokens[0] as SqlToken, column) : undefined
    return [{ key: aliasName ?? name ?? ownKey, column, tokens }]
  })
}

/** The expressions of `*` or `o.*`. */
function allOf({ parts }: SqlToken, sources: readonly Source[]): Expression[] {
  const name = parts.slice(0, -1).join('.')
  const named = sources.filter((source) => name === '' || source.name.toLowerCase() === name.toLowerCase())
  return (name === '' ? named : named.slice(0, 1)).flatMap(({ paths, metadata }) =>
    metadata
      ? metadata.columns.map((column) => ({
          key: column.databaseName,
          column: paths.get(column.databaseName),
          tokens: [],
        }))
      : Array.from(paths, ([key, column]) => ({ key, column, tokens: [] })),
  )
}

/** An expression without its alias, and the alias as the database returns it. */
function withName(expression: readonly SqlToken[], dataSource: DataSource) {
  const last = expression.at(-1)
  const hasAs = isWord(expression.at(-2), 'AS')
  const tokens = expression.slice(0, hasAs ? -2 : -1)
  const isNamed = hasAs || (!isWord(tokens[0], 'DISTINCT') && pathOf(tokens) !== undefined)
  if (last?.kind !== 'name' || !isNamed || isWord(expression.at(-2), 'OVER'))
    return { tokens: expression, name: undefined }
  return { tokens, name: nameIn(last, dataSource) }
}

/** The last part of a name, as the database answers it. */
function nameIn({ parts, isQuoted }: SqlToken, dataSource: DataSource): string {
  const name = parts.at(-1) ?? ''
  return preparedOf(dataSource).database === 'postgres' && !isQuoted ? name.toLowerCase() : name
}
