import { IdError, type IdStorage } from '@snoflax/core'
import { checkStored, isBytes, isWord, type SqlToken } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import { DriverUtils } from 'typeorm/driver/DriverUtils.js'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import {
  dataSourceOf,
  idColumnsIn,
  type Paths,
  type PreparedColumn,
  preparedOf,
} from '../columns/prepared.js'
import { namesIn, once } from './comparisons.js'
import { readExpressions } from './expressions.js'
import {
  type Alias,
  expressionsOf,
  idColumnAt,
  idsOfSelect,
  remembered,
  type Selected,
  type Selection,
  type Source,
  sourceOf,
  sourcesOf,
  tokensOf,
} from './sources.js'

export type RawRow = Record<string, unknown>

/** The meanings of the values in rows, by their names there. */
interface Meanings {
  readonly ids: Map<string, PreparedColumn>
  /** Expressions that we can't read. */
  readonly derived: Map<string, Derived>
  /** Such expressions whose name the database chooses, and the names that other values have. */
  readonly unnamed: Derived[]
  readonly claimed: Set<string>
}

/** An expression that may return an id in its stored form. */
interface Derived {
  /** The id columns in it. */
  readonly near: readonly PreparedColumn[]
  /** Whether the expression concatenates the stored form with other text, or casts it to text. */
  readonly isJoined: boolean
}

/**
 * Replaces the stored values in a query's raw rows by ids. `getRawMany` returns raw rows, and TypeORM itself groups
 * them by their keys, which doesn't work with bytes.
 *
 * @throws {IdError} `INVALID_OPTION` for an expression that returns an id in its stored form.
 */
export function putIdsIntoRows(rows: readonly RawRow[], selection: Selection): void {
  if (rows.length > 0) putIds(rows, selectedMeanings(selection))
}

/** The same for rows of a RETURNING, where values have the names of their columns. */
export function putIdsIntoReturned(raw: unknown, metadata: EntityMetadata, returning: unknown): void {
  const columns = idColumnsIn(metadata)
  if (columns.length === 0 || !Array.isArray(raw)) return
  const meanings = meaningsOf(columns.map((column) => [column.metadata.databaseName, column]))
  if (typeof returning === 'string') {
    const source = sourceOf(metadata.tableName, metadata)
    addExpressions(meanings, { selection: returning }, [source], dataSourceOf(metadata))
  }
  putIds(raw, meanings)
}

/** The part of Node's streams that we use. */
export interface Stream {
  push(row: RawRow | null, ...rest: unknown[]): boolean
  destroy(error: unknown): void
}

/** Puts ids into each row of a stream. A refused row ends the stream with its error. */
export function putIdsIntoStream(stream: Stream, selection: Selection): Stream {
  const meanings = selectedMeanings(selection)
  const { push } = stream
  return Object.assign(stream, {
    push(this: Stream, row: RawRow | null, ...rest: unknown[]) {
      try {
        if (row !== null) putIds([row], meanings)
      } catch (error) {
        this.destroy(error)
        // On false mysql2 would pause its connection, which the pool passes on.
        return true
      }
      return push.call(this, row, ...rest)
    },
  })
}

function putIds(rows: readonly RawRow[], { ids: columns, derived, unnamed, claimed }: Meanings): void {
  const [first] = rows
  if (typeof first !== 'object') return
  const present = [...columns].filter(([key]) => key in first)
  // Joined rows and foreign keys repeat their ids.
  const known = new Map<IdStorage<string>, Map<unknown, unknown>>()
  for (const [key, column] of present) {
    const ids = once(known, column.storage, () => new Map<unknown, unknown>())
    for (const row of rows) {
      const value = row[key]
      let id = ids.get(value)
      if (id === undefined) {
        id = Array.isArray(value) ? value.map((one) => column.read(one)) : column.read(value)
        if (typeof value === 'string') ids.set(value, id)
      }
      row[key] = id
    }
  }
  const free = unnamed.length === 0 ? [] : Object.keys(first).filter((key) => !claimed.has(key))
  const checked = [...derived, ...free.flatMap((key) => unnamed.map((one) => [key, one] as const))]
  for (const [key, one] of checked) {
    for (const row of rows) refuseStored(key, row[key], one)
  }
}

