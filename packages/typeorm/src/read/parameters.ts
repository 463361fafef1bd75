import { IdError } from '@snoflax/core'
import { checkComparable, isWord, type SqlToken } from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'
import { bound, unbound } from '../columns/bound.js'
import {
  dataSourceOf,
  idColumnFor,
  type PreparedColumn,
  pathOf as placeOf,
  preparedOf,
} from '../columns/prepared.js'
import {
  type Comparison,
  comparedIn,
  comparisonsIn,
  once,
  pathOf,
  type Surroundings,
  valuesIn,
} from './comparisons.js'
import { type Expression, readExpressions } from './expressions.js'
import {
  type Alias,
  columnIn,
  idColumnAt,
  idColumnBehind,
  idsOfSelect,
  insertedIn,
  isReadAs,
  remembered,
  type Scope,
  type Selection,
  type Source,
  scopesOf,
  selectionOf,
  sourcesOf,
  tokensOf,
  type WrittenSource,
  writtenSources,
} from './sources.js'

/**
 * Ends the name of a parameter that is compared with an id column, followed by the column's number. A parameter near id
 * columns, in an expression that we can't read, is guarded: it may be anything but an id of these columns.
 */
const MARK = '.snoflax'
const GUARD = 'guarded'
const MARKED = /\.snoflax(\d+(?:_\d+)*)(guarded)?(?![A-Za-z0-9_.])/y

/**
 * Marks the parameters of a query that are compared with id columns. It can't convert them yet, since the same parameter
 * may be compared with something else in another place, and values may still be set.
 *
 * @throws {IdError} `INVALID_OPTION` for a pattern on ids that are not stored as text, and for columns that are never equal.
 */
