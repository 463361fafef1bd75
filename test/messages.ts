import { existsSync, readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { at, folderOf, packageFolders } from './workspace.js'

/** The texts of a source file that can be in an error's message, as they stand in the source, in order. */
export function messagesIn(path: string, text: string, refusing: ReadonlySet<string>): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = new Set<ts.Node>()
  const visited = new Set<ts.Node>()

  /** Every text below the node, and below what the names in it stand for in this file. */
  const collect = (node: ts.Node): void => {
    if (visited.has(node)) return
    visited.add(node)
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found.add(node)
    if (ts.isIdentifier(node)) for (const declared of declarations.get(node.text) ?? []) collect(declared)
    ts.forEachChild(node, collect)
  }

  const declarations = new Map<string, ts.Node[]>()
  const declare = (node: ts.Node): void => {
    const isValue = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)
    if (isValue && node.name && ts.isIdentifier(node.name)) {
      const { text: name } = node.name
      const value = ts.isFunctionDeclaration(node) ? node.body : node.initializer
      if (value) declarations.set(name, [...(declarations.get(name) ?? []), value])
    }
    ts.forEachChild(node, declare)
  }
  declare(file)

  const visit = (node: ts.Node): void => {
    if (ts.isThrowStatement(node) || isRefusal(node, refusing)) collect(node)
    ts.forEachChild(node, visit)
  }
  visit(file)

  return [...found]
    .sort((one, other) => one.pos - other.pos)
    .map((node) => node.getText(file).replace(/\s+/g, ' '))
    .filter((shown) => /[a-z]/i.test(shown) && shown.includes(' '))
}

/** A created error, or a call of a function that always throws. */
function isRefusal(node: ts.Node, refusing: ReadonlySet<string>): boolean {
  if (ts.isNewExpression(node)) return /Error$/.test(node.expression.getText())
  if (!ts.isCallExpression(node)) return false
  const { expression } = node
  if (ts.isPropertyAccessExpression(expression)) {
    return refusing.has(expression.name.text) && expression.expression.getText() !== 'Array'
  }
  return ts.isIdentifier(expression) && refusing.has(expression.text)
}

/** The names of functions that are declared to return never. */
export function refusingIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && node.type?.kind === ts.SyntaxKind.NeverKeyword) {
      const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
      if (named) names.push(named.getText(file))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}

/** Every message of the packages, of TypeScript and of SQL, by file. */
export function allMessages(): string {
  const sources = textsIn('src', '.ts')
  // Obstacles are noted, and thrown together.
  const refusing = new Set([...sources.flatMap(([path, text]) => refusingIn(path, text)), 'note'])
  const chapters = [
    ...sources.map(([path, text]) => [path, messagesIn(path, text, refusing)] as const),
    ...textsIn('sql', '.sql').map(([path, text]) => [path, raisedIn(text)] as const),
  ]
  return chapters
    .filter(([, messages]) => messages.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, messages]) => `${path}\n${messages.map((message) => `  ${message}\n`).join('')}`)
    .join('\n')
}

/** The files of every package below this folder, with their texts. */
const textsIn = (folder: string, ending: string): (readonly [path: string, text: string])[] =>
  [...packageFolders, 'prisma-8'].flatMap((name) => {
    const parent = `${folderOf(name)}/${folder}`
    if (!existsSync(at(parent))) return []
    return readdirSync(at(parent), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(ending))
      .map((path) => [`${parent}/${path}`, readFileSync(at(`${parent}/${path}`), 'utf8')] as const)
  })

/** The texts of RAISE statements. */
export const raisedIn = (sql: string): string[] =>
  [...sql.matchAll(/\bRAISE\s+(?:EXCEPTION|SQLSTATE|WARNING)\b[^;]*;/gi)].map(([statement]) =>
    statement.replace(/\s+/g, ' '),
  )
