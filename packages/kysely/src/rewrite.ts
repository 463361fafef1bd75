import type { Database } from '@snoflax/core'
import { isSilent, literalOf } from '@snoflax/core/adapter'
import {
  type AggregateFunctionNode,
  type AndNode,
  type BinaryOperationNode,
  type CaseNode,
  CastNode,
  type FunctionNode,
  type InsertQueryNode,
  PrimitiveValueListNode,
  RawNode,
  type SelectQueryNode,
  ValueNode,
} from 'kysely'
import { type ColumnIds, type Declared, idsAt } from './column-ids.js'
import { insertedParts, refuseNull } from './inserts.js'
import { inJson, type JsonHelper, jsonHelper, roundedIn, withTexts } from './json.js'
import { betweenNode, beyondNode, type Mark, markOn } from './marks.js'
import {
  encode,
  equate,
  type Held,
  heldOf,
  isConverted,
  isHeld,
  itemOf,
  MARKED,
  type Meaning,
  OTHER,
  unite,
  writtenTo,
} from './meaning.js'
import { isJsonMaker, isLateral, isReturned, Meanings, nameOfFunction } from './meanings.js'
import {
  type AnyNode,
  chainOf,
  isNode,
  isQuery,
  LEAVES,
  mapChildren,
  mapList,
  type Node,
  operatorOf,
  type Query,
  type QueryParts,
} from './nodes.js'
import { isFlat, RawSql, wrappedIn } from './raw.js'
import { Scope, Tables, UNKNOWN } from './scope.js'

/** The versions that the tests run with, from the lowest to the highest. */
export const SUPPORTED = '^0.28.3 || ^0.29.0 || ^0.30.0-beta.2'

const COMPARING =
  /^(?:=|==|!=|<>|<|<=|>|>=|<=>|(?:not )?in|is(?: not)?(?: distinct from)?|between(?: symmetric)?|@>|<@|&&)$/
const PATTERN = /^(?:not )?(?:i?like|glob|match|regexp|rlike|similar to)$|^!?~\*?$|^@@$/

/** Kinds whose children mean what the node means. */
const PASSING: ReadonlySet<string> = new Set(
  'Parens Alias ValueList List And Cast Values DefaultValue'.split(' ').map((name) => `${name}Node`),
)

const NO_IDS: ReadonlyMap<string, ColumnIds> = new Map()

/** The columns of a result that must be converted. */
export type Answer = readonly (readonly [name: string, meaning: Meaning])[]

/** Rewrites a statement: new ids are generated, ids are checked and, if their columns convert, sent in their stored form. */
export class Rewriter {
  readonly raw: RawSql
  private readonly tables: Tables
  private readonly meanings: Meanings
  private hasTimes = false

  constructor(
    private readonly declared: Declared,
    private readonly database: Database,
    renamed: (name: string) => string,
  ) {
    this.raw = new RawSql(declared, database, renamed)
    this.tables = new Tables(declared, database)
    this.meanings = new Meanings(declared, this.tables)
  }

  /**
   * The statement as it is sent, the same node if nothing in it changes, and the columns of its rows that must be converted.
   *
   * @throws {IdError} for a malformed id, with its column.
   */
  rewrite<ANode extends Node>(given: ANode): { node: ANode; answer?: Answer | undefined } {
    this.hasTimes = false
    // A value that a statement itself returns is compared with nothing.
    const node = this.visit(given, undefined, OTHER) as ANode
    return { node, answer: this.raw.isNeeded || this.hasTimes ? this.answerOf(given) : undefined }
  }

  private answerOf(node: Node): Answer | undefined {
    const isAnswering = isQuery(node) || node.kind === 'RawNode'
    if (!isAnswering || (node as QueryParts).explain !== undefined) return undefined
    const columns = [...this.meanings.relationOf(node, undefined).columns]
    const converted = columns.filter(([, meaning]) => isConverted(meaning))
    for (const [, meaning] of converted) if (meaning?.is === 'clash') throw meaning.error
    return converted.length > 0 ? converted : undefined
  }

