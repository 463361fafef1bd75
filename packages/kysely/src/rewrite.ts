import { IdError } from '@snoflax/core'
import {
  discardsArguments,
  literalOf,
  NamedColumns,
  type NamedSource,
  refuseUnconverted,
  returnedArguments,
} from '@snoflax/core/adapter'
import {
  type AggregateFunctionNode,
  AliasNode,
  AndNode,
  type BinaryOperationNode,
  type CaseNode,
  ColumnNode,
  type ColumnUpdateNode,
  type FunctionNode,
  type InsertQueryNode,
  type MergeQueryNode,
  type OnConflictNode,
  PrimitiveValueListNode,
  RawNode,
  type ReferenceNode,
  type SelectQueryNode,
  type TableNode,
  type UpdateQueryNode,
  ValueNode,
  type WhenNode,
  type WithNode,
} from 'kysely'
import type { ColumnIds } from './column-ids.js'
import { type InsertedParts, insertedParts, refuseNull } from './inserts.js'
import { inJson, isRounded, type JsonHelper, jsonHelper, withTexts } from './json.js'
import { betweenNode, beyondNode, type Mark, markOn } from './marks.js'
import {
  encode,
  equate,
  hasIds,
  type IdMeaning,
  idsIn,
  isRaw,
  type Meaning,
  NAMED_IN_TEXT,
  untold,
} from './meaning.js'
import {
  isComparing,
  isFlat,
  isJsonMaker,
  isJsonObject,
  type Meanings,
  nameOfFunction,
  operatorOf,
  type RawReading,
} from './meanings.js'
import {
  type AnyNode,
  isQuery,
  mapChildren,
  type Node,
  PLAIN_KINDS,
  type Query,
  type QueryParts,
} from './nodes.js'
import { namedIn, type Relation, type Scope } from './scope.js'

/** The versions that the tests run with, from the lowest to the highest. */
export const SUPPORTED = '^0.28.3 || ^0.29.0 || ^0.30.0-beta.2'

const ADVICE = {
  advice: 'pass it as a parameter',
  known: 'declare it with ids.typed(column, expression), or with notAnId(expression)',
}

const PATTERN = /^(?:not )?(?:i?like|glob|match|regexp|rlike|similar to)$|^!?~\*?$|^@@$/

/** Rewrites the tree of a query, so that its ids are sent in their stored form. */
export class Rewriter {
  constructor(private readonly meanings: Meanings) {}

  /** @param expected the meaning expected at the node's place, by which a value there is encoded. */
  rewrite<ANode extends Node>(node: ANode, scope: Scope, expected?: Meaning): ANode {
    return this.rewritten(node as unknown as AnyNode, scope, expected) as unknown as ANode
  }

  private rewritten(node: AnyNode, scope: Scope, expected: Meaning): Node {
    switch (node.kind) {
      case 'ValueNode':
        return encodedNode(node, expected)
      case 'PrimitiveValueListNode':
        return PrimitiveValueListNode.create(node.values.map((value) => encode(value, expected)))
      case 'TupleNode':
        return {
          ...node,
          values: node.values.map((one, at) => this.rewrite(one, scope, itemOf(expected, at))),
        } as Node
      case 'ReferenceNode':
      case 'ColumnNode':
        // Ids of another storage or family are never equal.
        if (expected !== undefined) this.fit(node, scope, expected)
        return node
      case 'TableNode':
        return node
      case 'ParensNode':
      case 'AliasNode':
      case 'ListNode':
      case 'ValueListNode':
      case 'AndNode':
      case 'CastNode':
        return mapChildren(node, (child, key) =>
          this.rewrite(child, scope, key === 'dataType' || key === 'alias' ? undefined : expected),
        )
      case 'BinaryOperationNode':
        return this.operation(node, scope)
      case 'UnaryOperationNode':
        return {
          ...node,
          operand: this.rewrite(node.operand, scope, this.meanings.meaningOf(node, scope)),
        } as Node
      case 'FunctionNode':
        return { ...node, arguments: this.given(node, node.arguments, scope, expected) } as Node
      case 'AggregateFunctionNode': {
        const rest = mapChildren({ ...node, aggregated: [] }, (child) => this.rewrite(child, scope))
        return { ...rest, aggregated: this.given(node, node.aggregated, scope, expected) } as Node
      }
      case 'CaseNode':
        return this.cases(node, scope, expected)
      case 'JSONReferenceNode':
        return node
      case 'RawNode':
        return this.raw(node, scope, expected)
      case 'SelectQueryNode':
        return this.select(node, scope, expected)
      case 'InsertQueryNode':
        return this.insert(node, scope)
      case 'UpdateQueryNode': {
        const inner = this.meanings.scopeOf(node, scope)
        const target = this.meanings.targetOf(node)
        return this.query(node, scope, {
          updates: node.updates?.map((one) => this.update(one, inner, target)),
        } as Partial<UpdateQueryNode>)
      }
      case 'DeleteQueryNode':
        return this.query(node, scope, {})
      case 'MergeQueryNode':
        return this.merge(node, scope)
      default:
        return this.plain(node, scope)
    }
  }

