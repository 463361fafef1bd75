import type { Database } from '@snoflax/core'
import { type SQL, sql } from 'drizzle-orm'
import { hexOf } from './hex.js'

/** A database value written into SQL, for defaults and views in a schema. */
export function literal(value: unknown, database: Database): SQL {
  if (value instanceof Uint8Array) return sql.raw(bytesLiteral(hexOf(value), database))
  return sql.raw(typeof value === 'bigint' ? String(value) : `'${String(value).replaceAll("'", "''")}'`)
}

/** In brackets, MySQL takes it as a default, and drizzle-kit knows it again in SQLite. */
const bytesLiteral = (hex: string, database: Database): string =>
  database === 'postgres' ? `'\\x${hex}'` : `(x'${hex}')`
