import type { Accept, DatabaseValue, Id, IdFamily, IdsOf, StorageName } from '@snoflax/core'
import type { IdSource, KeyOf, KeyOptions, MetaOption, OnMismatch, Timed } from '@snoflax/core/adapter'
import type { Column, HasDefault, HasRuntimeDefault } from 'drizzle-orm'
import type { MySqlColumnBuilder } from 'drizzle-orm/mysql-core'
import type { PgColumnBuilder, UpdateDeleteAction } from 'drizzle-orm/pg-core'
import type { SQLiteColumnBuilder } from 'drizzle-orm/sqlite-core'

/** Options of every id column. */
export interface StorageOptions {
  /** How the ids are stored. Default: the best storage that the database has for the family. */
  readonly storage?: StorageName
  /**
   * Adds a CHECK of length and prefix to the table, in SQLite of the type too, so that other programs can't write what is
   * no id; with `accept`, of the patterns of its ids and of the accepted keys. A `uuid` or `bigint` needs none, except in
   * SQLite. Default: false.
   */
  readonly check?: boolean
  /**
   * What a text that can't be an id of the column does: it is an error, or with `notFound` passes, as with a plain string
   * key, so that conditions find nothing. Writes don't check it then; `check: true` does. It needs storage `text`.
   * Default: `error`; for a reference, that of its target.
   */
  readonly onMismatch?: OnMismatch
  /**
   * The type of a text column that exists, such as `varchar(36)`, so that a migration changes nothing: its width and
   * collation stay as they are, and `checkColumns` doesn't compare them. For ids of `opaque`. Default: the
   * type of the storage; for a reference, that of its target.
   */
  readonly type?: string
}

/** Options of every id column in SQLite. */
export interface SQLiteStorageOptions extends StorageOptions {
  /** Declares that your driver returns 64-bit integers exactly. Storage `bigint` requires it. */
  readonly exactBigint?: boolean
}

/** Options of a column whose ids are generated. */
export interface GeneratorOption<AnId extends string> {
  /** What generates the ids: a generator, or a family that has a default generator. The prefix is added to its ids. */
  readonly generator?: IdSource<AnId>
}

/** Options of a generated column in MySQL and MariaDB. */
export interface MysqlDefaultOptions {
  /** Makes the database generate the ids, by built-in functions: flax, uuid7 and ulid. */
  readonly default?: 'database'
}

/** Options of a generated column in PostgreSQL. */
export interface DatabaseDefaultOptions {
  /** Makes the database generate the ids, by the functions of @snoflax/pg-sql. */
  readonly default?: 'database'
  /** The schema of those functions. Default `snoflax`. */
  readonly schema?: string
}

/** The type parameter of Drizzle's column builders for an id column. */
export type IdColumnConfig<Name extends string, AnId extends string> = NoEnum & {
  name: Name
  dataType: 'string'
  columnType: 'SnoflaxId'
  data: AnId
  driverParam: DatabaseValue
}

/** Drizzle 0.45 needs to know that the column is not an enum; 1.0 must not get this property. */
type NoEnum = Column['_'] extends { brand: string } ? { enumValues: undefined } : unknown

/** What Drizzle's dialects differ in: builders, options of every id column, and those of generated ones. */
interface Dialects<Name extends string, AnId extends string> {
  pg: [PgColumnBuilder<IdColumnConfig<Name, AnId>>, StorageOptions, DatabaseDefaultOptions]
  sqlite: [SQLiteColumnBuilder<IdColumnConfig<Name, AnId>>, SQLiteStorageOptions, unknown]
  mysql: [MySqlColumnBuilder<IdColumnConfig<Name, AnId>>, StorageOptions, MysqlDefaultOptions]
}

/** The name of a dialect in Drizzle's types. */
export type DialectName = keyof Dialects<string, string>

type StoredOptions<Dialect extends DialectName> = Dialects<string, string>[Dialect][1]

type Builder<
  Dialect extends DialectName,
  Name extends string,
  AnId extends string,
  Role extends ColumnRole = 'plain',
> = Role extends 'generated'
  ? HasRuntimeDefault<HasDefault<Dialects<Name, AnId>[Dialect][0]>>
  : Dialects<Name, AnId>[Dialect][0]

/** What an id column typed as `string` has: in Drizzle 0.45 a mark. 1.0 has none, so it is checked at run time. */
interface Unbranded {
  readonly _: Column['_'] extends { brand: string }
    ? { readonly columnType: 'SnoflaxId' }
    : { readonly data: string | readonly string[] }
}

/** An id column of any table. Other columns don't compile. */
export type AnyIdColumn = { readonly _: { readonly data: Id | readonly Id[] } } | Unbranded

/** Refuses columns of opaque ids, for functions that need a time. */
export type TimedColumn<AColumn> = Timed<
  AColumn extends { readonly _: { readonly data: infer Data } } ? Data : unknown
>

/** Options of a reference with a target column. */
export interface ReferenceOptions {
  /** The foreign key's ON DELETE action, as in Drizzle's `references`. */
  readonly onDelete?: UpdateDeleteAction
  /** The foreign key's ON UPDATE action. */
  readonly onUpdate?: UpdateDeleteAction
}

/** The compiler's message for a target without ids of the family. */
interface IdsOfAnotherFamily<AnId extends string> {
  readonly wanted: AnId
}

interface Target {
  readonly _: { readonly data: unknown }
}

/** The families of core by name. Any other name may be a prefix of theirs, which is checked at run time. */
type FamilyName = 'flax' | 'sno' | 'flake'

