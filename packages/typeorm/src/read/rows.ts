import type { IdStorage } from '@snoflax/core'
import type { DataSource, EntityMetadata } from 'typeorm'
import { DriverUtils } from 'typeorm/driver/DriverUtils.js'
import {
  dataSourceOf,
  idColumnsIn,
  type Paths,
  type PreparedColumn,
  preparedOf,
} from '../columns/prepared.js'
import { once } from './comparisons.js'
import {
  type Alias,
  expressionsOf,
  remembered,
  type Selected,
  type Selection,
  type Source,
  sourcesOf,
  tokensOf,
} from './sources.js'

export type RawRow = Record<string, unknown>

/**
 * Puts ids where a query's raw rows have database values, in place. Raw rows are what `getRawMany` answers,
 * and what TypeORM itself compares and groups by, which bytes are no good for.
 */
export function putIdsIntoRows(rows: readonly RawRow[], selection: Selection): void {
  if (rows.length > 0) putIds(rows, selectedIds(selection))
}

/** The same in what RETURNING answered, where values have the names of their columns. */
export function putIdsIntoReturned(raw: unknown, metadata: EntityMetadata): void {
  const columns = idColumnsIn(metadata)
  if (columns.length === 0 || !Array.isArray(raw)) return
  putIds(raw, new Map(columns.map((column) => [column.metadata.databaseName, column])))
}

function putIds(rows: readonly RawRow[], columns: ReadonlyMap<string, PreparedColumn>): void {
  const [first] = rows
  if (typeof first !== 'object') return
  const present = [...columns].filter(([key]) => key in first)
  // Joined rows come many times, and so do foreign keys.
  const known = new Map<IdStorage<string>, Map<unknown, unknown>>()
  for (const [key, column] of present) {
    const ids = once(known, column.storage, () => new Map<unknown, unknown>())
    for (const row of rows) {
      const value = row[key]
      let id = ids.get(value)
      if (id === undefined) {
        id = column.from(value)
        if (typeof value === 'string') ids.set(value, id)
      }
      row[key] = id
    }
  }
}

/** The id columns of a selection, by the names that their values have in a row. */
function selectedIds(selection: Selection): Paths {
  const { aliases, selects } = selection.expressionMap
  const dataSource = dataSourceOf(selection)
  const text = selects.map(({ selection: selected, aliasName = '' }) => `${selected} ${aliasName}`).join()
  return remembered(preparedOf(dataSource).selected, text, aliases, () => idsOf(selects, aliases, dataSource))
}

function idsOf(selects: readonly Selected[], aliases: readonly Alias[], dataSource: DataSource): Paths {
  const sources = sourcesOf(aliases, dataSource)
  const ids = new Map(aliases.flatMap((alias) => [...columnsOf(alias, sources, dataSource)]))
  for (const { selection: selected, aliasName } of selects) {
    const expressions = expressionsOf(tokensOf(selected, dataSource), sources, dataSource, aliasName)
    for (const { key, column } of expressions) {
      if (key !== undefined && column) ids.set(key, column)
      else if (key !== undefined) ids.delete(key)
    }
  }
  return ids
}

/** The id columns of all that an alias stands for, by the names that their values have in a row. */
function columnsOf(alias: Alias, sources: readonly Source[], dataSource: DataSource): Paths {
  if (!alias.hasMetadata) return sources.find(({ name }) => name === alias.name)?.paths ?? new Map()
  const keyOf = ({ metadata: { databaseName } }: PreparedColumn) =>
    DriverUtils.buildAlias(dataSource.driver, undefined, alias.name, databaseName)
  return new Map(idColumnsIn(alias.metadata).map((column) => [keyOf(column), column]))
}
