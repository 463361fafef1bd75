import type { IdFamily, IdGenerator, StorageName } from '@snoflax/core'

/** Options of every id column. */
export interface StorageOption {
  /** How the ids lie in the column. By default the best that the database has for the family. */
  readonly storage?: StorageName
}

/** Options of a column whose ids are generated. */
export interface GeneratedIdOptions<AnId extends string> extends StorageOption {
  /** What makes the ids. Families that need an identity (worker, node) have no default. */
  readonly generator?: IdGenerator<AnId>
}

/** A family whose ids carry a byte of the user's own. */
export interface MetaFamily<AnId extends string> extends IdFamily<AnId> {
  /** A new id, with the byte given or the family's own. */
  generate(meta?: number): AnId
  /** The same id with another byte. */
  withMeta(id: AnId, meta: number): AnId
}

/** Option of a column of a {@link MetaFamily}. */
export interface MetaOption {
  /** The metabyte of the ids, 0 to 255. */
  readonly meta?: number
}

/** What a column is for: to be generated, to refer to another one, or neither. */
export type ColumnRole = 'generated' | 'reference' | 'plain'

/** Options of all dialects and roles, as the columns keep them. */
export interface ColumnOptions extends GeneratedIdOptions<string>, MetaOption {
  /** SQLite: the driver keeps integers of 64 bits exact. */
  readonly exactBigint?: boolean
  /** PostgreSQL: the database generates the ids. */
  readonly default?: 'database'
  /** PostgreSQL: where the SQL functions are. */
  readonly schema?: string
}

/** An id column as it was asked for. */
export interface ColumnRequest {
  readonly family: IdFamily<string>
  readonly role: ColumnRole
  readonly options: ColumnOptions
}
