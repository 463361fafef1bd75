import {
  AliasNode,
  type AndNode,
  type BinaryOperationNode,
  ColumnNode,
  type ColumnUpdateNode,
  type IdentifierNode,
  type InsertQueryNode,
  OperatorNode,
  RawNode,
  type ReferenceNode,
  type ValueNode,
} from 'kysely'
import { type ColumnIds, type Declared, idsAt } from './column-ids.js'
import { insertedParts, nodesOf, refuseNull } from './inserts.js'
import { betweenNode, beyondNode, markOn } from './marks.js'
import type { AnyNode, Node, QueryParts } from './nodes.js'

// Ids in columns that store their text are generated and checked, and the rest of a statement stays as it is: nodes are
// copied only where something in them changes, and rows are not read.

type Columns = ReadonlyMap<string, ColumnIds>

/** The id columns of a query's sources by their names there, and of the CTEs that it sees. */
interface Scope {
  readonly sources: Map<string, Columns | undefined>
  readonly ctes: Map<string, Columns | undefined>
  readonly parent: Scope | undefined
}

/** What a statement names: declared tables or marks, and `createdAt()`, whose rows have times in place of ids. */
export interface Naming {
  ids: boolean
  times: boolean
}

const LEAVES: ReadonlySet<string> = new Set(
  (
    'Value PrimitiveValueList Reference Column Identifier SelectAll Operator DataType DefaultInsertValue ' +
    'SchemableIdentifier SelectModifier'
  )
    .split(' ')
    .map((name) => `${name}Node`),
)

/** Finds out, at the cost of a look at each node, whether a statement has anything to do with ids. */
export function namingOf(
  node: Node,
  declared: Declared,
  naming: Naming = { ids: false, times: false },
): Naming {
  eachChild(node, (child) => {
    if (child.kind === 'TableNode') naming.ids ||= columnsOf(child, declared) !== undefined
    else namingOf(child, declared, naming)
  })
  const mark = RawNode.is(node) ? markOn(node) : undefined
  if (mark) {
    naming.ids = true
    naming.times ||= mark.is === 'time'
  }
  return naming
}

/** Calls for each child that may contain other nodes. Conditions nest on their left side, thousands deep. */
function eachChild(node: Node, call: (child: Node) => void): void {
  let one = node
  while (isPair(one)) {
    if (!LEAVES.has(one.right.kind)) call(one.right)
    one = one.left
  }
  if (one !== node) {
    if (!LEAVES.has(one.kind)) call(one)
    return
  }
  for (const key in node) {
    const value = (node as unknown as Readonly<Record<string, unknown>>)[key]
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child) && !LEAVES.has(child.kind)) call(child)
    } else if (isNode(value) && !LEAVES.has(value.kind)) call(value)
  }
}

const isPair = (node: Node): node is AndNode => node.kind === 'AndNode' || node.kind === 'OrNode'

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).kind === 'string'

/** The declared columns of a table. */
function columnsOf(node: Node, declared: Declared): Columns | undefined {
  const { table } = node as unknown as { table: { identifier: { name: string }; schema?: { name: string } } }
  const { identifier, schema } = table
  return (schema && declared.get(`${schema.name}.${identifier.name}`)) ?? declared.get(identifier.name)
}

/** Operators whose operands are ids. Patterns and arrays are not. */
const COMPARING =
  /^(?:=|==|!=|<>|<|<=|>|>=|<=>|(?:not )?in|is(?: not)?(?: distinct from)?|between(?: symmetric)?)$/

/** Generates and checks the ids of a statement. */
export class TextIds {
  constructor(private readonly declared: Declared) {}

  /** The statement with new ids. @throws {IdError} for a malformed id, with its column. */
  rewrite<ANode extends Node>(node: ANode): ANode {
    return this.visit(node, undefined) as ANode
  }

  private visit(given: Node, scope: Scope | undefined): Node {
    const node = given as unknown as AnyNode
    switch (node.kind) {
      case 'SelectQueryNode':
      case 'DeleteQueryNode':
      case 'MergeQueryNode':
        return this.children(given, this.scopeOf(node as never, scope))
      case 'UpdateQueryNode': {
        const inner = this.scopeOf(node as never, scope)
        this.checkUpdates(node.updates ?? [], inner)
        return this.children(given, inner)
      }
      case 'InsertQueryNode':
        return this.insert(node, scope)
      case 'BinaryOperationNode':
        this.compare(node, scope)
        return this.children(given, scope)
      case 'CaseNode': {
        const ids = this.idsOf(node.value, scope)
        if (ids) for (const { condition } of node.when ?? []) checkIn(condition, ids)
        return this.children(given, scope)
      }
      case 'RawNode':
        return this.raw(node, scope)
      default:
        return this.children(given, scope)
    }
  }

