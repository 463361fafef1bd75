import { install } from '@snoflax/pg-sql'
import {
  databases,
  type OpenDatabase,
  type PgliteDatabase,
  type PostgresDatabase,
  pglite,
  postgres,
} from '@snoflax/test'

/** PostgreSQL itself and PGlite, where this run has them. */
export const servers: readonly (typeof databases)[number][] = databases.filter(
  (kind) => kind === postgres || kind === pglite,
)

// Runs one expression with $1 and tells its value as text, or its SQLSTATE.
const ATTEMPT = `
  CREATE FUNCTION attempt(expression text, input text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    result text;
  BEGIN
    EXECUTE 'SELECT (' || expression || ')::text' INTO result USING input;
    RETURN '=' || result;
  EXCEPTION WHEN OTHERS THEN
    RETURN '!' || SQLSTATE;
  END $$`

async function prepare(database: PostgresDatabase | PgliteDatabase): Promise<void> {
  await install(database.kind === 'pglite' ? database.connection : database.pool)
  await database.query(ATTEMPT)
}

const template = { name: 'installed', prepare }

export const openPostgres = (options: { collation?: string } = {}): Promise<PostgresDatabase> =>
  postgres.open({ ...options, template })

export const openInstalled = (kind: (typeof servers)[number]): Promise<OpenDatabase> =>
  kind === pglite ? pglite.open({ template }) : openPostgres()
