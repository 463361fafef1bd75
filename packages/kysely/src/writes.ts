import { IdError } from '@snoflax/core'
import { snakeCase } from '@snoflax/core/adapter'
import {
  AliasNode,
  ColumnNode,
  type ColumnUpdateNode,
  DefaultInsertValueNode,
  IdentifierNode,
  InsertQueryNode,
  ListNode,
  MergeQueryNode,
  type OperationNode,
  PrimitiveValueListNode,
  type RawNode,
  ReferenceNode,
  TableNode,
  UpdateQueryNode,
  ValueNode,
  type ValuesItemNode,
  ValuesNode,
  type WithNode,
} from 'kysely'
import type { ColumnIds } from './declared.js'

/** What a statement writes to: the columns of a declared table, and its name in the statement. */
type Target = { readonly table?: readonly ColumnIds[] | undefined; readonly name?: string }

/** Nodes that write, or that have CTEs that do. */
const STATEMENTS: ReadonlySet<string> = new Set(
  ['Select', 'Insert', 'Update', 'Delete', 'Merge'].map((kind) => `${kind}QueryNode`),
)

/** Adds ids to rows that are inserted without one, and checks ids that are written. */
export class Writes {
  private readonly tables = new Map<string, readonly ColumnIds[]>()
  /** Tables by the names that CamelCasePlugin sends for them. */
  private readonly renamed = new Map<string, string>()

  constructor(columns: Iterable<ColumnIds>) {
    for (const ids of columns) {
      this.tables.set(ids.table, [...(this.tables.get(ids.table) ?? []), ids])
      this.renamed.set(snakeCase(ids.table), ids.table)
    }
  }

  /**
   * The statement as it is sent: the same node if no row of it gets an id.
   *
   * @throws {IdError} for a malformed id that is written.
   */
  readonly sent = <ANode extends OperationNode>(statement: ANode): ANode => {
    if (statement.kind === 'RawNode') {
      const { parameters } = statement as OperationNode as RawNode
      const sent = mapped(parameters, this.sent)
      return sent === parameters ? statement : { ...statement, parameters: sent }
    }
    if (!STATEMENTS.has(statement.kind)) return statement
    const node = this.withCtes(statement)
    if (InsertQueryNode.is(node)) return inserted(node, this.target(node.into)) as never
    if (UpdateQueryNode.is(node)) {
      const { table, joins = [], updates } = node
      for (const one of table && ListNode.is(table) ? table.items : [table])
        checkUpdates(updates, this.target(one))
      for (const join of joins) checkUpdates(updates, this.target(join.table), true)
    } else if (MergeQueryNode.is(node)) {
      for (const { result } of node.whens ?? []) if (result) checkMerged(result, this.target(node.into))
    }
    return node
  }

  /** PostgreSQL can insert in any CTE. */
  private withCtes<ANode extends OperationNode & { readonly with?: WithNode }>(node: ANode): ANode {
    if (node.with === undefined) return node
    const { expressions } = node.with
    const sent = mapped(expressions, (cte) => {
      const expression = this.sent(cte.expression)
      return expression === cte.expression ? cte : { ...cte, expression }
    })
    return sent === expressions ? node : { ...node, with: { ...node.with, expressions: sent } }
  }

  /** @throws {IdError} `INVALID_OPTION` if another plugin has renamed the table. */
  private target(expression: OperationNode | undefined): Target {
    const { node, alias } = expression && AliasNode.is(expression) ? expression : { node: expression }
    if (node === undefined || !TableNode.is(node)) return {}
    const { schema, identifier } = node.table
    const { name } = identifier
    const table = (schema && this.tables.get(`${schema.name}.${name}`)) ?? this.tables.get(name)
    const declared = table ? undefined : this.renamed.get(name)
    if (declared === undefined) return { table, name: alias && IdentifierNode.is(alias) ? alias.name : name }
    const cure = 'put the plugin of ids before plugins that rename, such as CamelCasePlugin'
    throw new IdError('INVALID_OPTION', `${name}: declared as ${declared}; ${cure}`, { path: name })
  }
}

