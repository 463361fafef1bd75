import type { Database } from '@snoflax/core'
import { quoteText } from '@snoflax/core/adapter'
import { type SQL, sql } from 'drizzle-orm'

/** Lower-case hex digits of bytes. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** A database value written into SQL, for defaults and views in a schema. */
export const literal = (value: unknown, database: Database): SQL => sql.raw(literalOf(value, database))

export function literalOf(value: unknown, database: Database): string {
  if (value instanceof Uint8Array) return bytesLiteral(hexOf(value), database)
  return typeof value === 'bigint' ? String(value) : quoteText(String(value))
}

/** In brackets, MySQL takes it as a default, and drizzle-kit knows it again in SQLite. */
const bytesLiteral = (hex: string, database: Database): string =>
  database === 'postgres' ? `'\\x${hex}'` : `(x'${hex}')`

/** Database values as PostgreSQL writes an array of them, which every driver sends as it is. */
export const arrayLiteral = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

const element = (value: unknown): string =>
  value instanceof Uint8Array ? `"\\\\x${hexOf(value)}"` : value === null ? 'NULL' : `"${value}"`
