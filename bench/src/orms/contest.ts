import type { PostgresDatabase } from '@snoflax/test'
import type SqliteDatabase from 'better-sqlite3'

/** The keys compared in one model: ours as text, and a plain text of the same length, a flax that the application generates. */
export const KEYS = ['flax', 'sno', 'plain'] as const
export type Key = (typeof KEYS)[number]

/** A row without its id. */
export interface Row {
  readonly name: string
  readonly total: number
}

/** One model with one key, in one ORM, on one database. */
export interface Model {
  /** Inserts many rows as the ORM's users do: as a list, in statements that the ORM builds. */
  insertMany(rows: readonly Row[]): Promise<unknown>
  insertOne(row: Row): Promise<unknown>
}

/** Inserts the rows in lists of this size, for ORMs that don't split lists themselves. */
export async function inChunks(
  rows: readonly Row[],
  size: number,
  insert: (chunk: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let i = 0; i < rows.length; i += size) await insert(rows.slice(i, i + size))
}

export interface Place {
  readonly postgres: Pick<PostgresDatabase, 'url' | 'pool' | 'query'>
  readonly sqlite: {
    readonly file: string
    readonly connection: SqliteDatabase.Database
    query(sql: string): Promise<Record<string, unknown>[]>
  }
}

export type Database = keyof Place

/** An ORM, connected to both databases. The tables are `race_flax`, `race_sno` and `race_plain` with id, name, total. */
export interface Orm {
  readonly models: Readonly<Record<Database, Readonly<Record<Key, Model>>>>
  close(): Promise<void>
}

/** The tables for every ORM. */
export async function createTables({ postgres, sqlite }: Place): Promise<void> {
  for (const key of KEYS) {
    await postgres.query(`DROP TABLE IF EXISTS race_${key}`)
    await postgres.query(
      `CREATE TABLE race_${key} (id text COLLATE "C" PRIMARY KEY, name text NOT NULL, total integer NOT NULL)`,
    )
    await sqlite.query(`DROP TABLE IF EXISTS race_${key}`)
    await sqlite.query(
      `CREATE TABLE race_${key} (id text PRIMARY KEY, name text NOT NULL, total integer NOT NULL)`,
    )
  }
}

export async function emptyTables({ postgres, sqlite }: Place): Promise<void> {
  for (const key of KEYS) {
    await postgres.query(`TRUNCATE race_${key}`)
    await sqlite.query(`DELETE FROM race_${key}`)
  }
  await postgres.query('CHECKPOINT')
}

export async function countRows(place: Place, database: Database, key: Key): Promise<number> {
  const [row] = await place[database].query(`SELECT count(*) AS n FROM race_${key}`)
  return Number(row?.['n'])
}
