import {
  type AggregateFunctionNode,
  type FunctionNode,
  IdentifierNode,
  type RawNode,
  type SelectQueryNode,
} from 'kysely'
import { type Declared, idsAt } from './column-ids.js'
import { type JsonHelper, jsonHelper } from './json.js'
import { markOn, requireIds } from './marks.js'
import { equate, heldOf, MARKED, type Meaning, OTHER, unite } from './meaning.js'
import type { AnyNode, Node, Query, QueryParts } from './nodes.js'
import { namesIn, wrappedIn } from './raw.js'
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

/** Reads queries: the names that they see, the columns that they return, the meaning of expressions. */
export class Meanings {
  /** What queries were before they were rewritten. */
  readonly originals = new WeakMap<Node, Node>()

  constructor(
    readonly declared: Declared,
    readonly tables: Tables,
  ) {}

  original(node: Node): Node {
    return this.originals.get(node) ?? node
  }

  /** The scopes of the CTEs of a query: each sees those before it, and in a recursive WITH itself. */
  cteScopes({ with: node }: QueryParts, parent: Scope | undefined): readonly (Scope | undefined)[] {
    const scopes: (Scope | undefined)[] = [parent]
    for (const { name, expression } of node?.expressions ?? []) {
      const before = scopes.at(-1)
      const scope = new Scope(this.tables, before)
      scope.addCte(name.table.table.identifier.name, () => {
        const relation = this.relationOf(expression, node?.recursive ? scope : before)
        return name.columns
          ? relationFrom(
              name.columns.map(({ column }, at) => ({
                name: column.name,
                meaning: relation.positions?.[at],
              })),
            )
          : relation
      })
      scopes.push(scope)
    }
    return scopes
  }

  /** The names inside a query. @param around what a subquery that is not lateral can see. */
  scopeOf(query: Query, around: Scope | undefined): Scope {
    const { from, joins, table, into, using, selections } = query as QueryParts
    const scope = new Scope(this.tables, around, () => aliasesIn(selections ?? []))
    for (const node of [table, into]) {
      if (!node) continue
      // A CTE of the same name is never written to.
      this.addSource(node, scope, new Scope(this.tables))
      scope.target = scope.sources.length === 1 ? scope.sources[0]?.relation() : undefined
    }
    if (query.kind === 'InsertQueryNode') scope.add('excluded', () => scope.target ?? UNKNOWN)
    for (const node of [...(from?.froms ?? []), ...(joins ?? []), using])
      if (node) this.addSource(node, scope, around)
    return scope
  }

  private addSource(node: Node, scope: Scope, around: Scope | undefined): void {
    const one = node as AnyNode
    switch (one.kind) {
      case 'JoinNode':
        this.addSource(one.table, scope, isLateral(one.joinType) ? scope : around)
        return
      case 'ListNode':
        for (const item of one.items) this.addSource(item, scope, around)
        return
      case 'UsingNode':
        for (const table of one.tables) this.addSource(table, scope, around)
        return
      case 'TableNode': {
        const { identifier, schema } = one.table
        scope.add(identifier.name, () => this.relationOf(one, around), schema?.name)
        return
      }
      case 'AliasNode': {
        const alias = IdentifierNode.is(one.alias) ? one.alias.name : undefined
        const seen = one.node.kind === 'RawNode' ? scope : around
        scope.add(alias, () => (alias === undefined ? UNKNOWN : this.relationOf(one.node, seen)))
        return
      }
      default:
        scope.add(undefined, () => this.relationOf(one, around))
    }
  }

  /** The relation that a query, a table, or raw SQL in its place, returns. */
  relationOf(node: Node, parent: Scope | undefined): Relation {
    const one = this.original(node) as AnyNode
    switch (one.kind) {
      case 'TableNode': {
        const { identifier, schema } = one.table
        return (parent ?? new Scope(this.tables)).table(identifier.name, schema?.name)
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
        const scope = this.scopeOf(one, this.cteScopes(one as QueryParts, parent).at(-1))
        const selections = (one as QueryParts).returning?.selections ?? []
        return relationFrom(selections.flatMap(({ selection }) => this.outputsOf(selection, scope)))
      }
      default:
        return UNKNOWN
    }
  }

  private relationOfSelect(query: SelectQueryNode, parent: Scope | undefined): Relation {
    const around = this.cteScopes(query, parent).at(-1)
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
  outputsOf(selection: Node, scope: Scope): readonly Output[] {
    const one = selection as AnyNode
    if (one.kind === 'SelectAllNode') return scope.sources.map(({ relation }) => relation())
    if (one.kind === 'ReferenceNode' && one.column.kind === 'SelectAllNode') {
      const { schema, identifier } = one.table?.table ?? {}
      return [(identifier && scope.source(identifier.name, schema?.name)) ?? UNKNOWN]
    }
    const name = aliasOf(one)
    return [name === undefined ? UNKNOWN : { name, meaning: this.meaningOf(one, scope) }]
  }

  /** The meaning of an expression. */
  meaningOf(node: Node, scope: Scope | undefined): Meaning {
    const one = node as AnyNode
    const of = (other: Node): Meaning => this.meaningOf(other, scope)
    switch (one.kind) {
      case 'ReferenceNode': {
        const { column, table } = one
        if (column.kind === 'SelectAllNode') return undefined
        return this.column(scope, [
          column.column.name,
          table?.table.identifier.name,
          table?.table.schema?.name,
        ])
      }
      case 'ColumnNode':
        return this.column(scope, [one.column.name])
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

  private column(
    scope: Scope | undefined,
    [name = '', table, schema]: readonly (string | undefined)[],
  ): Meaning {
    return (scope ?? new Scope(this.tables)).column(name, table, schema)
  }

  private meaningOfCall(
    call: FunctionNode | AggregateFunctionNode,
    given: readonly Node[],
    scope: Scope | undefined,
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
  wholeRow(node: Node, scope: Scope | undefined): Relation | undefined {
    const one = node as AnyNode
    if (one.kind === 'TableNode') return scope?.source(one.table.identifier.name, one.table.schema?.name)
    if (one.kind !== 'ReferenceNode' || one.table !== undefined || one.column.kind !== 'ColumnNode')
      return undefined
    return scope?.source(one.column.column.name)
  }

  private meaningOfRaw(raw: RawNode, scope: Scope | undefined): Meaning {
    const mark = markOn(raw)
    switch (mark?.is) {
      case 'id':
        return heldOf(idsAt(this.declared, mark.path))
      case 'other':
        return MARKED
      case 'time': {
        const meaning = this.meaningOf(raw.parameters[0] as Node, scope)
        return { is: 'time', ids: requireIds(meaning?.is === 'id' ? meaning.ids : undefined, 'createdAt') }
      }
      case undefined: {
        const names = namesIn(raw)
        if (names.length > 0) return this.column(scope, [...names].reverse())
        const helper = jsonHelper(raw)
        if (helper) return this.meaningOfHelper(raw, helper, scope)
        const inner = wrappedIn(raw)
        return inner && this.meaningOf(inner, scope)
      }
      default:
        return undefined
    }
  }

  private meaningOfHelper(
    raw: RawNode,
    { form, rows, pairs }: JsonHelper,
    scope: Scope | undefined,
  ): Meaning {
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

export const isLateral = (joinType: string): boolean => /Lateral|Apply/.test(joinType)

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
