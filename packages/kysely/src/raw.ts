import type { Database } from '@snoflax/core'
import {
  MARKED,
  markOf,
  readSql,
  type SqlIdColumn,
  SqlIds,
  type SqlToken,
  withoutMarks,
} from '@snoflax/core/adapter'
import { IdentifierNode, RawNode, ValueNode } from 'kysely'
import type { ColumnIds, Declared } from './column-ids.js'
import { jsonHelper } from './json.js'
import { isHeld, type Meaning } from './meaning.js'
import { type AnyNode, markOn, type Node } from './nodes.js'
import type { Scope } from './scope.js'

/** Raw SQL, nested raw SQL included, as text, and the nodes in it. */
interface Text {
  sql: string
  readonly nodes: Node[]
  /** Where the values of a long list begin, of which only the first stands in the text, and end. */
  readonly lists: (readonly [start: number, end: number])[] | undefined
}

/** The ids in raw SQL of columns that convert. */
export class RawSql {
  private readonly sqlIds = new SqlIds(
    'pass ids.parameter(column, id), or asText(value) for a value that is not an id',
  )
  private readonly columns = new Map<SqlIdColumn, ColumnIds>()
  /** The names of all declared columns: another one has no ids, unless the SQL itself gives it to an expression. */
  private readonly names = new Set<string>()
  /** The declared names of columns by those that the inner plugins give them, which the text of SQL has. */
  private readonly sent = new Map<string, readonly string[]>()
  private readonly quote: string
  /** Whether a column converts. */
  readonly isNeeded: boolean

  constructor(
    declared: Declared,
    private readonly database: Database,
    renamed: (name: string) => string,
  ) {
    for (const columns of declared.values()) {
      for (const [name, ids] of columns) {
        this.columns.set(ids.named, ids)
        const sent = renamed(name)
        for (const one of new Set([name, sent])) {
          this.sqlIds.add(one, ids.named)
          this.names.add(one.toLowerCase())
        }
        if (sent !== name)
          this.sent.set(sent.toLowerCase(), [...(this.sent.get(sent.toLowerCase()) ?? []), name])
      }
    }
    this.isNeeded = [...this.columns.values()].some(({ isText }) => !isText)
    this.quote = database === 'postgres' || database === 'sqlite' ? '"' : '`'
  }

  /** Whether a value may be an id of a column that converts. */
  mayBe(value: unknown): boolean {
    return this.isNeeded && this.sqlIds.mayBe(value)
  }

  /** Whether the text of raw SQL may contain one. */
  mayBeIn({ sqlFragments }: RawNode): boolean {
    if (!this.isNeeded) return false
    for (let at = 0; at < sqlFragments.length; at++) {
      const text = sqlFragments[at] as string
      if (text.length > 2 && this.sqlIds.mayBeIn(text, [])) return true
    }
    return false
  }

  /** Refuses an id beside no column. */
  refuse(value: unknown): void {
    if (this.isNeeded) this.sqlIds.check(value)
  }

  /**
   * The columns by which the nodes in raw SQL are converted, in their order.
   *
   * @param scope what the SQL sees, if it is a part of a query.
   * @throws {IdError} for an id that can't be converted.
   */
  columnsIn(
    raw: RawNode,
    scope: Scope | undefined,
    meaningOf: (node: Node) => Meaning,
    isWhole = false,
  ): readonly (ColumnIds | undefined)[] {
    const text: Text = { sql: '', nodes: [], lists: isWhole ? undefined : [] }
    this.write(raw, text, meaningOf)
    const { sql, nodes, lists = [] } = text
    if (!this.sqlIds.mayBeIn(sql, valuesOf(nodes))) return []
    const columnOf = (meaning: Meaning) =>
      isHeld(meaning) ? meaning.ids.named : meaning === undefined ? undefined : null
    // The tables of a statement in the text are unknown.
    const isPart = scope !== undefined && !/\bfrom\b/i.test(sql)
    let aliases: ReadonlySet<string> | undefined
    const named = ([name = '', table, schema]: readonly string[]) => {
      const key = name.toLowerCase()
      if (isPart) {
        const spellings = [name, key, ...(this.sent.get(key) ?? [])]
        const meanings = spellings.map((one) => scope.column(one, table, schema, false))
        return columnOf(meanings.find(isHeld) ?? meanings[0])
      }
      if (this.names.has(key) || nodes.some(({ kind }) => /^(?:Alias|\w+Query)Node$/.test(kind)))
        return undefined
      aliases ??= aliasesIn(readSql(sql, { dialect: this.database, placeholder: MARKED }))
      return aliases.has(key) ? undefined : null
    }
    const found = this.sqlIds.find({
      sql,
      dialect: this.database,
      placeholder: MARKED,
      value: (at) => (nodes[at as number] as Partial<ValueNode>).value,
      column: (at) => {
        const node = nodes[at as number] as Node
        return ValueNode.is(node) ? undefined : columnOf(meaningOf(node))
      },
      named: (parts) => named([...parts].reverse()),
    })
    const columns = nodes.map((_, at) => {
      const column = found.get(at)
      return column && this.columns.get(column)
    })
    for (const [start, end] of lists) {
      const column = columns[start]
      for (let at = start + 1; at < end; at++) {
        const { value } = nodes[at] as ValueNode
        const isLikeFirst = column ? column.family.is(value) : !this.sqlIds.mayBe(value)
        if (!isLikeFirst) return this.columnsIn(raw, scope, meaningOf, true)
      }
      columns.fill(column, start, end)
    }
    return columns
  }

