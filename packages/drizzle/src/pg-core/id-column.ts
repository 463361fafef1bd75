import type { IdFamily } from '@snoflax/core'
import type { HasDefault, HasRuntimeDefault } from 'drizzle-orm'
import { columnFunction } from '../column-function.js'
import type { GeneratedIdOptions, MetaFamily, MetaOption, StorageOption } from '../options.js'
import { PgIdColumnBuilder, type PgIdConfig } from './column.js'

/** Options of a column whose ids are generated. */
export interface PgGeneratedIdOptions<AnId extends string> extends GeneratedIdOptions<AnId> {
  /** Has the database generate the ids, by the functions of @snoflax/pg-sql. */
  readonly default?: 'database'
  /** Where those functions are. Default `snoflax`. */
  readonly schema?: string
}

type Builder<Name extends string, AnId extends string> = PgIdColumnBuilder<PgIdConfig<Name, AnId>>
type Generated<Name extends string, AnId extends string> = HasRuntimeDefault<HasDefault<Builder<Name, AnId>>>

/** Starts columns that hold ids of one family. */
export interface IdColumn<AnId extends string, Options> {
  /** A column whose ids are generated where an insert gives none. */
  (options?: Options): Generated<'', AnId>
  <Name extends string>(name: Name, options?: Options): Generated<Name, AnId>
  /** A column that refers to another one, with the storage of its target. Never generated. */
  readonly ref: Start<AnId>
  /** A column of ids that are neither generated nor references. */
  readonly plain: Start<AnId>
}

interface Start<AnId extends string> {
  (options?: StorageOption): Builder<'', AnId>
  <Name extends string>(name: Name, options?: StorageOption): Builder<Name, AnId>
}

/**
 * The id columns of a family, your own included. The columns of our families are made by it.
 *
 * @throws {IdError} when the table is defined, naming table and column: `GENERATOR_REQUIRED` for a generated
 * column of a family that has no generator of its own, `STORAGE_REFUSED`, `FIELD_OUT_OF_RANGE` for the
 * metabyte.
 *
 * @example
 * const ticketId = idColumn(ticket)
 * const tickets = pgTable('tickets', { id: ticketId({ storage: 'text' }).primaryKey() })
 */
export function idColumn<AnId extends string>(
  family: MetaFamily<AnId>,
): IdColumn<AnId, PgGeneratedIdOptions<AnId> & MetaOption>
export function idColumn<AnId extends string>(
  family: IdFamily<AnId>,
): IdColumn<AnId, PgGeneratedIdOptions<AnId>>
export function idColumn(family: IdFamily<string>): unknown {
  return columnFunction(family, (name, request) => new PgIdColumnBuilder(name, request))
}