  /** Remembers what a query was: a builder that becomes a subquery has already been rewritten by itself. */
  keep(rewritten: Node, given: Node): void {
    if (isQuery(given)) this.meanings.originals.set(rewritten, this.meanings.original(given))
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
      default:
        return !LEAVES.has(one.kind) && this.concernsChildOf(node)
    }
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

  private concernsChildOf(node: Node): boolean {
    for (const key in node) {
      const value = (node as unknown as Readonly<Record<string, unknown>>)[key]
      if (typeof value !== 'object' || value === null) continue
      const isFound = Array.isArray(value)
        ? isNode(value[0]) && this.concernsAny(value)
        : isNode(value) && this.concerns(value)
      if (isFound) return true
    }
    return node.kind.endsWith('QueryNode') && this.meanings.originals.has(node)
  }

  /** @param expected the meaning expected at the node's place, by which a value there is encoded. */
  private visit(given: Node, scope: Scope | undefined, expected?: Meaning): Node {
    const node = given.kind.endsWith('QueryNode') ? this.meanings.original(given) : given
    const one = node as AnyNode
    switch (one.kind) {
      case 'ValueNode':
        return this.value(one, expected)
      case 'PrimitiveValueListNode': {
        const values = mapList(one.values, (value) => this.encoded(value, expected))
        return values === one.values ? node : PrimitiveValueListNode.create(values)
      }
      case 'TableNode':
        return node
      case 'AndNode':
      case 'OrNode':
        return this.chain(one as AndNode, scope, expected)
      case 'TupleNode':
        return mapChildren(node, (item, _, at) => this.visit(item, scope, itemOf(expected, at)))
      case 'BinaryOperationNode':
        return this.operation(one, scope)
      case 'FunctionNode':
      case 'AggregateFunctionNode':
        return this.call(one, scope, expected)
      case 'CaseNode':
        return this.cases(one, scope, expected)
      case 'RawNode':
        return this.rawSql(one, scope, expected)
      case 'SelectQueryNode':
        return this.select(one, scope, expected)
      case 'InsertQueryNode':
        return this.insert(one, scope)
      case 'UpdateQueryNode':
      case 'DeleteQueryNode':
      case 'MergeQueryNode':
        return this.query(one, this.meanings.cteScopes(one as QueryParts, scope))
      case 'ColumnUpdateNode': {
        const { column, value } = one
        const target = scope?.target
        const own =
          target && column.kind === 'ColumnNode'
            ? this.tables.column(target, (column as { column: { name: string } } & Node).column.name)
            : this.meanings.meaningOf(column, scope)
        // What a table that is not declared may hold is not known.
        const meaning = own?.is === 'other' && own.isForeign ? OTHER : own
        refuseNull(isHeld(meaning) ? meaning.ids : undefined, value)
        return this.written(one, 'value', scope, meaning)
      }
      case 'CreateTableNode':
      case 'AlterTableNode':
      case 'CreateIndexNode': {
        const { identifier, schema } = one.table?.table ?? {}
        const inner = new Scope(this.tables, scope)
        if (identifier) inner.add(identifier.name, () => inner.table(identifier.name, schema?.name))
        return this.children(node, inner)
      }
      case 'ColumnDefinitionNode':
      case 'AlterColumnNode': {
        const meaning = this.meanings.meaningOf(one.column, scope)
        return mapChildren(node, (child, key) =>
          this.visit(child, scope, /^(?:defaultTo|setDefault)$/.test(key) ? writtenTo(meaning) : undefined),
        )
      }
      default:
        return this.children(node, scope, expected)
    }
  }

  private children(node: Node, scope: Scope | undefined, expected?: Meaning): Node {
    if (LEAVES.has(node.kind)) return node
    const passed = PASSING.has(node.kind) || expected === MARKED ? expected : undefined
    return mapChildren(node, (child) => this.visit(child, scope, passed))
  }

  /** A chain of AND or OR, from its left end. */
  private chain(last: AndNode, scope: Scope | undefined, expected: Meaning): Node {
    const [pairs, first] = chainOf(last)
    let left = this.visit(first, scope, expected)
    for (const pair of pairs.reverse()) {
      const right = this.visit(pair.right, scope, expected)
      left = left === pair.left && right === pair.right ? pair : ({ ...pair, left, right } as AndNode)
    }
    return left
  }

