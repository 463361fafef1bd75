import type ts from 'typescript'
import type { Findings } from '../findings.js'
import type { Found, Scope, Source, Sources } from '../sources.js'

/** A method of a column's chain, and how many functions away from its table it stands. */
export interface Link extends Found<ts.CallExpression> {
  readonly name: string
  readonly level: number
}

export interface Column {
  readonly table: Table
  readonly key: string
  /** `users.id` */
  readonly name: string
  readonly dialect: string
  /** `text('id')`, where it stands. */
  readonly root: Found<ts.CallExpression>
  readonly level: number
  readonly type: string
  readonly chain: readonly Link[]
  /** What stands in the table's own columns: a call or a spread. Undefined if all of its columns come from elsewhere. */
  readonly inTable: ts.Expression | ts.SpreadAssignment | undefined
  /** Whether it was adopted before. */
  readonly isOurs: boolean
  isPrimary: boolean
  isReferenced: boolean
  /** Columns that it refers to by a composite foreign key. */
  readonly tied: Set<Column>
  /** Columns that it refers to by a relation without a foreign key. */
  readonly related: Set<Column>
}

export interface Table {
  readonly name: string
  readonly file: Source
  readonly dialect: string
  /** As the database has it, but for what a creator adds. */
  readonly inDatabase: string
  readonly columns: Map<string, Column>
}

/** Where the columns of a table are read. */
interface Reading {
  readonly table: Table
  readonly level: number
  readonly inTable: Column['inTable']
}

export const GENERATORS = ['$defaultFn', '$default', 'defaultRandom']

/** The tables of Drizzle in the files, their columns, and what these refer to. */
export class Tables {
  readonly all: Table[] = []
  readonly #byCall = new Map<ts.Node, Table>()

  constructor(
    readonly sources: Sources,
    readonly findings: Findings,
  ) {
    const later: (() => void)[] = []
    for (const file of sources.all) {
      const scope = sources.scopeOf(file)
      sources.walk(file.node, (node) => {
        if (!sources.ts.isCallExpression(node)) return
        const dialect = this.#dialectOf(scope, node.expression)
        if (dialect === undefined) later.push(() => this.#readRelation(scope, node))
        else later.push(...this.#readTable(file, node, dialect))
      })
    }
    for (const read of later) read()
    for (const column of this.columns()) {
      const target = this.targetOf(column)
      if (target) target.isReferenced = true
      for (const one of column.tied) one.isReferenced = true
    }
  }

  *columns(): Generator<Column> {
    for (const { columns } of this.all) yield* columns.values()
  }

  referenceOf = ({ chain }: Column): Link | undefined => chain.find(({ name }) => name === 'references')

  /** The column that a foreign key names. */
  targetOf(column: Column): Column | undefined {
    const link = this.referenceOf(column)
    const [target] = link?.node.arguments ?? []
    const result =
      link && target && this.sources.resultOf(this.sources.followed({ scope: link.scope, node: target }))
    return result && this.columnOf(result)
  }

  tableOf(expression: Found): Table | undefined {
    return this.#byCall.get(this.sources.followed(expression).node)
  }

  /** `users.id`, or `table.id` in the callback of a table. */
  columnOf(found: Found): Column | undefined {
    const { scope, node } = this.sources.followed(found)
    if (!this.sources.ts.isPropertyAccessExpression(node)) return undefined
    return this.tableOf({ scope, node: node.expression })?.columns.get(node.name.text)
  }

  #core(scope: Scope, callee: ts.Node): { dialect: string; name: string } | undefined {
    const origin = this.sources.exportOf(scope, callee)
    const [, dialect] = /^drizzle-orm\/(pg|sqlite|mysql)-core$/.exec(origin?.module ?? '') ?? []
    return origin && dialect !== undefined ? { dialect, name: origin.name } : undefined
  }

  /** pgTable, a const of pgTableCreator(…), or the `table` of a const of pgSchema(…). */
  #dialectOf(scope: Scope, callee: ts.Expression): string | undefined {
    const { ts } = this.sources
    const core = this.#core(scope, callee)
    if (core) return /^(?:pg|sqlite|mysql)Table$/.test(core.name) ? core.dialect : undefined
    const isMember = ts.isPropertyAccessExpression(callee) && callee.name.text === 'table'
    const made = this.sources.followed({ scope, node: isMember ? callee.expression : callee })
    if (!ts.isCallExpression(made.node)) return undefined
    const maker = this.#core(made.scope, made.node.expression)
    return maker && (isMember ? /Schema$/ : /TableCreator$/).test(maker.name) ? maker.dialect : undefined
  }