/** A target annotated as any column, because of a cycle, is checked at run time. */
type Fits<ATarget, Data, AnId extends string> = unknown extends Data
  ? true
  : string extends Data
    ? ATarget extends Unbranded
      ? true
      : false
    : [Data] extends [AnId]
      ? true
      : [AnId] extends [Data]
        ? true
        : Data extends Id<infer Name>
          ? Name extends FamilyName
            ? false
            : true
          : false

type Checked<ATarget extends Target, AnId extends string> =
  Fits<ATarget, ATarget['_']['data'], AnId> extends true ? ATarget : IdsOfAnotherFamily<AnId>

type IdsOfTarget<ATarget extends Target, AnId extends string, Branded extends boolean> = [Branded] extends [
  false,
]
  ? string
  : unknown extends ATarget['_']['data']
    ? AnId
    : ATarget['_']['data'] extends string
      ? ATarget['_']['data']
      : AnId

type RefersOptions<Stored, Branded extends boolean> = Stored &
  ReferenceOptions &
  Pick<KeyOptions<never, never, Branded>, 'branded'>

/** References with and without a name, by the options of what they store. The compiler reports the last one's errors. */
interface Refers<Dialect extends DialectName, AnId extends string, Stored> {
  <Name extends string, ATarget extends Target, const Branded extends boolean = true>(
    name: Name,
    target: () => ATarget & Checked<ATarget, AnId>,
    options?: RefersOptions<Stored, Branded>,
  ): Builder<Dialect, Name, IdsOfTarget<ATarget, AnId, Branded>>
  <ATarget extends Target, const Branded extends boolean = true>(
    target: () => ATarget & Checked<ATarget, AnId>,
    options?: RefersOptions<Stored, Branded>,
  ): Builder<Dialect, '', IdsOfTarget<ATarget, AnId, Branded>>
}

/** Columns of one family, with and without a name. The compiler reports the last one's errors. */
interface Declares<Dialect extends DialectName, AnId extends string, Role extends ColumnRole, Options> {
  <
    Name extends string,
    const Prefix extends string = never,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    name: Name,
    options?: Options & KeyOptions<Prefix, Accepts, Branded>,
  ): Builder<Dialect, Name, KeyOf<AnId, Prefix, Accepts, Branded>, Role>
  <
    const Prefix extends string = never,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    options?: Options & KeyOptions<Prefix, Accepts, Branded>,
  ): Builder<Dialect, '', KeyOf<AnId, Prefix, Accepts, Branded>, Role>
}

/** Options of a generated column, `meta` aside. */
export type GeneratedOptions<Dialect extends DialectName, AnId extends string> = GeneratorOption<AnId> &
  StoredOptions<Dialect> &
  Dialects<'', AnId>[Dialect][2]

/** Functions that declare columns of one family in one dialect: itself those with generated ids. */
export interface IdColumn<Dialect extends DialectName, AnId extends string, Extra = unknown>
  extends Declares<Dialect, AnId, 'generated', GeneratedOptions<Dialect, AnId> & Extra> {
  /**
   * A column that references another one and takes its storage, its prefix and the keys that it accepts. Never generated.
   * With a target, as in `flaxId.ref('customer_id', () => customers.id)`, it calls `.references()`, takes the target's
   * type, and a target of another family doesn't compile.
   */
  readonly ref: Declares<Dialect, AnId, 'reference', StoredOptions<Dialect>> &
    Refers<Dialect, AnId, StoredOptions<Dialect>>
  /** A column of ids that are neither generated nor a reference. */
  readonly plain: Declares<Dialect, AnId, 'plain', StoredOptions<Dialect>>
}

interface HasMeta {
  withMeta(id: never, meta: number): unknown
}

type OptionsOf<
  Dialect extends DialectName,
  Definition extends IdFamily,
  Role extends ColumnRole,
> = Role extends 'generated'
  ? GeneratedOptions<Dialect, IdsOf<Definition>> &
      (Definition extends HasMeta | { readonly base: HasMeta } ? MetaOption : unknown)
  : StoredOptions<Dialect>

/** Columns of any definition, with and without a name. The compiler reports the last one's errors. */
interface Defines<Dialect extends DialectName, Role extends ColumnRole> {
  <
    Name extends string,
    Definition extends IdFamily,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    name: Name,
    definition: Definition,
    options?: OptionsOf<Dialect, Definition, Role> & KeyOptions<never, Accepts, Branded>,
  ): Builder<Dialect, Name, KeyOf<IdsOf<Definition>, never, Accepts, Branded>, Role>
  <Definition extends IdFamily, const Accepts extends Accept = never, const Branded extends boolean = true>(
    definition: Definition,
    options?: OptionsOf<Dialect, Definition, Role> & KeyOptions<never, Accepts, Branded>,
  ): Builder<Dialect, '', KeyOf<IdsOf<Definition>, never, Accepts, Branded>, Role>
}

/** Functions that declare columns of any definition in one dialect: itself those with generated ids. */
export interface IdColumns<Dialect extends DialectName> extends Defines<Dialect, 'generated'> {
  /** A column that references another one and takes its definition, storage and type. Never generated. */
  readonly ref: Refers<Dialect, Id, Pick<StorageOptions, 'check' | 'onMismatch' | 'type'>>
  /** A column of ids that are neither generated nor a reference. */
  readonly plain: Defines<Dialect, 'plain'>
}

type ColumnRole = 'generated' | 'reference' | 'plain'

/** A requested id column, in any dialect. */
export interface ColumnRequest {
  /** Undefined for a reference that takes it from its target. */
  readonly family: IdFamily | undefined
  readonly role: ColumnRole
  readonly options: SQLiteStorageOptions &
    GeneratorOption<string> &
    DatabaseDefaultOptions &
    MetaOption &
    KeyOptions
}