function refuseStored(key: string, value: unknown, { near, isJoined }: Derived): void {
  const isText = typeof value === 'string' || isBytes(value)
  const column = near.find((one) => (isJoined && isText) || isStored(value, one))
  if (column === undefined) return
  const { path, metadata, storage } = column
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${key} is selected by an expression that returns ids in their stored form (${storage.name}); select the column ` +
      `itself with an alias, or run the query with dataSource.query and convert with storageOf(dataSource, ${metadata.entityMetadata.name}, '${metadata.propertyPath}').fromDatabase`,
    { family: storage.family.name, path, field: key, value },
  )
}

/** Whether a value is an id in the column's stored form, or JSON or an array with one. */
function isStored(value: unknown, column: PreparedColumn): boolean {
  const isObject = typeof value === 'object' && value !== null
  if (isObject && !isBytes(value)) return Object.values(value).some((one) => isStored(one, column))
  if (!isObject && typeof value !== 'string') return false
  const { storage } = column
  try {
    checkStored(storage, value)
    return !storage.family.is(value) && storage.fromDatabase(value) !== null
  } catch {
    return false
  }
}

/** The meanings of a selection's values, by their names in a row. */
function selectedMeanings(selection: Selection): Meanings {
  const { aliases, selects, commonTableExpressions } = selection.expressionMap
  const dataSource = dataSourceOf(selection)
  const common = commonTableExpressions.length > 0 ? selection.createCteExpression() : ''
  const text =
    common + selects.map(({ selection: selected, aliasName = '' }) => `${selected} ${aliasName}`).join()
  return remembered(preparedOf(dataSource).selected, text, aliases, () => {
    const sources = sourcesOf(aliases, dataSource, common)
    const meanings = meaningsOf(aliases.flatMap((alias) => [...columnsOf(alias, sources, dataSource)]))
    for (const selected of selects) addExpressions(meanings, selected, sources, dataSource)
    if (meanings.unnamed.length > 0) {
      for (const key of aliases.flatMap((alias) => keysOf(alias, dataSource))) meanings.claimed.add(key)
    }
    return meanings
  })
}

const meaningsOf = (ids: Iterable<readonly [string, PreparedColumn]>): Meanings => ({
  ids: new Map(ids),
  derived: new Map(),
  unnamed: [],
  claimed: new Set(),
})

function addExpressions(
  { ids, derived, unnamed, claimed }: Meanings,
  { selection, aliasName }: Selected,
  sources: readonly Source[],
  dataSource: DataSource,
): void {
  const expressions = expressionsOf(tokensOf(selection, dataSource), sources, dataSource, aliasName)
  for (const { key, column, tokens } of expressions) {
    if (key !== undefined) {
      claimed.add(key)
      ids.delete(key)
      derived.delete(key)
      if (column) ids.set(key, column)
    }
    // A single name is a column, or all columns of an entity.
    if (tokens.length < 2 || (key !== undefined && column)) continue
    const near = columnsNear(tokens, sources)
    if (near.length === 0) continue
    const one = { near, isJoined: !column && isJoining(tokens) }
    if (key === undefined) unnamed.push(one)
    else derived.set(key, one)
  }
}

const JOINING = ['CONCAT', 'CONCAT_WS', 'GROUP_CONCAT', 'STRING_AGG', 'CAST']

/** Whether an expression only concatenates and casts; other functions may return anything. */
function isJoining(tokens: readonly SqlToken[]): boolean {
  const called = tokens.filter(
    (token, i) => token.kind === 'name' && tokens[i + 1]?.text === '(' && !isWord(tokens[i - 1], 'AS'),
  )
  const joins = called.some((one) => isWord(one, ...JOINING)) || tokens.some(({ text }) => text === '||')
  return joins && called.every((one) => isWord(one, ...JOINING))
}

/** Id columns in an expression whose stored form is distinguishable from other values. */
function columnsNear(tokens: readonly SqlToken[], sources: readonly Source[]): PreparedColumn[] {
  const [expression] = readExpressions(tokens).expressionAt
  const columns = Array.from(expression ? namesIn(tokens, expression) : []).flatMap(({ parts }) => {
    const path = parts.join('.')
    const row = sources.find(({ name }) => name.toLowerCase() === path.toLowerCase())
    return idColumnAt(path, sources) ?? [...(row?.paths.values() ?? [])]
  })
  return [...new Set(columns)].filter(({ storage: { converts, name } }) => converts && name !== 'bigint')
}

/** The names that an entity's columns have in a row. */
const keysOf = (alias: Alias, { driver }: DataSource): string[] =>
  alias.hasMetadata
    ? alias.metadata.columns.map(({ databaseName }) =>
        DriverUtils.buildAlias(driver, undefined, alias.name, databaseName),
      )
    : []

/** The id columns of an alias's table or subquery, by the names that their values have in a row. */
function columnsOf(alias: Alias, sources: readonly Source[], dataSource: DataSource): Paths {
  if (!alias.hasMetadata) return sources.find(({ name }) => name === alias.name)?.paths ?? new Map()
  const keyOf = ({ databaseName }: ColumnMetadata) =>
    DriverUtils.buildAlias(dataSource.driver, undefined, alias.name, databaseName)
  const virtual = alias.metadata.columns.flatMap((column): [string, PreparedColumn][] => {
    if (!column.query) return []
    const [id] = idsOfSelect(tokensOf(column.query(alias.name), dataSource), dataSource).values()
    return id ? [[keyOf(column), id]] : []
  })
  return new Map([
    ...idColumnsIn(alias.metadata).map((column) => [keyOf(column.metadata), column] as const),
    ...virtual,
  ])
}
