import {
  type AggregateExpr,
  type AnyExpression,
  type AnyQueryAst,
  BinaryExpr,
  type ColumnRef,
  type IdentifierRef,
  type LiteralExpr,
  OperationExpr,
  ParamRef,
  type PreparedParamRef,
  type TableSource,
} from '@prisma/orm-family-sql/relational-core/ast'
import type { SqlMiddleware } from '@prisma/orm-family-sql/runtime'
import { type Database, IdError } from '@snoflax/core'
import { DEFAULT_SCHEMA, unixMs, withPath } from '@snoflax/core/adapter'
import type { IdColumn } from './columns.js'
import { type ContractColumn, ContractIds, type SqlContract } from './contract.js'

/** Part of a query. Your values are not traversed. */
interface Node {
  readonly kind: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).kind === 'string'

/** Whether the node is one of your values, which may also be an object. */
const isOfUser = (value: object): boolean =>
  isNode(value) && (value.kind === 'param-ref' || value.kind === 'literal')

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) {
    yield value
    if (isOfUser(value)) return
  }
  for (const part of Object.values(value)) yield* nodesIn(part)
}

/** Replacements of nodes. */
type Replacements = Map<unknown, AnyExpression>

/** The query with nodes replaced. Nodes are frozen and have no private fields, so copies work like the originals. */
function replacedIn<Value>(value: Value, found: Replacements): Value {
  const replacement = found.get(value)
  if (replacement !== undefined) return replacement as Value
  if (typeof value !== 'object' || value === null || isOfUser(value)) return value
  if (Array.isArray(value)) {
    const parts = value.map((part) => replacedIn(part, found))
    return parts.some((part, index) => part !== value[index]) ? (Object.freeze(parts) as Value) : value
  }
  const changed = Object.entries(value).flatMap(([name, part]) => {
    const replaced = replacedIn(part, found)
    return replaced === part ? [] : [[name, replaced] as const]
  })
  return changed.length === 0 ? value : changedCopy(value, Object.fromEntries(changed))
}

/** Keeps the prototype: several copies of Prisma's classes may be loaded. */
const changedCopy = <Value extends object>(value: Value, change: object): Value =>
  Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(value)), value, change))

const isEnd = (node: Node): node is AggregateExpr =>
  node.kind === 'aggregate' && ['min', 'max'].includes((node as AggregateExpr).fn)

/** The id columns of one query, by its table aliases. */
class QueryIds {
  private readonly tables = new Map<string, TableSource[]>()

  constructor(
    readonly ids: ContractIds,
    nodes: readonly Node[],
  ) {
    for (const node of nodes) {
      if (node.kind !== 'table-source') continue
      const table = node as TableSource
      const name = table.alias ?? table.name
      this.tables.set(name, [...(this.tables.get(name) ?? []), table])
    }
  }

  at(node: unknown): ContractColumn | undefined {
    if (!isNode(node)) return undefined
    // min and max of an id column are ids too.
    if (isEnd(node)) return this.at(node.expr)
    if (node.kind === 'identifier-ref') return this.named((node as IdentifierRef).name)
    if (node.kind !== 'column-ref') return undefined
    const { table, column } = node as ColumnRef
    const found = (this.tables.get(table) ?? []).map((source) => this.in(source, column))
    if (new Set(found.map((each) => each?.place)).size < 2) return found[0]
    throw new IdError(
      'INVALID_OPTION',
      `${table}.${column}: several tables of the query are called ${table}, so its ids can't be converted; alias each of them`,
      { path: `${table}.${column}` },
    )
  }

  /** The SQL builder omits the table if only one table has the column; a subquery may have it too. */
  private named(name: string): ContractColumn | undefined {
    const found = [...this.tables.values()].flat().flatMap((source) => this.in(source, name) ?? [])
    return new Set(found.map(({ place }) => place)).size === 1 ? found[0] : undefined
  }

  in(source: TableSource, column: string): ContractColumn | undefined {
    return this.ids.at(source.namespaceId, source.name, column)
  }
}

/** The value as a parameter for the column's codec. @throws {IdError} with model and field. */
export function bound({ place, storage, ref }: ContractColumn, value: unknown): ParamRef {
  withPath(place, () => storage.toDatabase(value))
  return ParamRef.of(value, { codec: ref })
}

const isPrepared = (node: unknown): node is PreparedParamRef =>
  isNode(node) && node.kind === 'prepared-param-ref'

