import { readFileSync } from 'node:fs'
import { type Client, queryValue } from './client.js'
import { checkSchema, DEFAULT_SCHEMA } from './schema.js'

/**
 * The version of this package, which is that of the SQL it installs.
 *
 * @example
 * console.log(`this program installs ${VERSION}`)
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

/**
 * The version that is installed in a database, or undefined.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting; and what the database throws.
 *
 * @example
 * if ((await installedVersion(pool)) !== VERSION) await install(pool)
 */
export async function installedVersion(
  client: Client,
  { schema = DEFAULT_SCHEMA }: { readonly schema?: string } = {},
): Promise<string | undefined> {
  const exists = await queryValue(
    client,
    `SELECT to_regprocedure('${checkSchema(schema)}.version()') IS NOT NULL`,
  )
  return exists ? ((await queryValue(client, `SELECT ${schema}.version()`)) as string) : undefined
}
