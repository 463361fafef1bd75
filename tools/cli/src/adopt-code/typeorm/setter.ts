import type ts from 'typescript'
import type { Sources } from '../sources.js'
import type { Member } from './entities.js'

/** What the class itself generates a key with: a property's initializer, or statements of @BeforeInsert. */
export function setterOf(
  sources: Sources,
  members: readonly Member[],
  { name, initializer, type }: ts.PropertyDeclaration,
) {
  const { ts } = sources
  if (initializer) {
    return {
      value: initializer,
      removals: [{ start: name.end, end: initializer.end, text: `!: ${type?.getText() ?? 'string'}` }],
    }
  }
  const isOwn = (one: ts.Node) => one.getText() === `this.${name.getText()}`
  const assignedBy = (statement: ts.Statement): ts.Expression | undefined => {
    if (ts.isBlock(statement))
      return statement.statements.length === 1
        ? assignedBy(statement.statements[0] as ts.Statement)
        : undefined
    if (ts.isIfStatement(statement))
      return statement.elseStatement ? undefined : assignedBy(statement.thenStatement)
    if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) return undefined
    const { left, right } = statement.expression
    if (!isOwn(left)) return undefined
    return ts.isBinaryExpression(right) && isOwn(right.left) ? right.right : right
  }
  const statements = members.flatMap(({ node, by }) => {
    if (!by.has('BeforeInsert') || !ts.isMethodDeclaration(node)) return []
    const all = node.body?.statements ?? []
    return all.flatMap((statement) => {
      const value = assignedBy(statement)
      if (!value) return []
      const isAlone = all.length === 1 && !isNamedElsewhere(sources, node.name)
      return [{ value, gone: isAlone ? node : statement }]
    })
  })
  const [first] = statements
  const removals = statements.map(({ gone }) => ({ start: gone.getFullStart(), end: gone.end, text: '' }))
  return first && { value: first.value, removals }
}

function isNamedElsewhere(sources: Sources, name: ts.PropertyName): boolean {
  const text = name.getText()
  return sources.all.some((file) => {
    let found = false
    sources.walk(file.node, (node) => {
      found ||=
        node !== name &&
        (sources.ts.isIdentifier(node) || sources.ts.isStringLiteralLike(node)) &&
        node.text === text
    })
    return found
  })
}