  /** A node with a value that is written to a column. */
  private written<ANode extends Node>(
    node: ANode,
    key: keyof ANode,
    scope: Scope | undefined,
    meaning: Meaning,
  ): ANode {
    const given = node[key] as Node
    const target = writtenTo(meaning)
    const expected = isPlain(given) ? target : equate(target, this.meanings.meaningOf(given, scope))
    const value = this.visit(given, scope, expected)
    return value === given ? node : { ...node, [key]: value }
  }

  private value(node: ValueNode, expected: Meaning): Node {
    const value = this.encoded(node.value, expected)
    if (value === node.value) return node
    if (!node.immediate) return ValueNode.create(value)
    return typeof value === 'string'
      ? ValueNode.createImmediate(value)
      : RawNode.createWithSql(literalOf(value, this.database))
  }

  private encoded(value: unknown, expected: Meaning): unknown {
    if (isHeld(expected)) return encode(value, expected)
    if (expected === undefined) this.raw.refuse(value)
    return value
  }

  private operation(node: BinaryOperationNode, scope: Scope | undefined): Node {
    const { leftOperand, rightOperand } = node
    const operator = operatorOf(node.operator)
    const isPattern = PATTERN.test(operator)
    let expected: Meaning
    if (isPattern || COMPARING.test(operator)) {
      const meanings = [leftOperand, rightOperand].map((side) => this.compared(side, scope))
      expected = isPattern ? meanings.find((one) => one !== undefined) : equate(...meanings)
      if (isPattern && isHeld(expected)) {
        const { ids } = expected
        if (!ids.isText && [leftOperand, rightOperand].some(ValueNode.is)) {
          throw ids.refuse(
            `${operator} matches text, but these ids are not stored as text: the storage is ${ids.storage.name}`,
          )
        }
        expected = OTHER
      }
    }
    return mapChildren(node, (child, key) =>
      key === 'operator' ? child : this.visit(child, scope, expected),
    )
  }

  /** A cast of what PostgreSQL stores as a uuid or number has the text of that. */
  private compared(side: Node, scope: Scope | undefined): Meaning {
    const cast = CastNode.is(side) ? this.meanings.meaningOf(side.expression, scope) : undefined
    const isSame = isHeld(cast) && !cast.ids.isText && !isSilent(cast.ids.named)
    return isSame ? cast : this.meanings.meaningOf(side, scope)
  }

  private call(
    node: FunctionNode | AggregateFunctionNode,
    scope: Scope | undefined,
    expected: Meaning,
  ): Node {
    const name = nameOfFunction(node)
    const isAggregate = node.kind === 'AggregateFunctionNode'
    const given = isAggregate ? node.aggregated : node.arguments
    const list = this.given(name, given, scope, expected)
    const rest = mapChildren(node, (child, key) =>
      key === 'aggregated' || key === 'arguments' ? child : this.visit(child, scope),
    )
    return list === given ? rest : ({ ...rest, [isAggregate ? 'aggregated' : 'arguments']: list } as Node)
  }

  /** The arguments of a function. */
  private given(
    name: string,
    given: readonly Node[],
    scope: Scope | undefined,
    expected: Meaning,
  ): readonly Node[] {
    const of = (one: Node) => this.meanings.meaningOf(one, scope)
    if (isJsonMaker(name)) {
      return mapList(given, (one) => {
        const row = this.meanings.wholeRow(one, scope)
        if (!row) return inJson(this.visit(one, scope), of(one))
        const rounded = roundedIn(row)
        if (!rounded) return one
        throw rounded.refuse(
          `${name}() of a whole row rounds numbers above 2^53; use jsonArrayFrom() or jsonObjectFrom()`,
        )
      })
    }
    if (/^(?:any|all|some)$/.test(name) && expected?.is === 'id') {
      return mapList(given, (one) =>
        this.visit(one, scope, isQuery(one) ? expected : { ...expected, is: 'list' }),
      )
    }
    const returned = isReturned(name, 0)
      ? equate(expected, unite(...given.filter((_, at) => isReturned(name, at)).map(of)))
      : undefined
    return mapList(given, (one, at) =>
      this.visit(one, scope, expected === MARKED ? MARKED : isReturned(name, at) ? returned : undefined),
    )
  }