  /** Names that the tree itself can't tell are written out. */
  private write({ sqlFragments, parameters }: RawNode, text: Text, meaningOf: (node: Node) => Meaning): void {
    for (let at = 0; at < sqlFragments.length; at++) {
      text.sql += withoutMarks(sqlFragments[at] as string)
      const node = parameters[at] as AnyNode | undefined
      if (node === undefined) continue
      if (isFlat(node)) {
        const isList = text.lists && /\bin\s*\(\s*$/i.test(sqlFragments[at] as string)
        const values = isList ? joinedIn(node) : undefined
        if (values) {
          const start = text.nodes.length
          for (const value of values) text.nodes.push(value)
          text.lists?.push([start, text.nodes.length])
          text.sql += markOf(start)
        } else this.write(node, text, meaningOf)
        continue
      }
      text.nodes.push(node)
      const parts = partsOf(node)
      const isName = parts.length > 0 && (node.kind === 'TableNode' || meaningOf(node) === undefined)
      text.sql += isName
        ? parts
            .map((part) => this.quote + part.replaceAll(this.quote, this.quote + this.quote) + this.quote)
            .join('.')
        : markOf(text.nodes.length - 1)
    }
  }
}

const BEFORE_COLUMN = new Set(
  'SELECT DISTINCT ALL WHERE AND OR NOT ON BY HAVING SET WHEN THEN ELSE CASE IN LIKE IS BETWEEN RETURNING'.split(
    ' ',
  ),
)

/** The names that SQL gives to expressions, or to the columns of a query. */
function aliasesIn(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const isOwn = (token: SqlToken | undefined) =>
    token?.kind === 'name' && !BEFORE_COLUMN.has(token.text.toUpperCase())
  const names = tokens.filter(({ kind, open }, at) => {
    if (kind !== 'name') return false
    const before = tokens[at - 1]
    const isListed = isOwn(tokens[open - 1]) && tokens[open - 2]?.text.toUpperCase() !== 'INTO'
    return (
      isListed ||
      isOwn(before) ||
      before?.text === ')' ||
      /^(?:string|number|placeholder)$/.test(`${before?.kind}`)
    )
  })
  return new Set(names.map(({ parts }) => `${parts.at(-1)}`.toLowerCase()))
}

/** The values of `sql.join(values)`; undefined for other raw SQL. */
function joinedIn({ parameters }: RawNode): readonly ValueNode[] | undefined {
  if (parameters.length < 3) return undefined
  const isComma = (node: Node) =>
    RawNode.is(node) && node.parameters.length === 0 && node.sqlFragments[0]?.trim() === ','
  const isJoined = parameters.every((one, at) => (at % 2 === 0 ? ValueNode.is(one) : isComma(one)))
  return isJoined ? parameters.filter(ValueNode.is) : undefined
}

function* valuesOf(nodes: readonly Node[]): Generator<unknown> {
  for (const node of nodes) if (ValueNode.is(node)) yield node.value
}

/** Whether nested raw SQL belongs to the text around it: it does unless it is marked or a helper created it. */
export const isFlat = (node: Node): node is RawNode =>
  RawNode.is(node) && markOn(node) === undefined && jsonHelper(node) === undefined

/** The parts of a name. */
function partsOf(node: AnyNode): readonly string[] {
  switch (node.kind) {
    case 'IdentifierNode':
      return [node.name]
    case 'ColumnNode':
      return [node.column.name]
    case 'TableNode': {
      const { schema, identifier } = node.table
      return schema ? [schema.name, identifier.name] : [identifier.name]
    }
    case 'ReferenceNode':
      return node.column.kind === 'ColumnNode'
        ? [...(node.table ? partsOf(node.table) : []), node.column.column.name]
        : []
    default:
      return []
  }
}

/** The node that raw SQL only wraps, as `sql.ref()` and `sql.lit()` do. */
export const wrappedIn = ({ sqlFragments, parameters }: RawNode): Node | undefined =>
  parameters.length === 1 && sqlFragments.every((text) => /^[\s()]*$/.test(text)) ? parameters[0] : undefined

/** The parts of a name from `sql.id()`. */
export const namesIn = ({ sqlFragments, parameters }: RawNode): readonly string[] =>
  parameters.every(IdentifierNode.is) && sqlFragments.slice(1, -1).every((text) => text === '.')
    ? parameters.map((one) => (one as IdentifierNode).name)
    : []
