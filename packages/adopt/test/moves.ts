import {
  type Adoption,
  type AdoptionOptions,
  type PostgresClient,
  planAdoption,
  type SqliteConnection,
  type TableOptions,
} from '@snoflax/adopt'
import type { OpenDatabase, PgliteDatabase, PostgresDatabase, SqliteDatabase } from '@snoflax/test'

export type Opened = PostgresDatabase | PgliteDatabase | SqliteDatabase

/** What the functions take of a database. */
export const clientOf = (database: Opened): PostgresClient | SqliteConnection =>
  database.kind === 'postgres' ? database.pool : database.connection

export const plan = (
  database: Opened,
  tables: readonly TableOptions[],
  options: Partial<AdoptionOptions> = {},
): Promise<Adoption> => planAdoption(clientOf(database), { tables, ...options })

/** The schema as the catalog tells it, without types of columns: the same before a move and after it. */
export function shapeOf(database: OpenDatabase): Promise<unknown[]> {
  return database.query(database.kind === 'sqlite' ? SQLITE_SHAPE : POSTGRES_SHAPE)
}

const POSTGRES_SHAPE = `
  SELECT conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT 'schema', nspname, NULL FROM pg_namespace WHERE nspname !~ '^pg_'
  ORDER BY 1, 2, 3`

const SQLITE_SHAPE = `
  SELECT 'index' AS of, name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
  UNION ALL SELECT 'table', name, NULL FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
  UNION ALL SELECT t.name, c.name, pk FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'
  UNION ALL SELECT t.name, f."from", f."table" || f."to" || on_delete FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'
  ORDER BY 1, 2, 3`
