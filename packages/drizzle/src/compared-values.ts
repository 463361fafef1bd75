import { is, Param, SQL, type SQLChunk, StringChunk } from 'drizzle-orm'
import { bindComparison } from './bind-comparison.js'
import { Cell, idColumnOf } from './cell.js'
import { comparisonsIn, mayCompare } from './comparisons.js'

// Drizzle encodes what eq() and its kin are given, but neither its own placeholders nor values in a raw template:
// `eq(orders.id, sql.placeholder('id'))` and sql`${orders.id} = ${id}` would send text to a binary column, and find
// nothing. So values that are compared with an id column are bound to it.

/** The same SQL with its compared values bound, for where Drizzle takes away what tells their columns. */
export function bound(query: SQL): SQL {
  if (isInlined(query)) return query
  return new SQL(bindCompared(query.queryChunks).map((chunk) => (is(chunk, SQL) ? bound(chunk) : chunk)))
}

/** The chunks of a query, and in them the values that are compared with an id column encoded as its ids. */
export function bindCompared(given: SQLChunk[]): SQLChunk[] {
  if (!given.some(isPartOfComparison)) return given
  const cells: Cell[] = []
  const chunks = copyOf(given, cells)
  if (!cells.some(({ column }) => column) || !cells.some(({ isValue }) => isValue)) return given
  for (const comparison of comparisonsIn(cells.map(pieceOf))) bindComparison(cells, comparison)
  return chunks
}

/** Drizzle builds much that compares nothing: it is not to be searched. Bulk inserts are little but parameters. */
function isPartOfComparison(chunk: SQLChunk): boolean {
  if (chunk instanceof Param) return false
  return is(chunk, StringChunk) ? mayCompare(textOf(chunk)) : idColumnOf(chunk) !== undefined
}

/** A copy, and all cells of it, those of SQL inside SQL too: `in (${sql.join(…)})`. */
function copyOf(chunks: readonly SQLChunk[], cells: Cell[]): SQLChunk[] {
  const copy = [...chunks]
  for (const [key, chunk] of chunks.entries()) {
    if (is(chunk, SQL) && !isInlined(chunk) && !idColumnOf(chunk)) {
      copy[key] = new SQL(copyOf(chunk.queryChunks, cells))
    } else if (!is(chunk, StringChunk) || textOf(chunk) !== '') cells.push(new Cell(copy, key))
  }
  return copy
}

/** Whether Drizzle writes the values of the query into its SQL. */
export const isInlined = (query: SQL): boolean =>
  (query as unknown as { shouldInlineParams: boolean }).shouldInlineParams

/** Drizzle 1.0 has a string there. */
const textOf = ({ value }: StringChunk): string => (Array.isArray(value) ? value.join('') : value)

/** Behind a column they make something else of it. */
const CONVERSION = /^\s*(?:::|\[|\|\|)/

/** As {@link comparisonsIn} takes it: a text, or undefined for an operand. */
function pieceOf({ chunk, column }: Cell, index: number, cells: readonly Cell[]): string | undefined {
  if (is(chunk, StringChunk)) return textOf(chunk)
  const next = cells[index + 1]?.chunk
  return column && is(next, StringChunk) && CONVERSION.test(textOf(next)) ? '""' : undefined
}