  private cases(node: CaseNode, scope: Scope | undefined, expected: Meaning): Node {
    const { value, when = [], else: otherwise } = node
    const of = (one: Node | undefined) => one && this.meanings.meaningOf(one, scope)
    const matched = value && equate(of(value), ...when.map(({ condition }) => of(condition)))
    const result = equate(expected, unite(...when.map((one) => of(one.result)), of(otherwise)))
    return mapChildren(node, (child, key) =>
      key === 'when'
        ? mapChildren(child, (part, name) => this.visit(part, scope, name === 'result' ? result : matched))
        : this.visit(child, scope, key === 'else' ? result : matched),
    )
  }

  // Queries

  /** A query, its parts rewritten one by one. @param ctes the scopes of its CTEs. */
  private query<AQuery extends Query>(
    query: AQuery,
    ctes: readonly (Scope | undefined)[],
    own: (child: Node, key: string, scope: Scope) => Node | undefined = () => undefined,
  ): AQuery {
    const around = ctes.at(-1)
    const scope = this.meanings.scopeOf(query, around)
    return mapChildren(query, (child, key) => {
      switch (key) {
        case 'with': {
          let at = (child as unknown as { recursive?: boolean }).recursive ? 1 : 0
          return mapChildren(child, (expression) => this.children(expression, ctes[at++]))
        }
        case 'from':
        case 'joins':
        case 'using':
        case 'table':
        case 'into':
          return this.source(child, scope, around)
        default:
          return own(child, key, scope) ?? this.visit(child, scope)
      }
    })
  }

  /** @param around what a subquery that is not lateral can see. */
  private source(node: Node, scope: Scope, around: Scope | undefined): Node {
    const one = node as AnyNode
    switch (one.kind) {
      case 'JoinNode': {
        const seen = isLateral(one.joinType) ? scope : around
        return mapChildren(one, (child, key) =>
          key === 'table' ? this.source(child, scope, seen) : this.visit(child, scope),
        )
      }
      case 'AliasNode':
      case 'ListNode':
      case 'UsingNode':
        return mapChildren(one, (child, key) => (key === 'alias' ? child : this.source(child, scope, around)))
      default:
        if (node.kind === 'FromNode') return mapChildren(node, (child) => this.source(child, scope, around))
        return this.visit(node, isQuery(node) ? around : scope)
    }
  }

  private select(query: SelectQueryNode, parent: Scope | undefined, expected: Meaning): Node {
    const ctes = this.meanings.cteScopes(query, parent)
    const isPlaced = (expected !== undefined && expected !== OTHER) || query.setOperations !== undefined
    const positions = isPlaced ? this.meanings.relationOf(query, parent).positions : undefined
    const others = expected === OTHER ? OTHER : undefined
    const places = positions?.map((one, at) => equate(one, itemOf(expected, at)) ?? others)
    let at = 0
    return this.query(query, ctes, (child, key, scope) => {
      if (key === 'selections') {
        const { selection } = child as unknown as { selection: Node }
        const meaning = places ? places[at] : others
        at += places
          ? this.meanings
              .outputsOf(selection, scope)
              .reduce((sum, one) => sum + ('name' in one ? 1 : (one.positions?.length ?? 0)), 0)
          : 0
        return mapChildren(child, (one) => this.visit(one, scope, meaning))
      }
      if (key !== 'setOperations') return undefined
      const row: Meaning = places && { is: 'row', items: places }
      return mapChildren(child, (one) => this.visit(one, ctes.at(-1), row))
    })
  }