/** The parameter of a prepared query, which is declared with a codec only, plus the column's prefix and epoch. */
const prepared = ({ ref }: ContractColumn, parameter: PreparedParamRef): PreparedParamRef =>
  changedCopy(parameter, { codec: ref })

/** Turns a comparison of `createdAt` with a Date into one of the id. */
function atMoment(column: ContractColumn, { op, left }: BinaryExpr, value: unknown): BinaryExpr {
  const { family, place } = column
  const ms = withPath(place, () => unixMs(value as Date))
  // Ids within one millisecond are neither before nor after it.
  const isWhole = op === 'gt' || op === 'lte'
  const { lt: first } = family.range(Number.NEGATIVE_INFINITY, isWhole ? ms + 1 : ms)
  const id = bound(column, first ?? family.max)
  const isLater = op === 'gt' || op === 'gte'
  if (first === undefined) return isLater ? BinaryExpr.gt(left, id) : BinaryExpr.lte(left, id)
  return isLater ? BinaryExpr.gte(left, id) : BinaryExpr.lt(left, id)
}

function readComparison(query: QueryIds, comparison: BinaryExpr, found: Replacements): void {
  const { left, right } = comparison
  for (const [own, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const column = query.at(own)
    if (column === undefined) continue
    const values = (other as { values?: readonly AnyExpression[] }).values ?? [other]
    for (const value of values) {
      if (value.kind === 'literal') found.set(value, bound(column, (value as LiteralExpr).value))
      if (isPrepared(value)) found.set(value, prepared(column, value))
      if (value.kind !== 'param-ref') continue
      const { value: param, codec } = value as ParamRef
      if (codec?.codecId === column.column.timeCodecId && own === left) {
        found.set(comparison, atMoment(column, comparison, param))
      }
      if (codec?.codecId === column.column.codecId) bound(column, param)
    }
  }
}

/** `min` or `max` by the function of @snoflax/pg-sql, since PostgreSQL has no min(uuid). */
function readEnd(query: QueryIds, end: AggregateExpr, found: Replacements): void {
  const column = query.at(end)
  if (column === undefined || end.expr === undefined || column.storage.column.type !== 'uuid') return
  const operation = new OperationExpr({
    method: end.fn,
    self: end.expr,
    args: undefined,
    returns: { codecId: column.column.codecId, nullable: true },
    lowering: { targetFamily: 'sql', template: `${DEFAULT_SCHEMA}.${end.fn}({{self}})` },
  })
  found.set(end, operation)
}

/** Checks values written to id columns, so that errors have model and field. */
function readWritten(query: QueryIds, table: TableSource, row: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(row)) {
    const column = query.in(table, name)
    if (column === undefined || !isNode(value) || value.kind !== 'param-ref') continue
    const { value: param } = value as ParamRef
    if (param != null) bound(column, param)
  }
}

function replacementsIn(ast: AnyQueryAst, ids: ContractIds): Replacements {
  const nodes = [...nodesIn(ast)]
  const query = new QueryIds(ids, nodes)
  const found: Replacements = new Map()
  for (const node of nodes) {
    if (node.kind === 'binary') readComparison(query, node as BinaryExpr, found)
    if (isEnd(node)) readEnd(query, node, found)
  }
  if (ast.kind === 'insert') {
    const action = ast.onConflict?.action
    const updates = action?.kind === 'do-update-set' ? [action.set] : []
    for (const row of [...ast.rows, ...updates]) readWritten(query, ast.table, row)
  }
  if (ast.kind === 'update') readWritten(query, ast.table, ast.set)
  return found
}

/**
 * Converts ids that Prisma leaves unconverted (`update`, `delete`, `connect` by key, `having`), comparisons of
 * `createdAt`, and `min` and `max`. Throws for values that are not ids, with model and field, before the query runs.
 */
export function idMiddleware(columns: readonly IdColumn[], database: Database): SqlMiddleware {
  const known = new WeakMap<object, ContractIds>()
  const idsOf = (contract: SqlContract): ContractIds => {
    const ids = known.get(contract.storage) ?? new ContractIds(contract, columns, database)
    known.set(contract.storage, ids)
    return ids
  }
  return {
    name: 'snoflax',
    familyId: 'sql',
    async beforeCompile(draft, { contract }) {
      const found = replacementsIn(draft.ast, idsOf(contract))
      if (found.size === 0) return undefined
      return { ...draft, ast: replacedIn(draft.ast, found) }
    },
  }
}
