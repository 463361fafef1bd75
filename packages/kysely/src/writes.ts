import {
  type AliasNode,
  type ColumnNode,
  type ColumnUpdateNode,
  type IdentifierNode,
  InsertQueryNode,
  type ListNode,
  type MergeQueryNode,
  type OperationNode,
  PrimitiveValueListNode,
  type ReferenceNode,
  type TableNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  type ValuesItemNode,
  ValuesNode,
} from 'kysely'
import type { ColumnIds, Declared, IdTable } from './declared.js'

/** A table that an update writes to, and its name in the statement. */
type Target = readonly [table: IdTable, name?: string]

/** A list with its items mapped: the same one if none of them changes. */
function mapped<Item>(items: readonly Item[], map: (item: Item, at: number) => Item): readonly Item[] {
  const result = items.map(map)
  return result.some((item, at) => item !== items[at]) ? result : items
}

/** A node with one of its members mapped, or the nodes of a list: the same one if none of them changes. */
function changed<ANode extends OperationNode>(
  node: ANode,
  key: string,
  map: (child: OperationNode) => OperationNode,
): ANode {
  const child = (node as unknown as Record<string, OperationNode | readonly OperationNode[] | undefined>)[key]
  if (child === undefined) return node
  const result = 'kind' in child ? map(child) : mapped(child, map)
  return result === child ? node : { ...node, [key]: result }
}

/** Adds ids to rows that are inserted without one, and checks ids that are written. */
export class Writes {
  constructor(private readonly declared: Declared) {}

  /**
   * The statement as it is sent: the same node if no row of it gets an id.
   *
   * @throws {IdError} for a malformed id that is written.
   */
  readonly of = <ANode extends OperationNode>(given: ANode): ANode => {
    const node = changed(given, 'with', this.ctes)
    switch (node.kind) {
      case 'InsertQueryNode': {
        const insert = node as unknown as InsertQueryNode
        const table = insert.into && this.declared.table(insert.into)
        return table ? (inserted(insert, table) as never) : node
      }
      case 'UpdateQueryNode': {
        const { table, joins = [], updates = [] } = node as unknown as UpdateQueryNode
        const own = table?.kind === 'ListNode' ? (table as ListNode).items : table ? [table] : []
        checkUpdates(
          updates,
          own.flatMap(this.target),
          joins.flatMap((join) => this.target(join.table)),
        )
        return node
      }
      case 'MergeQueryNode':
        this.merge(node as unknown as MergeQueryNode)
        return node
      case 'RawNode':
        return changed(node, 'parameters', this.of)
      default:
        return node
    }
  }

  private merge({ into, whens = [] }: MergeQueryNode): void {
    const [target] = this.target(into)
    if (target === undefined) return
    for (const { result } of whens) {
      if (result?.kind === 'UpdateQueryNode')
        checkUpdates((result as UpdateQueryNode).updates ?? [], [target])
      if (result?.kind !== 'InsertQueryNode' || inserted(result as InsertQueryNode, target[0]) === result)
        continue
      throw (target[0].generated[0] as ColumnIds).refuse(
        'the insert of a merge would write one id into every row; pass a column of the source, or let the database generate ids',
      )
    }
  }

  /** PostgreSQL can insert in any CTE. */
  private readonly ctes = (node: OperationNode) =>
    changed(node, 'expressions', (cte) => changed(cte, 'expression', this.of))

  private readonly target = (node: OperationNode): Target[] => {
    const { node: one, alias } = node.kind === 'AliasNode' ? (node as AliasNode) : { node, alias: undefined }
    if (one.kind !== 'TableNode') return []
    const table = this.declared.table(one as TableNode)
    const name = (alias ?? (one as TableNode).table.identifier) as IdentifierNode
    return table ? [[table, name.name]] : []
  }
}

/** @param joined tables that MySQL also updates, if the column has their name. */
function checkUpdates(
  updates: readonly ColumnUpdateNode[],
  targets: readonly Target[],
  joined: readonly Target[] = [],
): void {
  if (targets.length + joined.length === 0) return
  for (const { column, value } of updates) {
    if (value.kind !== 'ValueNode') continue
    const { table, column: named } = column as Partial<ReferenceNode>
    if (named === undefined) continue
    const of = table?.table.identifier.name
    // Of a column without a table, this is its name.
    const { name } = (named.kind === 'ColumnNode' ? (named as ColumnNode).column : named) as IdentifierNode
    for (const [target, alias] of of === undefined ? targets : [...targets, ...joined])
      if (of === undefined || of === alias) target.columns.get(name)?.check((value as ValueNode).value)
  }
}

/** An insert with an id in each row that has none. */
function inserted(insert: InsertQueryNode, { columns, generated }: IdTable): InsertQueryNode {
  const { columns: named = [], values, defaultValues, onConflict, onDuplicateKey } = insert
  checkUpdates(onConflict?.updates ?? onDuplicateKey?.updates ?? [], [[{ columns, generated }]])
  const places = named.map(({ column }) => columns.get(column.name))
  const missing = generated.filter((ids) => !places.includes(ids))
  const [first] = missing
  if (values && !ValuesNode.is(values)) {
    if (insert.columns === undefined || first === undefined) return insert
    throw first.refuse(
      'an insert from a query generates no ids; select one for each row, or let the database generate them',
    )
  }
  if (!values && !(defaultValues && first)) return insert
  const given = values?.values ?? [PrimitiveValueListNode.create([])]
  const rows = mapped(given, (row) => withIds(row, places, missing))
  if (rows === given) return insert
  return InsertQueryNode.cloneWith(insert, {
    columns: [...named, ...missing.map(({ node }) => node)],
    values: ValuesNode.create(rows),
    defaultValues: false,
  })
}

const newId = ({ generate }: ColumnIds): string => (generate as () => string)()

function withIds(
  row: ValuesItemNode,
  places: readonly (ColumnIds | undefined)[],
  missing: readonly ColumnIds[],
): ValuesItemNode {
  if (row.kind === 'PrimitiveValueListNode') {
    for (const [at, ids] of places.entries()) ids?.check(row.values[at])
    return missing.length === 0 ? row : PrimitiveValueListNode.create([...row.values, ...missing.map(newId)])
  }
  const nodes = mapped(row.values, (node, at) => {
    const ids = places[at]
    if (node.kind === 'DefaultInsertValueNode' && ids?.generate) return ValueNode.create(ids.generate())
    if (node.kind === 'ValueNode') ids?.check((node as ValueNode).value)
    return node
  })
  if (missing.length === 0 && nodes === row.values) return row
  return ValueListNode.create([...nodes, ...missing.map((ids) => ValueNode.create(newId(ids)))])
}
