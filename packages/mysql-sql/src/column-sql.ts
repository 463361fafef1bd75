import { type IdFamily, type StorageName, storageFor } from '@snoflax/core'
import { checkOptions, databaseDefault } from '@snoflax/core/adapter'

/** Which server runs the statements: MySQL 8.0.13 or newer, or MariaDB 10.10 or newer. */
export type Server = 'mysql' | 'mariadb'

/** Options of {@link columnSql}. */
export interface ColumnOptions {
  /** The server of the table. */
  readonly server: Server
  /** The storage. Default: the family's preferred one, `text` for flax and sno, `bigint` for flake. */
  readonly storage?: StorageName
  /**
   * sno's partition, 0 to 65535, or flake's worker id, 0 to 1023, which no other generator has. Required for these two.
   */
  readonly number?: number
  /** sno's metabyte. Default 0. */
  readonly meta?: number
}

/** Type and default of a column. */
export interface ColumnSql {
  /** The type, such as `BINARY(12)`. */
  readonly type: string
  /** An expression of built-in functions for DEFAULT, in parentheses. */
  readonly default: string
  /** Both, to follow a column's name: `BINARY(12) NOT NULL DEFAULT …`. */
  readonly definition: string
}

/**
 * A column whose default generates ids by built-in functions: nothing to install, and no privilege needed.
 *
 * @throws {IdError} `INVALID_OPTION` for a family or storage that has no such default, and for sno and flake without
 * `number`; `STORAGE_REFUSED`; `FIELD_OUT_OF_RANGE`.
 *
 * @example
 * const id = columnSql(flax, { server: 'mariadb', storage: 'binary' })
 * id.type // 'BINARY(12)'
 * const create = `CREATE TABLE customer (id ${id.definition} PRIMARY KEY, name text)`
 * const change = `ALTER TABLE customer ALTER COLUMN id SET DEFAULT ${id.default}`
 */
export function columnSql(family: IdFamily, options: ColumnOptions): ColumnSql {
  const { server, storage, number, meta } = checkOptions('columnSql', options, {
    server: ['mysql', 'mariadb'],
    storage: 'any',
    number: 'number',
    meta: 'number',
  })
  const stored = storageFor(family, server, { storage })
  const type = stored.column.sql
  const expression = databaseDefault({ family, database: server, storage: stored.name, number, meta })
  return { type, default: expression, definition: `${type} NOT NULL DEFAULT ${expression}` }
}
