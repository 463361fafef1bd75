import type { Database } from '@snoflax/core'
import type { EntityMetadata } from 'typeorm'
import { DriverUtils } from 'typeorm/driver/DriverUtils.js'
import {
  convertingFor,
  convertingIn,
  dataSourceOf,
  type PreparedColumn,
  preparedOf,
  type RowReader,
} from '../columns/prepared.js'
import { type Builder, entitiesOf } from './names.js'

/** Id columns by their keys in a row. */
type Keys = ReadonlyMap<string, PreparedColumn>

/**
 * Puts ids into the rows of a builder's statement, where the builder knows their columns: `getRawMany` returns these rows,
 * and TypeORM makes its entities of them.
 */
export function readerOf(builder: Builder): RowReader {
  const { queryType, mainAlias } = builder.expressionMap
  const returned = () => keysOf(mainAlias?.hasMetadata ? mainAlias.metadata : undefined, '', builder)
  const keys = queryType === 'select' ? selectedKeys(builder) : returned()
  return (rows) => {
    const [first] = rows
    if (typeof first !== 'object') return
    for (const [key, column] of keys) if (key in first) putIds(rows, key, column)
  }
}

function putIds(rows: readonly Record<string, unknown>[], key: string, column: PreparedColumn): void {
  let last: unknown
  let id: unknown
  for (const row of rows) {
    const value = row[key]
    // Joined rows repeat the ids before them.
    if (value !== last || value === undefined)
      id = Array.isArray(value) ? value.map((one) => column.read(one)) : column.read(value)
    last = value
    row[key] = id
  }
}

function selectedKeys(builder: Builder): Keys {
  const keys = new Map<string, PreparedColumn>()
  const entities = entitiesOf(builder)
  for (const [alias, metadata] of entities) {
    for (const [key, column] of keysOf(metadata, alias, builder)) keys.set(key, column)
  }
  const { database } = preparedOf(dataSourceOf(builder))
  const named = builder.expressionMap.selects.flatMap(({ selection, aliasName }) =>
    aliasName === undefined ? aliasesIn(selection, database) : [[aliasName, selection] as const],
  )
  for (const [name, selection] of named) {
    const [alias = '', ...path] = selection.split('.')
    const metadata = entities.get(alias)
    const column = metadata && columnAt(metadata, path.join('.'))
    if (column) keys.set(name, column)
    else keys.delete(name)
  }
  return keys
}

/** The names that the text of a selection gives to its parts, as in `o.id AS id`. PostgreSQL folds those without quotes. */
const aliasesIn = (selection: string, database: Database): (readonly [name: string, part: string])[] =>
  selection.split(',').flatMap((text) => {
    const [, part, quote, name] = /^\s*(\S+)\s+AS\s+(["`]?)(\w+)\2\s*$/i.exec(text) ?? []
    if (part === undefined || name === undefined) return []
    return [[quote === '' && database === 'postgres' ? name.toLowerCase() : name, part]]
  })

/** The id column of a property, of a relation or its key, or with a name in the database. */
function columnAt(metadata: EntityMetadata, path: string): PreparedColumn | undefined {
  const [column] = metadata.findColumnsWithPropertyPath(path)
  const isKey = ({ databaseName, referencedColumn, relationMetadata }: EntityMetadata['columns'][number]) =>
    databaseName === path || `${relationMetadata?.propertyPath}.${referencedColumn?.propertyPath}` === path
  const found = column ?? metadata.columns.find(isKey)
  return found && convertingFor(found)
}

const known = new WeakMap<EntityMetadata, Map<string, Keys>>()

/** The id columns of an entity by the keys of its rows: after an alias, or of RETURNING, which has none. */
function keysOf(metadata: EntityMetadata | undefined, alias: string, builder: Builder): Keys {
  if (!metadata) return new Map()
  const byAlias = known.get(metadata) ?? new Map<string, Keys>()
  known.set(metadata, byAlias)
  const { driver } = dataSourceOf(builder)
  const keyOf = (name: string) =>
    alias === '' ? name : DriverUtils.buildAlias(driver, undefined, alias, name)
  const keys =
    byAlias.get(alias) ??
    new Map(convertingIn(metadata).map((column) => [keyOf(column.metadata.databaseName), column]))
  byAlias.set(alias, keys)
  return keys
}
