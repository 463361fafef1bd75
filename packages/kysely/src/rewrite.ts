import type { Database } from '@snoflax/core'
import { isSilent, literalOf } from '@snoflax/core/adapter'
import {
  type AggregateFunctionNode,
  AndNode,
  BinaryOperationNode,
  type CaseNode,
  CastNode,
  ColumnNode,
  type FunctionNode,
  type InsertQueryNode,
  OperatorNode,
  ParensNode,
  PrimitiveValueListNode,
  RawNode,
  type SelectionNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import { type ColumnIds, type Declared, idsAt } from './column-ids.js'
import { inJson, type JsonHelper, jsonHelper, roundedIn, withTexts } from './json.js'
import {
  encode,
  equate,
  type Held,
  heldOf,
  idsOf,
  isConverted,
  isHeld,
  itemOf,
  MARKED,
  type Meaning,
  OTHER,
  unite,
  writtenTo,
} from './meaning.js'
import {
  type AnyNode,
  chainOf,
  isPlain,
  isQuery,
  LEAVES,
  type Mark,
  mapChildren,
  mapList,
  markOn,
  type Node,
  nodesOf,
  operatorOf,
  type Query,
  type QueryParts,
} from './nodes.js'
import { isFlat, RawSql, wrappedIn } from './raw.js'
import { isJsonMaker, isReturned, nameOfFunction, Reader } from './reader.js'
import { Scope, Tables, UNKNOWN } from './scope.js'

/** The versions that the tests run with, from the lowest to the highest. */
export const SUPPORTED = '^0.28.3 || ^0.29.0 || ^0.30.0-beta.2'

const COMPARING =
  /^(?:=|==|!=|<>|<|<=|>|>=|<=>|(?:not )?in|is(?: not)?(?: distinct from)?|between(?: symmetric)?|@>|<@|&&)$/
const PATTERN = /^(?:not )?(?:i?like|glob|match|regexp|rlike|similar to)$|^!?~\*?$|^@@$/

/** Kinds whose children mean what the node means. */
const PASSING: ReadonlySet<string> = new Set(
  'Parens Alias ValueList List And Cast Values DefaultValue Selection SetOperation'
    .split(' ')
    .map((name) => `${name}Node`),
)

const NO_IDS: ReadonlyMap<string, ColumnIds> = new Map()

/** The column of a value in an insert. */
interface Place {
  readonly ids?: ColumnIds | undefined
  readonly meaning?: Meaning
}

/** The columns of a result that must be converted. */
export type Answer = readonly (readonly [name: string, meaning: Meaning])[]

/** Rewrites a statement: new ids are generated, ids are checked and, if their columns convert, sent in their stored form. */
export class Rewriter {
  private readonly raw: RawSql
  private readonly tables: Tables
  private readonly reader: Reader
  private hasTimes = false

  constructor(
    private readonly declared: Declared,
    private readonly database: Database,
    renamed: (name: string) => string,
  ) {
    this.raw = new RawSql(declared, database, renamed)
    this.tables = new Tables(declared, database)
    this.reader = new Reader(declared, this.tables, this.raw)
  }

  /**
   * The statement as it is sent, the same node if nothing in it changes, and the columns of its rows that must be converted.
   *
   * @throws {IdError} for a malformed id, with its column.
   */
  rewrite<ANode extends Node>(given: ANode): { node: ANode; answer?: Answer | undefined } {
    if (!this.reader.concerns(given)) return { node: given }
    this.hasTimes = false
    // A value that a statement itself returns is compared with nothing.
    const node = this.visit(given, this.reader.root, OTHER) as ANode
    return { node, answer: this.raw.isNeeded || this.hasTimes ? this.answerOf(given) : undefined }
  }

  private answerOf(node: Node): Answer | undefined {
    const isAnswering = isQuery(node) || node.kind === 'RawNode'
    if (!isAnswering || (node as QueryParts).explain !== undefined) return undefined
    const columns = [...this.reader.relationOf(node, this.reader.root).columns]
    const converted = columns.filter(([, meaning]) => isConverted(meaning))
    for (const [, meaning] of converted) if (meaning?.is === 'clash') throw meaning.error
    return converted.length > 0 ? converted : undefined
  }

  /** Remembers what a query was: a builder that becomes a subquery has already been rewritten by itself. */
  keep(rewritten: Node, given: Node): void {
    if (isQuery(given)) this.reader.originals.set(rewritten, this.reader.original(given))
  }

  /** @param expected the meaning expected at the node's place, by which a value there is encoded. */
  private visit(node: Node, scope: Scope, expected?: Meaning): Node {
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
      case 'InsertQueryNode':
      case 'UpdateQueryNode':
      case 'DeleteQueryNode':
      case 'MergeQueryNode':
        return this.query(this.reader.original(one) as Query, scope.seenBy(one), expected)
      case 'ColumnUpdateNode': {
        const { column, value } = one
        const target = scope.target
        const own =
          target && column.kind === 'ColumnNode'
            ? this.tables.column(target, (column as { column: { name: string } } & Node).column.name)
            : this.reader.meaningOf(column, scope)
        // What a table that is not declared may hold is not known.
        const meaning = own?.is === 'other' && own.isForeign ? OTHER : own
        refuseNull(isHeld(meaning) ? meaning.ids : undefined, value)
        const written = this.visit(value, scope, this.beside(writtenTo(meaning), value, scope))
        return written === value ? node : ({ ...node, value: written } as Node)
      }
      case 'CreateTableNode':
      case 'AlterTableNode':
      case 'CreateIndexNode': {
        const { identifier, schema } = one.table?.table ?? {}
        const inner = new Scope(this.tables, scope)
        if (identifier) {
          const { name } = identifier
          inner.add({ name, compute: () => inner.table(name, schema?.name) })
        }
        return mapChildren(node, (child) => this.visit(child, inner))
      }
      case 'ColumnDefinitionNode':
      case 'AlterColumnNode': {
        const meaning = this.reader.meaningOf(one.column, scope)
        return mapChildren(node, (child, key) =>
          this.visit(child, scope, /^(?:defaultTo|setDefault)$/.test(key) ? writtenTo(meaning) : undefined),
        )
      }
      default: {
        if (LEAVES.has(one.kind)) return node
        const passed = PASSING.has(one.kind) || expected === MARKED ? expected : undefined
        return mapChildren(node, (child) => this.visit(child, scope, passed))
      }
    }
  }

  /** A chain of AND or OR, from its left end. */
  private chain(last: AndNode, scope: Scope, expected: Meaning): Node {
    const [pairs, first] = chainOf(last)
    let left = this.visit(first, scope, expected)
    for (const pair of pairs.reverse()) {
      const right = this.visit(pair.right, scope, expected)
      left = left === pair.left && right === pair.right ? pair : ({ ...pair, left, right } as AndNode)
    }
    return left
  }

  /** The meaning of values in a node that is written to something, or compared with it. */
  private beside(meaning: Meaning, node: Node, scope: Scope): Meaning {
    return isPlain(node) ? meaning : equate(meaning, this.reader.meaningOf(node, scope))
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

  private operation(node: BinaryOperationNode, scope: Scope): Node {
    const { leftOperand, rightOperand } = node
    const operator = operatorOf(node.operator)
    const isPattern = PATTERN.test(operator)
    let expected: Meaning
    if (isPattern || COMPARING.test(operator)) {
      expected = this.compared(leftOperand, scope)
      if (!isPlain(rightOperand)) {
        const other = this.compared(rightOperand, scope)
        expected = isPattern ? (expected ?? other) : equate(expected, other)
      }
    }
    if (isPattern && isHeld(expected)) {
      const { ids } = expected
      if (!ids.isText && [leftOperand, rightOperand].some(ValueNode.is)) {
        throw ids.refuse(
          `${operator} matches text, but these ids are not stored as text: the storage is ${ids.storage.name}`,
        )
      }
      expected = OTHER
    }
    const left = this.visit(leftOperand, scope, expected)
    const right = this.visit(rightOperand, scope, expected)
    return left === leftOperand && right === rightOperand
      ? node
      : ({ ...node, leftOperand: left, rightOperand: right } as BinaryOperationNode)
  }

  /** A cast of what PostgreSQL stores as a uuid or number has the text of that. */
  private compared(side: Node, scope: Scope): Meaning {
    const cast = CastNode.is(side) ? this.reader.meaningOf(side.expression, scope) : undefined
    const isSame = isHeld(cast) && !cast.ids.isText && !isSilent(cast.ids.named)
    return isSame ? cast : this.reader.meaningOf(side, scope)
  }

  private call(node: FunctionNode | AggregateFunctionNode, scope: Scope, expected: Meaning): Node {
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
  private given(name: string, given: readonly Node[], scope: Scope, expected: Meaning): readonly Node[] {
    const of = (one: Node) => this.reader.meaningOf(one, scope)
    if (isJsonMaker(name)) {
      return mapList(given, (one) => {
        const row = this.reader.wholeRow(one, scope)
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

  private cases(node: CaseNode, scope: Scope, expected: Meaning): Node {
    const { value, when = [], else: otherwise } = node
    const of = (one: Node | undefined) => one && this.reader.meaningOf(one, scope)
    const matched = value && equate(of(value), ...when.map(({ condition }) => of(condition)))
    const result = equate(expected, unite(...when.map((one) => of(one.result)), of(otherwise)))
    return mapChildren(node, (child, key) =>
      key === 'when'
        ? mapChildren(child, (part, name) => this.visit(part, scope, name === 'result' ? result : matched))
        : this.visit(child, scope, key === 'else' ? result : matched),
    )
  }

  // Queries

  /** @param expected the meaning of what it selects. */
  private query(query: Query, parent: Scope, expected: Meaning): Node {
    const { ctes, around } = this.reader.ctesOf(query as QueryParts, parent)
    const scope = this.reader.scopeOf(query, around)
    const others = expected === OTHER ? OTHER : undefined
    let places: readonly Meaning[] | undefined
    if (query.kind === 'SelectQueryNode' && (expected !== others || query.setOperations)) {
      const { positions } = this.reader.relationOf(query, parent)
      places = positions?.map((one, at) => equate(one, itemOf(expected, at)) ?? others)
    }
    let place = 0
    const rewritten = mapChildren(query, (child, key) => {
      switch (key) {
        case 'with':
          return mapChildren(child, (one, _, at) => this.visit(one, ctes[at] as Scope))
        case 'selections': {
          const meaning = places ? places[place] : others
          if (places) place += this.reader.widthOf((child as unknown as SelectionNode).selection, scope)
          return this.visit(child, scope, meaning)
        }
        case 'setOperations':
          return this.visit(child, around, places && { is: 'row', items: places })
        case 'columns':
        case 'values':
          return child
        default:
          return this.visit(child, scope)
      }
    })
    return rewritten.kind === 'InsertQueryNode' ? this.insert(rewritten, scope.target, around) : rewritten
  }

  /** An insert, with an id in each row that has none. @param around what its values can see. */
  private insert(query: InsertQueryNode, target = UNKNOWN, around: Scope): Node {
    const { values, columns = [], defaultValues = false } = query
    const { declared = NO_IDS } = target
    if (declared.size === 0 && values) {
      const written = this.visit(values, around, isQuery(values) ? undefined : OTHER)
      return written === values ? query : ({ ...query, values: written } as Node)
    }
    const places = columns.map(({ column: { name } }): Place => {
      return { ids: declared.get(name), meaning: writtenTo(this.tables.column(target, name)) }
    })
    const names = columns.map(({ column }) => column.name)
    const missing = [...declared].filter(([name, ids]) => ids.generate && !names.includes(name))
    const [[, first] = []] = missing
    if (query.into === undefined && first) {
      throw first.refuse(
        'the insert of a merge would write one id into every row; pass a column of the source, or let the database generate ids',
      )
    }
    if (values !== undefined && !ValuesNode.is(values)) {
      if (first && query.columns) {
        throw first.refuse(
          'an insert from a query generates no ids; select one for each row, or let the database generate them',
        )
      }
      const row: Meaning = query.columns && { is: 'row', items: places.map(({ meaning }) => meaning) }
      return { ...query, values: this.visit(values, around, this.beside(row, values, around)) } as Node
    }
    if (values === undefined && !(defaultValues && first)) return query
    const rows = (values?.values ?? [ValueListNode.create([])]).map((row) => {
      const given = nodesOf(row).map((node, at) => {
        const { ids, meaning } = (places[at] ?? {}) as Place
        refuseNull(ids, node)
        return node.kind === 'DefaultInsertValueNode' && ids?.generate
          ? newId(ids)
          : this.visit(node, around, this.beside(meaning, node, around))
      })
      return ValueListNode.create([...given, ...missing.map(([, ids]) => newId(ids))])
    })
    return {
      ...query,
      columns: [...columns, ...missing.map(([name]) => ColumnNode.create(name))],
      values: ValuesNode.create(rows as never),
      defaultValues: false,
    } as Node
  }

  // Raw SQL

  private rawSql(raw: RawNode, scope: Scope, expected: Meaning): Node {
    const mark = markOn(raw)
    if (mark) return this.marked(raw, mark, scope)
    const helper = jsonHelper(raw)
    if (helper) return this.helper(raw, helper, scope)
    const inner = wrappedIn(raw)
    if (inner) return mapChildren(raw, (child) => this.visit(child, scope, expected))
    if (!this.reader.concerns(raw)) return raw
    const isRead = this.raw.isNeeded && expected !== MARKED
    const columns = isRead
      ? this.raw.columnsIn(raw, scope === this.reader.root ? undefined : scope, (node) =>
          this.reader.meaningOf(node, scope),
        )
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

  private helper(raw: RawNode, { alias, form, pairsAt, rowsAt, rows }: JsonHelper, scope: Scope): Node {
    const parameters = [...raw.parameters]
    let seen = scope
    if (form !== 'build') {
      const relation = this.reader.relationOf(rows(raw), scope)
      const rewritten = this.visit(rows(raw), scope)
      parameters[rowsAt] = pairsAt < 0 && roundedIn(relation) ? withTexts(rewritten, relation) : rewritten
      seen = new Scope(this.tables, scope)
      seen.add({ name: alias, compute: () => relation })
    }
    if (pairsAt >= 0) {
      const pairs = parameters[pairsAt] as RawNode
      const written = pairs.parameters.map((one, at) =>
        at % 4 === 2 ? inJson(this.visit(one, seen, OTHER), this.reader.meaningOf(one, seen)) : one,
      )
      parameters[pairsAt] = { ...pairs, parameters: written } as RawNode
    }
    return { ...raw, parameters } as Node
  }

  private marked(raw: RawNode, mark: Mark, scope: Scope): Node {
    const [first, ...others] = raw.parameters as [Node, ...Node[]]
    switch (mark.is) {
      case 'id':
        return this.visit(first, scope, { ...heldOf(idsAt(this.declared, mark.path)), isTyped: true })
      case 'other':
        return this.visit(first, scope, MARKED)
      case 'between':
      case 'beyond': {
        const isRange = mark.is === 'between'
        const ids = idsOf(this.reader.meaningOf(first, scope), isRange ? 'createdBetween' : 'keyset')
        const reference = this.visit(first, scope)
        const [from, to] = others.map((one) => (one as ValueNode).value)
        const compared = (operator: '>=' | '>' | '<', id: unknown) => {
          const value = ValueNode.create(ids.toDatabase(id, false))
          return BinaryOperationNode.create(reference, OperatorNode.create(operator), value)
        }
        if (!isRange) return compared(mark.order === 'asc' ? '>' : '<', from)
        const { gte, lt } = ids.placed(() => ids.family.range(from as number, to as number))
        if (lt === undefined) return compared('>=', gte)
        return ParensNode.create(AndNode.create(compared('>=', gte), compared('<', lt)))
      }
      default:
        this.hasTimes ||= mark.is === 'time'
        return this.visit(first, scope)
    }
  }
}

const newId = (ids: ColumnIds): ValueNode =>
  ValueNode.create(ids.toDatabase((ids.generate as () => string)()))

function refuseNull(ids: ColumnIds | undefined, value: Node): void {
  if (ids?.column.role !== 'generated' || !ValueNode.is(value) || value.value !== null) return
  throw ids.refuse('a generated id cannot be null; leave it out to have it generated', null)
}