  /** Returns what can be read when all tables are known. */
  #readTable(file: Source, call: ts.CallExpression, dialect: string): (() => void)[] {
    const { ts } = this.sources
    const scope = this.sources.scopeOf(file)
    let holder: ts.Node = call
    const nodes: ts.Node[] = [call]
    while (ts.isPropertyAccessExpression(holder.parent) || ts.isCallExpression(holder.parent)) {
      holder = holder.parent
      nodes.push(holder)
    }
    const [given, columns, more] = call.arguments
    const literal = given && this.sources.followed({ scope, node: given }).node
    const text = literal && ts.isStringLiteralLike(literal) ? literal.text : '?'
    const name = ts.isVariableDeclaration(holder.parent) ? holder.parent.name.getText() : text
    const table: Table = { name, file, dialect, inDatabase: text, columns: new Map() }
    for (const node of nodes) this.#byCall.set(node, table)
    this.all.push(table)
    this.findings.counts.tables++
    if (columns) {
      const isOwn = ts.isObjectLiteralExpression(columns) || ts.isArrowFunction(columns)
      this.#readColumns({ table, level: isOwn ? 0 : 1, inTable: undefined }, { scope, node: columns })
    }
    return more ? [() => this.#readConstraints(table, call, more)] : []
  }

  #readColumns(at: Reading, given: Found): undefined {
    const { ts } = this.sources
    const part = this.sources.partOf(given.scope, given.node)
    const followed = this.sources.followed(part ?? given)
    const called = ts.isCallExpression(followed.node)
      ? this.sources.returnedBy(followed.scope, followed.node)
      : this.sources.resultOf(followed)
    const { scope, node } = called ? this.sources.followed(called) : followed
    if (!part || !ts.isObjectLiteralExpression(node)) {
      const shown = at.inTable ?? given.node
      const text = at.inTable
        ? `${shown.getText()} can't be read: look for keys there`
        : "its columns can't be read: they are not an object literal"
      return this.#misread(at.inTable ? at.table.file : given.scope.file, shown, at.table.name, text)
    }
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const inTable = at.level === 0 ? property : at.inTable
        this.#readColumns({ ...at, level: at.level + 1, inTable }, { scope, node: property.expression })
      } else if (ts.isPropertyAssignment(property)) {
        const key = property.name.getText().replace(/['"]/g, '')
        const inTable = at.level === 0 ? property.initializer : at.inTable
        const column = this.#readColumn({ ...at, inTable }, key, { scope, node: property.initializer }, [])
        if (column) at.table.columns.set(key, column)
        else at.table.columns.delete(key)
      }
    }
  }

  #readColumn(at: Reading, key: string, given: Found, outer: readonly Link[]): Column | undefined {
    const { root, chain: own } = this.#chainOf(given, at.level)
    if (root === undefined) return undefined
    const { scope, node } = root
    const chain = [...own, ...outer]
    const name = `${at.table.name}.${key}`
    const type = this.#typeOf(scope, node.expression)
    const isOurs = type === undefined && this.#isOurs(scope, node.expression)
    for (const link of chain) {
      const { expression } = link.node
      const { ts } = this.sources
      if (ts.isPropertyAccessExpression(expression))
        this.findings.read(link.scope.file.path, expression.name.getStart())
    }
    if (type === undefined && !isOurs) {
      const result = this.sources.returnedBy(scope, node)
      const isFollowed = result && this.sources.ts.isCallExpression(this.sources.followed(result).node)
      if (isFollowed) return this.#readColumn({ ...at, level: at.level + 1 }, key, result, chain)
      const isKey = chain.some((link) => ['primaryKey', 'references', ...GENERATORS].includes(link.name))
      const text = `${node.expression.getText()}(…) can't be read: write its column as a chain that begins with text(…)`
      return isKey ? this.#misread(scope.file, node, name, text) : undefined
    }
    return {
      table: at.table,
      key,
      name,
      dialect: this.#core(scope, node.expression)?.dialect ?? at.table.dialect,
      root,
      level: at.level,
      type: type ?? '',
      chain,
      inTable: at.inTable,
      isOurs,
      isPrimary: chain.some((link) => link.name === 'primaryKey'),
      isReferenced: false,
      tied: new Set(),
      related: new Set(),
    }
  }

  /** `text` of `text('id')`, and of `t.text('id')` where `t` is the argument of the columns' callback. */
  #typeOf(scope: Scope, callee: ts.Expression): string | undefined {
    const { ts } = this.sources
    const core = this.#core(scope, callee)
    if (core) return core.name
    const isArgument =
      ts.isPropertyAccessExpression(callee) &&
      ts.isIdentifier(callee.expression) &&
      scope.bound.has(callee.expression.text) &&
      scope.bound.get(callee.expression.text) === undefined
    return isArgument ? callee.name.text : undefined
  }

  #isOurs(scope: Scope, callee: ts.Expression): boolean {
    const { ts } = this.sources
    const start = ts.isPropertyAccessExpression(callee) ? callee.expression : callee
    const of = (at: Scope, node: ts.Node) => this.sources.exportOf(at, node)?.module.startsWith('@snoflax/')
    if (of(scope, start) || of(scope, callee)) return true
    const made = this.sources.callBehind(scope, start)
    return made !== undefined && of(made.scope, made.node.expression) === true
  }

  #chainOf({ scope, node: given }: Found, level: number): { root?: Found<ts.CallExpression>; chain: Link[] } {
    const { ts } = this.sources
    const node = this.sources.bare(given)
    if (!ts.isCallExpression(node)) {
      const followed = this.sources.followed({ scope, node })
      return ts.isCallExpression(followed.node) ? this.#chainOf(followed, level) : { chain: [] }
    }
    const callee = node.expression
    const inner =
      ts.isPropertyAccessExpression(callee) && ts.isCallExpression(this.sources.bare(callee.expression))
    if (!inner) return { root: { scope, node }, chain: [] }
    const { root, chain } = this.#chainOf({ scope, node: callee.expression }, level)
    return { ...(root && { root }), chain: [...chain, { scope, node, name: callee.name.text, level }] }
  }

  /** primaryKey({ columns }) and foreignKey({ columns, foreignColumns }). */
  #readConstraints(table: Table, call: ts.CallExpression, more: ts.Expression): void {
    const { ts } = this.sources
    const { file } = table
    const [parameter] = ts.isArrowFunction(more) || ts.isFunctionExpression(more) ? more.parameters : []
    const bound = new Map(
      parameter ? [[parameter.name.getText(), { scope: this.sources.scopeOf(file), node: call }]] : [],
    )
    const scope: Scope = { file, bound, depth: 0 }
    this.sources.walk(more, (inner) => {
      if (!ts.isCallExpression(inner)) return
      const core = this.#core(scope, inner.expression)?.name
      const object = inner.arguments.find(ts.isObjectLiteralExpression)
      const own = object && this.sources.member(object, 'columns')
      if (core === 'primaryKey') {
        this.findings.read(file.path, inner.expression.getStart())
        const parts = own
          ? this.#columnsOf(scope, own)
          : inner.arguments.map((node) => this.columnOf({ scope, node }))
        for (const column of parts) if (column) column.isPrimary = true
      } else if (core === 'foreignKey' && object) {
        const from = this.#columnsOf(scope, own)
        const to = this.#columnsOf(scope, this.sources.member(object, 'foreignColumns'))
        this.findings.read(file.path, inner.expression.getStart())
        if (from.length === 0 || [...from, ...to].includes(undefined)) {
          const text = "foreignKey({…}) can't be read: its columns must be written as table.column"
          this.#misread(file, inner, table.name, text)
        }
        tie('tied', from, to)
      }
    })
  }

  /** one(users, { fields, references }), and Drizzle 1.0's r.one.users({ from, to }). */
  #readRelation(scope: Scope, { arguments: given }: ts.CallExpression): void {
    const options = given.find(this.sources.ts.isObjectLiteralExpression)
    if (!options) return
    const either = (...names: string[]) => names.flatMap((one) => this.sources.member(options, one) ?? [])[0]
    const [from, to] = [either('fields', 'from'), either('references', 'to')]
    if (from && to) tie('related', this.#columnsOf(scope, from), this.#columnsOf(scope, to))
  }

  #columnsOf(scope: Scope, node: ts.Expression | undefined): (Column | undefined)[] {
    const list =
      node && this.sources.ts.isArrayLiteralExpression(node) ? [...node.elements] : node ? [node] : []
    return list.map((one) => this.columnOf({ scope, node: one }))
  }

  #misread(file: Source, node: ts.Node, name: string, text: string): undefined {
    this.findings.unread.push({ ...this.sources.placeOf(file, node, name), text })
  }
}

function tie(
  by: 'tied' | 'related',
  from: readonly (Column | undefined)[],
  to: readonly (Column | undefined)[],
): void {
  for (const [at, column] of from.entries()) {
    const target = to[at]
    if (column && target && column !== target) column[by].add(target)
  }
}
