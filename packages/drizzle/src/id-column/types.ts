import type { DatabaseValue, Id, IdFamily, StorageName } from '@snoflax/core'
import type { IdSource } from '@snoflax/core/adapter'
import type { Column, HasDefault, HasRuntimeDefault } from 'drizzle-orm'
import type { MySqlColumnBuilder } from 'drizzle-orm/mysql-core'
import type { PgColumnBuilder, UpdateDeleteAction } from 'drizzle-orm/pg-core'
import type { SQLiteColumnBuilder } from 'drizzle-orm/sqlite-core'

/** Options of every id column. */
export interface StorageOptions {
  /** How the ids are stored. Default: the best that the database has for the family. */
  readonly storage?: StorageName
}

/** Options of every id column in SQLite. */
export interface SQLiteStorageOptions extends StorageOptions {
  /** Says that the driver keeps integers of 64 bits exact, which storage `bigint` needs. */
  readonly exactBigint?: boolean
  /** Adds a CHECK to the table: SQLite itself takes any value in any column. */
  readonly check?: boolean
}

/** Options of a column whose ids are generated. */
export interface GeneratorOption<AnId extends string> {
  /** What generates the ids: a generator, or a family for its default one. Some families have no default. */
  readonly generator?: IdSource<AnId>
}

/** Options of a generated column in MySQL and MariaDB. */
export interface MysqlDefaultOptions {
  /** Has the database generate the ids: flax, uuid7 and ulid, by built-in functions. */
  readonly default?: 'database'
}

/** Options of a generated column in PostgreSQL. */
export interface DatabaseDefaultOptions {
  /** Has the database generate the ids, with the functions of @snoflax/pg-sql. */
  readonly default?: 'database'
  /** The schema of those functions. Default `snoflax`. */
  readonly schema?: string
}

/** A family whose ids contain a byte of your own. */
export interface MetaFamily<AnId extends string> extends IdFamily<AnId> {
  /** A new id, with this byte or the family's own. */
  generate(meta?: number): AnId
  /** The same id with another byte. */
  withMeta(id: AnId, meta: number): AnId
}

/** Option of a generated column of a {@link MetaFamily}. */
export interface MetaOption {
  /** The metabyte of the ids, 0 to 255. */
  readonly meta?: number
}

/** The types of an id column, as Drizzle's builders carry them. */
export type IdColumnConfig<Name extends string, AnId extends string> = IdColumnTypes<Name, AnId> & NoEnum

/** Drizzle 0.45 is to be told that the column is no enum, and 1.0 must not be. */
type NoEnum = Column['_'] extends { brand: string } ? { enumValues: undefined } : unknown

/** What they are in any version. */
export interface IdColumnTypes<Name extends string, AnId extends string> {
  /** The column's name. */
  name: Name
  /** Drizzle takes ids for strings. */
  dataType: 'string'
  /** Tells id columns from others. */
  columnType: 'SnoflaxId'
  /** The type in rows and queries. */
  data: AnId
  /** What the driver gets. */
  driverParam: DatabaseValue
}

/** What differs between Drizzle's dialects: builders and options. */
interface Dialects<Name extends string, AnId extends string> {
  pg: [PgColumnBuilder<IdColumnConfig<Name, AnId>>, StorageOptions, DatabaseDefaultOptions]
  sqlite: [SQLiteColumnBuilder<IdColumnConfig<Name, AnId>>, SQLiteStorageOptions, unknown]
  mysql: [MySqlColumnBuilder<IdColumnConfig<Name, AnId>>, StorageOptions, MysqlDefaultOptions]
}

/** A dialect of Drizzle, as its types name it. */
export type DialectName = keyof Dialects<string, string>

type Builder<Dialect extends DialectName, Name extends string, AnId extends string> = Dialects<
  Name,
  AnId
>[Dialect][0]
type Generated<Dialect extends DialectName, Name extends string, AnId extends string> = HasRuntimeDefault<
  HasDefault<Builder<Dialect, Name, AnId>>