  private fit(node: ReferenceNode | ColumnNode, scope: Scope, expected: Meaning): void {
    const meaning = this.meanings.meaningOf(node, scope)
    equate(expected, meaning)
    const { column, table } = node as Partial<ReferenceNode>
    const name = ColumnNode.is(node) ? node.column.name : column?.kind === 'ColumnNode' && column.column.name
    if ((meaning !== undefined && !isRaw(meaning)) || expected?.is !== 'id' || expected.isTyped || !name)
      return
    const named = table && [scope.source(table.table.identifier.name)]
    const isRawColumn = (named ?? scope.all()).some((one) => one?.isRaw && !one.columns.has(name))
    const isOther =
      !meaning?.named.length &&
      (named ?? scope.reachable()).every((one) => one?.isTable && !one.columns.has(name))
    if (!isRawColumn && !isOther) return
    this.meanings.named.refuseUnknown(expected.ids.named, [name], ADVICE.known)
  }

  /** A node without a rule of its own. Statements that define a table or an index see its columns. */
  private plain(node: Node, scope: Scope): Node {
    if (!PLAIN_KINDS.has(node.kind)) {
      throw new IdError(
        'UNSUPPORTED_VERSION',
        `@snoflax/kysely supports kysely ${SUPPORTED}; the installed one creates a ${node.kind}, which this version does not know. ` +
          'Install a supported version, or a newer @snoflax/kysely',
        { field: node.kind },
      )
    }
    let inner = scope
    const { table } = node as QueryParts
    if (table !== undefined && /^(?:CreateTable|AlterTable|CreateIndex)Node$/.test(node.kind)) {
      inner = this.meanings.scope(scope)
      this.meanings.addSource(table, inner, scope)
    }
    const { column, defaultTo, setDefault } = node as unknown as Readonly<
      Record<'column' | 'defaultTo' | 'setDefault', Node | undefined>
    >
    return mapChildren(node, (child) => {
      const isDefault = column !== undefined && (child === defaultTo || child === setDefault)
      if (!isDefault) return this.rewrite(child, inner)
      const expected = this.meanings.meaningOf(column, inner)
      return mapChildren(child, (value) => this.rewrite(value, inner, expected))
    })
  }

  private operation(node: BinaryOperationNode, scope: Scope): Node {
    const { leftOperand, rightOperand } = node
    const operator = operatorOf(node.operator)
    const bounds = AndNode.is(rightOperand) ? [rightOperand.left, rightOperand.right] : [rightOperand]
    const sides = [leftOperand, ...bounds]
    const meanings = sides.map((side) => this.meanings.meaningOf(side, scope))
    let expected: Meaning
    if (PATTERN.test(operator)) this.refusePattern(operator, sides, meanings)
    else if (isComparing(operator)) expected = equate(...meanings)
    else expected = this.meanings.derived(sides, scope)
    return {
      ...node,
      leftOperand: this.rewrite(leftOperand, scope, expected),
      operator: this.rewrite(node.operator, scope),
      rightOperand: this.rewrite(rightOperand, scope, expected),
    } as Node
  }

