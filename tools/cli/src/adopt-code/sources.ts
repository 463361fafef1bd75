import { basename, dirname, join, normalize, relative } from 'node:path'
import type ts from 'typescript'

/** Where a name leads: to a declaration in the files, or to an export of a package. */
type Origin =
  | { readonly file: Source; readonly node: Declaration }
  | { readonly module: string; readonly name: string }

export type Declaration = ts.VariableDeclaration | ts.FunctionDeclaration | ts.ClassDeclaration

/** A TypeScript file, its imports by local name, and its declarations at the top. */
export interface Source {
  readonly path: string
  readonly node: ts.SourceFile
  readonly imports: ReadonlyMap<string, Imported>
  readonly declared: ReadonlyMap<string, Declaration>
}

export interface Imported {
  readonly module: string
  readonly name: string
}

/** A file, or a call of a function in it: the values of parameters and variables, undefined for those without one. */
export interface Scope {
  readonly file: Source
  readonly bound: ReadonlyMap<string, Found | undefined>
  readonly depth: number
}

/** An expression, and where its names are to be read. */
export interface Found<Node extends ts.Node = ts.Expression> {
  readonly scope: Scope
  readonly node: Node
}

/** No function of a schema calls others as deep as this, but one that calls itself. */
const DEEPEST = 24

/** Files, read by the user's own TypeScript. */
export class Sources {
  readonly all: readonly Source[]
  readonly #byPath: ReadonlyMap<string, Source>

