import type { Adoption } from './adoption.js'
import type { AdoptionOptions } from './options.js'
import { planPostgres } from './postgres/adoption.js'
import type { PostgresClient } from './postgres/session.js'
import { planSqlite } from './sqlite/adoption.js'
import type { SqliteConnection } from './sqlite/connection.js'

/**
 * Reads the schema and the data and plans the move, or finds the one that is under way. Changes nothing.
 *
 * @throws {IdError} for whatever stands in the way: a row without a time, a view, a trigger, an orphan.
 *
 * @example
 * const adoption = await planAdoption(pool, {
 *   tables: [{ table: 'orders', createdAt: 'created_at', generator: (clock) => sno.generator({ partition: 900, clock }) }],
 * })
 * await adoption.backfill({ onProgress: console.log })
 * await adoption.switchKeys()
 */
export async function planAdoption(
  client: PostgresClient | SqliteConnection,
  options: AdoptionOptions,
): Promise<Adoption> {
  return 'prepare' in client ? planSqlite(client, options) : planPostgres(client, options)
}