export function markIdParameters(query: string, selection: Selection): string {
  if (!/[:'=<>]|\b(?:IN|BETWEEN|DISTINCT|CASE)\b|^INSERT/i.test(query)) return query
  const dataSource = dataSourceOf(selection)
  const { aliases } = selection.expressionMap
  return remembered(preparedOf(dataSource).marked, query, aliases, () => marked(query, aliases, dataSource))
}

function marked(query: string, aliases: readonly Alias[], dataSource: DataSource): string {
  const tokens = tokensOf(query, dataSource)
  const expressions = readExpressions(tokens)
  const comparisonOf = comparisonsIn(tokens, expressions)
  const columnAt = columnsBySource(tokens, aliases, dataSource)
  const markOf = marksBy(tokens, columnAt)
  const answeredBy = (expression: readonly SqlToken[]) => idColumnOf(expression, columnAt, dataSource)
  const sources = sourcesOf(aliases, dataSource)
  for (const [own, other] of comparedIn(tokens, expressions)) {
    const [one, another] = [answeredBy(own), answeredBy(other)]
    checkEqual(one, another)
    if (one && !another) refuseText(one, other, sources, dataSource)
    if (another && !one) refuseText(another, own, sources, dataSource)
  }
  const inserted = new Map<SqlToken, Comparison>()
  for (const [name, expression] of insertedIn(tokens, dataSource)) {
    const [first] = expression as [SqlToken]
    const path = `${aliases[0]?.name}.${name}`
    const [own, another] = [columnAt(path, first), answeredBy(expression)]
    checkEqual(own, another)
    if (own && !another) refuseText(own, expression, writtenSources(tokens, dataSource), dataSource)
    const comparison = { paths: [path], byPattern: false, around: { expressions: [] } }
    if (expression.length === 1) inserted.set(first, comparison)
  }
  let marked = ''
  let from = 0
  tokens.forEach((token, i) => {
    const comparison = () => inserted.get(token) ?? comparisonOf(i)
    if (token.kind === 'string') refuseLiteral(token, comparison(), columnAt)
    if (token.kind !== 'placeholder' || token.text.includes(MARK)) return
    marked += query.slice(from, token.end) + markOf(comparison(), token)
    from = token.end
  })
  return marked + query.slice(from)
}

/** The id column whose values an expression, or a query of one column, answers. */
function idColumnOf(
  tokens: readonly SqlToken[],
  columnAt: ColumnAt,
  dataSource: DataSource,
): PreparedColumn | undefined {
  const [first, second] = tokens
  if (isWord(second, 'SELECT')) {
    const [answered, another] = idsOfSelect(tokens.slice(1, -1), dataSource).values()
    return another ? undefined : answered
  }
  const path = pathOf(tokens)
  return path === undefined ? undefined : columnAt(path, first as SqlToken)
}

/** What two columns store in different forms is never equal, and no id where one is set to the other. */
function checkEqual(one: PreparedColumn | undefined, other: PreparedColumn | undefined): void {
  if (one && other) checkComparable(one.named, other.named)
}

/** In MySQL and SQLite, ids in another form and text are never equal, or equal as rounded numbers; PostgreSQL refuses them. */
export function refuseText(
  { path, storage }: PreparedColumn,
  beside: readonly SqlToken[],
  sources: readonly Source[],
  dataSource: DataSource,
): void {
  if (storage.name === 'text' || storage.database === 'postgres') return
  const other = ownColumnOf(beside, sources, dataSource)
  const type = other && !idColumnFor(other) && dataSource.driver.normalizeType(other)
  if (!type || !/char|text|clob/i.test(type)) return
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${path} (${storage.family.name} as ${storage.name}) and ${placeOf(other)} (${type}) are never equal in the database; ` +
      'declare both as id columns, such as FlaxIdColumn.plain()',
    { family: storage.family.name, path },
  )
}

/** The entity's column that is an expression, or the only one that a query in parentheses selects. */
function ownColumnOf(
  tokens: readonly SqlToken[],
  around: readonly Source[],
  dataSource: DataSource,
): ColumnMetadata | undefined {
  const query = isWord(tokens[1], 'SELECT') ? tokens.slice(1, -1) : undefined
  const path = pathOf(query ? selectionOf(query) : tokens)
  if (path === undefined) return undefined
  const sources = query ? writtenSources(query, dataSource) : around
  const isBare = query !== undefined || tokens[0]?.open === -1
  const found = new Set(
    sources.flatMap(({ name, metadata }) => {
      const isBehind = path.startsWith(`${name}.`)
      if (!metadata || !(isBehind || isBare)) return []
      const own = isBehind ? path.slice(name.length + 1) : path
      return (
        metadata.findColumnWithPropertyPath(own) ??
        metadata.columns.find((one) => one.databaseName === own) ??
        []
      )
    }),
  )
  const [column] = found
  return found.size === 1 ? column : undefined
}

/** The id column that a path means at the token's position. */
type ColumnAt = (path: string, at: SqlToken) => PreparedColumn | undefined

function marksBy(
  tokens: readonly SqlToken[],
  columnAt: ColumnAt,
): (comparison: Comparison, at: SqlToken) => string {
  const columnsIn = new Map<Expression, readonly PreparedColumn[]>()
  const near = (expression: Expression): readonly PreparedColumn[] =>
    once(columnsIn, expression, () =>
      distinct(
        Array.from(valuesIn(tokens, expression)).flatMap((one) =>
          'kind' in one ? (columnAt(one.parts.join('.'), one) ?? []) : near(one),
        ),
      ),
    )
  const columnsAround = new Map<Surroundings, readonly PreparedColumn[]>()
  const around = (one: Surroundings): readonly PreparedColumn[] =>
    once(columnsAround, one, () =>
      distinct([...one.expressions.flatMap(near), ...(one.outer ? around(one.outer) : [])]),
    )
  return (comparison, at) => {
    const columns = columnsOf(comparison, at, columnAt)
    const column = columns.find((one) => one !== undefined)
    if (column && comparison.byPattern) return markOfPattern(column)
    if (column && columns.every((one) => one && isReadAs(one.storage, column.storage)))
      return MARK + column.number
    // A value that is compared only with other columns is not an id.
    if (!column && columns.length > 0 && comparison.paths.every((path) => path !== undefined)) return ''
    const guards = around(comparison.around).map(({ number }) => number)
    return guards.length > 0 ? `${MARK}${guards.join('_')}${GUARD}` : ''
  }
}

const columnsOf = ({ paths }: Comparison, at: SqlToken, columnAt: ColumnAt) =>
  paths.map((path) => (path === undefined ? undefined : columnAt(path, at)))

/** Refuses an id in quotes: it equals nothing in a column that stores ids in another form. */
function refuseLiteral(literal: SqlToken, comparison: Comparison, columnAt: ColumnAt): void {
  const column = columnsOf(comparison, literal, columnAt).find((one) => one !== undefined)
  if (!column) return
  if (comparison.byPattern) markOfPattern(column)
  const { path, storage } = column
  const value = literal.text.slice(1, -1)
  if (!isUnconverted(value, column)) return
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${literal.text} is an id in the text of the query, and the column stores ids as ${storage.name}; pass it as a parameter, :id`,
    { family: storage.family.name, path, value },
  )
}

/** One column for each storage that converts. */
function distinct(columns: readonly PreparedColumn[]): PreparedColumn[] {
  const forms = new Map<string, PreparedColumn>()
  for (const column of columns) {
    const { converts, family, name } = column.storage
    if (converts) once(forms, [family.name, name].join(), () => column)
  }
  return [...forms.values()]
}

/**
 * Looks up a path in the FROM of its subquery, then in the builder's aliases, then in other tables that the text of the
 * query names.
 */
function columnsBySource(
  tokens: readonly SqlToken[],
  aliases: readonly Alias[],
  dataSource: DataSource,
): ColumnAt {
  const sources = sourcesOf(aliases, dataSource)
  const known = aliases.filter(({ hasMetadata, subQuery }) => hasMetadata || subQuery !== undefined)
  const names = new Set(known.map(({ name }) => name))
  let written: readonly WrittenSource[] | undefined
  const read = () => {
    written ??= writtenSources(tokens, dataSource)
    return written
  }
  let scopes: ReturnType<typeof scopesOf> | undefined
  const outside = new Map<string, PreparedColumn | undefined>()
  const columnOutside = (path: string) =>
    once(outside, path, () => {
      const column = idColumnAt(path, sources)
      if (column || names.has(path.split('.')[0] as string)) return column
      return idColumnBehind(path, read()) ?? columnAnswered(path)
    })
  /**
   * In SQLite and MySQL a condition may use an alias of its own SELECT. A source's column takes precedence, so this needs
   * to know all columns.
   */
  let answers: ReturnType<typeof idsOfSelect> | undefined
  const columnAnswered = (path: string) => {
    if (!aliases.every(({ hasMetadata }) => hasMetadata) || columnIn(path, sources)) return undefined
    answers ??= idsOfSelect(tokens, dataSource)
    return answers.get(path)
  }
  const columnWithin = (path: string, scope: Scope | undefined): PreparedColumn | undefined => {
    if (!scope?.outer) return columnOutside(path)
    return once(scope.columns, path, () => {
      const found = columnIn(path, scope.sources)
      return found ? found.idColumn : columnWithin(path, scope.outer)
    })
  }
  return (path, token) => {
    if (token.open === -1) return columnOutside(path)
    scopes ??= scopesOf(tokens, read())
    return columnWithin(path, scopes.get(token))
  }
}

function markOfPattern({ path, storage: { name, family, converts } }: PreparedColumn): string {
  if (!converts) return ''
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ids stored as ${name} cannot be matched by a pattern; compare with the bounds of ${family.name}.range()`,
    { family: family.name, path },
  )
}

/**
 * The parameters and, under their marked names, those that are compared with ids as the columns store them.
 *
 * @throws {IdError} `INVALID_OPTION` for an id in an expression that is not converted.
 */
export function withIdValues(
  query: string,
  parameters: Readonly<Record<string, unknown>>,
  columns: readonly PreparedColumn[],
): Readonly<Record<string, unknown>> {
  if (!query.includes(MARK)) return parameters
  const all: Record<string, unknown> = { ...parameters }
  for (let at = query.indexOf(MARK); at !== -1; at = query.indexOf(MARK, at + 1)) {
    MARKED.lastIndex = at
    const [mark = '', numbers = '', guard] = MARKED.exec(query) ?? []
    const name = query.slice(query.lastIndexOf(':', at) + 1, at).replace('...', '')
    if (!Object.hasOwn(parameters, name)) continue
    const near = numbers.split('_').map((number) => columns[Number(number)] as PreparedColumn)
    const [column] = near as [PreparedColumn]
    const value = unbound(parameters[name])
    const refusing = guard ? near.find((one) => isUnconverted(value, one)) : undefined
    if (refusing) refuse(name, value, refusing)
    all[name + mark] = guard ? value : bound(column.to(value), column)
  }
  return all
}

const isUnconverted = (value: unknown, column: PreparedColumn): boolean =>
  Array.isArray(value)
    ? value.some((one) => isUnconverted(one, column))
    : column.storage.family.is(value) && column.to(value) !== value

function refuse(name: string, value: unknown, { path, metadata, storage }: PreparedColumn): never {
  const { family } = storage
  throw new IdError(
    'INVALID_OPTION',
    `${path}: parameter :${name} is an id in an expression that is not converted to ${storage.name}; compare it with ` +
      `the column itself, or bind storageOf(dataSource, ${metadata.entityMetadata.name}, '${metadata.propertyPath}').toDatabase(id)`,
    { family: family.name, path, field: name, value },
  )
}

/** A list as one parameter: TypeORM creates one for each value, and we would read each of them. */
export function inOneParameter(builder: Parametric, path: string, value: unknown): object | undefined {
  if (!InstanceChecker.isFindOperator(value) || value.type !== 'in') return undefined
  const list: unknown = value.value
  if (!Array.isArray(list) || list.length < 2) return undefined
  return { operator: 'in', parameters: [path, builder.createParameter(list).replace(':', ':...')] }
}

/** A builder of conditions. */
export interface Parametric extends Selection {
  createParameter(value: unknown): string
}

/**
 * Runs TypeORM's own code for conditions by id as for a key without a transformer. With one it compares all of an object's
 * properties, and matches every row if there is nothing to compare.
 */
export function asPlainKey<Condition>(
  [key]: readonly ColumnMetadata[],
  conditionOf: () => Condition,
): Condition {
  const idColumn = key && idColumnFor(key)
  if (!idColumn) return conditionOf()
  delete key.transformer
  try {
    return conditionOf()
  } finally {
    key.transformer = idColumn
  }
}
