import type { Database } from '@snoflax/core'
import {
  discardsArguments,
  markOf,
  NamedColumns,
  type Reading,
  readComparisons,
  returnedArguments,
  withoutMarks,
} from '@snoflax/core/adapter'
import {
  type AggregateFunctionNode,
  type FunctionNode,
  IdentifierNode,
  type OperationNode,
  RawNode,
  type SelectQueryNode,
  type SetOperationNode,
} from 'kysely'
import { type ColumnIds, type Declared, idsAt } from './column-ids.js'
import { type JsonHelper, jsonHelper } from './json.js'
import { markOn, requireIds } from './marks.js'
import { equate, hasIds, idsIn, isRaw, type Meaning, type RawMeaning, unite } from './meaning.js'
import type { AnyNode, Node, Query, QueryParts } from './nodes.js'
import { checked, type Output, RAW, type Relation, relationFrom, Scope, UNKNOWN } from './scope.js'

const JSON_OBJECT = /^jsonb?_(?:build_)?object$/
const JSON_OF_ONE = /^(?:to_jsonb?|row_to_json)$/
const JSON_LIST =
  /^(?:jsonb?_agg|json_arrayagg|jsonb?_group_array|json_build_array|jsonb_build_array|json_array)$/
const COMPARING =
  /^(?:=|==|!=|<>|<|<=|>|>=|<=>|in|not in|is|is not|is distinct from|is not distinct from|between|between symmetric|@>|<@|&&|\?|\?&|\?\||like|not like|ilike|not ilike|glob|match|@@|regexp|not regexp|rlike|similar to|~|~\*|!~|!~\*)$/

export const isComparing = (operator: string): boolean => COMPARING.test(operator)

export const nameOfFunction = ({ func }: FunctionNode | AggregateFunctionNode): string =>
  func.toLowerCase().replace(/^pg_catalog\./, '')

export const isJsonObject = (name: string): boolean => JSON_OBJECT.test(name)
export const isJsonMaker = (name: string): boolean => JSON_OF_ONE.test(name) || JSON_LIST.test(name)

/** The text of an operator. */
export const operatorOf = (node: Node): string =>
  (node.kind === 'RawNode'
    ? (node as RawNode).sqlFragments.join(' ')
    : ((node as { operator?: string }).operator ?? '')
  )
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')

/** Raw SQL, nested raw SQL included, as text with marks, and the nodes that the marks stand for. */
export interface RawReading extends Reading {
  readonly nodes: readonly Node[]
}

/** Reads queries: the names that they see, the columns that they return, the meaning of expressions. */
export class Meanings {
  private readonly scopes = new WeakMap<OperationNode, Map<Scope, Scope>>()

  /** The declared columns by their names, for SQL whose text names them. */
  readonly named = new NamedColumns()

  constructor(
    readonly declared: Declared,
    readonly database: Database,
  ) {
    for (const columns of declared.values()) {
      for (const [name, ids] of columns) this.named.add(name, ids.named)
    }
  }

  scope(parent?: Scope): Scope {
    return new Scope(this.declared, this.database === 'postgres', parent)
  }

  /** The names inside a query. */
  scopeOf(query: Query, parent: Scope): Scope {
    const known = this.scopes.get(query)?.get(parent)
    if (known) return known
    const around = this.withCtes(query as QueryParts, parent)
    const scope = this.scope(around)
    this.scopes.set(query, (this.scopes.get(query) ?? new Map()).set(parent, scope))
    scope.addAnswer(() => this.relationOf(query, parent))
    const { from, joins, table, into, using } = query as QueryParts
    // A CTE of the same name is never written to.
    for (const node of [table, into]) if (node) this.addSource(node, scope, this.scope())
    for (const node of [...(from?.froms ?? []), ...(joins ?? []), using]) {
      if (node) this.addSource(node, scope, around)
    }
    return scope
  }

  /** The scopes of the CTEs of a query: each sees those before it, and in a recursive WITH itself. */
  cteScopes(query: QueryParts, parent: Scope): readonly Scope[] {
    const scopes: Scope[] = [parent]
    const withNode = query.with
    if (!withNode) return scopes
    const known = this.scopes.get(withNode)?.get(parent)
    if (known) return this.chainOf(known, parent)
    for (const { name, expression } of withNode.expressions) {
      const before = scopes.at(-1) as Scope
      const scope = this.scope(before)
      scope.addCte(name.table.table.identifier.name, () => {
        const relation = this.relationOf(expression, withNode.recursive ? scope : before)
        return name.columns
          ? renamed(
              relation,
              name.columns.map(({ column }) => column.name),
            )
          : relation
      })
      scopes.push(scope)
    }
    this.scopes.set(withNode, (this.scopes.get(withNode) ?? new Map()).set(parent, scopes.at(-1) as Scope))
    return scopes
  }

