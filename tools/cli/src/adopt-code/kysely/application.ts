import { dirname, resolve } from 'node:path'
import type ts from 'typescript'
import { configuredIn } from '../load/compile.js'
import type { Failure } from '../load/facts.js'

/** A place in a file, by its whole path. */
interface Spot {
  readonly file: string
  readonly line: number
}

/** A table of the interface, by the names that queries use. */
export interface InterfaceTable extends Spot {
  readonly name: string
  readonly columns: ReadonlyMap<string, Spot>
}

/** What TypeScript knows of an application of Kysely. */
export interface Application {
  readonly program: ts.Program
  readonly tables: readonly InterfaceTable[]
  /** The options of the client that gets the plugin: the first whose options are an object in the files. */
  readonly options?: ts.ObjectLiteralExpression
  /** Clients that get no plugin. */
  readonly others: readonly Spot[]
  /** The first call of idPlugin that is there already. */
  readonly plugin?: ts.CallExpression
  /** Columns that one declares, as `users.id`. */
  readonly declared: ReadonlySet<string>
  readonly failures: readonly Failure[]
}

interface Client extends Spot {
  readonly database: ts.Type
  readonly options?: ts.ObjectLiteralExpression | undefined
}

/** Reads the modules, with these texts instead of their own. */
export function readApplication(
  typescript: typeof ts,
  modules: readonly string[],
  texts: ReadonlyMap<string, string> = new Map(),
  before?: ts.Program,
): Application {
  const files = modules.map((file) => resolve(file))
  const program = programOf(typescript, files, texts, before)
  const nodes: ts.Node[] = []
  const walk = (node: ts.Node): void => {
    nodes.push(node)
    node.forEachChild(walk)
  }
  for (const file of files) program.getSourceFile(file)?.forEachChild(walk)
  const clients = nodes.flatMap((node) => clientOf(typescript, program, files, node) ?? [])
  const known = clients.filter(({ database }) => database.getProperties().length > 0)
  const [first] = known
  const namesIn = ({ database }: Client): string =>
    database
      .getProperties()
      .map(({ name }) => name)
      .join()
  const other = known.find((one) => first && namesIn(one) !== namesIn(first))
  const chosen = known.find(({ options }) => options)
  const plugins = nodes.filter(
    (node): node is ts.CallExpression =>
      typescript.isCallExpression(node) && /\bidPlugin$/.test(node.expression.getText()),
  )
  const failures = !first
    ? [unknownInterface(clients, files)]
    : other
      ? [{ file: other.file, reason: `line ${other.line}: another interface: pass the files of one` }]
      : []
  return {
    program,
    tables: first && !other ? tablesOf(program, first) : [],
    ...(chosen?.options && { options: chosen.options }),
    others: clients.filter((one) => one !== chosen),
    ...(plugins[0] && { plugin: plugins[0] }),
    declared: new Set(plugins.flatMap((one) => declaredBy(program.getTypeChecker(), one))),
    failures,
  }
}

function programOf(
  typescript: typeof ts,
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
  before: ts.Program | undefined,
): ts.Program {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = typescript
  const options: ts.CompilerOptions = {
    target: ScriptTarget.ES2022,
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.Bundler,
    ...configuredIn(typescript, dirname(files[0] as string)),
    noEmit: true,
    skipLibCheck: true,
  }
  const host = typescript.createCompilerHost(options, true)
  const edited = new Map([...texts].map(([file, text]) => [resolve(file), text]))
  const read = host.readFile
  host.readFile = (file) => edited.get(resolve(file)) ?? read(file)
  return typescript.createProgram([...files], options, host, before)
}

/** A `new Kysely<…>(…)`, one of a class that extends it, or the call by which that class creates it. */
function clientOf(
  typescript: typeof ts,
  program: ts.Program,
  files: readonly string[],
  node: ts.Node,
): Client | undefined {
  const checker = program.getTypeChecker()
  const isSuper =
    typescript.isCallExpression(node) && node.expression.kind === typescript.SyntaxKind.SuperKeyword
  if (!isSuper && !typescript.isNewExpression(node)) return undefined
  const typed = isSuper ? typescript.findAncestor(node, typescript.isClassLike) : node
  const database = typed && databaseOf(checker, checker.getTypeAtLocation(typed))
  // A class that takes no options passes them itself.
  if (!database || !node.arguments?.[0]) return undefined
  const options = literalOf(typescript, checker, node.arguments[0])
  const isHere = options && files.includes(resolve(options.getSourceFile().fileName))
  return { ...spotOf(node), database, options: isHere ? options : undefined }
}

function databaseOf(checker: ts.TypeChecker, type: ts.Type): ts.Type | undefined {
  if (type.symbol?.name === 'Kysely') return checker.getTypeArguments(type as ts.TypeReference)[0]
  return (type.getBaseTypes() ?? []).map((base) => databaseOf(checker, base)).find(Boolean)
}

function literalOf(
  typescript: typeof ts,
  checker: ts.TypeChecker,
  node: ts.Expression,
): ts.ObjectLiteralExpression | undefined {
  const value = typescript.isIdentifier(node) ? checker.getSymbolAtLocation(node)?.valueDeclaration : node
  const literal = value && typescript.isVariableDeclaration(value) ? value.initializer : value
  return literal && typescript.isObjectLiteralExpression(literal) ? literal : undefined
}

function spotOf(node: ts.Node): Spot {
  const file = node.getSourceFile()
  return { file: file.fileName, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1 }
}

function tablesOf(program: ts.Program, { database, ...client }: Client): InterfaceTable[] {
  const checker = program.getTypeChecker()
  const spot = ({ declarations: [node] = [] }: ts.Symbol): Spot => (node ? spotOf(node) : client)
  return database.getProperties().map((table) => ({
    ...spot(table),
    name: table.name,
    columns: new Map(
      checker
        .getTypeOfSymbol(table)
        .getProperties()
        .map((column) => [column.name, spot(column)]),
    ),
  }))
}

function declaredBy(checker: ts.TypeChecker, plugin: ts.CallExpression): string[] {
  const type = checker.getTypeAtLocation(plugin) as ts.TypeReference
  const [tables] = type.symbol?.name === 'IdPlugin' ? checker.getTypeArguments(type) : []
  return (tables?.getProperties() ?? []).flatMap((table) =>
    checker
      .getTypeOfSymbol(table)
      .getProperties()
      .map((column) => `${table.name}.${column.name}`),
  )
}

function unknownInterface([client]: readonly Client[], [first = '']: readonly string[]): Failure {
  return client
    ? {
        file: client.file,
        reason: `line ${client.line}: the interface of its tables isn't known: write new Kysely<Database>(…)`,
      }
    : {
        file: first,
        reason: 'no new Kysely<Database>({ … }) that TypeScript knows: install what the application imports',
      }
}

/** Compile errors of files that they didn't have before, with the line. */
export function newErrors(
  typescript: typeof ts,
  before: ts.Program,
  after: ts.Program,
  files: Iterable<string>,
): Failure[] {
  const errorsIn = (program: ts.Program, file: string): [line: number, message: string][] => {
    const source = program.getSourceFile(file) as ts.SourceFile
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) => [
        source.getLineAndCharacterOfPosition(start).line + 1,
        typescript.flattenDiagnosticMessageText(messageText, ' '),
      ],
    )
  }
  return [...files].flatMap((path) => {
    const file = resolve(path)
    const old = new Set(errorsIn(before, file).map(([, message]) => message))
    return errorsIn(after, file).flatMap(([line, message]) =>
      old.has(message) ? [] : { file, reason: `it does not compile, line ${line}: ${message}` },
    )
  })
}
