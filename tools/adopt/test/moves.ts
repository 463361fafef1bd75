import {
  type Adoption,
  type AdoptionOptions,
  type MariadbClient,
  type PostgresClient,
  planAdoption,
  type SqliteConnection,
  type TableOptions,
} from '@snoflax/adopt'
import { flax } from '@snoflax/core'
import type {
  MysqlDatabase,
  OpenDatabase,
  PgliteDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from '@snoflax/test'
import { expect } from 'vitest'

/** Ids of flax, in the order of their times. */
export const flaxes: TableOptions['generator'] = (clock) => flax.generator({ monotonic: true, clock })

export type Opened = PostgresDatabase | PgliteDatabase | SqliteDatabase | MysqlDatabase

/** What the functions take of a database. */
export const clientOf = (database: Opened): PostgresClient | SqliteConnection | MariadbClient =>
  database.kind === 'postgres' || database.kind === 'mysql' ? database.pool : database.connection

export const plan = (
  database: Opened,
  tables: readonly TableOptions[],
  options: Partial<AdoptionOptions> = {},
): Promise<Adoption> => planAdoption(clientOf(database), { tables, ...options })

/** Backfills and switches, and finds nothing wrong. */
export async function carryOut(adoption: Adoption): Promise<void> {
  await adoption.backfill()
  await switchOver(adoption)
}

export async function switchOver(adoption: Adoption): Promise<void> {
  await adoption.switchKeys()
  expect((await adoption.verify()).faults).toEqual([])
}

/** Finishes, and drops the tables of old and new keys. */
export async function finished(database: OpenDatabase, adoption: Adoption): Promise<void> {
  await adoption.finish()
  for (const mapping of adoption.mappings) await database.query(`DROP TABLE ${mapping}`)
}

/** The schema as the catalog tells it, without types of columns and tables of old and new keys: the same before a move and after it. */
export function shapeOf(database: OpenDatabase): Promise<unknown[]> {
  if (database.kind === 'mysql') return database.query(MARIADB_SHAPE)
  return database.query(database.kind === 'sqlite' ? SQLITE_SHAPE : POSTGRES_SHAPE)
}

const POSTGRES_SHAPE = `
  SELECT conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conrelid::regclass::text !~ '_adopted_'
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename !~ '^_adopted_'
  UNION ALL SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public' AND table_name !~ '^_adopted_'
  UNION ALL SELECT 'schema', nspname, NULL FROM pg_namespace WHERE nspname !~ '^pg_'
  ORDER BY 1, 2, 3`

const MARIADB_SHAPE = `
  SELECT table_name AS of, column_name AS name, concat(ordinal_position, is_nullable) AS definition
    FROM information_schema.columns WHERE table_schema = database() AND table_name NOT LIKE '\\_adopted\\_%'
  UNION ALL SELECT table_name, concat('index ', index_name), group_concat(column_name, collation, non_unique, index_type ORDER BY seq_in_index)
    FROM information_schema.statistics WHERE table_schema = database() AND table_name NOT LIKE '\\_adopted\\_%' GROUP BY table_name, index_name
  UNION ALL SELECT table_name, concat('key ', constraint_name), concat(referenced_table_name, update_rule, delete_rule)
    FROM information_schema.referential_constraints WHERE constraint_schema = database()
  UNION ALL SELECT event_object_table, trigger_name, NULL FROM information_schema.triggers WHERE trigger_schema = database()
  ORDER BY 1, 2, 3`

const SQLITE_SHAPE = `
  SELECT 'index' AS of, name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
  UNION ALL SELECT 'table', name, NULL FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT GLOB '_adopted_*'
  UNION ALL SELECT t.name, c.name, pk FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT GLOB '_adopted_*'
  UNION ALL SELECT t.name, f."from", f."table" || f."to" || on_delete FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'
  ORDER BY 1, 2, 3`
