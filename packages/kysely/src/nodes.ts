import type * as kysely from 'kysely'

/** A node whose members depend on its kind. */
export type AnyNode =
  | kysely.AggregateFunctionNode
  | kysely.AliasNode
  | kysely.AndNode
  | kysely.BinaryOperationNode
  | kysely.CaseNode
  | kysely.CastNode
  | kysely.ColumnNode
  | kysely.ColumnUpdateNode
  | kysely.DeleteQueryNode
  | kysely.FunctionNode
  | kysely.InsertQueryNode
  | kysely.JSONReferenceNode
  | kysely.JoinNode
  | kysely.ListNode
  | kysely.MergeQueryNode
  | kysely.ParensNode
  | kysely.PrimitiveValueListNode
  | kysely.RawNode
  | kysely.ReferenceNode
  | kysely.SelectQueryNode
  | kysely.TableNode
  | kysely.TupleNode
  | kysely.UnaryOperationNode
  | kysely.UpdateQueryNode
  | kysely.UsingNode
  | kysely.ValueListNode
  | kysely.ValueNode
  | kysely.ValuesNode

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
  readonly returning?: kysely.ReturningNode
  readonly explain?: kysely.ExplainNode
}

export const isQuery = (node: Node): node is Query =>
  /^(?:Select|Insert|Update|Delete|Merge)QueryNode$/.test(node.kind)

/** A node with its children mapped, and these parts replaced. */
export function mapChildren<ANode extends Node>(
  node: ANode,
  map: (child: Node, key: string) => Node,
  own: Partial<ANode> = {},
): ANode {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (key in own) return [key, value]
    if (isNode(value)) return [key, map(value, key)]
    const isList = Array.isArray(value) && value.some(isNode)
    return [key, isList ? value.map((one) => (isNode(one) ? map(one, key) : one)) : value]
  })
  return { ...Object.fromEntries(entries), ...own } as unknown as ANode
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).kind === 'string'

/** Kinds whose children are rewritten one by one. Other kinds without their own rule are refused. */
export const PLAIN_KINDS: ReadonlySet<string> = new Set(
  (
    'Identifier SchemableIdentifier Selection SelectAll Or Operator Where Returning CreateTable ColumnDefinition ' +
    'AddColumn DropTable DataType OrderBy OrderByItem GroupBy GroupByItem Limit Offset CreateIndex DropIndex ' +
    'References PrimaryKeyConstraint UniqueConstraint CheckConstraint ForeignKeyConstraint Having CreateSchema ' +
    'DropSchema AlterTable ModifyColumn DropColumn RenameColumn AlterColumn AddConstraint DropConstraint CreateView ' +
    'RefreshMaterializedView DropView Generated DefaultValue On SelectModifier CreateType DropType Explain ' +
    'DefaultInsertValue Over PartitionBy PartitionByItem SetOperation JSONPath JSONPathLeg JSONOperatorChain Matched ' +
    'AddIndex Fetch OrAction Collate RenameConstraint AlterType AddValue RenameValue From Using Values When Join ' +
    'With CommonTableExpression CommonTableExpressionName OnConflict OnDuplicateKey'
  )
    .split(' ')
    .map((name) => `${name}Node`),
)