  private chainOf(last: Scope, first: Scope): Scope[] {
    const chain = [last]
    while (chain[0] !== first) chain.unshift(chain[0]?.parent as Scope)
    return chain
  }

  private withCtes(query: QueryParts, parent: Scope): Scope {
    return this.cteScopes(query, parent).at(-1) as Scope
  }

  /** @param around what a subquery that is not lateral can see. */
  addSource(node: AnyNode | Node, scope: Scope, around: Scope): void {
    const one = node as AnyNode
    switch (one.kind) {
      case 'JoinNode':
        this.addSource(one.table, scope, /Lateral|Apply/.test(one.joinType) ? scope : around)
        break
      case 'ListNode':
        for (const item of one.items) this.addSource(item, scope, around)
        return
      case 'UsingNode':
        for (const table of one.tables) this.addSource(table, scope, around)
        return
      case 'TableNode': {
        const { identifier, schema } = one.table
        scope.addSource(identifier.name, () => around.table(identifier.name, schema?.name), schema?.name)
        break
      }
      case 'AliasNode': {
        const name = IdentifierNode.is(one.alias) ? one.alias.name : undefined
        const { node: inner } = one
        scope.addSource(name, () => (name === undefined ? RAW : this.sourceOf(inner, scope, around)))
        break
      }
      default:
        scope.addSource(undefined, () => this.sourceOf(one, scope, around))
    }
  }

  private sourceOf(node: Node, scope: Scope, around: Scope): Relation {
    const one = node as AnyNode
    if (one.kind === 'TableNode') return around.table(one.table.identifier.name, one.table.schema?.name)
    return this.relationOf(one, one.kind === 'RawNode' ? scope : around)
  }

  /** The relation that a query, or raw SQL in its place, returns. */
  relationOf(node: Node, parent: Scope): Relation {
    const one = node as AnyNode
    switch (one.kind) {
      case 'SelectQueryNode':
        return this.relationOfSelect(one, parent)
      case 'ParensNode':
        return this.relationOf(one.node, parent)
      case 'RawNode': {
        const mark = markOn(one)
        if (mark?.is === 'other') return UNKNOWN
        if (mark?.is !== 'rows') {
          const [inner] = one.parameters
          if (inner && isOnlyBrackets(one)) return this.relationOf(inner, parent)
          return { ...RAW, others: this.ofText(this.readRaw(one).parts.names) }
        }
        return relationFrom(
          Object.entries(mark.columns).map(([name, path]) => ({
            name,
            meaning: path === null ? undefined : { is: 'id', ids: idsAt(this.declared, path) },
          })),
        )
      }
      case 'InsertQueryNode':
      case 'UpdateQueryNode':
      case 'DeleteQueryNode':
      case 'MergeQueryNode': {
        const scope = this.scopeOf(one, parent)
        const selections = (one as QueryParts).returning?.selections ?? []
        return relationFrom(selections.flatMap(({ selection }) => this.outputsOf(selection, scope)))
      }
      default:
        return RAW
    }
  }

  private relationOfSelect(query: SelectQueryNode, parent: Scope): Relation {
    const scope = this.scopeOf(query, parent)
    const own = relationFrom(
      (query.selections ?? []).flatMap(({ selection }) => this.outputsOf(selection, scope)),
    )
    const others = (query.setOperations ?? []).map((one) => this.relationOfOperation(one, query, parent))
    if (others.length === 0) return own
    return this.united([own, ...others])
  }

  /** The queries after `union` see the CTEs of the first query. */
  relationOfOperation({ expression }: SetOperationNode, query: SelectQueryNode, parent: Scope): Relation {
    return this.relationOf(expression, this.withCtes(query, parent))
  }