  private refusePattern(operator: string, sides: readonly Node[], meanings: readonly Meaning[]): void {
    const [ids] = meanings.flatMap(idsIn)
    if (!ids?.storage.converts || !sides.some((side) => ValueNode.is(side))) return
    throw ids.refuse(
      `${operator} matches text, but these ids are not stored as text: the storage is ${ids.storage.name}`,
    )
  }

  /** The arguments of a function. */
  private given(
    call: FunctionNode | AggregateFunctionNode,
    given: readonly Node[],
    scope: Scope,
    expected: Meaning,
  ): readonly Node[] {
    const name = nameOfFunction(call)
    const meanings = given.map((one) => this.meanings.meaningOf(one, scope))
    const json = (one: Node, at: number) => inJson(this.rewrite(one, scope), meanings[at])
    if (isJsonObject(name))
      return given.map((one, at) => (at % 2 === 0 ? this.rewrite(one, scope) : json(one, at)))
    if (isJsonMaker(name)) {
      return given.map((one, at) => {
        const row = this.meanings.wholeRow(one, scope)
        if (!row) return json(one, at)
        if (!isRounded(row)) return one
        const [ids] = [...row.columns.values()].flatMap(idsIn) as [ColumnIds]
        throw ids.refuse(
          `${name}() of a whole row rounds numbers above 2^53; use jsonArrayFrom() or jsonObjectFrom()`,
        )
      })
    }
    if (discardsArguments(name)) return given.map((one) => this.rewrite(one, scope))
    if (/^(?:any|all|some)$/.test(name) && expected?.is === 'id') {
      return given.map((one) =>
        this.rewrite(one, scope, isQuery(one) ? expected : { ...expected, is: 'list' }),
      )
    }
    const isAnswered = returnedArguments(name) ?? (name === 'values' ? () => true : undefined)
    if (isAnswered) {
      const answered = equate(expected, ...meanings.filter((_, at) => isAnswered(at)))
      return given.map((one, at) => this.rewrite(one, scope, isAnswered(at) ? answered : undefined))
    }
    const [ids] = [expected, ...meanings].flatMap(idsIn)
    return given.map((one) =>
      this.rewrite(one, scope, ids && !isQuery(one) ? { is: 'derived', ids } : undefined),
    )
  }

  private cases(node: CaseNode, scope: Scope, expected: Meaning): Node {
    const { value, when = [], else: otherwise } = node
    const of = (one: Node) => this.meanings.meaningOf(one, scope)
    const matched = value && equate(of(value), ...when.map(({ condition }) => of(condition)))
    const result = equate(expected, ...this.meanings.resultsOf(when, otherwise).map(of))
    const whens = when.map((one) => ({
      ...one,
      condition: this.rewrite(one.condition, scope, matched),
      ...(one.result && { result: this.rewrite(one.result, scope, result) }),
    }))
    return {
      ...node,
      ...(value && { value: this.rewrite(value, scope, matched) }),
      when: whens,
      ...(otherwise && { else: this.rewrite(otherwise, scope, result) }),
    } as Node
  }

  // Queries

  /** A query with these parts, its others rewritten one by one. */
  private query<AQuery extends Query>(query: AQuery, parent: Scope, own: Partial<AQuery>): AQuery {
    const scope = this.meanings.scopeOf(query, parent)
    const around = this.meanings.cteScopes(query as QueryParts, parent).at(-1) as Scope
    return mapChildren(
      query,
      (child, key) => {
        switch (key) {
          case 'with':
            return this.with(child as WithNode, query as QueryParts, parent)
          case 'from':
          case 'joins':
          case 'using':
          case 'table':
          case 'into':
            return this.source(child, scope, around)
          default:
            return this.rewrite(child, scope)
        }
      },
      own,
    )
  }

  private with(node: WithNode, query: QueryParts, parent: Scope): WithNode {
    const scopes = this.meanings.cteScopes(query, parent)
    const expressions = node.expressions.map((one, at) => ({
      ...one,
      expression: this.rewrite(one.expression, scopes[node.recursive ? at + 1 : at] as Scope),
    }))
    return { ...node, expressions }
  }

