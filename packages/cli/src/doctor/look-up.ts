import type { DatabaseValue } from '@snoflax/core'
import type { StoredIds } from './id-columns.js'
import type { LiveDatabase } from './live-database.js'
import { readStored } from './stored-value.js'

const AT_ONCE = 500

/** The ids that exist in the column. */
export async function lookUp(
  database: LiveDatabase,
  { column: { quotedName, quotedTable }, storage }: StoredIds,
  ids: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE)
    const parameters = some.map((_, n) => (database.kind === 'postgres' ? `$${n + 1}` : '?'))
    const rows = await database.query(
      `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IN (${parameters.join(', ')})`,
      some.map((id) => parameterOf(storage.toDatabase(id))),
    )
    // A collation may also find similar texts.
    const read = rows.map((row) => readStored(storage, row['value']))
    found.push(...read.flatMap((one) => (one.is === 'id' ? [one.id] : [])))
  }
  return found
}

/** mysql2 accepts bytes only as Buffer. */
const parameterOf = (value: DatabaseValue): unknown =>
  typeof value === 'object' ? Buffer.from(value) : value
