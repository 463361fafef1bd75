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
  ValueNode,
  type ValuesItemNode,
  ValuesNode,
} from 'kysely'
import type { ColumnIds, Declared, IdTable } from './declared.js'

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
        const { table, joins = [], updates } = node as unknown as UpdateQueryNode
        if (table?.kind === 'ListNode')
          for (const one of (table as ListNode).items) this.checkUpdates(updates, one)
        else if (table) this.checkUpdates(updates, table)
        for (const join of joins) this.checkUpdates(updates, join.table, true)
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
    const { table } = this.target(into)
    if (table === undefined) return
    for (const { result } of whens) {
      if (result?.kind === 'UpdateQueryNode') this.checkUpdates((result as UpdateQueryNode).updates, into)
      if (result?.kind !== 'InsertQueryNode') continue
      if (inserted(result as InsertQueryNode, table) === result) continue
      throw (table.generated[0] as ColumnIds).refuse(
        'the insert of a merge would write one id into every row; pass a column of the source, or let the database generate ids',
      )
    }
  }

  /** PostgreSQL can insert in any CTE. */
  private readonly ctes = (node: OperationNode) =>
    changed(node, 'expressions', (cte) => changed(cte, 'expression', this.of))

  /** The declared table that an update writes to, and its name in the statement. */
  private target(given: OperationNode): { table?: IdTable | undefined; name?: string } {
    const { node, alias } = given.kind === 'AliasNode' ? (given as AliasNode) : { node: given }
    if (node.kind !== 'TableNode') return {}
    const { name } = (alias ?? (node as TableNode).table.identifier) as IdentifierNode
    return { table: this.declared.table(node as TableNode), name }
  }

  /** @param isJoined whether MySQL updates the table only where the column has its name. */
  private checkUpdates(updates: Updates, node: OperationNode, isJoined = false): void {
    const { table, name } = this.target(node)
    if (table) checkUpdates(updates, table, name, isJoined)
  }
}

type Updates = readonly ColumnUpdateNode[] | undefined

function checkUpdates(updates: Updates = [], { columns }: IdTable, target?: string, isJoined = false): void {
  for (const { column, value } of updates) {
    if (value.kind !== 'ValueNode') continue
    const { table, column: named } = column as Partial<ReferenceNode>
    const of = table?.table.identifier.name
    if (named === undefined || (of === undefined ? isJoined : of !== target)) continue
    // Of a column without a table, this is its name.
    const { name } = (named.kind === 'ColumnNode' ? (named as ColumnNode).column : named) as IdentifierNode
    columns.get(name)?.check((value as ValueNode).value)
  }
}

/** An insert with an id in each row that has none. */
function inserted(insert: InsertQueryNode, table: IdTable): InsertQueryNode {
  const { columns: named = [], values, defaultValues, onConflict, onDuplicateKey } = insert
  checkUpdates(onConflict?.updates ?? onDuplicateKey?.updates, table)
  const places = named.flatMap(({ column }, at): Place[] => {
    const ids = table.columns.get(column.name)
    return ids ? [{ at, ids }] : []
  })
  const missing = table.generated.filter((one) => !places.some(({ ids }) => ids === one))
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

/** A declared column, and its place in the rows. */
type Place = { readonly at: number; readonly ids: ColumnIds }

function withIds(
  row: ValuesItemNode,
  places: readonly Place[],
  missing: readonly ColumnIds[],
): ValuesItemNode {
  if (row.kind === 'PrimitiveValueListNode') {
    for (const { at, ids } of places) ids.check(row.values[at])
    return missing.length === 0 ? row : { kind: row.kind, values: [...row.values, ...missing.map(newId)] }
  }
  const values = [...row.values, ...missing.map((ids) => ValueNode.create(newId(ids)))]
  let isSame = missing.length === 0
  for (const { at, ids } of places) {
    const node = values[at]
    if (node?.kind === 'ValueNode') ids.check((node as ValueNode).value)
    if (node?.kind !== 'DefaultInsertValueNode' || !ids.generate) continue
    values[at] = ValueNode.create(ids.generate())
    isSame = false
  }
  return isSame ? row : { kind: row.kind, values }
}