  /** @param around what a subquery that is not lateral can see. */
  private source(node: Node, scope: Scope, around: Scope): Node {
    const one = node as AnyNode
    switch (one.kind) {
      case 'JoinNode': {
        const seen = /Lateral|Apply/.test(one.joinType) ? scope : around
        return {
          ...one,
          table: this.source(one.table, scope, seen),
          ...(one.on && { on: this.rewrite(one.on, scope) }),
        } as Node
      }
      case 'AliasNode':
        return { ...one, node: this.source(one.node, scope, around) } as Node
      case 'ListNode':
      case 'UsingNode':
        return mapChildren(one, (child) => this.source(child, scope, around))
      default:
        if (node.kind === 'FromNode') return mapChildren(node, (child) => this.source(child, scope, around))
        return this.rewrite(node, isQuery(node) ? around : scope)
    }
  }

  private select(query: SelectQueryNode, parent: Scope, expected: Meaning): SelectQueryNode {
    const scope = this.meanings.scopeOf(query, parent)
    const around = this.meanings.cteScopes(query, parent).at(-1) as Scope
    const relation = this.meanings.relationOf(query, parent)
    const places = placesOf(relation, expected)
    const row: Meaning = places && { is: 'row', items: places }
    return this.query(query, parent, {
      ...(query.selections && { selections: this.selections(query.selections, scope, places) }),
      ...(query.setOperations && {
        setOperations: query.setOperations.map((one) => ({
          ...one,
          expression: this.rewrite(one.expression, around, row),
        })),
      }),
    } as Partial<SelectQueryNode>)
  }

  private selections(
    selections: NonNullable<SelectQueryNode['selections']>,
    scope: Scope,
    places: readonly Meaning[] | undefined,
  ): NonNullable<SelectQueryNode['selections']> {
    let at = 0
    return selections.map((one) => {
      const [output, ...others] = this.meanings.outputsOf(one.selection, scope)
      const isOne = output !== undefined && 'name' in output && others.length === 0
      const place = isOne ? places?.[at] : undefined
      at += isOne
        ? 1
        : [output, ...others].reduce((sum, each) => sum + ((each as Relation)?.positions?.length ?? 0), 0)
      return { ...one, selection: this.rewrite(one.selection, scope, place) }
    })
  }

  // Writes

  private update(node: ColumnUpdateNode, scope: Scope, target: Relation | undefined): ColumnUpdateNode {
    const { column, value } = node
    const meaning =
      ColumnNode.is(column) && target
        ? scope.columnOf(target, column.column.name)
        : this.meanings.meaningOf(column, scope)
    refuseNull(meaning?.is === 'id' ? meaning.ids : undefined, value)
    return { ...node, value: this.rewrite(value, scope, meaning) }
  }

  private insert(query: InsertQueryNode, parent: Scope): InsertQueryNode {
    const scope = this.meanings.scopeOf(query, parent)
    const around = this.meanings.cteScopes(query, parent).at(-1) as Scope
    const target = this.meanings.targetOf(query) as Relation
    const { onConflict, onDuplicateKey } = query
    const row = this.inserted(query, target, around)
    const conflict = this.meanings.scope(scope)
    conflict.addSource('excluded', () => target)
    return this.query(query, parent, {
      ...row,
      ...(onConflict && { onConflict: this.onConflict(onConflict, conflict, target) }),
      ...(onDuplicateKey && {
        onDuplicateKey: {
          ...onDuplicateKey,
          updates: onDuplicateKey.updates.map((one) => this.update(one, scope, target)),
        },
      }),
    } as Partial<InsertQueryNode>)
  }

  private onConflict(node: OnConflictNode, scope: Scope, target: Relation): OnConflictNode {
    return mapChildren(node, (child, key) =>
      key === 'updates' ? this.update(child as ColumnUpdateNode, scope, target) : this.rewrite(child, scope),
    )
  }

  /** The columns and values of an insert, with new ids. */
  private inserted(query: InsertQueryNode, target: Relation, scope: Scope): InsertedParts {
    const held = query.columns?.map(({ column }) => scope.columnOf(target, column.name)) ?? []
    const columns = new Map(
      [...target.columns].flatMap(([name, meaning]) =>
        meaning?.is === 'id' ? [[name, meaning.ids] as const] : [],
      ),
    )
    return insertedParts(query, columns, (node, name) =>
      node === query.values
        ? this.fromQuery(query, target, held, scope)
        : this.rewrite(node, scope, scope.columnOf(target, name)),
    )
  }

