import { IdError } from '@snoflax/core'
import { isBytes, isDate } from '@snoflax/core/adapter'
import type { IdColumn } from './columns.js'
import { inside, type Place, withPlace } from './place.js'

/** Comparisons that Prisma has for all types except Bytes. */
const ORDER = ['lt', 'lte', 'gt', 'gte']

/** Operators whose operand is an id, a list of ids, or an object of such operators. */
export const OF_IDS: ReadonlySet<string> = new Set([
  ...['equals', 'in', 'notIn', 'not', ...ORDER],
  ...['has', 'hasEvery', 'hasSome'],
  ...['_min', '_max'],
  ...['set', 'push'],
])

/** Operators whose operand is part of an id or no id. */
export const OF_OTHERS: ReadonlySet<string> = new Set([
  ...['contains', 'startsWith', 'endsWith', 'search', 'mode'],
  ...['isEmpty', 'isSet', 'unset'],
  ...['_count', '_avg', '_sum'],
  ...['increment', 'decrement', 'multiply', 'divide'],
])

/**
 * A value for an id field, in any argument: an id, a list of ids, or an object of operators. Ids become database values;
 * null, field references and Prisma's own values are unchanged, and so are other texts in a condition that finds nothing.
 *
 * @throws {IdError} for a malformed id, a range over bytes, a search that ignores case, and an unknown word.
 */
export function idValue(column: IdColumn, value: unknown, place: Place, isCondition: boolean): unknown {
  if (value == null || isPrismaValue(value)) return value
  if (Array.isArray(value))
    return value.map((item, index) => idValue(column, item, inside(place, index), isCondition))
  if (isPlainObject(value)) return operators(column, value, place, isCondition)
  const { name, storage, settings } = column
  if (isCondition && settings.onMismatch === 'notFound' && typeof value === 'string') return value
  return withPlace(name, place, () => storage.toDatabase(value))
}

/**
 * An object literal, of any realm: Jest's `structuredClone` is of another one. Prisma passes copies to extensions, so
 * instances of users' classes are literals here.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Field references, `Prisma.skip` and the like: instances of Prisma's own classes. */
const isPrismaValue = (value: unknown): boolean =>
  typeof value === 'object' &&
  !Array.isArray(value) &&
  !isPlainObject(value) &&
  !isBytes(value) &&
  !isDate(value)

function operators(
  column: IdColumn,
  value: Record<string, unknown>,
  place: Place,
  isCondition: boolean,
): unknown {
  const entries = Object.entries(value).map(([word, operand]) => {
    const at = inside(place, word)
    if (operand !== undefined) withPlace(column.name, at, () => checkOperator(column, word, operand))
    return [word, OF_IDS.has(word) ? idValue(column, operand, at, isCondition) : operand]
  })
  return Object.fromEntries(entries)
}

function checkOperator({ storage }: IdColumn, word: string, operand: unknown): void {
  const { name: family } = storage.family
  const refuse = (reason: string): never => {
    throw new IdError('INVALID_OPTION', `${family}: ${reason}`, { family, field: word, value: operand })
  }
  if (storage.name === 'binary' && ORDER.includes(word))
    refuse('Prisma has no ranges over Bytes; use storage uuid or text, or a raw query')
  if (word === 'mode' && operand === 'insensitive') refuse('ids that differ in case are different ids')
  if (!OF_IDS.has(word) && !OF_OTHERS.has(word))
    refuse(
      `the operator ${word} is unknown to this version of @snoflax/prisma-extension, so its ids can't be converted`,
    )
}
