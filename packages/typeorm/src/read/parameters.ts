import { IdError } from '@snoflax/core'
import type { SqlToken } from '@snoflax/core/adapter'
import { type DataSource, type EntityMetadata, In, type ObjectLiteral } from 'typeorm'
import { idColumnFor, type PreparedColumn } from '../columns/prepared.js'
import { comparedPath } from './comparisons.js'
import {
  type Alias,
  idColumnAt,
  idColumnBehind,
  type Selection,
  type Source,
  sourcesOf,
  tokensOf,
  writtenSources,
} from './sources.js'

/** Ends the name of a parameter that is compared with an id column; the number is the column's. */
const MARK = '.snoflax'
const MARKED = /:(?:\.\.\.)?([A-Za-z0-9_.]+?)\.snoflax(\d+)(?![A-Za-z0-9_.])/g

/**
 * Marks the parameters of a query that are compared with id columns. They are marked and not converted,
 * since the same parameter may be compared with something else in another place, and values may still be set.
 *
 * @throws {IdError} `INVALID_OPTION` for a pattern on ids that don't lie there as text.
 */
export function markIdParameters(
  query: string,
  { dataSource, expressionMap: { aliases } }: Selection,
): string {
  if (!query.includes(':')) return query
  const tokens = tokensOf(query, dataSource)
  const columnAt = columnsBySource(tokens, aliases, dataSource)
  let marked = ''
  let from = 0
  tokens.forEach((token, i) => {
    const column =
      token.kind === 'placeholder' && !token.text.includes(MARK)
        ? comparedColumn(tokens, i, columnAt)
        : undefined
    if (!column) return
    marked += query.slice(from, token.end) + MARK + column.number
    from = token.end
  })
  return marked + query.slice(from)
}

/** Looks at the aliases of the builder, and then at the tables that a query written as text has besides. */
function columnsBySource(
  tokens: readonly SqlToken[],
  aliases: readonly Alias[],
  dataSource: DataSource,
): (path: string) => PreparedColumn | undefined {
  const sources = sourcesOf(aliases, dataSource)
  const names = new Set(aliases.map(({ name }) => name))
  let written: readonly Source[] | undefined
  return (path) => {
    const column = idColumnAt(path, sources)
    if (column || names.has(path.split('.')[0] as string)) return column
    written ??= writtenSources(tokens, dataSource)
    return idColumnBehind(path, written)
  }
}

function comparedColumn(
  tokens: readonly SqlToken[],
  parameter: number,
  columnAt: (path: string) => PreparedColumn | undefined,
): PreparedColumn | undefined {
  const comparison = comparedPath(tokens, parameter)
  const column = comparison && columnAt(comparison.path)
  if (!column || !comparison.byPattern) return column
  const { path, storage } = column
  if (storage.name === 'text') return undefined
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ids stored as ${storage.name} are not matched by a pattern; compare with bounds of ${storage.family.name}.range`,
    { family: storage.family.name, path },
  )
}

/** The parameters and, under their marked names, those that are compared with ids as the columns hold them. */
export function withIdValues(
  query: string,
  parameters: Readonly<Record<string, unknown>>,
  columns: readonly PreparedColumn[],
): Readonly<Record<string, unknown>> {
  if (!query.includes(MARK)) return parameters
  const all: Record<string, unknown> = { ...parameters }
  for (const [, name, number] of query.matchAll(MARKED)) {
    if (!Object.hasOwn(parameters, name as string)) continue
    const column = columns[Number(number)] as PreparedColumn
    all[`${name}${MARK}${number}`] = column.to(parameters[name as string])
  }
  return all
}

/**
 * The condition of `whereInIds`, `delete([…])` and `update([…])` as one list. TypeORM writes a chain of OR for
 * keys with a transformer, which SQLite refuses from a thousand ids on. Undefined where the key is no single id.
 */
export function inIds(metadata: EntityMetadata, ids: unknown): ObjectLiteral | undefined {
  const [key, another] = metadata.primaryColumns
  if (!Array.isArray(ids) || ids.length < 2 || key === undefined || another !== undefined) return undefined
  if (idColumnFor(key) === undefined || key.relationMetadata || key.embeddedMetadata) return undefined
  const values = ids.map((id: ObjectLiteral) => key.getEntityValue(metadata.ensureEntityIdMap(id)) as unknown)
  return { [key.propertyName]: In(values) }
}
