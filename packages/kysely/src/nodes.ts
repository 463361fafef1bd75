import type * as kysely from 'kysely'

/** A node whose members depend on its kind. */
export type AnyNode =
  | kysely.AggregateFunctionNode
  | kysely.AliasNode
  | kysely.AlterColumnNode
  | kysely.AlterTableNode
  | kysely.AndNode
  | kysely.BinaryOperationNode
  | kysely.CaseNode
  | kysely.ColumnDefinitionNode
  | kysely.ColumnNode
  | kysely.ColumnUpdateNode
  | kysely.CreateIndexNode
  | kysely.CreateTableNode
  | kysely.DeleteQueryNode
  | kysely.FromNode
  | kysely.FunctionNode
  | kysely.IdentifierNode
  | kysely.InsertQueryNode
  | kysely.JoinNode
  | kysely.ListNode
  | kysely.MergeQueryNode
  | kysely.OrNode
  | kysely.ParensNode
  | kysely.PrimitiveValueListNode
  | kysely.RawNode
  | kysely.ReferenceNode
  | kysely.SelectAllNode
  | kysely.SelectQueryNode
  | kysely.SelectionNode
  | kysely.TableNode
  | kysely.TupleNode
  | kysely.UpdateQueryNode
  | kysely.UsingNode
  | kysely.ValueListNode
  | kysely.ValueNode
  | kysely.ValuesNode
  | kysely.WhereNode

export type Node = kysely.OperationNode
export type Query =
  | kysely.SelectQueryNode
  | kysely.InsertQueryNode
  | kysely.UpdateQueryNode
  | kysely.DeleteQueryNode
  | kysely.MergeQueryNode

/** The parts of all kinds of queries. */
export interface QueryParts {
  readonly with?: kysely.WithNode
  readonly from?: kysely.FromNode
  readonly joins?: readonly kysely.JoinNode[]
  readonly table?: Node
  readonly into?: Node
  readonly using?: Node
  readonly selections?: readonly kysely.SelectionNode[]
  readonly returning?: kysely.ReturningNode
  readonly explain?: kysely.ExplainNode
}

export const isQuery = (node: Node): node is Query =>
  /^(?:Select|Insert|Update|Delete|Merge)QueryNode$/.test(node.kind)

/** Kinds that contain neither values nor tables. */
export const LEAVES: ReadonlySet<string> = new Set(
  'Reference Column Identifier SelectAll Operator DataType DefaultInsertValue SchemableIdentifier SelectModifier'
    .split(' ')
    .map((name) => `${name}Node`),
)

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).kind === 'string'

/** A node with its children mapped: the same one if none of them changes. */
export function mapChildren<ANode extends Node>(
  node: ANode,
  map: (child: Node, key: string, at: number) => Node,
): ANode {
  let copy: Record<string, unknown> | undefined
  for (const key in node) {
    const value = node[key] as unknown
    const mapped = Array.isArray(value)
      ? mapList(value, (one, at) => (isNode(one) ? map(one, key, at) : one))
      : isNode(value)
        ? map(value, key, 0)
        : value
    if (mapped === value) continue
    copy ??= { ...node } as Record<string, unknown>
    copy[key] = mapped
  }
  return (copy as ANode | undefined) ?? node
}

/** A list with its items mapped: the same one if none of them changes. */
export function mapList<Item>(
  items: readonly Item[],
  map: (item: Item, at: number) => Item,
): readonly Item[] {
  let copy: Item[] | undefined
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as Item
    const mapped = map(item, at)
    if (mapped === item) continue
    copy ??= [...items]
    copy[at] = mapped
  }
  return copy ?? items
}

/** The nodes of a chain of AND or OR, from its right end, and the node at its left end: chains are thousands deep. */
export function chainOf(last: kysely.AndNode | kysely.OrNode): [pairs: kysely.AndNode[], left: Node] {
  const pairs: kysely.AndNode[] = []
  let one: Node = last
  while (one.kind === 'AndNode' || one.kind === 'OrNode') {
    pairs.push(one as kysely.AndNode)
    one = (one as kysely.AndNode).left
  }
  return [pairs, one]
}

/** The text of an operator. */
export const operatorOf = (node: Node): string =>
  (node.kind === 'RawNode'
    ? (node as kysely.RawNode).sqlFragments.join(' ')
    : ((node as kysely.OperatorNode).operator ?? '')
  )
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
