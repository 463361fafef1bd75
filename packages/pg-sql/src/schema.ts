import { IdError } from '@snoflax/core'
import { RESERVED_WORDS } from './reserved-words.js'

/** The schema name that the SQL files are written with. */
export const DEFAULT_SCHEMA = 'snoflax'

/** Those of PostgreSQL itself begin with `pg_`. */
const NAME = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

/**
 * @throws {IdError} `INVALID_OPTION` for a name that would have to be quoted: the files use it inside quotes
 * and bodies as it is.
 */
export function checkSchema(schema: string): string {
  if (NAME.test(schema) && !RESERVED_WORDS.has(schema)) return schema
  throw new IdError(
    'INVALID_OPTION',
    'pg-sql: a schema name has lower-case letters, digits and _, 63 characters at most, does not begin with ' +
      `pg_ and is no reserved word of SQL; ${JSON.stringify(schema)} won't do`,
    { field: 'schema', value: schema },
  )
}

/** The script with another schema name in place of the default one. */
export function inSchema(script: string, schema: string): string {
  return script.replaceAll(/\bsnoflax\b/g, checkSchema(schema))
}
