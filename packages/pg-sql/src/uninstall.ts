import { type Client, run } from './client.js'
import { DEFAULT_SCHEMA, inSchema } from './schema.js'
import { readSql } from './sql-files.js'

/**
 * Removes the schema with all that the installer put there. Fails, naming them, if columns, defaults,
 * indexes, views or functions outside the schema use it.
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
