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
import { once, pathOf } from './comparisons.js'

/** A name in a query's FROM, and which paths behind it lead to id columns. */
export interface Source {
  readonly name: string
  readonly paths: Paths
  /** Of an entity's table. */
  readonly metadata?: EntityMetadata
}

/** One that stands in SQL. */
export interface WrittenSource extends Source {
  /** Where it stands. */
  readonly token: SqlToken
}

/** A query in a text: what its names can mean, and the query around it. */
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

/** An expression that is selected, or several, and the name that TypeORM puts behind it. */
export interface Selected {
  readonly selection: string
  readonly aliasName?: string
}

/** What a query selects. */
export interface Selection extends Belonging {
  readonly expressionMap: {
    readonly aliases: readonly Alias[]
    readonly selects: readonly Selected[]
    readonly commonTableExpressions: readonly unknown[]
  }
  /** `WITH …`, or nothing. */
  createCteExpression(): string
}

/** An application sends the same texts again and again; lists of many lengths are none of them. */
const REMEMBERED = { texts: 500, length: 10_000 }

/** What was made of a text with these aliases, or is made now. */
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

/** The id column that a path in a query leads to. Earlier sources weigh more. */
export const idColumnAt = (path: string, sources: readonly Source[]): PreparedColumn | undefined =>
  idColumnBehind(path, sources) ?? bareIdColumn(path, sources)

/** Of a path that names no source, unless several have it. */
function bareIdColumn(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const found = new Set(
    sources.flatMap(({ paths }) => paths.get(path) ?? paths.get(path.toLowerCase()) ?? []),
  )
  const [column, ...others] = found
  const isSame = ({ storage }: PreparedColumn) =>
    storage.name === column?.storage.name && storage.family.name === column.storage.family.name
  return others.every(isSame) ? column : undefined
}

/** What a path is in the FROM of a query: an id column or another one. Undefined where it has no such path. */
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

/** The same of a path that begins with a source's name; names that differ in case only are the last choice. */
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

/** What a builder selects from, by alias, then by table. */
export function sourcesOf(
  aliases: readonly Alias[],
  dataSource: DataSource,
  /** `WITH …`, where the builder has common table expressions. */
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

/** The id columns that a SELECT answers, by their names there, or by other names in their order. */
export function idsOfSelect(
  tokens: readonly SqlToken[],
  dataSource: DataSource,
  names: readonly string[] = [],
  tables = tablesOf(dataSource),
): Paths {
  const from = tokens.findIndex((token) => isWord(token, 'FROM') && token.open === tokens[0]?.open)
  if (!isWord(tokens[0], 'SELECT') || from === -1) return new Map()
  // A UNION's second query and subqueries have columns of the same names.
  const level = tokens[0]?.open
  const end = tokens.findIndex((one) => one.open === level && isWord(one, ...COMBINING))
  const written = writtenSources(end === -1 ? tokens : tokens.slice(0, end), dataSource, tables)
  const own = written.filter(({ token }) => token.open === level)
  const sources = own.length > 0 ? own : written
  const expressions = expressionsOf(tokens.slice(1, from), sources, dataSource)
  return new Map(
    expressions.flatMap(({ key, column }, i): [string, PreparedColumn][] => {
      const name = names[i] ?? key
      return column && name !== undefined ? [[name, column]] : []
    }),
  )
}

/** What SQL can name: tables of entities, and common table expressions that were read before. */
type Tables = Map<string, Source>

const tablesOf = ({ entityMetadatas }: DataSource): Tables =>
  new Map(
    entityMetadatas.map((metadata) => [
      metadata.tableName.toLowerCase(),
      sourceOf(metadata.tableName, metadata),
    ]),
  )

/** What stands in the FROM of queries, by the names behind it and by its own. */
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
    const isQuery = token.text === '(' && isWord(tokens[i + 1], 'SELECT')
    const end = isQuery ? closingOf(tokens, i) : i
    const query = isQuery && idsOfSelect(tokens.slice(i + 1, end), dataSource, [], tables)
    const table = query ? { name: '', paths: query } : tables.get(name.toLowerCase())
    if (table === undefined) return []
    const alias = isWord(tokens[end + 1], 'AS') ? tokens[end + 2] : tokens[end + 1]
    const named = alias?.kind === 'name' ? [{ ...table, name: alias.parts.join('.'), token }] : []
    return [...named, ...(query ? [] : [{ ...table, token }])]
  })
}

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

/** Of `name (columns) AS (SELECT …)`. */
function idsOfCommonTable(
  tokens: readonly SqlToken[],
  at: number,
  dataSource: DataSource,
  tables: Tables,
): Paths | undefined {
  const hasNames = tokens[at + 1]?.text === '('
  const as = hasNames ? closingOf(tokens, at + 1) + 1 : at + 1
  const names = hasNames ? tokens.slice(at + 2, as - 1).flatMap(({ parts }) => parts) : []
  // A hint may stand between: [NOT] MATERIALIZED.
  const open = [as + 1, as + 2, as + 3].find((i) => tokens[i]?.text === '(') ?? tokens.length
  if (!isWord(tokens[as], 'AS') || !isWord(tokens[open + 1], 'SELECT')) return undefined
  return idsOfSelect(tokens.slice(open + 1, closingOf(tokens, open)), dataSource, names, tables)
}

/** Something that is selected: under which name it is in the row, and the id column that it is. */
export interface Expression {
  readonly key: string | undefined
  readonly column: PreparedColumn | undefined
  readonly tokens: readonly SqlToken[]
}

/** What is selected under a name of its own, or that of its column. */
export function expressionsOf(
  selection: readonly SqlToken[],
  sources: readonly Source[],
  dataSource: DataSource,
  aliasName?: string,
): Expression[] {
  return splitAtCommas(selection).flatMap((expression): Expression[] => {
    if (expression.length === 1 && expression[0]?.text.endsWith('*')) return allOf(expression[0], sources)
    const { tokens, name } = withName(expression, dataSource)
    const path = pathOf(tokens)
    const query = isWord(tokens[0], 'ARRAY') ? tokens.slice(1) : tokens
    const isQuery = isWord(query[1], 'SELECT') && query[0]?.text === '('
    const [answered] = isQuery ? idsOfSelect(query.slice(1, -1), dataSource).values() : []
    const column = path === undefined ? answered : idColumnAt(path, sources)
    const ownKey = tokens.length === 1 ? column?.metadata.databaseName : undefined
    return [{ key: aliasName ?? name ?? ownKey, column, tokens }]
  })
}

/** Of `*`, or `o.*`. */
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

/** An expression, and the name behind it as the database answers it. */
function withName(expression: readonly SqlToken[], dataSource: DataSource) {
  const last = expression.at(-1)
  const hasAs = isWord(expression.at(-2), 'AS')
  const tokens = expression.slice(0, hasAs ? -2 : -1)
  const isNamed = hasAs || (!isWord(tokens[0], 'DISTINCT') && pathOf(tokens) !== undefined)
  if (last?.kind !== 'name' || !isNamed || isWord(expression.at(-2), 'OVER'))
    return { tokens: expression, name: undefined }
  const isFolded = preparedOf(dataSource).database === 'postgres' && !last.isQuoted
  return { tokens, name: isFolded ? last.text.toLowerCase() : last.parts.join('.') }
}
