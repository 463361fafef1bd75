import { Column, is, Param, Placeholder, SQL, type SQLChunk, StringChunk } from 'drizzle-orm'
import { findIds } from './column-ids.js'

// Drizzle encodes what eq() and its kin are given, but neither its own placeholders nor values in a raw template:
// `eq(orders.id, sql.placeholder('id'))` and sql`${orders.id} = ${id}` would send text to a binary column, and find
// nothing. So values that stand directly beside an id column are bound to it here, once, for all dialects.

const COMPARISON = /^\s*(?:=|<>|!=|<=?|>=?|between)\s*$/i
const AND = /^\s*and\s*$/i
const IN = /^\s*(?:not\s+)?in\s*$/i
const IN_LIST = /^\s*(?:not\s+)?in\s*\(\s*$/i
const COMMA = /^\s*,\s*$/

let isCured = false

/** Has Drizzle encode every value that a query compares directly with an id column. */
export function encodeComparedValues(): void {
  if (isCured) return
  isCured = true
  const build = SQL.prototype.buildQueryFromSourceParams
  SQL.prototype.buildQueryFromSourceParams = function (chunks, config) {
    return build.call(this, bindCompared(chunks), config)
  }
}

function bindCompared(chunks: SQLChunk[]): SQLChunk[] {
  if (!chunks.some(isIdColumn)) return chunks
  const bound = [...chunks]
  chunks.forEach((chunk, at) => {
    if (isIdColumn(chunk)) bindAround(bound, at, chunk)
  })
  return bound
}

const isIdColumn = (chunk: SQLChunk): chunk is Column => is(chunk, Column) && findIds(chunk) !== undefined

function bindAround(chunks: SQLChunk[], at: number, column: Column): void {
  if (matches(chunks[at - 1], COMPARISON)) bindAt(chunks, at - 2, column)
  const operator = chunks[at + 1]
  if (matches(operator, COMPARISON)) bindRun(chunks, at + 2, column, AND)
  if (matches(operator, IN_LIST)) bindRun(chunks, at + 2, column, COMMA)
  if (matches(operator, IN)) bindAt(chunks, at + 2, column)
}

/** Binds a value and those that follow it behind a separator. */
function bindRun(chunks: SQLChunk[], first: number, column: Column, separator: RegExp): void {
  bindAt(chunks, first, column)
  for (let at = first + 1; matches(chunks[at], separator); at += 2) bindAt(chunks, at + 1, column)
}

function bindAt(chunks: SQLChunk[], at: number, column: Column): void {
  const value = chunks[at]
  if (Array.isArray(value)) chunks[at] = value.map((item) => bind(item, column))
  else if (value !== undefined) chunks[at] = bind(value, column)
}

const bind = (value: SQLChunk, column: Column): SQLChunk =>
  isValue(value) ? new Param(value, column) : value

const isValue = (value: unknown): boolean =>
  is(value, Placeholder) ||
  value instanceof Uint8Array ||
  ['string', 'number', 'bigint'].includes(typeof value)

const matches = (chunk: SQLChunk | undefined, pattern: RegExp): boolean =>
  is(chunk, StringChunk) && pattern.test(chunk.value.join(''))