  private fromQuery(query: InsertQueryNode, target: Relation, held: readonly Meaning[], scope: Scope): Node {
    const values = query.values as Node
    const [some] = [...target.columns.values()].flatMap(idsIn)
    if (some && !query.columns) throw some.refuse('an insert from a query needs .columns([…])')
    if (!some || !held.some((one) => one !== undefined)) return this.rewrite(values, scope)
    if (values.kind === 'RawNode' && markOn(values as RawNode)?.is !== 'rows') {
      return this.rewrite(values, scope, { is: 'derived', ids: some })
    }
    if (this.meanings.relationOf(values, scope).positions === undefined) {
      throw some.refuse("can't tell which column of the query goes into it; select the columns by name")
    }
    return this.rewrite(values, scope, { is: 'row', items: held })
  }

  private merge(query: MergeQueryNode, parent: Scope): MergeQueryNode {
    const scope = this.meanings.scopeOf(query, parent)
    const target = this.meanings.targetOf(query) as Relation
    const whens = query.whens?.map((when): WhenNode => {
      const { condition, result } = when
      const then = result as AnyNode | undefined
      const rewritten =
        then?.kind === 'InsertQueryNode'
          ? { ...then, ...this.inserted(then, target, scope) }
          : then?.kind === 'UpdateQueryNode'
            ? { ...then, updates: then.updates?.map((one) => this.update(one, scope, target)) }
            : then && this.rewrite(then as Node, scope)
      return {
        ...when,
        condition: this.rewrite(condition, scope),
        ...(rewritten && { result: rewritten as Node }),
      }
    })
    return this.query(query, parent, { ...(whens && { whens }) } as Partial<MergeQueryNode>)
  }

  // Raw SQL

  private raw(raw: RawNode, scope: Scope, expected: Meaning): Node {
    const mark = markOn(raw)
    if (mark) return this.marked(raw, mark, scope, expected)
    const helper = jsonHelper(raw)
    if (helper) return this.helper(raw, helper, scope)
    return this.rebuilt(raw, scope, expected, false)
  }

  private rebuilt(raw: RawNode, scope: Scope, expected: Meaning, isDeclared: boolean): Node {
    const inner = this.meanings.scopeOfRaw(raw, scope)
    const places = this.placesIn(raw, inner, expected, isDeclared)
    let at = 0
    const rebuilt = (one: RawNode): RawNode => ({
      ...one,
      parameters: one.parameters.map((parameter) =>
        isFlat(parameter) ? rebuilt(parameter) : this.rewrite(parameter, inner, places[at++]),
      ),
    })
    return rebuilt(raw)
  }

