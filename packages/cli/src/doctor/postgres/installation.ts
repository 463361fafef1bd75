import { installedVersion, type SqlFamily } from '@snoflax/pg-sql'
import { type AnyFamily, sqlName } from '../../ids/families.js'
import type { Postgres } from './open.js'

/** What pg-sql has put into the database. */
export interface Installation {
  readonly schema: string
  readonly version: string
  readonly families: readonly SqlFamily[]
}

/** Undefined if it was never installed there. */
export async function installation(
  database: Postgres,
  schema: string,
  families: readonly AnyFamily[],
): Promise<Installation | undefined> {
  const version = await installedVersion(database, { schema })
  if (version === undefined) return undefined
  const rows = await database.query(
    `SELECT DISTINCT left(p.proname, -7) AS name FROM pg_catalog.pg_proc p
       JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = $1 AND p.proname = ANY ($2)`,
    [schema, families.map((family) => `${sqlName(family)}_encode`)],
  )
  return { schema, version, families: rows.map((row) => row['name'] as SqlFamily) }
}

/** The line for the shell that brings it up to date, or back, in one transaction with what has to go before. */
export function installCommand({ schema, families }: Installation, before = ''): string {
  const first = before === '' ? '' : ` -c '${before.replaceAll("'", "'\\''")}' -f -`
  return `npx snoflax sql --schema ${schema} --families ${families.join(',')} | psql -1 -v ON_ERROR_STOP=1${first} "$DATABASE_URL"`
}
