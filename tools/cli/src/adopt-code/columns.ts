import type ts from 'typescript'
import type { Edit } from './edits.js'
import type { Place } from './load/facts.js'
import type { Found, Source, Sources } from './sources.js'

/** A method of a column's chain, and how many functions away from its table it stands. */
export interface Link extends Found<ts.CallExpression> {
  readonly name: string
  readonly level: number
}

/** Where the source declares a column. */
export interface Written {
  /** The file of its table. */
  readonly file: Source
  /** The statement of its table. */
  readonly statement: ts.Node
  /** `text('id')`, where it stands. */
  readonly root: Found<ts.CallExpression>
  /** How many functions or objects away from its table that is. */
  readonly level: number
  readonly chain: readonly Link[]
  /** What stands in the table's own columns. */
  readonly inTable: ts.Expression | ts.SpreadAssignment | undefined
  /** Whether nothing else comes from there. */
  readonly isAlone: boolean
}

/** Finds columns that are chains of calls, in the tables of Drizzle and the entities of MikroORM. */
export class Columns {
  readonly #byTable = new Map<ts.Node, ReadonlyMap<string, Written>>()

  constructor(
    readonly sources: Sources,
    /** The argument of a table's call that has its columns. */
    readonly given: (call: ts.CallExpression | ts.NewExpression) => ts.Expression | undefined,
  ) {}

  /** The column of a table that a module exports; undefined if the source can't be followed. */
  find(places: readonly Place[], key: string): Written | undefined {
    for (const place of places) {
      const file = this.sources.placed(place)
      const declared = file?.declared.get(place.name)
      const found = file && declared && this.#columnsIn(file, declared).get(key)
      if (found) return found
    }
    return undefined
  }

  /** What writes a column into its table: in its place, or behind what it comes from with others. */
  edit({ inTable, isAlone }: Written, key: string, text: string): Edit {
    const at = inTable as ts.Node
    const [start, end] = [at.getStart(), at.end]
    if (!this.sources.ts.isSpreadAssignment(at)) return { start, end, text }
    return isAlone ? { start, end, text: `${key}: ${text}` } : { start: end, end, text: `, ${key}: ${text}` }
  }

  #columnsIn(file: Source, declared: ts.Node): ReadonlyMap<string, Written> {
    const known = this.#byTable.get(declared)
    if (known) return known
    const columns = new Map<string, Written>()
    this.#byTable.set(declared, columns)
    const { ts } = this.sources
    const scope = this.sources.scopeOf(file)
    if (!ts.isVariableDeclaration(declared) || !declared.initializer) return columns
    let call = this.sources.bare(declared.initializer)
    // pgTable(…).enableRLS()
    while (
      ts.isCallExpression(call) &&
      call.arguments.length < 2 &&
      ts.isPropertyAccessExpression(call.expression)
    ) {
      const inner = this.sources.bare(call.expression.expression)
      if (!ts.isCallExpression(inner)) break
      call = inner
    }
    const given = ts.isCallExpression(call) || ts.isNewExpression(call) ? this.given(call) : undefined
    if (!given) return columns
    const isOwn = ts.isObjectLiteralExpression(given) || ts.isArrowFunction(given)
    const at = { file, statement: statementOf(ts, declared) }
    this.#readColumns(columns, at, { scope, node: given }, isOwn ? 0 : 1, undefined, true)
    return columns
  }

  #readColumns(
    columns: Map<string, Written>,
    at: Pick<Written, 'file' | 'statement'>,
    given: Found,
    level: number,
    spread: Written['inTable'],
    isAbove: boolean,
  ): void {
    const { ts } = this.sources
    const part = this.sources.partOf(given.scope, given.node)
    const followed = this.sources.followed(part ?? given)
    const called = ts.isCallExpression(followed.node)
      ? this.sources.returnedBy(followed.scope, followed.node)
      : this.sources.resultOf(followed)
    const { scope, node } = called ? this.sources.followed(called) : followed
    if (!part || !ts.isObjectLiteralExpression(node)) return
    const isAlone = level === 0 || (isAbove && node.properties.length === 1)
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const inTable = level === 0 ? property : spread
        this.#readColumns(columns, at, { scope, node: property.expression }, level + 1, inTable, isAlone)
      } else if (ts.isPropertyAssignment(property)) {
        const key = property.name.getText().replace(/['"]/g, '')
        const inTable = level === 0 ? property.initializer : spread
        const value = { scope, node: property.initializer }
        // () => p.manyToOne(Customer)
        const returned = this.sources.resultOf(value)
        const found = this.#chainOf(value, level) ?? (returned && this.#chainOf(returned, level))
        if (found) columns.set(key, { ...at, ...found, inTable, isAlone })
        else columns.delete(key)
      }
    }
  }

  /** `text('id')`, and the methods that follow, in whatever function they stand. */
  #chainOf(given: Found, level: number): Pick<Written, 'root' | 'chain' | 'level'> | undefined {
    const { ts } = this.sources
    const { scope, node } = this.sources.followed(given)
    if (!ts.isCallExpression(node)) return undefined
    const depth = node === this.sources.bare(given.node) ? level : level + 1
    const callee = node.expression
    if (ts.isPropertyAccessExpression(callee) && isMethodOfCall(this.sources, callee)) {
      const inner = this.#chainOf({ scope, node: callee.expression }, depth)
      const link = { scope, node, name: callee.name.text, level: depth }
      return inner && { ...inner, chain: [...inner.chain, link] }
    }
    const returned = this.sources.returnedBy(scope, node)
    const inner = returned && this.#chainOf(returned, depth + 1)
    return inner ?? { root: { scope, node }, chain: [], level: depth }
  }
}

/** Whether it is `….method` of a call, or of a variable that was initialized with one. */
function isMethodOfCall(sources: Sources, callee: ts.PropertyAccessExpression): boolean {
  const { ts } = sources
  return ts.isCallExpression(sources.bare(callee.expression))
}

export function statementOf(typescript: typeof ts, node: ts.Node): ts.Node {
  let at = node
  while (!typescript.isSourceFile(at.parent)) at = at.parent
  return at
}
