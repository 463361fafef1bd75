import { is, SQL, type SQLChunk, StringChunk } from 'drizzle-orm'
import { bindComparison, hasValue, isIdColumn } from './bind-comparison.js'
import { comparisonsIn } from './comparisons.js'

// Drizzle encodes what eq() and its kin are given, but neither its own placeholders nor values in a raw template:
// `eq(orders.id, sql.placeholder('id'))` and sql`${orders.id} = ${id}` would send text to a binary column, and find
// nothing. So values that are compared with an id column are bound to it here, once, for all dialects.

let isCured = false

/** Has Drizzle encode every value that a query compares with an id column. */
export function encodeComparedValues(): void {
  if (isCured) return
  isCured = true
  const build = SQL.prototype.buildQueryFromSourceParams
  SQL.prototype.buildQueryFromSourceParams = function (chunks, config) {
    return build.call(this, bindCompared(chunks), config)
  }
}

function bindCompared(given: SQLChunk[]): SQLChunk[] {
  if (!given.some(isIdColumn)) return given
  const chunks = flat(given)
  if (!chunks.some(hasValue)) return given
  const pieces = chunks.map((chunk) => (is(chunk, StringChunk) ? chunk.value.join('') : undefined))
  for (const comparison of comparisonsIn(pieces)) bindComparison(chunks, comparison)
  return chunks
}

/** With the chunks of SQL inside SQL, as in `in (${sql.join(…)})`. */
const flat = (chunks: readonly SQLChunk[]): SQLChunk[] =>
  chunks.flatMap((chunk) => (is(chunk, SQL) && !isInlined(chunk) ? flat(chunk.queryChunks) : [chunk]))

const isInlined = (query: SQL): boolean =>
  (query as unknown as { shouldInlineParams: boolean }).shouldInlineParams
