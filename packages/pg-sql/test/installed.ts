import { install } from '@snoflax/pg-sql'
import {
  type OpenDatabase,
  onConnection,
  type PgliteDatabase,
  type PostgresDatabase,
  pglite,
  postgres,
  urlTo,
} from '@snoflax/test'
import type { Client } from 'pg'

/** PostgreSQL itself and PGlite. */
export const servers: readonly (typeof postgres | typeof pglite)[] = [postgres, pglite]

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

// A copy knows itself as one, and these stand for installations of their own.
const NAME_ITSELF = `
  UPDATE snoflax._lease_family SET database = (SELECT oid FROM pg_database WHERE datname = current_database()),
    written_by = pg_current_xact_id()::xid`

export async function openPostgres(options: { collation?: string } = {}): Promise<PostgresDatabase> {
  const database = await postgres.open({ ...options, template: { name: 'installed', prepare } })
  await database.query(NAME_ITSELF)
  return database
}

export async function openInstalled(kind: (typeof servers)[number]): Promise<OpenDatabase> {
  if (kind !== pglite) return openPostgres()
  const database = await pglite.open()
  await prepare(database)
  return database
}

/** Its sessions that wait for a lock. */
export const waiting = (database: PostgresDatabase) =>
  database.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )

/** Copies the database on its server, ends its sessions for that, and runs the work in the copy. */
export async function inCopyOf(
  original: PostgresDatabase,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const copy = `${original.name}_copy`
  await onConnection(urlTo(original.url, { database: 'postgres' }), async (admin) => {
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${original.name}'`,
    )
    await admin.query(`CREATE DATABASE ${copy} TEMPLATE ${original.name}`)
    try {
      await onConnection(urlTo(original.url, { database: copy }), work)
    } finally {
      await admin.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`)
    }
  })
}
