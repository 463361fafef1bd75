import { isWord, NAMED_PLACEHOLDER, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import { type Paths, type PreparedColumn, preparedOf } from '../columns/prepared.js'
import { passedOrPlainPath } from './comparisons.js'

/** A name in a query's FROM, and which paths behind it lead to id columns. */
export interface Source {
  readonly name: string
  readonly paths: Paths
}

/** A name in a query's FROM, as TypeORM knows it. */
export interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
  /** The SQL of a subquery, in parentheses. */
  readonly subQuery?: string
}

/** An expression that is selected, or several, and the name that TypeORM puts behind it. */
export interface Selected {
  readonly selection: string
  readonly aliasName?: string
}

/** What a query selects. */
export interface Selection {
  readonly dataSource: DataSource
  readonly expressionMap: {
    readonly aliases: readonly Alias[]
    readonly selects: readonly Selected[]
  }
}

/** A query as TypeORM writes it, with `:name` for its parameters. */
export const tokensOf = (query: string, dataSource: DataSource): SqlToken[] =>
  readSql(query, { dialect: preparedOf(dataSource).database, placeholder: NAMED_PLACEHOLDER })

/** The id column that a path in a query leads to. Earlier sources weigh more. */
export function idColumnAt(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  return idColumnBehind(path, sources) ?? bareIdColumn(path, sources)
}

/** Of a path that names no source, unless several have it. */
function bareIdColumn(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const found = new Set(sources.flatMap(({ paths }) => paths.get(path) ?? []))
  return found.size === 1 ? [...found][0] : undefined
}

/** The same of a path that begins with a source's name. */
export function idColumnBehind(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  for (const { name, paths } of sources) {
    const column = path.startsWith(`${name}.`) && paths.get(path.slice(name.length + 1))
    if (column) return column
  }
  return undefined
}

/** What a builder selects from, by alias, then by table. */
export function sourcesOf(aliases: readonly Alias[], dataSource: DataSource): Source[] {
  const entities = aliases.filter(({ hasMetadata }) => hasMetadata)
  const subqueries = aliases.filter(({ hasMetadata }) => !hasMetadata)
  return [
    ...entities.map(({ name, metadata }) => sourceOf(name, metadata)),
    ...subqueries.map(({ name, subQuery = '' }) => ({ name, paths: idsOfSubquery(subQuery, dataSource) })),
    ...entities.map(({ metadata }) => sourceOf(metadata.tableName, metadata)),
  ]
}

const sourceOf = (name: string, metadata: EntityMetadata): Source => ({
  name,
  paths: preparedOf(metadata.dataSource).paths.get(metadata) ?? new Map(),
})

/** The id columns that a subquery answers, by their names there. */
function idsOfSubquery(sql: string, dataSource: DataSource): Paths {
  const tokens = tokensOf(sql, dataSource)
  const from = tokens.find((token) => isWord(token, 'FROM') && token.open === 0)
  if (!isWord(tokens[1], 'SELECT') || from === undefined) return new Map()
  const selection = sql.slice(tokens[1]?.end, from.start)
  const expressions = expressionsOf({ selection }, writtenSources(tokens, dataSource), dataSource)
  return new Map(expressions.flatMap(([name, column]) => (column ? [[name, column] as const] : [])))
}

/** The tables of entities that stand in SQL with a name behind them. */
export function writtenSources(tokens: readonly SqlToken[], { entityMetadatas }: DataSource): Source[] {
  return tokens.flatMap((token, i) => {
    if (!isWord(tokens[i - 1], 'FROM', 'JOIN')) return []
    const name = isWord(tokens[i + 1], 'AS') ? tokens[i + 2] : tokens[i + 1]
    const metadata = entityMetadatas.find(({ tablePath }) => tablePath === token.parts.join('.'))
    return metadata && name?.kind === 'name' ? [sourceOf(name.parts.join('.'), metadata)] : []
  })
}

/** What is selected under a name of its own, or that of its column; undefined where it is no id. */
export function expressionsOf(
  { selection, aliasName }: Selected,
  sources: readonly Source[],
  dataSource: DataSource,
): [string, PreparedColumn | undefined][] {
  return splitAtCommas(tokensOf(selection, dataSource)).flatMap((expression) => {
    const name = aliasName ?? nameOf(expression, dataSource)
    const tokens = isNamed(expression) ? expression.slice(0, -2) : expression
    const path = passedOrPlainPath(tokens)
    const column = path === undefined ? undefined : idColumnAt(path, sources)
    const key = name ?? (tokens.length === 1 ? column?.metadata.databaseName : undefined)
    return key === undefined ? [] : [[key, column] as [string, PreparedColumn | undefined]]
  })
}

const isNamed = (expression: readonly SqlToken[]): boolean => isWord(expression.at(-2), 'AS')

/** The name that an expression is given by AS, as the database answers it. */
function nameOf(expression: readonly SqlToken[], dataSource: DataSource): string | undefined {
  const name = expression.at(-1)
  if (!name || !isNamed(expression)) return undefined
  const isFolded = preparedOf(dataSource).database === 'postgres' && !name.isQuoted
  return isFolded ? name.text.toLowerCase() : name.parts.join('.')
}
