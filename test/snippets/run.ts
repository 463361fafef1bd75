import ts from 'typescript'

/** A statement's value, and the comment behind it, which may tell the value. */
export interface Told {
  readonly comment: string
  readonly value: unknown
}

/** What `console.log` was given. */
export class Printed {
  constructor(readonly line: string) {}
}

export interface Surroundings {
  /** Modules that the program imports, by name. */
  readonly modules: Readonly<Record<string, unknown>>
  /** Values that it takes for granted. */
  readonly globals?: Readonly<Record<string, unknown>>
}

const AsyncFunction = (async () => {}).constructor as new (
  ...namesAndBody: string[]
) => (...values: unknown[]) => Promise<void>

/**
 * Runs a TypeScript program, and gives the values that its comments may tell.
 *
 * @throws {Error} if a statement with a comment is not reached.
 */
export async function run(code: string, { modules, globals = {} }: Surroundings): Promise<Told[]> {
  const seen: Told[] = []
  const scope = {
    exports: {},
    require: (name: string) => modules[name],
    console: { log: (...values: unknown[]) => new Printed(values.join(' ')) },
    [TELL]: (comment: string, value: unknown) => {
      seen.push({ comment, value })
      return value
    },
    ...globals,
  }
  const program = javascript(code)
  await new AsyncFunction(...Object.keys(scope), program)(...Object.values(scope))
  const unseen = program.split(`${TELL}(`).length - 1 - seen.length
  if (unseen > 0) throw new Error(`${unseen} statements with comments were not reached`)
  return seen
}

const TELL = '__tell'

const javascript = (code: string): string =>
  ts.transpileModule(code, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      // As TypeORM's decorators ask.
      experimentalDecorators: true,
      useDefineForClassFields: false,
    },
    transformers: { before: [tellCommented] },
  }).outputText

/** Hands each value that has a comment behind it to `TELL`. */
const tellCommented: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context
  const tell = (comment: string, value: ts.Expression) =>
    factory.createCallExpression(factory.createIdentifier(TELL), undefined, [
      factory.createStringLiteral(comment),
      value,
    ])
  const visit = (original: ts.Node): ts.Node => {
    const node = ts.visitEachChild(original, visit, context)
    const comment = commentBehind(original, file.text)
    if (comment === undefined) return node
    if (ts.isExpressionStatement(node))
      return factory.updateExpressionStatement(node, tell(comment, node.expression))
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return node
    const value = tell(comment, node.initializer)
    return factory.updateVariableDeclaration(node, node.name, node.exclamationToken, node.type, value)
  }
  return ts.visitEachChild(file, visit, context)
}

function commentBehind(node: ts.Node, text: string): string | undefined {
  const [comment] = ts.getTrailingCommentRanges(text, node.end) ?? []
  return comment && text.slice(comment.pos + 2, comment.end).trim()
}
