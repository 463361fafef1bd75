import {
  type AggregateFunctionNode,
  type FunctionNode,
  IdentifierNode,
  type RawNode,
  type SelectQueryNode,
  type ValueNode,
} from 'kysely'
import { type Declared, idsAt } from './column-ids.js'
import { type JsonHelper, jsonHelper } from './json.js'
import { equate, heldOf, idsOf, MARKED, type Meaning, OTHER, unite } from './meaning.js'
import {
  type AnyNode,
  chainOf,
  isNode,
  LEAVES,
  markOn,
  type Node,
  type Query,
  type QueryParts,
} from './nodes.js'
import { namesIn, type RawSql, wrappedIn } from './raw.js'
import { type Output, type Relation, relationFrom, Scope, type Tables, UNKNOWN } from './scope.js'

const JSON_LIST = /^jsonb?_agg$/
const JSON_OF_ONE = /^(?:to_jsonb?|row_to_json)$/

export const nameOfFunction = ({ func }: FunctionNode | AggregateFunctionNode): string => func.toLowerCase()

/** Whether a function makes JSON of its argument. */
export const isJsonMaker = (name: string): boolean => JSON_LIST.test(name) || JSON_OF_ONE.test(name)

/** Functions that return one of their arguments, and which. `values()` is MySQL's, in an upsert. */
const RETURNING: readonly (readonly [names: RegExp, isReturned: (argument: number) => boolean])[] = [
  [/^(?:coalesce|ifnull|nvl|nullif|greatest|least|max|min)$/, () => true],
  [/^(?:(?:any|first|last|nth)_value|values)$/, (at) => at === 0],
  [/^(?:lag|lead)$/, (at) => at === 0 || at === 2],
  [/^i?if$/, (at) => at > 0],
]

/** Whether a function can return its argument at an index. */
export const isReturned = (name: string, at: number): boolean =>
  RETURNING.some(([names, returns]) => names.test(name) && returns(at))

/** Reads statements: whether they concern ids, the names that they see, the columns that they return, what expressions mean. */
export class Reader {
  /** What queries were before they were rewritten. */
  readonly originals = new WeakMap<Node, Node>()
  /** The names that a statement itself can see: the declared tables. */
  readonly root: Scope

  constructor(
    readonly declared: Declared,
    readonly tables: Tables,
    private readonly raw: RawSql,
  ) {
    this.root = new Scope(tables)
  }

  original(node: Node): Node {
    return this.originals.get(node) ?? node
  }

  /** Whether a statement has anything to do with ids, at the cost of a look at each node. */
  concerns(node: Node): boolean {
    const one = node as AnyNode
    switch (one.kind) {
      case 'ReferenceNode':
      case 'ColumnNode':
      case 'SelectAllNode':
        return false
      case 'ValueNode':
        return this.raw.mayBe(one.value)
      case 'SelectionNode':
        return this.concerns(one.selection as Node)
      case 'FromNode':
        return this.concernsAny(one.froms)
      case 'WhereNode':
        return this.concerns(one.where)
      case 'BinaryOperationNode':
        return this.concerns(one.leftOperand) || this.concerns(one.rightOperand)
      case 'TableNode':
        return this.tables.mayHave(one.table.identifier.name, one.table.schema?.name)
      case 'AliasNode':
        return this.concerns(one.node)
      case 'ValuesNode':
      case 'ValueListNode':
        return this.concernsAny(one.values)
      case 'PrimitiveValueListNode':
        return this.raw.isNeeded && one.values.some((value) => this.raw.mayBe(value))
      case 'AndNode':
      case 'OrNode': {
        const [pairs, left] = chainOf(one)
        return this.concerns(left) || pairs.some(({ right }) => this.concerns(right))
      }
      case 'RawNode':
        return markOn(one) !== undefined || this.raw.mayBeIn(one) || this.concernsAny(one.parameters)
    }
    if (LEAVES.has(node.kind)) return false
    for (const key in node) {
      const value = (node as unknown as Readonly<Record<string, unknown>>)[key]
      if (typeof value !== 'object' || value === null) continue
      const isFound = Array.isArray(value)
        ? isNode(value[0]) && this.concernsAny(value)
        : isNode(value) && this.concerns(value)
      if (isFound) return true
    }
    return node.kind.endsWith('QueryNode') && this.originals.has(node)
  }

