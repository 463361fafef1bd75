import { type IdStorage, storageFor } from '@snoflax/core'
import type { OpenDatabase, Row } from '../databases/open-database.js'
import { storageDatabase, type Variant } from './variant.js'

/** Stored values, read and written through a driver's own connection. */
export class Stored {
  readonly storage: IdStorage<string>

  constructor(
    private readonly database: OpenDatabase,
    private readonly variant: Variant,
  ) {
    const { family, storage } = variant
    this.storage = storageFor(family, storageDatabase(variant.database), { storage })
  }

  /** The column value of an id, as text that can be compared: hex for bytes. */
  expected(id: string | null): string | null {
    return comparable(this.storage.toDatabase(id))
  }

  /** The rows, every value as text that can be compared. */
  async rows(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, string | null>[]> {
    const rows = await this.database.query(placed(this.variant, sql), parameters)
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, v]) => [key, comparable(v)])))
  }

  async count(table: string): Promise<number> {
    const [row] = await this.database.query(`SELECT count(*) AS n FROM ${table}`)
    return Number(row?.['n'])
  }

  /** Inserts a row, with ids from `this.storage.toDatabase`. */
  async insert(table: string, row: Row): Promise<void> {
    const names = Object.keys(row)
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    await this.database.query(placed(this.variant, sql), Object.values(row))
  }

  /** Declared type and collation of a column, in lower case. */
  async column(table: string, column: string): Promise<{ type: string; collation: string | undefined }> {
    const [row] = await this.database.query(placed(this.variant, COLUMN_OF[this.variant.database]), [
      table,
      column,
    ])
    if (!row) throw new Error(`There is no column ${table}.${column}`)
    const collation = row['collation'] == null ? undefined : String(row['collation'])
    return { type: String(row['type']).toLowerCase(), collation }
  }
}

/** SQL with names in double quotes and `?` for values, in the style of the database. */
export function placed({ database }: Pick<Variant, 'database'>, sql: string): string {
  if (database === 'mysql') return sql.replaceAll('"', '`')
  if (database === 'sqlite') return sql
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

const POSTGRES_COLUMN = `
  SELECT format_type(a.atttypid, a.atttypmod) AS type, c.collname AS collation
    FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation
   WHERE a.attrelid = to_regclass(quote_ident(?)) AND a.attname = ?`

const COLUMN_OF: Record<Variant['database'], string> = {
  postgres: POSTGRES_COLUMN,
  pglite: POSTGRES_COLUMN,
  sqlite: 'SELECT type, NULL AS collation FROM pragma_table_info(?) WHERE name = ?',
  mysql: `SELECT column_type AS type, collation_name AS collation FROM information_schema.columns
           WHERE table_schema = database() AND table_name = ? AND column_name = ?`,
}

function comparable(value: unknown): string | null {
  if (value == null) return null
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return String(value)
}