/** The nodes mapped: the same list if none of them changes. Values, most parameters of a template, are not looked at. */
function mapped<ANode extends OperationNode>(
  nodes: readonly ANode[],
  map: (node: ANode) => ANode,
): readonly ANode[] {
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at] as ANode
    if (node.kind === 'ValueNode') continue
    const sent = map(node)
    if (sent !== node) return [...nodes.slice(0, at), sent, ...nodes.slice(at + 1).map(map)]
  }
  return nodes
}

/** @param isJoined whether MySQL updates the table only where the column has its name. */
function checkUpdates(
  updates: readonly ColumnUpdateNode[] = [],
  { table, name: target }: Target,
  isJoined = false,
): void {
  if (table === undefined) return
  for (const { column, value } of updates) {
    if (!ValueNode.is(value)) continue
    const { table: its, column: named } = ReferenceNode.is(column) ? column : { column }
    const of = its?.table.identifier.name
    if (!ColumnNode.is(named) || (of === undefined ? isJoined : of !== target)) continue
    table.find(({ name }) => name === named.column.name)?.check(value.value)
  }
}

function checkMerged(result: OperationNode, target: Target): void {
  if (UpdateQueryNode.is(result)) checkUpdates(result.updates, target)
  if (!InsertQueryNode.is(result) || inserted(result, target) === result) return
  throw target.table
    ?.find(({ generate }) => generate)
    ?.refused(
      'the insert of a merge would write one id into every row; pass a column of the source, or let the database generate ids',
    )
}

/** A declared column of an insert, and its place in the rows, which end before one that is missing. */
type Place = { readonly at: number; readonly ids: ColumnIds }

/** An insert with an id in each row that has none. */
function inserted(insert: InsertQueryNode, target: Target): InsertQueryNode {
  const { columns: listed = [], values, defaultValues, onConflict, onDuplicateKey } = insert
  if (target.table === undefined) return insert
  const updates = onConflict?.updates ?? onDuplicateKey?.updates
  if (updates) checkUpdates(updates, target)
  const columns = [...listed]
  const places: Place[] = []
  let missing: ColumnIds | undefined
  for (const ids of target.table) {
    const at = listed.findIndex(({ column }) => column.name === ids.name)
    if (at >= 0) places.push({ at, ids })
    else if (ids.generate) {
      missing ??= ids
      places.push({ at: columns.push(ids.node) - 1, ids })
    }
  }
  if (values && !ValuesNode.is(values)) {
    if (insert.columns === undefined || missing === undefined) return insert
    throw missing.refused(
      'an insert from a query generates no ids; select one for each row, or let the database generate them',
    )
  }
  if (!values && !(defaultValues && missing)) return insert
  const rows = values?.values ?? [PrimitiveValueListNode.create([])]
  // As without the plugin, the database refuses it.
  if (rows.length === 0) return insert
  const filled = rows.map((row) => withIds(row, places))
  if (missing === undefined && filled.every((row, at) => row === rows[at])) return insert
  return InsertQueryNode.cloneWith(insert, {
    columns,
    values: ValuesNode.create(filled),
    defaultValues: false,
  })
}

/** A row with its ids checked, and with those that are missing: the same one if it has them all. */
function withIds(row: ValuesItemNode, places: readonly Place[]): ValuesItemNode {
  const isPlain = PrimitiveValueListNode.is(row)
  const values: unknown[] = [...row.values]
  let isSame = true
  for (const { at, ids } of places) {
    const value = values[at] as OperationNode
    if (at >= row.values.length || (!isPlain && DefaultInsertValueNode.is(value) && ids.generate)) {
      values[at] = isPlain ? newId(ids) : ValueNode.create(newId(ids))
      isSame = false
    } else if (isPlain) ids.check(value)
    else if (ValueNode.is(value)) ids.check(value.value)
  }
  return isSame ? row : ({ kind: row.kind, values } as ValuesItemNode)
}

/** A new id of a column that generates. Errors name the column. */
export function newId(ids: ColumnIds): string {
  try {
    return (ids.generate as () => string)()
  } catch (error) {
    return ids.placed(() => {
      throw error
    })
  }
}
