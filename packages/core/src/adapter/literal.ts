import type { Database } from '../storage/column.js'
import { quoteText } from './quote.js'

/**
 * Lower-case hex digits of bytes.
 *
 * @example
 * hexOf(Uint8Array.of(1, 255)) // '01ff'
 */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * A stored value as an SQL literal, for defaults, views and other places without parameters.
 *
 * @example
 * literalOf(storageFor(flake, 'sqlite', { storage: 'binary' }).toDatabase('1'), 'sqlite') // "(x'0000000000000001')"
 */
export function literalOf(value: unknown, database: Database): string {
  if (value instanceof Uint8Array) return bytesLiteral(hexOf(value), database)
  return typeof value === 'bigint' ? String(value) : quoteText(String(value))
}

/** In brackets, so that MySQL accepts it as a default and drizzle-kit recognizes it in SQLite. */
const bytesLiteral = (hex: string, database: Database): string =>
  database === 'postgres' ? `'\\x${hex}'` : `(x'${hex}')`

/**
 * Stored values as a PostgreSQL array literal, which every driver sends unchanged.
 *
 * @example
 * arrayLiteral([1n, null]) // '{"1",NULL}'
 */
export const arrayLiteral = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

function element(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return arrayLiteral(value)
  const text = value instanceof Uint8Array ? `\\x${hexOf(value)}` : String(value)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
