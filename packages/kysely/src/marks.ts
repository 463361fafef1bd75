import { type AliasableExpression, ExpressionWrapper, type OperationNode, RawNode } from 'kysely'

// A declaration about an expression is raw SQL with a comment in the tree, since other plugins copy nodes and lose other
// properties. The plugin removes the comment.

/** The declaration in a mark. */
export type Mark =
  | { readonly is: 'id'; readonly path: string }
  | { readonly is: 'other' }
  | { readonly is: 'rows'; readonly columns: Readonly<Record<string, string | null>> }
  | { readonly is: 'time' }
  | { readonly is: 'between' }
  | { readonly is: 'beyond'; readonly order: 'asc' | 'desc' }

const OPENING = '/* snoflax:'
const CLOSING = ' */ '

export function marked<Type>(mark: Mark, ...nodes: readonly OperationNode[]): AliasableExpression<Type> {
  const opening = OPENING + JSON.stringify(mark).replaceAll('*/', '*\\/') + CLOSING
  return new ExpressionWrapper<never, never, Type>(RawNode.create([opening, ...nodes.map(() => ' ')], nodes))
}

/** The declaration about the parameters of raw SQL, if any. */
export function markOn({ sqlFragments: [opening], parameters }: RawNode): Mark | undefined {
  if (parameters.length === 0 || !opening?.startsWith(OPENING)) return undefined
  return JSON.parse(opening.slice(OPENING.length, -CLOSING.length)) as Mark
}
