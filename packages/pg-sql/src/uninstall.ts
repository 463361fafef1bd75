import { type Client, run } from './client.js'
import { DEFAULT_SCHEMA, inSchema } from './schema.js'
import { readSql } from './sql-files.js'

/**
 * Removes the schema with all that the installer put there. Fails, naming them, if columns, defaults,
 * indexes, views or functions outside the schema use it, or if numbers are leased.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting; and what the database throws, which
 * has no such schema where nothing is installed.
 *
 * @example
 * await uninstall(pool, { schema: 'ids' })
 */
export async function uninstall(
  client: Client,
  { schema = DEFAULT_SCHEMA }: { readonly schema?: string } = {},
): Promise<void> {
  await run(client, uninstallSql(schema))
}

/** The statement that does it. */
export function uninstallSql(schema: string): string {
  return inSchema(readSql('uninstall'), schema)
}