  /** Rows of several queries, by position. */
  private united(relations: readonly Relation[]): Relation {
    const [own, ...others] = relations as [Relation, ...Relation[]]
    const { positions } = own
    if (positions && others.every((one) => one.positions?.length === positions.length)) {
      const all = positions.map((_, at) => unite(...relations.map((one) => one.positions?.[at])))
      return { ...own, ...renamed({ ...own, positions: all }, [...own.columns.keys()]) }
    }
    for (const other of others) {
      const names = new Set([...own.columns.keys(), ...other.columns.keys()])
      for (const name of names) {
        const [mine, theirs] = [own.columns.get(name), other.columns.get(name)]
        if (!hasIds(mine) && !hasIds(theirs)) continue
        if (hasIds(mine) && hasIds(theirs) && mine.is === theirs.is && mine.ids.isLike(theirs.ids)) continue
        const { ids } = (hasIds(mine) ? mine : theirs) as { ids: ColumnIds }
        throw ids.refuse(
          `can't tell which column of a set operation contains ${name}; select the columns by name in each query`,
        )
      }
    }
    if (!relations.some(({ isRaw }) => isRaw)) return own
    const raw = unite(this.textOf([]), ...relations.map(({ others }) => others))
    const columns = new Map([...own.columns].map(([name, meaning]) => [name, meaning ?? raw]))
    return { ...own, columns, isRaw: true }
  }

  /** The columns that one selection returns. */
  outputsOf(selection: Node, scope: Scope): Output[] {
    const one = selection as AnyNode | { kind: 'SelectAllNode' }
    if (one.kind === 'SelectAllNode') return [...scope.all()]
    if (one.kind === 'ReferenceNode' && one.column.kind === 'SelectAllNode') {
      const { schema, identifier } = one.table?.table ?? {}
      return [(identifier && scope.source(identifier.name, schema?.name)) ?? RAW]
    }
    const meaning = this.meaningOf(selection, scope)
    const name = nameOf(one as AnyNode)
    const inner = one.kind === 'AliasNode' ? one.node : one
    if (name !== undefined && meaning === undefined && isFlat(inner as Node)) {
      return [{ name, meaning: this.textOf([]) }]
    }
    if (name !== undefined) return [{ name, meaning }]
    if (hasIds(meaning)) throw meaning.ids.refuse('an expression of ids in a selection needs an alias')
    return [one.kind === 'RawNode' ? RAW : UNKNOWN]
  }

  /** The meaning of an expression. */
  meaningOf(node: Node, scope: Scope): Meaning {
    const one = node as AnyNode
    switch (one.kind) {
      case 'ReferenceNode': {
        const { column, table } = one
        if (column.kind === 'SelectAllNode') return undefined
        return scope.column(column.column.name, table?.table.identifier.name, table?.table.schema?.name)
      }
      case 'ColumnNode':
        return scope.column(one.column.name, undefined)
      case 'ParensNode':
      case 'AliasNode':
        return this.meaningOf(one.node, scope)
      case 'TupleNode':
        return { is: 'row', items: one.values.map((value) => this.meaningOf(value, scope)) }
      case 'ValueListNode':
        return equate(...one.values.map((value) => this.meaningOf(value, scope)))
      case 'ListNode':
        return equate(...one.items.map((value) => this.meaningOf(value, scope)))
      case 'AndNode':
        return undefined
      case 'SelectQueryNode': {
        const { positions = [] } = this.relationOf(one, scope)
        return positions.length === 1
          ? positions[0]
          : positions.some(hasIds)
            ? { is: 'row', items: positions }
            : undefined
      }
      case 'FunctionNode':
        return this.meaningOfCall(one, one.arguments, scope)
      case 'AggregateFunctionNode':
        return this.meaningOfCall(one, one.aggregated, scope)
      case 'CaseNode':
        return unite(
          ...this.resultsOf(one.when ?? [], one.else).map((result) => this.meaningOf(result, scope)),
        )
      case 'BinaryOperationNode':
        return isComparing(operatorOf(one.operator))
          ? undefined
          : this.derived([one.leftOperand, one.rightOperand], scope)
      case 'UnaryOperationNode':
        return /^(?:not )?exists$|^not$/.test(operatorOf(one.operator))
          ? undefined
          : this.derived([one.operand], scope)
      case 'CastNode':
        return this.derived([one.expression], scope)
      case 'JSONReferenceNode':
        return this.derived([one.reference], scope)
      case 'RawNode':
        return this.meaningOfRaw(one, scope)
      default:
        return undefined
    }
  }

  resultsOf(whens: readonly { readonly result?: Node }[], otherwise: Node | undefined): Node[] {
    return [...whens.map(({ result }) => result), otherwise].filter((one) => one !== undefined)
  }

  /** An expression computed from ids, which may be one. */
  derived(nodes: readonly Node[], scope: Scope): Meaning {
    return madeOf(nodes.map((node) => this.meaningOf(node, scope)))
  }

