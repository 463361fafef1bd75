import type { IdFamily, StorageName } from '../family.js'
import { isAccepting, isOpaque } from '../identity.js'

/** The supported databases. */
export type Database = 'postgres' | 'sqlite' | 'mysql' | 'mariadb'

/** The column type of a storage. */
export interface ColumnType {
  /** The name of the type in the database, without length or collation. */
  readonly type: 'uuid' | 'text' | 'bytea' | 'bigint' | 'blob' | 'integer' | 'char' | 'varchar' | 'binary'
  /** Length in characters (text) or bytes (binary); undefined for other types. */
  readonly length: number | undefined
  /** For text, the collation that sorts as the ids do. */
  readonly collation: string | undefined
  /** The complete type, for a CREATE TABLE statement. */
  readonly sql: string
}

type ColumnOf = (family: IdFamily) => ColumnType

const column = (type: ColumnType['type'], sql: string, length?: number, collation?: string): ColumnType => ({
  type,
  length,
  collation,
  sql,
})

/** Characters of an accepted key at most, in MySQL. */
const ACCEPTED_LENGTH = 255

const mysqlColumns: Partial<Record<StorageName, ColumnOf>> = {
  bigint: () => column('bigint', 'BIGINT UNSIGNED'),
  text: (family) => {
    const isFixed = !isAccepting(family) && family.textLength !== undefined
    const [type, length] = isFixed
      ? (['char', family.textLength] as const)
      : (['varchar', ACCEPTED_LENGTH] as const)
    const sql = `${type.toUpperCase()}(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`
    return column(type, sql, length, 'utf8mb4_bin')
  },
  binary: ({ byteLength }) => column('binary', `BINARY(${byteLength})`, byteLength),
}

/** The storages of each database and their columns, the preferred one first. */
export const COLUMNS: Record<Database, Partial<Record<StorageName, ColumnOf>>> = {
  postgres: {
    uuid: () => column('uuid', 'uuid'),
    bigint: () => column('bigint', 'bigint'),
    // Opaque ids have no order to keep, so their column stays as applications have it.
    text: (family) =>
      isOpaque(family)
        ? column('text', 'text', family.textLength)
        : column('text', 'text COLLATE "C"', family.textLength, 'C'),
    binary: ({ byteLength }) => column('bytea', 'bytea', byteLength),
    uuid8: () => column('uuid', 'uuid'),
  },
  sqlite: {
    bigint: () => column('integer', 'INTEGER'),
    text: ({ textLength }) => column('text', 'TEXT', textLength, 'BINARY'),
    binary: ({ byteLength }) => column('blob', 'BLOB', byteLength),
  },
  mysql: mysqlColumns,
  mariadb: mysqlColumns,
}

/** The column of a storage that the database is known to have. */
export function columnType(family: IdFamily, database: Database, storage: StorageName): ColumnType {
  return (COLUMNS[database][storage] as ColumnOf)(family)
}