>

/** A column of ids in any table; those of other columns don't compile. */
export type AnyIdColumn =
  | { readonly _: { readonly data: Id | readonly Id[] } }
  | { readonly _: { readonly columnType: 'SnoflaxId' } }

/** Options of a reference to the column that is passed. */
export interface ReferenceOptions {
  /** What happens to the row when the one that it references is deleted, as in Drizzle's `references`. */
  readonly onDelete?: UpdateDeleteAction
  /** The same for changes of the id. */
  readonly onUpdate?: UpdateDeleteAction
}

/** What messages say of a target that holds no ids of the family. */
interface IdsOfAnotherFamily<AnId extends string> {
  readonly wanted: AnId
}

interface Target {
  readonly _: { readonly data: unknown }
}

/** A target that is annotated as any column, for a circle, is checked when it is used. */
type Checked<ATarget extends Target, AnId extends string> = unknown extends ATarget['_']['data']
  ? ATarget
  : ATarget['_']['data'] extends AnId
    ? ATarget
    : IdsOfAnotherFamily<AnId>

type IdsOfTarget<ATarget extends Target, AnId extends string> = unknown extends ATarget['_']['data']
  ? AnId
  : ATarget['_']['data'] extends AnId
    ? ATarget['_']['data']
    : AnId

interface StartReference<Dialect extends DialectName, AnId extends string> extends Start<Dialect, AnId> {
  <ATarget extends Target>(
    target: () => ATarget & Checked<ATarget, AnId>,
    options?: Dialects<'', AnId>[Dialect][1] & ReferenceOptions,
  ): Builder<Dialect, '', IdsOfTarget<ATarget, AnId>>
  <Name extends string, ATarget extends Target>(
    name: Name,
    target: () => ATarget & Checked<ATarget, AnId>,
    options?: Dialects<'', AnId>[Dialect][1] & ReferenceOptions,
  ): Builder<Dialect, Name, IdsOfTarget<ATarget, AnId>>
}

interface Start<Dialect extends DialectName, AnId extends string> {
  (options?: Dialects<'', AnId>[Dialect][1]): Builder<Dialect, '', AnId>
  <Name extends string>(name: Name, options?: Dialects<'', AnId>[Dialect][1]): Builder<Dialect, Name, AnId>
}

/** Options of a generated column, `meta` aside. */
export type GeneratedOptions<Dialect extends DialectName, AnId extends string> = GeneratorOption<AnId> &
  Dialects<'', AnId>[Dialect][1] &
  Dialects<'', AnId>[Dialect][2]

/** Starts the columns of one family in one dialect. */
export interface IdColumn<Dialect extends DialectName, AnId extends string, Options> {
  /** A column whose ids are generated where an insert has none. */
  (options?: Options): Generated<Dialect, '', AnId>
  <Name extends string>(name: Name, options?: Options): Generated<Dialect, Name, AnId>
  /**
   * A column that references another one and takes its storage; of a target that is passed the type, too:
   * `flaxId.ref('customer_id', () => customers.id)` is `.references()` with ids of that family alone. Never generated.
   */
  readonly ref: StartReference<Dialect, AnId>
  /** A column of ids that are neither generated nor a reference. */
  readonly plain: Start<Dialect, AnId>
}

/** Starts the columns of any family, in one dialect. */
export interface IdColumns<Dialect extends DialectName> {
  <AnId extends string>(
    family: MetaFamily<AnId>,
  ): IdColumn<Dialect, AnId, GeneratedOptions<Dialect, AnId> & MetaOption>
  <AnId extends string>(family: IdFamily<AnId>): IdColumn<Dialect, AnId, GeneratedOptions<Dialect, AnId>>
}

/** An id column as it was asked for, in whichever dialect. */
export interface ColumnRequest {
  readonly family: IdFamily
  readonly role: 'generated' | 'reference' | 'plain'
  readonly options: SQLiteStorageOptions & GeneratorOption<string> & DatabaseDefaultOptions & MetaOption
}