  private meaningOfCall(
    call: FunctionNode | AggregateFunctionNode,
    given: readonly Node[],
    scope: Scope,
  ): Meaning {
    const name = nameOfFunction(call)
    if (discardsArguments(name)) return undefined
    const isAnswered = returnedArguments(name) ?? (name === 'values' ? () => true : undefined)
    if (isAnswered)
      return unite(...given.filter((_, at) => isAnswered(at)).map((one) => this.meaningOf(one, scope)))
    if (JSON_OBJECT.test(name)) return this.jsonObject(given, scope)
    const [first] = given
    if (JSON_LIST.test(name) || JSON_OF_ONE.test(name)) {
      const of = first && this.jsonOf(first, scope)
      return of && (JSON_LIST.test(name) ? { is: 'array', of } : of)
    }
    const meaning = first && this.meaningOf(first, scope)
    if (/^(?:any|all|some|unnest)$/.test(name))
      return meaning?.is === 'list' ? { is: 'id', ids: meaning.ids } : meaning
    if (name === 'array_agg' && meaning?.is === 'id') return { is: 'list', ids: meaning.ids }
    return this.derived(given, scope)
  }

  /** A row of a table, or an expression, as JSON. */
  private jsonOf(node: Node, scope: Scope): Meaning {
    const relation = this.wholeRow(node, scope)
    if (relation) return relation.columns.size > 0 ? { is: 'object', members: relation.columns } : undefined
    return this.meaningOf(node, scope)
  }

  /** The source whose whole row a node is, as in `json_agg(agg)`. */
  wholeRow(node: Node, scope: Scope): Relation | undefined {
    const one = node as AnyNode
    if (one.kind === 'TableNode') return scope.source(one.table.identifier.name, one.table.schema?.name)
    if (one.kind === 'ReferenceNode' && one.table === undefined && one.column.kind === 'ColumnNode') {
      return scope.source(one.column.column.name)
    }
    return undefined
  }

  /** Keys and values alternate. */
  jsonObject(pairs: readonly Node[], scope: Scope): Meaning {
    const members = new Map<string, Meaning>()
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const meaning = this.meaningOf(pairs[at + 1] as Node, scope)
      const [ids] = idsIn(meaning)
      if (!ids) continue
      const key = literalIn(pairs[at] as Node)
      if (key === undefined) throw ids.refuse('the name of a JSON property with ids must be a literal')
      members.set(key, meaning)
    }
    return members.size > 0 ? { is: 'object', members } : undefined
  }

  /** The scope of raw SQL: tables in it that are nodes are its sources. */
  scopeOfRaw(raw: RawNode, scope: Scope): Scope {
    const known = this.scopes.get(raw)?.get(scope)
    if (known) return known
    const tables = this.readRaw(raw).nodes.filter(({ kind }) => kind === 'TableNode')
    const inner = tables.length > 0 ? this.scope(scope) : scope
    for (const table of tables) this.addSource(table, inner, scope)
    this.scopes.set(raw, (this.scopes.get(raw) ?? new Map()).set(scope, inner))
    return inner
  }

  private meaningOfRaw(raw: RawNode, scope: Scope): Meaning {
    const [column, table, schema] = namesOf(raw).reverse()
    if (column !== undefined) return scope.column(column, table, schema)
    const mark = markOn(raw)
    if (mark?.is === 'id') {
      const ids = idsAt(this.declared, mark.path)
      return { is: ids.column.role === 'list' ? 'list' : 'id', ids }
    }
    if (mark?.is === 'time') {
      const meaning = this.meaningOf(raw.parameters[0] as Node, scope)
      return { is: 'time', ids: requireIds(meaning?.is === 'id' ? meaning.ids : undefined, 'createdAt') }
    }
    if (mark) return undefined
    const helper = jsonHelper(raw)
    if (helper) return this.meaningOfHelper(raw, helper, scope)
    const inner = this.scopeOfRaw(raw, scope)
    const { nodes, result, parts } = this.readRaw(raw)
    const meanings = nodes.map((node) => this.meaningOf(node, inner))
    const answers = result.map(({ chunk, isCast }) => (isCast ? undefined : meanings[chunk]))
    if (answers.some((one) => one !== undefined)) return unite(...answers)
    return madeOf([...parts.chunks.map((chunk) => meanings[chunk]), this.ofText(parts.names)])
  }

  /** The meaning of raw SQL, if it names id columns. */
  private ofText(names: readonly string[]): Meaning {
    const text = this.textOf(names)
    return text.named.length > 0 ? text : undefined
  }

  /** The meaning of raw SQL whose text has these names. */
  private textOf(names: readonly string[]): RawMeaning {
    const named = this.named.called(names).filter(({ storage }) => storage().converts)
    return { is: 'raw', declared: this.declared, named }
  }

  meaningOfHelper(raw: RawNode, { form, rows, pairs }: JsonHelper, scope: Scope): Meaning {
    if (form === 'build') return this.jsonObject(pairs(raw), scope)
    const { columns, isRaw } = this.relationOf(rows(raw), scope)
    const [some] = [...this.declared.values()].flatMap((all) => [...all.values()])
    if (isRaw && some)
      throw some.refuse('raw SQL inside JSON may contain ids; wrap it in ids.rows({ … }, sql)')
    if (columns.size === 0) return undefined
    for (const meaning of columns.values()) checked(meaning)
    const object: Meaning = { is: 'object', members: columns }
    return form === 'array' ? { is: 'array', of: object } : object
  }

  readRaw(raw: RawNode): RawReading {
    const nodes: Node[] = []
    const text = textOf(raw, nodes)
    return { ...readComparisons(text, this.database), nodes }
  }

  /** The table of a write; undefined if there are several. */
  targetOf(query: Query): Relation | undefined {
    const { into, table } = query as QueryParts
    const node = (into ?? table) as AnyNode | undefined
    const inner = (node?.kind === 'AliasNode' ? node.node : node) as AnyNode | undefined
    if (inner?.kind === 'ListNode') return undefined
    // A CTE of the same name is never written to.
    const tables = this.scope()
    return inner?.kind === 'TableNode'
      ? tables.table(inner.table.identifier.name, inner.table.schema?.name)
      : UNKNOWN
  }
}

