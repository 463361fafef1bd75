import { isAccepting, isOpaque, isPrefixed } from '../identity.js'
import { refuse } from '../primitives/options.js'
import type { IdStorage } from '../storage/index.js'
import { patternCondition } from './accepted-check.js'

/**
 * The condition of a CHECK constraint: length, prefix, and in SQLite the type; for opaque ids the pattern, with other
 * keys that the family accepts the patterns of its ids and of the keys. NULL passes. Undefined if the column's type leaves nothing to check, as `uuid`
 * does.
 *
 * @param name the column's name in SQL, quoted if it needs quotes.
 * @throws {IdError} `INVALID_OPTION` for a pattern that doesn't mean the same in the database.
 *
 * @example
 * checkCondition(storageFor(flax, 'postgres', { storage: 'binary' }), 'id') // 'length(id) = 12'
 */
export function checkCondition(storage: IdStorage<string>, name: string): string | undefined {
  const { family, database, column } = storage
  const isSqlite = database === 'sqlite'
  const conditions: string[] = []
  // MikroORM takes IN (…) for an enum, and splits SQLite's constraints at ', ', which substr() has.
  if (isSqlite) conditions.push(`(${name} IS NULL OR typeof(${name}) = '${column.type}')`)
  if (isAccepting(family) || isOpaque(family)) {
    const refused = (reason: string) => refuse(family.name, 'check', undefined, reason)
    conditions.push(patternCondition(storage, name, refused))
  } else {
    const length = column.type === 'char' ? 'char_length' : 'length'
    if (column.length !== undefined) conditions.push(`${length}(${name}) = ${column.length}`)
    if (isPrefixed(family) && storage.name === 'text') {
      const head = `${family.prefix}_`
      conditions.push(isSqlite ? `${name} GLOB '${head}*'` : `substr(${name}, 1, ${head.length}) = '${head}'`)
    }
  }
  return conditions.filter(Boolean).join(' AND ') || undefined
}
