import { isAccepting, isPrefixed } from '../identity.js'
import { refuse } from '../primitives/options.js'
import type { IdStorage } from '../storage/index.js'

/** Empty if the column's type leaves nothing to check. With other keys that the family accepts, the type alone. */
export function conditionOf(storage: IdStorage<string>, name: string): string {
  const { family, database, column } = storage
  const isSqlite = database === 'sqlite'
  const conditions: string[] = []
  // MikroORM takes IN (…) for an enum, and splits SQLite's constraints at ', ', which substr() has.
  if (isSqlite) conditions.push(`(${name} IS NULL OR typeof(${name}) = '${column.type}')`)
  // The length of a column with accepted keys is only its width.
  if (isAccepting(family)) return conditions.join()
  const length = column.type === 'char' ? 'char_length' : 'length'
  if (column.length !== undefined) conditions.push(`${length}(${name}) = ${column.length}`)
  if (isPrefixed(family) && storage.name === 'text') {
    const head = `${family.prefix}_`
    conditions.push(isSqlite ? `${name} GLOB '${head}*'` : `substr(${name}, 1, ${head.length}) = '${head}'`)
  }
  return conditions.join(' AND ')
}

/**
 * The condition of a CHECK constraint: length, prefix, and in SQLite the type. NULL passes. Undefined if the column's type
 * leaves nothing to check, as `uuid` does.
 *
 * @param name the column's name in SQL, quoted if it needs quotes.
 * @throws {IdError} `INVALID_OPTION` for a column that accepts other keys, whose pattern SQL can't check.
 *
 * @example
 * checkCondition(storageFor(flax, 'postgres', { storage: 'binary' }), 'id') // 'length(id) = 12'
 */
export function checkCondition(storage: IdStorage<string>, name: string): string | undefined {
  const { family } = storage
  if (isAccepting(family)) {
    const reason = "check: true can't describe the other keys that the column accepts; leave check out"
    refuse(family.name, 'check', undefined, reason)
  }
  return conditionOf(storage, name) || undefined
}