/** The meaning of an expression computed from others. */
function madeOf(meanings: readonly Meaning[]): Meaning {
  const [ids] = meanings.flatMap(idsIn)
  return ids ? { is: 'derived', ids } : unite(...meanings.filter(isRaw))
}

/** The value of a node; that of `sql.lit()` is in raw SQL. */
function literalIn(node: Node): string | undefined {
  const one = node as AnyNode
  if (one.kind === 'ValueNode') return String(one.value)
  return one.kind === 'RawNode' && isOnlyBrackets(one) ? literalIn(one.parameters[0] as Node) : undefined
}

/** Whether nested raw SQL belongs to the text around it: it does unless it is marked or a helper created it. */
export const isFlat = (node: Node): node is RawNode =>
  RawNode.is(node) &&
  markOn(node) === undefined &&
  jsonHelper(node) === undefined &&
  namesOf(node).length === 0

/** The parts of a name from `sql.id()`. */
function namesOf({ sqlFragments, parameters }: RawNode): string[] {
  const isName = sqlFragments.slice(1, -1).every((text) => text === '.') && sqlFragments[0] === ''
  return isName && sqlFragments.at(-1) === ''
    ? parameters.flatMap((one) => (IdentifierNode.is(one) ? [one.name] : []))
    : []
}

function textOf({ sqlFragments, parameters }: RawNode, nodes: Node[]): string {
  let text = ''
  sqlFragments.forEach((fragment, at) => {
    text += withoutMarks(fragment)
    const parameter = parameters[at]
    if (!parameter) return
    text += isFlat(parameter) ? textOf(parameter, nodes) : markOf(nodes.push(parameter) - 1)
  })
  return text
}

const isOnlyBrackets = ({ sqlFragments, parameters }: RawNode): boolean =>
  parameters.length === 1 && sqlFragments.every((text) => /^[\s()]*$/.test(text))

/** The name of a selection in the row. */
function nameOf(node: AnyNode): string | undefined {
  if (node.kind === 'AliasNode') return IdentifierNode.is(node.alias) ? node.alias.name : undefined
  if (node.kind === 'ColumnNode') return node.column.name
  return node.kind === 'ReferenceNode' && node.column.kind === 'ColumnNode'
    ? node.column.column.name
    : undefined
}

/** A CTE with a list of columns. */
function renamed(relation: Relation, names: readonly string[]): Relation {
  const { positions } = relation
  if (positions?.length === names.length) {
    return relationFrom(names.map((name, at) => ({ name, meaning: positions[at] })))
  }
  const ids = [...relation.columns.values()].flatMap(idsIn)[0]
  if (ids) throw ids.refuse(`can't tell which of ${names.join(', ')} contains it; select the columns by name`)
  return relation
}
