import type * as kysely from 'kysely'
import { ExpressionWrapper, RawNode, ValueNode } from 'kysely'

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

/** A value, whose meaning is that of its place. */
export const isPlain = ({ kind }: Node): boolean => kind === 'ValueNode' || kind === 'PrimitiveValueListNode'

/** The values of a row. */
export function nodesOf(row: Node): readonly Node[] {
  const one = row as AnyNode
  if (one.kind === 'PrimitiveValueListNode') return one.values.map((value) => ValueNode.create(value))
  return one.kind === 'ValueListNode' || one.kind === 'TupleNode' ? one.values : [row]
}

/** A node with its children mapped: the same one if none of them changes. */
export function mapChildren<ANode extends Node>(
  node: ANode,
  map: (child: Node, key: string, at: number) => Node,
): ANode {
  let copy: Record<string, unknown> | undefined
  for (const key in node) {
    const value = node[key] as unknown
    if (typeof value !== 'object' || value === null) continue
    let mapped = value
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const item: unknown = value[at]
        const one = isNode(item) ? map(item, key, at) : item
        if (one === item) continue
        if (mapped === value) mapped = [...value]
        ;(mapped as unknown[])[at] = one
      }
    } else if (isNode(value)) mapped = map(value, key, 0)
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

// A declaration about an expression is raw SQL with a comment in the tree, since other plugins copy nodes and lose other
// properties. The plugin removes the comment.

/** The declaration in a mark. */
export type Mark =
  | { readonly is: 'id'; readonly path: string }
  | { readonly is: 'other' }
  | { readonly is: 'rows'; readonly columns: Readonly<Record<string, string | null>> }
  | { readonly is: 'time' }
  | { readonly is: 'between' }
  | { readonly is: 'beyond'; readonly order: 'asc' | 'desc' }

const OPENING = '/* snoflax:'
const CLOSING = ' */ '

export function marked<Type>(mark: Mark, ...nodes: readonly Node[]): kysely.AliasableExpression<Type> {
  const opening = OPENING + JSON.stringify(mark).replaceAll('*/', '*\\/') + CLOSING
  return new ExpressionWrapper<never, never, Type>(RawNode.create([opening, ...nodes.map(() => ' ')], nodes))
}

/** The declaration about the parameters of raw SQL, if any. */
export function markOn({ sqlFragments, parameters }: kysely.RawNode): Mark | undefined {
  const opening = sqlFragments[0]
  if (parameters.length === 0 || !opening?.startsWith(OPENING)) return undefined
  return JSON.parse(opening.slice(OPENING.length, -CLOSING.length)) as Mark
}
