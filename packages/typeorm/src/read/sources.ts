import type { DataSource, EntityMetadata } from 'typeorm'
import { idPaths, type Paths, type PreparedColumn } from '../columns/prepared.js'
import { passedOrPlainPath, splitAtCommas } from './comparisons.js'
import { dialectOf, isWord, type Token, tokensOf } from './tokens.js'

/** A name in a query's FROM, and which paths behind it lead to id columns. */
export interface Source {
  readonly name: string
  readonly paths: Paths
}

/** Without the quotes of names. */
export const unquoted = (path: string): string => path.replaceAll(/["`]/g, '')

/** The id column that a path in a query leads to, with quotes or without. Earlier sources weigh more. */
export function idColumnAt(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  return idColumnBehind(path, sources) ?? bareIdColumn(unquoted(path), sources)
}

/** Of a path that names no source, unless several have it. */
function bareIdColumn(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const found = new Set(sources.flatMap(({ paths }) => paths.get(path) ?? []))
  return found.size === 1 ? [...found][0] : undefined
}

/** The same of a path that begins with a source's name. */
export function idColumnBehind(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const plain = unquoted(path)
  for (const { name, paths } of sources) {
    const column = plain.startsWith(`${name}.`) && paths.get(plain.slice(name.length + 1))
    if (column) return column
  }
  return undefined
}

/** A name in a query's FROM, as TypeORM knows it. */
export interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
  /** The SQL of a subquery, in parentheses. */
  readonly subQuery?: string
}

/** What a builder selects from, by alias, then by table. */
export function sourcesOf(aliases: readonly Alias[], dataSource: DataSource): Source[] {
  const entities = aliases.filter(({ hasMetadata }) => hasMetadata)
  const subqueries = aliases.filter(({ hasMetadata }) => !hasMetadata)
  return [
    ...entities.map(({ name, metadata }) => ({ name, paths: idPaths(metadata) })),
    ...subqueries.map(({ name, subQuery = '' }) => ({ name, paths: idsOfSubquery(subQuery, dataSource) })),
    ...entities.map(({ metadata }) => ({ name: metadata.tableName, paths: idPaths(metadata) })),
  ]
}

/** The id columns that a subquery answers, by their names there. */
function idsOfSubquery(sql: string, dataSource: DataSource): Paths {
  const tokens = tokensOf(sql, dialectOf(dataSource))
  const from = tokens.find((token) => isWord(token, 'FROM') && token.within?.open === 0)
  if (!isWord(tokens[1], 'SELECT') || from === undefined) return new Map()
  const selection = sql.slice(tokens[1]?.end, from.end - from.text.length)
  const expressions = expressionsOf({ selection }, writtenSources(tokens, dataSource), dataSource)
  return new Map(expressions.flatMap(([name, column]) => (column ? [[name, column] as const] : [])))
}

/** The tables of entities that stand in SQL with a name behind them. */
export function writtenSources(tokens: readonly Token[], { entityMetadatas }: DataSource): Source[] {
  return tokens.flatMap((token, i) => {
    if (!isWord(tokens[i - 1], 'FROM', 'JOIN')) return []
    const name = isWord(tokens[i + 1], 'AS') ? tokens[i + 2] : tokens[i + 1]
    const metadata = entityMetadatas.find(({ tablePath }) => tablePath === unquoted(token.text))
    return metadata && name?.kind === 'path' ? [{ name: unquoted(name.text), paths: idPaths(metadata) }] : []
  })
}

/** An expression that is selected, or several, and the name that TypeORM puts behind it. */
export interface Selected {
  readonly selection: string
  readonly aliasName?: string
}

/** What is selected under a name of its own, or that of its column; undefined where it is no id. */
export function expressionsOf(
  { selection, aliasName }: Selected,
  sources: readonly Source[],
  dataSource: DataSource,
): [string, PreparedColumn | undefined][] {
  return splitAtCommas(tokensOf(selection, dialectOf(dataSource))).flatMap((expression) => {
    const name = aliasName ?? nameOf(expression, dataSource)
    const tokens = isNamed(expression) ? expression.slice(0, -2) : expression
    const path = passedOrPlainPath(tokens)
    const column = path === undefined ? undefined : idColumnAt(path, sources)
    const key = name ?? (tokens.length === 1 ? column?.metadata.databaseName : undefined)
    return key === undefined ? [] : [[key, column] as [string, PreparedColumn | undefined]]
  })
}

const isNamed = (expression: readonly Token[]): boolean => isWord(expression.at(-2), 'AS')

/** The name that an expression is given by AS, as the database answers it. */
function nameOf(expression: readonly Token[], { options }: DataSource): string | undefined {
  if (!isNamed(expression)) return undefined
  const name = expression.at(-1)?.text ?? ''
  const plain = unquoted(name)
  return options.type === 'postgres' && plain === name ? name.toLowerCase() : plain
}
