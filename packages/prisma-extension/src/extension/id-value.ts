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

/** What a value is for: a bound is a condition by order, which a text that is no id would meet with other rows. */
export type Use = 'data' | 'condition' | 'bound'

/**
 * A value for an id field, in any argument: an id, a list of ids, or an object of operators. Ids become database values;
 * null, field references and Prisma's own values are unchanged, and so are other texts in a condition that finds nothing.
 *
 * @throws {IdError} for a malformed id, a range over bytes, a search that ignores case, and an unknown operator in a
 * storage that converts ids.
 */
export function idValue(column: IdColumn, value: unknown, place: Place, use: Use): unknown {
  if (value == null || isPrismaValue(value)) return value
  const { name, storage, settings } = column
  if (use === 'bound') return withPlace(name, place, () => boundOf(column, value))
  if (Array.isArray(value))
    return value.map((item, index) => idValue(column, item, inside(place, index), use))
  if (isPlainObject(value)) return operators(column, value, place, use)
  if (use === 'condition' && settings.onMismatch === 'notFound' && typeof value === 'string') return value
  return withPlace(name, place, () => storage.toDatabase(value))
}

function boundOf({ name, storage }: IdColumn, value: unknown): unknown {
  try {
    return storage.toDatabase(value)
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    const message = `${error.message}; a bound must be an id of the field; for a time, use createdBetween('${name}', from, to)`
    throw new IdError(error.code, message, { ...error, value: error.value, cause: error })
  }
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

function operators(column: IdColumn, value: Record<string, unknown>, place: Place, use: Use): unknown {
  const entries = Object.entries(value).map(([word, operand]) => {
    const at = inside(place, word)
    if (operand !== undefined) withPlace(column.name, at, () => checkOperator(column, word, operand))
    const inner = ORDER.includes(word) ? 'bound' : use
    return [word, OF_IDS.has(word) ? idValue(column, operand, at, inner) : operand]
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
  // Text needs no conversion, and Prisma's own error names the operator that was meant.
  if (storage.converts && !OF_IDS.has(word) && !OF_OTHERS.has(word))
    refuse(
      `no operator ${word} is known, so its ids can't be converted to storage ${storage.name}; check its name, or install ` +
        'a newer @snoflax/prisma-extension if this version of Prisma has it',
    )
}
