import { IdError } from '@snoflax/core'
import {
  type AliasableExpression,
  AndNode,
  BinaryOperationNode,
  ExpressionWrapper,
  type OperationNode,
  OperatorNode,
  ParensNode,
  RawNode,
  ValueNode,
} from 'kysely'
import type { ColumnIds } from './column-ids.js'

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
export function markOn({ sqlFragments, parameters }: RawNode): Mark | undefined {
  const opening = sqlFragments[0]
  if (parameters.length === 0 || !opening?.startsWith(OPENING)) return undefined
  return JSON.parse(opening.slice(OPENING.length, -CLOSING.length)) as Mark
}

/** The condition of `createdBetween()`. */
export function betweenNode(
  reference: OperationNode,
  given: ColumnIds | undefined,
  [from, to]: readonly unknown[],
): OperationNode {
  const ids = requireIds(given, 'createdBetween')
  const range = ids.placed(() => ids.family.range(from as number, to as number))
  const atLeast = compared(reference, '>=', ids, range.gte)
  if (range.lt === undefined) return atLeast
  return ParensNode.create(AndNode.create(atLeast, compared(reference, '<', ids, range.lt)))
}

/** The condition of `keyset()`. */
export const beyondNode = (
  reference: OperationNode,
  ids: ColumnIds | undefined,
  [after]: readonly unknown[],
  order: 'asc' | 'desc',
): OperationNode => compared(reference, order === 'asc' ? '>' : '<', requireIds(ids, 'keyset'), after)

const compared = (reference: OperationNode, operator: '>=' | '>' | '<', ids: ColumnIds, id: unknown) =>
  BinaryOperationNode.create(
    reference,
    OperatorNode.create(operator),
    ValueNode.create(ids.toDatabase(id, false)),
  )

/** @throws {IdError} `INVALID_OPTION` for an expression that is not an id column. */
export function requireIds(ids: ColumnIds | undefined, what: string): ColumnIds {
  if (ids) return ids
  throw new IdError(
    'INVALID_OPTION',
    `${what}: its first argument must be an id column that the plugin knows`,
    { field: what },
  )
}