  private insert(query: InsertQueryNode, parent: Scope | undefined): Node {
    const ctes = this.meanings.cteScopes(query as QueryParts, parent)
    const around = ctes.at(-1)
    const { target = UNKNOWN } = this.meanings.scopeOf(query, around)
    const { declared = NO_IDS } = target
    const { values } = query
    const rewritten = this.query(query, ctes, (child, key) =>
      key === 'columns' || key === 'values' ? child : undefined,
    )
    const names = query.columns?.map(({ column }) => column.name)
    const meanings = new Map(names?.map((name) => [name, writtenTo(this.tables.column(target, name))]))
    if (declared.size === 0 && values) {
      const written = this.visit(values, around, isQuery(values) ? undefined : OTHER)
      return written === values ? rewritten : ({ ...rewritten, values: written } as Node)
    }
    const parts = insertedParts(query, declared, (node, name) => {
      if (node !== values) {
        const meaning = meanings.get(name)
        return this.visit(
          node,
          around,
          isPlain(node) ? meaning : equate(meaning, this.meanings.meaningOf(node, around)),
        )
      }
      const row: Meaning = names && { is: 'row', items: names.map((one) => meanings.get(one)) }
      return this.visit(values, around, equate(row, this.meanings.meaningOf(values, around)))
    })
    return { ...rewritten, ...parts } as Node
  }

  // Raw SQL

  private rawSql(raw: RawNode, scope: Scope | undefined, expected: Meaning): Node {
    const mark = markOn(raw)
    if (mark) return this.marked(raw, mark, scope)
    const helper = jsonHelper(raw)
    if (helper) return this.helper(raw, helper, scope)
    const inner = wrappedIn(raw)
    if (inner) return mapChildren(raw, (child) => this.visit(child, scope, expected))
    if (!this.concerns(raw)) return raw
    const isRead = this.raw.isNeeded && expected !== MARKED
    const columns = isRead
      ? this.raw.columnsIn(raw, scope, (node) => this.meanings.meaningOf(node, scope))
      : []
    let at = 0
    let held: Held | undefined
    const rebuilt = (one: RawNode): RawNode =>
      mapChildren(one, (node) => {
        if (isFlat(node)) return node.parameters.length === 0 ? node : rebuilt(node)
        const ids = columns[at++]
        if (!ValueNode.is(node)) return this.visit(node, scope, expected === MARKED ? MARKED : undefined)
        if (!ids) return node
        const is = Array.isArray(node.value) && !ids.isMysql ? 'list' : 'id'
        if (held?.ids !== ids || held.is !== is) held = { is, ids }
        return this.value(node, held)
      })
    return rebuilt(raw)
  }

  private helper(
    raw: RawNode,
    { alias, form, pairsAt, rowsAt, rows }: JsonHelper,
    scope: Scope | undefined,
  ): Node {
    const parameters = [...raw.parameters]
    let seen = scope
    if (form !== 'build') {
      const relation = this.meanings.relationOf(rows(raw), scope)
      const rewritten = this.visit(rows(raw), scope)
      parameters[rowsAt] = pairsAt < 0 && roundedIn(relation) ? withTexts(rewritten, relation) : rewritten
      seen = new Scope(this.tables, scope)
      seen.add(alias, () => relation)
    }
    if (pairsAt >= 0) {
      const pairs = parameters[pairsAt] as RawNode
      const written = pairs.parameters.map((one, at) =>
        at % 4 === 2 ? inJson(this.visit(one, seen, OTHER), this.meanings.meaningOf(one, seen)) : one,
      )
      parameters[pairsAt] = { ...pairs, parameters: written } as RawNode
    }
    return { ...raw, parameters } as Node
  }

  private marked(raw: RawNode, mark: Mark, scope: Scope | undefined): Node {
    const [first, ...others] = raw.parameters as [Node, ...Node[]]
    switch (mark.is) {
      case 'id':
        return this.visit(first, scope, { ...heldOf(idsAt(this.declared, mark.path)), isTyped: true })
      case 'other':
        return this.visit(first, scope, MARKED)
      case 'between':
      case 'beyond': {
        const meaning = this.meanings.meaningOf(first, scope)
        const ids = meaning?.is === 'id' ? meaning.ids : undefined
        const reference = this.visit(first, scope)
        const values = others.map((one) => (one as ValueNode).value)
        return mark.is === 'between'
          ? betweenNode(reference, ids, values)
          : beyondNode(reference, ids, values, mark.order)
      }
      default:
        this.hasTimes ||= mark.is === 'time'
        return this.visit(first, scope)
    }
  }
}

/** A value, whose meaning is that of its place. */
const isPlain = ({ kind }: Node): boolean => kind === 'ValueNode' || kind === 'PrimitiveValueListNode'
