import type { DataSource, EntityMetadata } from 'typeorm'
import { expressionsOf } from './expressions.js'
import { idPaths, type Paths, type Source, unquoted } from './id-paths.js'
import { dialectOf, isWord, type Token, tokensOf } from './tokens.js'

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