  /** The node, copied if a child changes. */
  private children(node: Node, scope: Scope | undefined): Node {
    if (isPair(node)) return this.pairs(node, scope)
    let copy: Record<string, unknown> | undefined
    for (const key in node) {
      const value = (node as unknown as Readonly<Record<string, unknown>>)[key]
      const changed = Array.isArray(value)
        ? this.list(value, scope)
        : isNode(value) && !LEAVES.has(value.kind)
          ? this.visit(value, scope)
          : value
      if (changed === value) continue
      copy ??= { ...node }
      copy[key] = changed
    }
    return (copy as unknown as Node) ?? node
  }

  private list(values: readonly unknown[], scope: Scope | undefined): readonly unknown[] {
    let copy: unknown[] | undefined
    for (const [at, value] of values.entries()) {
      if (!isNode(value) || LEAVES.has(value.kind)) continue
      const changed = this.visit(value, scope)
      if (changed === value) continue
      copy ??= [...values]
      copy[at] = changed
    }
    return copy ?? values
  }

  /** A chain of AND or OR, from its left end. */
  private pairs(last: AndNode, scope: Scope | undefined): Node {
    const chain: AndNode[] = []
    let one: Node = last
    while (isPair(one)) {
      chain.push(one)
      one = one.left
    }
    let left = this.visit(one, scope)
    for (const pair of chain.reverse()) {
      const right = this.visit(pair.right, scope)
      left = left === pair.left && right === pair.right ? pair : ({ ...pair, left, right } as AndNode)
    }
    return left
  }

  private scopeOf(query: QueryParts, parent: Scope | undefined): Scope {
    const { from, joins, table, into, using } = query
    const scope: Scope = { sources: new Map(), ctes: new Map(), parent }
    for (const { name, expression } of query.with?.expressions ?? []) {
      const { identifier } = name.table.table
      scope.ctes.set(identifier.name, undefined)
      scope.ctes.set(identifier.name, this.selectedBy(expression, scope, name.columns))
    }
    for (const source of [table, into, using, ...(from?.froms ?? []), ...(joins ?? [])])
      this.addSource(source, scope)
    return scope
  }

  private addSource(source: Node | undefined, scope: Scope, alias?: string): void {
    const node = source as unknown as AnyNode | undefined
    switch (node?.kind) {
      case 'TableNode': {
        const { identifier, schema } = node.table
        const cte = schema ? undefined : cteIn(scope, identifier.name)
        scope.sources.set(alias ?? identifier.name, cte ? cte() : columnsOf(source as Node, this.declared))
        return
      }
      case 'AliasNode': {
        const { alias: name } = node
        this.addSource(
          node.node,
          scope,
          name.kind === 'IdentifierNode' ? (name as { name?: string }).name : undefined,
        )
        return
      }
      case 'JoinNode':
        this.addSource(node.table, scope)
        return
      case 'ListNode':
        for (const item of node.items) this.addSource(item, scope)
        return
      case 'UsingNode':
        for (const item of node.tables) this.addSource(item, scope)
        return
      default:
        if (alias !== undefined && source) scope.sources.set(alias, this.selectedBy(source, scope.parent))
    }
  }

  /** The id columns that a query returns by name. Expressions are none. */
  private selectedBy(
    node: Node,
    scope: Scope | undefined,
    names?: readonly ColumnNode[],
  ): Columns | undefined {
    const query = node as unknown as AnyNode
    if (query.kind !== 'SelectQueryNode') return undefined
    const inner = this.scopeOf(query as never, scope)
    const columns = new Map<string, ColumnIds>()
    for (const [at, { selection }] of (query.selections ?? []).entries()) {
      const one = AliasNode.is(selection) ? selection.node : (selection as Node)
      if (one.kind === 'SelectAllNode' || (one as ReferenceNode).column?.kind === 'SelectAllNode') {
        const only = (one as ReferenceNode).table?.table.identifier.name
        for (const [source, more] of inner.sources) {
          if (only === undefined || only === source)
            for (const [key, ids] of more ?? []) columns.set(key, ids)
        }
        continue
      }
      const alias = AliasNode.is(selection) ? (selection.alias as IdentifierNode) : nameOf(one)
      const own = names ? names[at]?.column : alias
      const ids = this.idsOf(one, inner)
      if (ids && own) columns.set(own.name, ids)
    }
    return columns
  }

  /** The declared column that a reference names, as far as the query itself says so. */
  private idsOf(given: Node | undefined, scope: Scope | undefined): ColumnIds | undefined {
    const node = given && RawNode.is(given) ? referenceIn(given) : given
    const name = node && nameOf(node)?.name
    if (scope === undefined || name === undefined) return undefined
    const { table } = node as ReferenceNode
    if (table === undefined) return inSources(scope, name)
    for (let at: Scope | undefined = scope; at; at = at.parent) {
      const source = table.table.identifier.name
      if (at.sources.has(source)) return at.sources.get(source)?.get(name)
    }
    return undefined
  }

