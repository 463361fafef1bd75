/** The schema name that the SQL files are written with. */
export const DEFAULT_SCHEMA = 'snoflax'

/**
 * @throws {TypeError} for a name that would have to be quoted: the files use it inside quotes and bodies as
 * it is.
 */
export function checkSchema(schema: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema
  throw new TypeError(
    `pg-sql: a schema name has lower-case letters, digits and _, and 63 characters at most; ${JSON.stringify(schema)} does not`,
  )
}

/** The script with another schema name in place of the default one. */
export function inSchema(script: string, schema: string): string {
  return script.replaceAll(/\bsnoflax\b/g, checkSchema(schema))
}
