import { dirname, join, normalize } from 'node:path'
import type ts from 'typescript'
import { type Edit, STORED, type Stored } from './findings.js'

/** Where a name leads: to a declaration in the files, or to an export of a package. */
export type Origin =
  | { readonly file: Source; readonly node: Declaration }
  | { readonly module: string; readonly name: string }

export type Declaration = ts.VariableDeclaration | ts.FunctionDeclaration | ts.ClassDeclaration

/** A TypeScript file, its imports by local name, and its declarations at the top. */
export interface Source {
  readonly path: string
  readonly node: ts.SourceFile
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>
  readonly declared: ReadonlyMap<string, Declaration>
}

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
    const imports = new Map<string, { module: string; name: string }>()
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

  /** Where an identifier, or a member of a namespace, leads. */
  originOf(file: Source, expression: ts.Node): Origin | undefined {
    const { ts } = this
    if (ts.isIdentifier(expression)) return this.#named(file, expression.text)
    if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression))
      return undefined
    const [space, name] = [expression.expression.text, expression.name.text]
    if (file.declared.has(space)) return undefined
    const imported =
      file.imports.get(space) ?? (space === 'crypto' ? { module: space, name: '*' } : undefined)
    return imported && imported.name !== name ? this.#exported(file, imported.module, name) : undefined
  }

  /** What the files declare under a name, or a member of a namespace. */
  declarationOf(file: Source, expression: ts.Node): { file: Source; node: Declaration } | undefined {
    const origin = this.originOf(file, expression)
    return origin && 'node' in origin ? origin : undefined
  }

  callBehind(file: Source, expression: ts.Node): { file: Source; call: ts.CallExpression } | undefined {
    const { file: own, node } = this.declarationOf(file, expression) ?? {}
    const call = node && this.ts.isVariableDeclaration(node) ? node.initializer : undefined
    return own && call && this.ts.isCallExpression(call) ? { file: own, call } : undefined
  }

  #named(file: Source, name: string): Origin | undefined {
    const node = file.declared.get(name)
    if (node) return { file, node }
    const imported = file.imports.get(name)
    return imported && this.#exported(file, imported.module, imported.name)
  }

  #exported(from: Source, module: string, name: string): Origin {
    const file = this.#fileOf(from, module)
    const found = file && this.#in(file, name, new Set())
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

  /** In a file, or what it exports of others. */
  #in(file: Source, name: string, seen: Set<Source>): Origin | undefined {
    const { ts } = this
    const own = this.#named(file, name)
    if (own || seen.has(file)) return own
    seen.add(file)
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

  /** The first of these exports whose name a file has for something else. */
  takenIn(file: Source, wanted: readonly Export[]): string | undefined {
    const isTaken = ([name, module]: Export): boolean => {
      const imported = file.imports.get(name)
      return file.declared.has(name) || (imported !== undefined && !isExport(imported, module, name))
    }
    return wanted.find(isTaken)?.[0]
  }

  /** What a function returns, if it does nothing else. */
  resultOf(node: ts.Node | undefined): ts.Expression | undefined {
    const { ts } = this
    if (node && ts.isVariableDeclaration(node)) return this.resultOf(node.initializer)
    if (
      !node ||
      !(ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node))
    )
      return undefined
    const { body } = node
    if (body && !ts.isBlock(body)) return this.bare(body)
    const [only, more] = body?.statements ?? []
    return only && !more && ts.isReturnStatement(only) && only.expression
      ? this.bare(only.expression)
      : undefined
  }

  /** Without brackets and assertions. */
  bare(node: ts.Expression): ts.Expression {
    const { ts } = this
    const isWrapped =
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    return isWrapped ? this.bare(node.expression) : node
  }

  /** The keys that a generator makes, which is passed as a function; or the name that the source has for it. */
  storedBy(file: Source, generator: ts.Expression): Stored | string {
    const result = this.resultOf(generator)
    if (result) return this.storedAs(file, result)
    return this.#generator(file, generator, []) ?? generator.getText()
  }

  /** The keys that an expression makes; or the name that the source has for what makes them. */
  storedAs(file: Source, value: ts.Expression): Stored | string {
    const { ts } = this
    const made = this.bare(value)
    if (ts.isCallExpression(made)) {
      return this.#generator(file, made.expression, made.arguments) ?? made.expression.getText()
    }
    if (!ts.isTemplateExpression(made)) return made.getText()
    const spans = made.templateSpans.map(({ expression, literal }) => {
      const stored = this.storedAs(file, expression)
      return typeof stored === 'string'
        ? stored
        : { ...stored, pattern: stored.pattern + escaped(literal.text) }
    })
    const unknown = spans.find((one) => typeof one === 'string')
    if (unknown !== undefined) return unknown
    const known = spans as Stored[]
    const [, prefix] = /^([a-z][a-z0-9]*)_$/.exec(made.head.text) ?? []
    const pattern = escaped(made.head.text) + known.map((one) => one.pattern).join('')
    return { kind: known.map(({ kind }) => kind).join(), pattern, ...(known.length === 1 && { prefix }) }
  }

  #generator(file: Source, callee: ts.Expression, given: readonly ts.Expression[]): Stored | undefined {
    const origin = this.originOf(file, callee)
    if (origin === undefined) return undefined
    if ('module' in origin)
      return PACKAGES[origin.module.replace(/^node:/, '')]?.(origin.name, this.#literals(given))
    const made = this.callBehind(file, callee)
    if (made) {
      const maker = this.originOf(made.file, made.call.expression)
      return maker && 'module' in maker
        ? MAKERS[`${maker.module} ${maker.name}`]?.(this.#literals(made.call.arguments))
        : undefined
    }
    const result = this.resultOf(origin.node)
    const stored = result && this.storedAs(origin.file, result)
    return typeof stored === 'string' ? undefined : stored
  }

  /** Literals and objects of them; undefined for what the source computes. */
  #literals(given: readonly ts.Expression[]): unknown[] {
    const { ts } = this
    return given.map((one) => {
      if (ts.isNumericLiteral(one)) return Number(one.text)
      if (ts.isStringLiteralLike(one)) return one.text
      const length = ts.isObjectLiteralExpression(one) && this.member(one, 'length')
      return length && ts.isNumericLiteral(length) ? { length: Number(length.text) } : null
    })
  }

  member(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    const { ts } = this
    const found = object.properties.find((one) => one.name?.getText().replace(/['"]/g, '') === name)
    if (found && ts.isShorthandPropertyAssignment(found)) return found.name
    return found && ts.isPropertyAssignment(found) ? found.initializer : undefined
  }

  /** Where a node is, and the name under which it is told. */
  placeOf({ path, node: file }: Source, node: ts.Node, name: string) {
    return { file: path, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, name }
  }

  walk(node: ts.Node, visit: (node: ts.Node) => void): void {
    visit(node)
    node.forEachChild((child) => this.walk(child, visit))
  }

  /**
   * Edits that import names, write statements below the imports that stand before the other edits, and drop the imports
   * that those leave without a use.
   */
  importing(
    file: Source,
    wanted: ReadonlyMap<string, ReadonlySet<string>>,
    statements: readonly string[],
    edits: readonly Edit[],
  ): Edit[] {
    const { ts } = this
    const { text } = file.node
    const imports = file.node.statements.filter(ts.isImportDeclaration)
    const first = Math.min(...edits.map(({ start }) => start))
    const last = imports.filter((statement) => statement.end <= first).at(-1)
    const end = /;\s*$/.test(last?.getText() ?? '') ? ';' : ''
    const quote = last?.moduleSpecifier.getText()[0] ?? "'"
    const lines = [...wanted].flatMap(([module, names]) => {
      const missing = [...names].filter((name) => !isExport(file.imports.get(name), module, name)).sort()
      return missing.length === 0
        ? []
        : `import { ${missing.join(', ')} } from ${quote}${module}${quote}${end}`
    })
    const own = statements.map((statement) => `${statement.replaceAll("'", quote)}${end}`)
    const added = [...lines, ...(own.length > 0 ? ['', ...own] : [])].join('\n')
    const isUsed = (name: string): boolean => {
      let used = edits.some((edit) =>
        new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(edit.text),
      )
      this.walk(file.node, (node) => {
        used ||=
          ts.isIdentifier(node) &&
          node.text === name &&
          !ts.isImportSpecifier(node.parent) &&
          !ts.isImportClause(node.parent) &&
          !edits.some(({ start, end }) => start <= node.getStart() && node.end <= end)
      })
      return used
    }
    const touched = new Set(edits.flatMap(({ start, end }) => text.slice(start, end).match(/[\w$]+/g) ?? []))
    const unused = imports.flatMap((statement): Edit[] => {
      const bindings = statement.importClause?.namedBindings
      const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : []
      const names = [
        ...named.map(({ name }) => name.text),
        ...(statement.importClause?.name ? [statement.importClause.name.text] : []),
      ]
      const gone = names.filter((name) => touched.has(name) && !isUsed(name))
      if (gone.length === 0) return []
      if (gone.length === names.length) {
        const [start, close] = [statement.getStart(), statement.end]
        return [
          statement === last
            ? { start, end: close, text: added }
            : { start, end: close + (/^\r?\n/.exec(text.slice(close))?.[0].length ?? 0), text: '' },
        ]
      }
      const kept = named.filter(({ name }) => !gone.includes(name.text)).map((one) => one.getText())
      return bindings
        ? [{ start: bindings.getStart(), end: bindings.end, text: `{ ${kept.join(', ')} }` }]
        : []
    })
    if (added === '' || unused.some((edit) => edit.text === added)) return unused
    const edited = file.node.statements.find((statement) => statement.end > first)
    const at = last?.end ?? edited?.getStart() ?? 0
    return [...unused, { start: at, end: at, text: last ? `\n${added}` : `${added}\n` }]
  }
}

/** A name that a module exports. */
export type Export = readonly [name: string, module: string]

const isExport = (
  imported: { readonly module: string; readonly name: string } | undefined,
  module: string,
  name: string,
): boolean => imported?.module === module && imported.name === name

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const KNOWN = /^(?:node:|drizzle-orm(?:\/|$)|typeorm$|crypto$|nanoid|uuid|ulid|cuid|@paralleldrive\/)/

type Given = readonly unknown[]

/** Functions that generate keys, by package: undefined for others. */
const PACKAGES: Readonly<Record<string, (name: string, given: Given) => Stored | undefined>> = {
  '@paralleldrive/cuid2': (name) => (name === 'createId' ? STORED.cuid2() : undefined),
  cuid: (name) => (name === 'default' ? STORED.cuid() : undefined),
  nanoid: (name, [length = 21]) =>
    name === 'nanoid' && typeof length === 'number' ? STORED.nanoid(length) : undefined,
  crypto: (name) => (name === 'randomUUID' ? STORED.uuid() : undefined),
  uuid: (name) =>
    /^v[47]$/.test(name)
      ? STORED.uuid()
      : /^v[1-6]$/.test(name)
        ? { ...STORED.uuid(), kind: `uuid ${name}` }
        : undefined,
  uuidv7: (name) => (name === 'uuidv7' ? STORED.uuid() : undefined),
  ulid: (name) => (name === 'ulid' ? STORED.ulid() : undefined),
}

/** Functions that make such functions. */
const MAKERS: Readonly<Record<string, (given: Given) => Stored | undefined>> = {
  '@paralleldrive/cuid2 init': ([options]) => {
    const { length } = (options ?? {}) as { length?: number }
    return length === undefined ? { kind: 'cuid2', pattern: '[a-z][a-z0-9]{1,31}' } : STORED.cuid2(length)
  },
  'nanoid customAlphabet': ([letters, length = 21]) =>
    typeof letters === 'string' && typeof length === 'number' ? STORED.alphabet(letters, length) : undefined,
  'ulid monotonicFactory': () => STORED.ulid(),
}