  private compare(
    { leftOperand, operator, rightOperand }: BinaryOperationNode,
    scope: Scope | undefined,
  ): void {
    if (!OperatorNode.is(operator) || !COMPARING.test(operator.operator)) return
    const left = leftOperand as unknown as AnyNode
    if (left.kind === 'TupleNode') {
      for (const [at, one] of left.values.entries()) {
        const ids = this.idsOf(one, scope)
        if (ids) for (const row of rowsOf(rightOperand)) checkIn(row[at], ids)
      }
      return
    }
    const [own, theirs] = [this.idsOf(leftOperand, scope), this.idsOf(rightOperand, scope)]
    if (own) checkIn(rightOperand, own)
    if (theirs) checkIn(leftOperand, theirs)
  }

  private checkUpdates(updates: readonly ColumnUpdateNode[], scope: Scope): void {
    for (const { column, value } of updates) {
      const ids = this.idsOf(column, scope)
      refuseNull(ids, value)
      if (ids) checkIn(value, ids)
    }
  }

  private insert(query: InsertQueryNode, parent: Scope | undefined): Node {
    const scope = this.scopeOf(query as never, parent)
    // The insert of a merge has no table of its own.
    const [columns] = (query.into ? scope : (parent as Scope)).sources.values()
    scope.sources.set('excluded', columns)
    this.checkUpdates([...(query.onConflict?.updates ?? []), ...(query.onDuplicateKey?.updates ?? [])], scope)
    if (columns === undefined) return this.children(query, scope)
    const { values, ...others } = query
    const parts = insertedParts(query, columns, (node, name) => {
      const ids = columns.get(name)
      if (ids) checkIn(node, ids)
      if (node === values) checkSelected(node, query, columns)
      return LEAVES.has(node.kind) ? node : this.visit(node, parent)
    })
    return { ...this.children(others, scope), values, ...parts } as Node
  }

  private raw(raw: RawNode, scope: Scope | undefined): Node {
    const mark = markOn(raw)
    const [first, ...others] = raw.parameters as readonly Node[]
    if (mark === undefined || first === undefined) return this.children(raw, scope)
    const reference = this.visit(first, scope)
    const values = others.map((one) => (one as ValueNode).value)
    switch (mark.is) {
      case 'id':
        checkIn(first, idsAt(this.declared, mark.path))
        return reference
      case 'between':
        return betweenNode(reference, this.idsOf(first, scope), values)
      case 'beyond':
        return beyondNode(reference, this.idsOf(first, scope), values, mark.order)
      default:
        return reference
    }
  }
}

/** What `sql.ref()` wraps in raw SQL. */
const referenceIn = ({ sqlFragments, parameters }: RawNode): Node | undefined =>
  parameters.length === 1 && sqlFragments.every((text) => text === '') ? parameters[0] : undefined

/** The name of a column or of a reference to one. */
function nameOf(node: Node): IdentifierNode | undefined {
  const column = node.kind === 'ReferenceNode' ? (node as ReferenceNode).column : node
  return ColumnNode.is(column) ? column.column : undefined
}

function cteIn(scope: Scope | undefined, name: string): (() => Columns | undefined) | undefined {
  for (let at = scope; at; at = at.parent) {
    const { ctes } = at
    if (ctes.has(name)) return () => ctes.get(name)
  }
  return undefined
}

/** A column without its table: that of the innermost query with a table that declares it. */
function inSources(scope: Scope, name: string): ColumnIds | undefined {
  for (const columns of scope.sources.values()) {
    const ids = columns?.get(name)
    if (ids) return ids
  }
  return undefined
}

/** Checks the ids among the operands beside a column. */
function checkIn(node: Node | undefined, ids: ColumnIds): void {
  const one = node as unknown as AnyNode | undefined
  switch (one?.kind) {
    case 'ValueNode':
      check(one.value, ids)
      return
    case 'PrimitiveValueListNode':
      for (const value of one.values) check(value, ids)
      return
    case 'ValueListNode':
      for (const value of one.values) checkIn(value, ids)
      return
    case 'ParensNode':
      checkIn(one.node, ids)
      return
    case 'AndNode':
      checkIn(one.left, ids)
      checkIn(one.right, ids)
  }
}

/** Checks the ids that the query of an insert selects as values. */
function checkSelected(node: Node, { columns = [] }: InsertQueryNode, declared: Columns): void {
  const query = node as unknown as AnyNode
  if (query.kind !== 'SelectQueryNode') return
  for (const [at, { selection }] of (query.selections ?? []).entries()) {
    const ids = declared.get(columns[at]?.column.name as string)
    if (ids) checkIn(AliasNode.is(selection) ? selection.node : selection, ids)
  }
}

function check(value: unknown, ids: ColumnIds): void {
  if (Array.isArray(value)) for (const one of value) check(one, ids)
  // A driver would send NULL for undefined, which equals nothing.
  else if (value === undefined) ids.placed(() => ids.family.parse(value))
  else if (value !== null) ids.toDatabase(value)
}

const rowsOf = (node: Node): readonly (readonly Node[])[] => {
  const one = node as unknown as AnyNode
  return one.kind === 'TupleNode' ? [one.values] : one.kind === 'ValueListNode' ? one.values.map(nodesOf) : []
}
