import type ts from 'typescript'
import type { Sources } from '../sources.js'

/** The expression that a class itself generates a key by: a property's value, or a statement of a hook. */
export function generatorOf(
  { ts }: Sources,
  { members }: ts.ClassDeclaration,
  { name, initializer }: ts.PropertyDeclaration,
): ts.Expression | undefined {
  const isOwn = (one: ts.Node): boolean => one.getText() === `this.${name.getText()}`
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
  const isHook = (one: ts.ClassElement): boolean =>
    ts.canHaveDecorators(one) &&
    (ts.getDecorators(one) ?? []).some(({ expression }) =>
      /^(?:\w+\.)?Before(?:Insert|Create)\(/.test(expression.getText()),
    )
  const statements = members.flatMap((one) =>
    ts.isMethodDeclaration(one) && isHook(one) ? [...(one.body?.statements ?? [])] : [],
  )
  const value = initializer ?? statements.map(assignedBy).find(Boolean)
  return value && !/\bthis\b/.test(value.getText()) ? value : undefined
}