  /** The expected meanings in raw SQL, by comparisons and known functions; unknown for other places. */
  private placesIn(raw: RawNode, scope: Scope, expected: Meaning, isDeclared: boolean): readonly Meaning[] {
    const reading = this.meanings.readRaw(raw)
    const { nodes, comparisons, expressions, result } = reading
    const meanings = nodes.map((node) => this.meanings.meaningOf(node, scope))
    const places: Meaning[] = nodes.map(() => undefined)
    const others = new Set<number>()
    const of = (chunks: readonly number[]) => equate(...chunks.map((chunk) => meanings[chunk]))
    const put = (chunks: readonly number[], meaning: Meaning) => {
      for (const chunk of chunks) {
        if (meanings[chunk] === undefined && !others.has(chunk)) places[chunk] ??= meaning
      }
    }
    for (const { rows, list, array, pattern, names } of comparisons) {
      const sides = rows.map((row) =>
        row.map((terms) =>
          terms.filter(({ chunk, isCast }) => !(isCast && meanings[chunk])).map(({ chunk }) => chunk),
        ),
      )
      if (pattern !== undefined) {
        const chunks = sides.flat(2)
        this.refusePattern(
          pattern,
          chunks.map((chunk) => nodes[chunk] as Node),
          chunks.map((chunk) => meanings[chunk]),
        )
        continue
      }
      const width = Math.max(...sides.map(({ length }) => length))
      for (let at = 0; at < width; at++) {
        const chunks = [...sides.flatMap((side) => side[at] ?? []), ...(list === undefined ? [] : [list])]
        const meaning = of(chunks)
        const listed = array === undefined ? undefined : meanings[array]
        if (meaning?.is === 'row' || isRaw(meaning) || hasIds(meaning)) put(chunks, meaning)
        else if (listed?.is === 'list') put(chunks, { is: 'id', ids: listed.ids })
        else if (
          meaning === undefined &&
          (names[at]?.length || chunks.some((chunk) => nodes[chunk]?.kind === 'ReferenceNode'))
        ) {
          // The comparison is not one of ids.
          for (const chunk of chunks) others.add(chunk)
        }
        if (meaning?.is === 'id' && array !== undefined) put([array], { is: 'list', ids: meaning.ids })
      }
    }
    const answers = result
      .filter(({ chunk, isCast }) => !(isCast && meanings[chunk]))
      .map(({ chunk }) => chunk)
    const answer = equate(expected, of(answers))
    if (answer !== undefined) put(answers, answer)
    for (const chunks of expressions) {
      const [ids] = chunks.flatMap((chunk) => idsIn(meanings[chunk]))
      if (ids) put(chunks, { is: 'derived', ids })
    }
    this.refuseIdsBesideTables(nodes, places, scope)
    const isUnplaced = (node: Node, at: number) =>
      places[at] === undefined && ValueNode.is(node) && this.meanings.named.mayContain(node.value)
    const named = nodes.some(isUnplaced)
      ? [this.meanings.named, this.aliasesIn(reading, meanings, scope)]
      : []
    let sources: readonly NamedSource[] | undefined
    const find = () => {
      sources ??= this.sourcesOf(reading, scope)
      return sources
    }
    for (const { chunk, columns } of named.flatMap((one) => one.beside(reading, find))) {
      const node = nodes[chunk] as Node
      if (places[chunk] === undefined && ValueNode.is(node)) {
        refuseUnconverted(columns, node.value, NAMED_IN_TEXT)
      }
    }
    const chunks = {
      column: (chunk: number) => idsIn(meanings[chunk])[0]?.named,
      value: (chunk: number) => (nodes[chunk] as Partial<ValueNode>).value,
      ...ADVICE,
    }
    this.meanings.named.refuseUnseen(reading, chunks, find)
    const [ids] = idsIn(expected)
    if (ids) {
      const { parts } = reading
      const told = isDeclared ? { ...reading, parts: { ...parts, names: [] } } : reading
      this.meanings.named.refuseUnseenIn(ids.named, told, ADVICE)
      put(
        nodes.map((_, at) => at),
        { is: 'derived', ids },
      )
    }
    return places
  }

  /** The tables that raw SQL can name: its own and, if it is a part of a query, those of the query. */
  private sourcesOf(reading: RawReading, scope: Scope): readonly NamedSource[] | undefined {
    const { nodes, isStatement } = reading
    const sources = reading.sources.map((source): NamedSource => {
      const node = source.chunk === undefined ? undefined : (nodes[source.chunk] as AnyNode)
      if (node?.kind !== 'TableNode') return source
      const { identifier, schema } = node.table
      const columns = namedIn(scope.table(identifier.name, schema?.name))
      return { ...source, table: identifier.name, columns }
    })
    const hasOwn = nodes.some(({ kind }) => kind === 'TableNode')
    const around = (hasOwn ? scope.parent : scope)?.tables() ?? []
    return isStatement || around.length > 0 ? [...sources, ...around] : undefined
  }

  /** The columns of subqueries, CTEs and the query itself that raw SQL names in its text. */
  private aliasesIn(reading: RawReading, meanings: readonly Meaning[], scope: Scope): NamedColumns {
    const aliases = new NamedColumns()
    const add = (name: string, { named }: ColumnIds) => aliases.addAlias(name, named)
    for (const name of reading.comparisons.flatMap(({ names }) => names.flat())) {
      for (const ids of scope.called(name)) add(name, ids)
    }
    for (const { name, chunk = -1, isCast } of reading.aliases)
      for (const ids of isCast ? [] : idsIn(meanings[chunk])) add(name, ids)
    for (const node of reading.nodes) {
      if (!AliasNode.is(node)) continue
      for (const [name, meaning] of this.meanings.relationOf(node.node, scope).columns) {
        for (const ids of idsIn(meaning)) add(name, ids)
      }
    }
    return aliases
  }