  private concernsAny(nodes: readonly Node[]): boolean {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as Node
      // Lists are long, and the separators of `sql.join()` are one node.
      const isNumber = node.kind === 'ValueNode' && typeof (node as ValueNode).value === 'number'
      if (!isNumber && !(at > 1 && node === nodes[at - 2]) && this.concerns(node)) return true
    }
    return false
  }

  /** What each CTE of a query can see, which is those before it, and in a recursive WITH itself; and what the query can. */
  ctesOf({ with: node }: QueryParts, parent: Scope): { ctes: readonly Scope[]; around: Scope } {
    const ctes: Scope[] = []
    let around = parent
    for (const { name, expression } of node?.expressions ?? []) {
      const scope = new Scope(this.tables, around)
      const seen = node?.recursive ? scope : around
      scope.addCte(name.table.table.identifier.name, () => {
        const relation = this.relationOf(expression, seen)
        if (!name.columns) return relation
        return relationFrom(
          name.columns.map(({ column }, at) => ({ name: column.name, meaning: relation.positions?.[at] })),
        )
      })
      ctes.push(seen)
      around = scope
    }
    return { ctes, around }
  }

  /** The names inside a query. @param around what a subquery that is not lateral can see. */
  scopeOf(query: Query, around: Scope): Scope {
    const { from, joins, table, into, using, selections } = query as QueryParts
    const scope = new Scope(this.tables, around, () => aliasesIn(selections ?? []))
    const target = table ?? into
    if (target) {
      // A CTE of the same name is never written to.
      this.addSource(target, scope, around, this.root)
      scope.aim()
    }
    if (query.kind === 'InsertQueryNode')
      scope.add({ name: 'excluded', compute: () => scope.target ?? UNKNOWN })
    for (const nodes of [from?.froms, joins, using && [using]])
      for (const node of nodes ?? []) this.addSource(node, scope, around)
    return scope
  }

  /** @param tables the scope of the names of tables. */
  private addSource(node: Node, scope: Scope, around: Scope, tables = around): void {
    const one = node as AnyNode
    switch (one.kind) {
      case 'JoinNode':
        this.addSource(one.table, scope, /Lateral|Apply/.test(one.joinType) ? scope : around)
        return
      case 'ListNode':
        for (const item of one.items) this.addSource(item, scope, around, tables)
        return
      case 'UsingNode':
        for (const table of one.tables) this.addSource(table, scope, around)
        return
      case 'TableNode': {
        const { identifier, schema } = one.table
        const compute = () => tables.table(identifier.name, schema?.name)
        scope.add({ name: identifier.name, schema: schema?.name, compute })
        return
      }
      case 'AliasNode': {
        const { node } = one
        const name = IdentifierNode.is(one.alias) ? one.alias.name : undefined
        const seen = node.kind === 'TableNode' ? tables : node.kind === 'RawNode' ? scope : around
        const compute = () => (name === undefined ? UNKNOWN : this.relationOf(node, seen))
        scope.add({ name, compute, node, seen })
        return
      }
      default:
        scope.add({ name: undefined, compute: () => this.relationOf(one, around), node, seen: around })
    }
  }

  /** The relation that a query, a table, or raw SQL in its place, returns. */
  relationOf(node: Node, parent: Scope): Relation {
    const one = this.original(node) as AnyNode
    switch (one.kind) {
      case 'TableNode': {
        const { identifier, schema } = one.table
        return parent.table(identifier.name, schema?.name)
      }
      case 'SelectQueryNode':
        return this.relationOfSelect(one, parent)
      case 'ParensNode':
        return this.relationOf(one.node, parent)
      case 'RawNode': {
        const mark = markOn(one)
        if (mark?.is === 'rows') {
          return relationFrom(
            Object.entries(mark.columns).map(([name, path]) => ({
              name,
              meaning: path === null ? OTHER : heldOf(idsAt(this.declared, path)),
            })),
          )
        }
        const inner = mark ? undefined : wrappedIn(one)
        return inner ? this.relationOf(inner, parent) : UNKNOWN
      }
      case 'InsertQueryNode':
      case 'UpdateQueryNode':
      case 'DeleteQueryNode':
      case 'MergeQueryNode': {
        const scope = this.scopeOf(one, this.ctesOf(one as QueryParts, parent).around)
        const selections = (one as QueryParts).returning?.selections ?? []
        return relationFrom(selections.flatMap(({ selection }) => this.outputsOf(selection, scope)))
      }
      default:
        return UNKNOWN
    }
  }

  private relationOfSelect(query: SelectQueryNode, parent: Scope): Relation {
    const { around } = this.ctesOf(query, parent)
    const scope = this.scopeOf(query, around)
    const own = relationFrom(
      (query.selections ?? []).flatMap(({ selection }) => this.outputsOf(selection, scope)),
    )
    const others = (query.setOperations ?? []).map(({ expression }) => this.relationOf(expression, around))
    if (others.length === 0) return own
    const { positions } = own
    if (!positions || others.some((one) => one.positions?.length !== positions.length)) {
      const columns = [...own.columns].map(
        ([name, meaning]) => [name, unite(meaning, ...others.map((one) => one.columns.get(name)))] as const,
      )
      return { ...own, columns: new Map(columns) }
    }
    const all = positions.map((_, at) => unite(...[own, ...others].map((one) => one.positions?.[at])))
    const names = [...own.columns.keys()]
    return names.length === all.length
      ? relationFrom(names.map((name, at) => ({ name, meaning: all[at] })))
      : own
  }

  /** The columns that one selection returns. */
  private outputsOf(selection: Node, scope: Scope): readonly Output[] {
    const one = selection as AnyNode
    if (one.kind === 'SelectAllNode') return scope.relations
    if (one.kind === 'ReferenceNode' && one.column.kind === 'SelectAllNode') {
      const { schema, identifier } = one.table?.table ?? {}
      return [(identifier && scope.source(identifier.name, schema?.name)) ?? UNKNOWN]
    }
    const name = aliasOf(one)
    return [name === undefined ? UNKNOWN : { name, meaning: this.meaningOf(one, scope) }]
  }

  /** How many columns one selection returns. */
  widthOf(selection: Node, scope: Scope): number {
    return this.outputsOf(selection, scope).reduce(
      (sum, one) => sum + ('name' in one ? 1 : (one.positions?.length ?? 0)),
      0,
    )
  }

  /** The meaning of an expression. */
  meaningOf(node: Node, scope: Scope): Meaning {
    const one = node as AnyNode
    const of = (other: Node): Meaning => this.meaningOf(other, scope)
    switch (one.kind) {
      case 'ReferenceNode': {
        const { column, table } = one
        if (column.kind === 'SelectAllNode') return undefined
        const { identifier, schema } = table?.table ?? {}
        return scope.column(column.column.name, identifier?.name, schema?.name)
      }
      case 'ColumnNode':
        return scope.column(one.column.name)
      case 'ParensNode':
      case 'AliasNode':
        return of(one.node)
      case 'TupleNode':
        return { is: 'row', items: one.values.map(of) }
      case 'ValueListNode':
        return equate(...one.values.map(of))
      case 'AndNode':
        return equate(of(one.left), of(one.right))
      case 'SelectQueryNode': {
        const { positions } = this.relationOf(one, scope)
        return positions && (positions.length === 1 ? positions[0] : { is: 'row', items: positions })
      }
      case 'FunctionNode':
        return this.meaningOfCall(one, one.arguments, scope)
      case 'AggregateFunctionNode':
        return this.meaningOfCall(one, one.aggregated, scope)
      case 'CaseNode':
        return unite(...(one.when ?? []).map(({ result }) => result && of(result)), one.else && of(one.else))
      case 'RawNode':
        return this.meaningOfRaw(one, scope)
      default:
        return undefined
    }
  }

  private meaningOfCall(
    call: FunctionNode | AggregateFunctionNode,
    given: readonly Node[],
    scope: Scope,
  ): Meaning {
    const name = nameOfFunction(call)
    const [first] = given
    if (first === undefined) return undefined
    if (isReturned(name, 0)) {
      return unite(...given.filter((_, at) => isReturned(name, at)).map((one) => this.meaningOf(one, scope)))
    }
    if (isJsonMaker(name)) {
      const row = this.wholeRow(first, scope)
      const of: Meaning = row ? { is: 'object', members: row.columns } : this.meaningOf(first, scope)
      return JSON_LIST.test(name) ? { is: 'array', of } : of
    }
    if (!/^(?:any|all|some|unnest|array_agg)$/.test(name)) return undefined
    const meaning = this.meaningOf(first, scope)
    if (name === 'array_agg') return meaning?.is === 'id' ? { is: 'list', ids: meaning.ids } : undefined
    return meaning?.is === 'list' ? { is: 'id', ids: meaning.ids } : meaning
  }

  /** The source whose whole row a node is, as in `json_agg(orders)`. */
  wholeRow(node: Node, scope: Scope): Relation | undefined {
    const one = node as AnyNode
    if (one.kind === 'TableNode') return scope.source(one.table.identifier.name, one.table.schema?.name)
    if (one.kind !== 'ReferenceNode' || one.table !== undefined || one.column.kind !== 'ColumnNode')
      return undefined
    return scope.source(one.column.column.name)
  }

  private meaningOfRaw(raw: RawNode, scope: Scope): Meaning {
    const mark = markOn(raw)
    switch (mark?.is) {
      case 'id':
        return heldOf(idsAt(this.declared, mark.path))
      case 'other':
        return MARKED
      case 'time': {
        const meaning = this.meaningOf(raw.parameters[0] as Node, scope)
        return { is: 'time', ids: idsOf(meaning, 'createdAt') }
      }
      case undefined: {
        const [name, table, schema] = [...namesIn(raw)].reverse()
        if (name !== undefined) return scope.column(name, table, schema)
        const helper = jsonHelper(raw)
        if (helper) return this.meaningOfHelper(raw, helper, scope)
        const inner = wrappedIn(raw)
        return inner && this.meaningOf(inner, scope)
      }
      default:
        return undefined
    }
  }

  private meaningOfHelper(raw: RawNode, { form, rows, pairs }: JsonHelper, scope: Scope): Meaning {
    if (form !== 'build') {
      const object: Meaning = { is: 'object', members: this.relationOf(rows(raw), scope).columns }
      return form === 'array' ? { is: 'array', of: object } : object
    }
    const members = new Map<string, Meaning>()
    const given = pairs(raw)
    for (let at = 0; at + 1 < given.length; at += 2) {
      const key = wrappedIn(given[at] as RawNode) as { value?: unknown } | undefined
      members.set(String(key?.value), this.meaningOf(given[at + 1] as Node, scope))
    }
    return { is: 'object', members }
  }
}

/** The name of a selection in the row. */
function aliasOf(node: AnyNode): string | undefined {
  if (node.kind === 'AliasNode') return IdentifierNode.is(node.alias) ? node.alias.name : undefined
  if (node.kind === 'ColumnNode') return node.column.name
  return node.kind === 'ReferenceNode' && node.column.kind === 'ColumnNode'
    ? node.column.column.name
    : undefined
}

const aliasesIn = (selections: NonNullable<QueryParts['selections']>): ReadonlySet<string> =>
  new Set(
    selections.flatMap(({ selection }) => {
      const one = selection as AnyNode
      return one.kind === 'AliasNode' ? (aliasOf(one) ?? []) : []
    }),
  )
