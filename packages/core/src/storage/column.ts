import type { IdFamily, StorageName } from '../family.js'

/** The databases that storages are known for. */
export type Database = 'postgres' | 'sqlite' | 'mysql' | 'mariadb'

/** The column type that a storage asks for. */
export interface ColumnType {
  /** Bare type name, in the database's own words. */
  readonly type: 'uuid' | 'text' | 'bytea' | 'bigint' | 'blob' | 'integer' | 'char' | 'binary'
  /** Characters of the text, or bytes of the binary; undefined for the others. */
  readonly length: number | undefined
  /** The collation that keeps the order of ids, for text. */
  readonly collation: string | undefined
  /** The whole type, to be put into a CREATE TABLE. */
  readonly sql: string
}

type ColumnOf = (family: IdFamily) => ColumnType

const column = (type: ColumnType['type'], sql: string, length?: number, collation?: string): ColumnType => ({
  type,
  length,
  collation,
  sql,
})

const mysqlColumns: Partial<Record<StorageName, ColumnOf>> = {
  bigint: () => column('bigint', 'BIGINT UNSIGNED'),
  text: ({ textLength }) =>
    column('char', `CHAR(${textLength}) CHARACTER SET ascii COLLATE ascii_bin`, textLength, 'ascii_bin'),
  binary: ({ byteLength }) => column('binary', `BINARY(${byteLength})`, byteLength),
}

/** Which storages a database has, and as what column. The order is that of preference. */
export const COLUMNS: Record<Database, Partial<Record<StorageName, ColumnOf>>> = {
  postgres: {
    uuid: () => column('uuid', 'uuid'),
    bigint: () => column('bigint', 'bigint'),
    text: ({ textLength }) => column('text', 'text COLLATE "C"', textLength, 'C'),
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