  /** Raw SQL with a table as a node names the table's columns in its text only. */
  private refuseIdsBesideTables(nodes: readonly Node[], places: readonly Meaning[], scope: Scope): void {
    const tables = nodes.filter(({ kind }) => kind === 'TableNode') as unknown as readonly TableNode[]
    for (const { table } of tables) {
      const { columns } = scope.table(table.identifier.name, table.schema?.name)
      for (const ids of [...columns.values()].flatMap(idsIn)) {
        const at = nodes.findIndex(
          (node, at) => places[at] === undefined && ValueNode.is(node) && ids.family.is(node.value),
        )
        if (at >= 0 && ids.storage.converts) throw untold(ids, (nodes[at] as ValueNode).value)
      }
    }
  }

  private helper(raw: RawNode, { alias, form, pairsAt, rowsAt, rows }: JsonHelper, scope: Scope): Node {
    const parameters = [...raw.parameters]
    let seen = scope
    if (form !== 'build') {
      const relation = this.meanings.relationOf(rows(raw), scope)
      const rewritten = this.rewrite(rows(raw), scope)
      parameters[rowsAt] = pairsAt < 0 && isRounded(relation) ? withTexts(rewritten, relation) : rewritten
      seen = this.meanings.scope(scope)
      seen.addSource(alias, () => relation)
    }
    if (pairsAt >= 0) {
      const pairs = parameters[pairsAt] as RawNode
      const written = pairs.parameters.map((one, at) =>
        at % 4 === 2 ? inJson(this.rewrite(one, seen), this.meanings.meaningOf(one, seen)) : one,
      )
      parameters[pairsAt] = { ...pairs, parameters: written } as RawNode
    }
    return { ...raw, parameters } as Node
  }

  /** Raw SQL that the user declares may name any column. */
  private declared(node: Node, scope: Scope, expected: Meaning): Node {
    return RawNode.is(node) && !markOn(node) && !jsonHelper(node)
      ? this.rebuilt(node, scope, expected, true)
      : this.rewrite(node, scope, expected)
  }

  private marked(raw: RawNode, mark: Mark, scope: Scope, expected: Meaning): Node {
    const [first, ...others] = raw.parameters as [Node, ...Node[]]
    switch (mark.is) {
      case 'id':
        equate(expected, this.meanings.meaningOf(raw, scope))
        return this.declared(first, scope, {
          ...(this.meanings.meaningOf(raw, scope) as IdMeaning),
          isTyped: true,
        })
      case 'between':
      case 'beyond': {
        const meaning = this.meanings.meaningOf(first, scope)
        const ids = meaning?.is === 'id' ? meaning.ids : undefined
        const reference = this.rewrite(first, scope)
        const values = others.map((one) => (one as ValueNode).value)
        return mark.is === 'between'
          ? betweenNode(reference, ids, values)
          : beyondNode(reference, ids, values, mark.order)
      }
      default:
        return this.rewrite(first, scope)
    }
  }
}

/** A value, as a parameter or written into the SQL. */
function encodedNode(node: ValueNode, expected: Meaning): Node {
  const value = encode(node.value, expected)
  if (value === node.value) return node
  if (!node.immediate) return ValueNode.create(value)
  const { database } = (expected as { ids: ColumnIds }).ids.storage
  return typeof value === 'string'
    ? ValueNode.createImmediate(value)
    : RawNode.createWithSql(literalOf(value, database))
}

const itemOf = (expected: Meaning, at: number): Meaning =>
  expected?.is === 'row' ? expected.items[at] : expected

/** The meanings that the columns of a query have, and must have. */
function placesOf({ positions }: Relation, expected: Meaning): readonly Meaning[] | undefined {
  if (expected === undefined || positions === undefined) return positions
  return positions.map((one, at) => equate(one, itemOf(expected, at)))
}
