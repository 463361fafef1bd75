import { type SQL, sql } from 'drizzle-orm'
import { hexOf } from './hex.js'

/** A database value written into SQL, for defaults in a schema. */
export function literal(value: unknown, bytes: (hex: string) => string): SQL {
  if (value instanceof Uint8Array) return sql.raw(bytes(hexOf(value)))
  return sql.raw(typeof value === 'bigint' ? String(value) : `'${value}'`)
}