  constructor(
    readonly ts: typeof import('typescript'),
    texts: ReadonlyMap<string, string>,
  ) {
    this.all = [...texts].map(([path, text]) => this.#read(path, text))
    this.#byPath = new Map(this.all.map((source) => [normalize(source.path), source]))
  }

  #read(path: string, text: string): Source {
    const { ts } = this
    const node = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const imports = new Map<string, Imported>()
    const declared = new Map<string, Declaration>()
    for (const statement of node.statements) {
      if (ts.isVariableStatement(statement)) {
        for (const one of statement.declarationList.declarations) declared.set(one.name.getText(), one)
      } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
        declared.set(statement.name?.text ?? 'default', statement)
      } else if (ts.isImportDeclaration(statement)) {
        const module = (statement.moduleSpecifier as ts.StringLiteral).text
        const { name, namedBindings } = statement.importClause ?? {}
        if (name) imports.set(name.text, { module, name: 'default' })
        if (namedBindings && ts.isNamespaceImport(namedBindings))
          imports.set(namedBindings.name.text, { module, name: '*' })
        else
          for (const one of namedBindings?.elements ?? [])
            imports.set(one.name.text, { module, name: (one.propertyName ?? one.name).text })
      }
    }
    return { path, node, imports, declared }
  }

  scopeOf = (file: Source): Scope => ({ file, bound: new Map(), depth: 0 })

  /** The scope of a node in functions, of whose parameters and variables it doesn't know the values. */
  scopeAround(file: Source, node: ts.Node): Scope {
    const { ts } = this
    const bound = new Map<string, undefined>()
    const add = (one: ts.Node): void => {
      const isNamed = ts.isParameter(one) || ts.isVariableDeclaration(one) || ts.isBindingElement(one)
      if ((isNamed || ts.isFunctionDeclaration(one)) && one.name && ts.isIdentifier(one.name))
        bound.set(one.name.text, undefined)
    }
    for (let at = node.parent; !ts.isSourceFile(at); at = at.parent)
      if (ts.isFunctionLike(at)) at.forEachChild((child) => this.walk(child, add))
    return { file, bound, depth: 0 }
  }

  /** Where an identifier, or a member of a namespace, leads. */
  originOf({ file, bound }: Scope, expression: ts.Node): Origin | undefined {
    const { ts } = this
    if (ts.isIdentifier(expression))
      return bound.has(expression.text) ? undefined : this.#named(file, expression.text, new Set())
    if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression))
      return undefined
    const [space, name] = [expression.expression.text, expression.name.text]
    if (bound.has(space) || file.declared.has(space)) return undefined
    const imported =
      file.imports.get(space) ?? (space === 'crypto' ? { module: space, name: '*' } : undefined)
    return imported && /^(?:\*|default)$/.test(imported.name)
      ? this.#exported(file, imported.module, name, new Set())
      : undefined
  }

  /** Whether an expression is an export of a package, and which one. */
  exportOf(scope: Scope, expression: ts.Node): Imported | undefined {
    const origin = this.originOf(scope, expression)
    return origin && 'module' in origin ? origin : undefined
  }

  /** What the files declare under a name, or a member of a namespace. */
  declarationOf(scope: Scope, expression: ts.Node): Found<Declaration> | undefined {
    const origin = this.originOf(scope, expression)
    return origin && 'node' in origin ? { scope: this.scopeOf(origin.file), node: origin.node } : undefined
  }

  #named(file: Source, name: string, seen: Set<string>): Origin | undefined {
    const node = file.declared.get(name)
    if (node) return { file, node }
    const imported = file.imports.get(name)
    return imported && this.#exported(file, imported.module, imported.name, seen)
  }

  #exported(from: Source, module: string, name: string, seen: Set<string>): Origin {
    const file = this.#fileOf(from, module)
    const found = file && this.#in(file, name, seen)
    if (found) return found
    // An alias of tsconfig.json, such as @/db: the only file that declares the name.
    const known = module.startsWith('.') || !KNOWN.test(module)
    const candidates = known ? this.all.filter(({ declared }) => declared.has(name)) : []
    const [only] = candidates
    return only && candidates.length === 1
      ? { file: only, node: only.declared.get(name) as Declaration }
      : { module, name }
  }

  #fileOf(from: Source, module: string): Source | undefined {
    if (!module.startsWith('.')) return undefined
    const path = normalize(join(dirname(from.path), module))
    const stem = path.replace(/\.[cm]?jsx?$/, '')
    return [path, ...['.ts', '.mts', '.cts', '.tsx', '/index.ts'].map((end) => stem + end)]
      .map((one) => this.#byPath.get(one))
      .find(Boolean)
  }

  /** In a file, or what it exports of others, which may export it to each other. */
  #in(file: Source, name: string, seen: Set<string>): Origin | undefined {
    const { ts } = this
    const step = `${name} ${file.path}`
    if (seen.has(step)) return undefined
    seen.add(step)
    const own = this.#named(file, name, seen)
    if (own) return own
    for (const statement of file.node.statements) {
      if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) continue
      const { exportClause } = statement
      const target = this.#fileOf(file, (statement.moduleSpecifier as ts.StringLiteral).text)
      const named = exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : undefined
      const one = named?.find((element) => element.name.text === name)
      if (target === undefined || (named && !one)) continue
      const found = this.#in(target, (one?.propertyName ?? one?.name)?.text ?? name, seen)
      if (found) return found
    }
    return undefined
  }

  /** The expression behind parameters, variables, brackets and assertions. */
  followed({ scope, node: given }: Found): Found {
    const { ts } = this
    let [at, node] = [scope, this.bare(given)]
    for (let steps = 0; steps < DEEPEST; steps++) {
      if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) break
      const name = ts.isIdentifier(node) ? node.text : ''
      const bound = at.bound.get(name)
      const declared = at.bound.has(name) ? undefined : this.declarationOf(at, node)
      const initializer = declared && ts.isVariableDeclaration(declared.node) && declared.node.initializer
      if (bound) [at, node] = [within(bound.scope, at), this.bare(bound.node)]
      else if (declared && initializer) [at, node] = [within(declared.scope, at), this.bare(initializer)]
      else break
    }
    return { scope: at, node }
  }

  /** A part of a value, unless the value consists of itself. */
  partOf({ file, bound, depth }: Scope, node: ts.Expression): Found | undefined {
    return depth > DEEPEST ? undefined : { scope: { file, bound, depth: depth + 1 }, node }
  }

  /** What a call returns, if its function does nothing else, with the arguments as values of the parameters. */
  returnedBy(scope: Scope, call: ts.CallExpression): Found | undefined {
    const callee = this.followed({ scope, node: call.expression })
    const declared = this.declarationOf(callee.scope, callee.node)
    const made = declared && !this.ts.isClassDeclaration(declared.node) ? declared : callee
    return this.resultOf(
      { ...made, scope: within(made.scope, scope) },
      call.arguments.map((node) => ({ scope, node })),
    )
  }

  /** What a function returns for these arguments, if it does nothing else but declare variables. */
  resultOf({ scope, node: given }: Found<ts.Node>, passed: readonly Found[] = []): Found | undefined {
    const { ts } = this
    const node = ts.isExpression(given) ? this.bare(given) : given
    if (scope.depth > DEEPEST) return undefined
    if (ts.isVariableDeclaration(node))
      return node.initializer && this.resultOf({ scope, node: node.initializer }, passed)
    if (!(ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)))
      return undefined
    const bound = new Map(scope.bound)
    const own: Scope = { file: scope.file, bound, depth: scope.depth + 1 }
    for (const [at, { name, initializer }] of node.parameters.entries())
      this.#bind(own, bound, name, passed[at] ?? (initializer && { scope: own, node: initializer }))
    const { body } = node
    if (!body || !ts.isBlock(body)) return body && { scope: own, node: this.bare(body) }
    for (const statement of body.statements) {
      if (ts.isReturnStatement(statement))
        return statement.expression && { scope: own, node: this.bare(statement.expression) }
      if (!ts.isVariableStatement(statement)) return undefined
      for (const { name, initializer } of statement.declarationList.declarations)
        this.#bind(own, bound, name, initializer && { scope: own, node: initializer })
    }
    return undefined
  }

  #bind(own: Scope, bound: Map<string, Found | undefined>, name: ts.BindingName, value?: Found): void {
    const { ts } = this
    if (ts.isIdentifier(name)) {
      // A variable that names itself leads nowhere.
      const isItself =
        value && ts.isIdentifier(value.node) && value.scope === own && value.node.text === name.text
      bound.set(name.text, isItself ? undefined : value)
      return
    }
    const object = value && this.followed(value)
    for (const one of name.elements) {
      if (!ts.isBindingElement(one)) continue
      const key = (one.propertyName ?? one.name).getText()
      const member =
        object && ts.isObjectLiteralExpression(object.node) ? this.member(object.node, key) : undefined
      const given = member && object ? { scope: object.scope, node: member } : undefined
      this.#bind(own, bound, one.name, given ?? (one.initializer && { scope: own, node: one.initializer }))
    }
  }

  /** Without brackets and assertions. */
  bare(node: ts.Expression): ts.Expression {
    const { ts } = this
    const isWrapped =
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node) ||
      ts.isAwaitExpression(node)
    return isWrapped ? this.bare(node.expression) : node
  }

  /**
   * Its text with the values of the parameters; undefined if it has names that only its own file or function knows. What it
   * needs of other modules is added to `imports`.
   */
  textIn(
    { scope, node }: Found<ts.Node>,
    target: Source,
    imports: (readonly [name: string, module: string])[] = [],
  ): string | undefined {
    const { ts } = this
    const edits: { start: number; end: number; text: string }[] = []
    let isKnown = true
    this.walk(node, (one) => {
      if (!ts.isIdentifier(one) || !isName(ts, one)) return
      if (scope.bound.has(one.text)) {
        const value = scope.bound.get(one.text)
        const text = value && this.textIn(value, target, imports)
        const name = ts.isShorthandPropertyAssignment(one.parent) ? `${one.text}: ` : ''
        if (text === undefined) isKnown = false
        else edits.push({ start: one.getStart(), end: one.end, text: name + text })
      } else if (
        scope.file !== target &&
        (scope.file.declared.has(one.text) || scope.file.imports.has(one.text))
      )
        isKnown &&=
          isSame(this, scope.file, target, one) || isImportable(ts, scope.file, target, one.text, imports)
    })
    if (!isKnown) return undefined
    let [text, at] = ['', node.getStart()]
    for (const edit of edits) {
      text += scope.file.node.text.slice(at, edit.start) + edit.text
      at = edit.end
    }
    return text + scope.file.node.text.slice(at, node.end)
  }

  member(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    const { ts } = this
    const found = object.properties.find((one) => one.name?.getText().replace(/['"]/g, '') === name)
    if (found && ts.isShorthandPropertyAssignment(found)) return found.name
    return found && ts.isPropertyAssignment(found) ? found.initializer : undefined
  }

  /** Names of values in a file, those of members aside. */
  namesIn(file: Source): ReadonlySet<string> {
    const names = new Set<string>()
    this.walk(file.node, (node) => {
      if (this.ts.isIdentifier(node) && isName(this.ts, node)) names.add(node.text)
    })
    return names
  }

  /** The line of a node, from 1. */
  lineOf({ node: file }: Source, node: ts.Node): number {
    return file.getLineAndCharacterOfPosition(node.getStart()).line + 1
  }

  /** The file of a place: by its path, whole or from this folder, else the only one that declares the name. */
  placed({ file, name }: { readonly file: string; readonly name: string }): Source | undefined {
    if (file !== '') return this.fileAt(file)
    const [only, other] = this.all.filter(({ declared }) => declared.has(name))
    return other ? undefined : only
  }

  /** The file with this path, whole or from this folder. */
  fileAt(path: string): Source | undefined {
    return this.#byPath.get(relative('.', path))
  }

  walk(node: ts.Node, visit: (node: ts.Node) => void): void {
    visit(node)
    node.forEachChild((child) => this.walk(child, visit))
  }
}

/** A scope at least as deep as another one that led to it. */
const within = (scope: Scope, { depth }: Scope): Scope => (scope.depth >= depth ? scope : { ...scope, depth })

/** Whether an identifier is the name of a value, not of a member. */
function isName(ts: Sources['ts'], node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name !== node
  const isMember = ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent)
  return !(isMember && parent.name === node)
}

/** Whether a name is an export of a module under its own name, and free in the other file. */
function isImportable(
  ts: Sources['ts'],
  from: Source,
  to: Source,
  name: string,
  imports: (readonly [name: string, module: string])[],
): boolean {
  const imported = from.imports.get(name)
  const module = imported?.name === name ? imported.module : moduleOf(ts, from, name)
  if (module === undefined || to.declared.has(name) || to.imports.has(name)) return false
  const path = relative(dirname(to.path), join(dirname(from.path), module))
  imports.push([name, module.startsWith('.') ? path.replace(/^(?!\.)/, './') : module])
  return true
}

/** A file as another one of its folder imports it; undefined if it doesn't export the name. */
function moduleOf(ts: Sources['ts'], { path, declared, imports }: Source, name: string): string | undefined {
  const declaration = declared.get(name)
  if (!declaration || (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) === 0)
    return undefined
  const [end = ''] = [...imports.values()].flatMap(
    ({ module }) => /^\..*(\.[cm]?[jt]s)$/.exec(module)?.[1] ?? [],
  )
  return `./${basename(path).replace(/\.[cm]?ts$/, end)}`
}

/** Whether a name means the same in another file. */
function isSame(sources: Sources, from: Source, to: Source, name: ts.Identifier): boolean {
  const [one, other] = [from, to].map((file) => sources.originOf(sources.scopeOf(file), name))
  if (!one || !other) return false
  if ('node' in one) return 'node' in other && one.node === other.node
  return 'module' in other && one.module === other.module && one.name === other.name
}

const KNOWN = /^(?:node:|drizzle-orm(?:\/|$)|typeorm$|crypto$|nanoid|uuid|ulid|cuid|@paralleldrive\/)/
