import {
  type Accept,
  type Database,
  flake,
  flax,
  type IdFamily,
  type IdOf,
  type StorageName,
  sno,
} from '@snoflax/core'
import {
  familyWith,
  type IdSource,
  type KeyOf,
  type KeyOptions,
  type OnMismatch,
} from '@snoflax/core/adapter'
import type { ColumnType, KyselyPlugin, SelectType } from 'kysely'

/** Where a column's ids come from. */
export type Role = 'generated' | 'reference' | 'plain' | 'list'

/** Options of every id column. */
export interface StorageOptions {
  /** How the ids are stored. Default: as text, in most families; for a reference, as in its target. */
  readonly storage?: StorageName
  /** Declares that your driver returns 64-bit integers exactly. In SQLite, storage `bigint` requires it. */
  readonly exactBigint?: boolean
  /**
   * What a text that can't be an id of the column does in a condition: `notFound` finds nothing, as with a plain string
   * key, and needs storage `text`. Writes always check. Default: `error`; for a reference, that of its target.
   */
  readonly onMismatch?: OnMismatch
}

/** Options of a column whose ids are generated. */
export interface GeneratedOptions<AnId extends string> extends StorageOptions {
  /** What generates the ids: a generator, or a family that has a default generator. The prefix is added to its ids. */
  readonly generator?: IdSource<AnId>
  /** Makes the database generate the ids: PostgreSQL by @snoflax/pg-sql, MySQL and MariaDB by built-in functions. */
  readonly default?: 'database'
  /** The schema of @snoflax/pg-sql. Default `snoflax`. */
  readonly schema?: string
}

/** Option of a generated column whose ids contain a byte of your own. */
export interface MetaOption {
  /** The metabyte of the ids, 0 to 255. */
  readonly meta?: number
}

/** A family whose ids contain a byte of your own. */
export interface MetaFamily<AnId extends string> extends IdFamily<AnId> {
  /** A new id, with this byte or the family's own. */
  generate(meta?: number): AnId
  /** The same id with another byte. */
  withMeta(id: AnId, meta: number): AnId
}

/** The declaration of an id column. `Of` is `table` if its ids are typed by its table, as those without a prefix are. */
export interface IdColumn<
  AnId extends string = string,
  ARole extends Role = Role,
  Of extends string = string,
> {
  /** The family of its ids. */
  readonly family: IdFamily<AnId>
  /** Where its ids come from. */
  readonly role: ARole
  /** The options that you passed. */
  readonly options: GeneratedOptions<AnId> & MetaOption & KeyOptions
  /** For a reference: its table and column, such as `customers.id`. */
  readonly target?: Of
}

/** Whether ids are typed by their table: those without a prefix are. */
type OfPrefix<Prefix extends string, Of extends string> = [Prefix] extends [never] ? Of : 'prefix'

/** Functions that declare columns of one family. */
export interface IdColumns<AnId extends string, Options, Of extends 'table' | 'prefix' = 'table'> {
  /** A column that gets a generated id if an insert has none. */
  <
    const Prefix extends string = never,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    options?: Options & KeyOptions<Prefix, Accepts, Branded>,
  ): IdColumn<KeyOf<AnId, Prefix, Accepts, Branded>, 'generated', OfPrefix<Prefix, Of>>
  /**
   * A column that references another one, such as `customers.id`, and takes its storage, prefix, type and the keys that it
   * accepts.
   */
  ref<const Target extends string, const Branded extends boolean = true>(
    target: Target,
    options?: StorageOptions & Pick<KeyOptions<never, never, Branded>, 'branded'>,
  ): IdColumn<KeyOf<AnId, never, never, Branded>, 'reference', Target>
  /** A column of ids that are neither generated nor a reference. */
  plain<
    const Prefix extends string = never,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    options?: StorageOptions & KeyOptions<Prefix, Accepts, Branded>,
  ): IdColumn<KeyOf<AnId, Prefix, Accepts, Branded>, 'plain', 'prefix'>
  /** A column of arrays of ids, in PostgreSQL. */
  list<
    const Prefix extends string = never,
    const Accepts extends Accept = never,
    const Branded extends boolean = true,
  >(
    options?: StorageOptions & KeyOptions<Prefix, Accepts, Branded>,
  ): IdColumn<KeyOf<AnId, Prefix, Accepts, Branded>, 'list', 'prefix'>
}

/** Id columns by table and column name. */
export type IdTables = Readonly<Record<string, Readonly<Record<string, IdColumn>>>>

/** Options of {@link idPlugin}. */
export interface IdPluginOptions<Tables extends IdTables> {
  /** The database behind Kysely's dialect. PGlite is `postgres`. */
  readonly database: Database
  /** The id columns of each table or view, by the names that queries use. */
  readonly tables: Tables
  /** Plugins that rename columns, such as CamelCasePlugin. Declare columns by the names that queries use, before renaming. */
  readonly inner?: readonly KyselyPlugin[]
}

/**
 * Declares id columns of a family, which may be your own or prefixed.
 *
 * @example
 * const customerId = idColumn(prefixed(flax, 'cus'))
 * const ids = idPlugin({ database: 'sqlite', tables: { customers: { id: customerId() } } })
 */
export function idColumn<AnId extends string>(
  family: IdFamily<AnId> & { readonly prefix: string },
): IdColumns<AnId, GeneratedOptions<AnId> & MetaOption, 'prefix'>
export function idColumn<AnId extends string>(
  family: MetaFamily<AnId>,
): IdColumns<AnId, GeneratedOptions<AnId> & MetaOption>
export function idColumn<AnId extends string>(family: IdFamily<AnId>): IdColumns<AnId, GeneratedOptions<AnId>>
export function idColumn(family: IdFamily): unknown {
  const columnOf =
    (role: Role) =>
    (options: KeyOptions = {}) => ({ family: familyWith(family, options), role, options })
  return Object.assign(columnOf('generated'), {
    ref: (target: string, options = {}) => ({ family, role: 'reference', options, target }),
    plain: columnOf('plain'),
    list: columnOf('list'),
  })
}

/**
 * Columns of flax ids: generated, `flaxId.ref()`, `flaxId.plain()` and `flaxId.list()`. The other families have the
 * same four.
 *
 * @example
 * const tables = { customers: { id: flaxId() }, orders: { id: flaxId(), customer_id: flaxId.ref('customers.id') } }
 */
export const flaxId = /* @__PURE__ */ idColumn(flax)

/** Columns of sno ids. @example const tables = { orders: { id: snoId({ meta: 2 }) } } */
export const snoId = /* @__PURE__ */ idColumn(sno)

/**
 * Columns of flake ids, generated by the generator that you pass.
 *
 * @example
 * const tables = { jobs: { id: flakeId({ generator: flake.generator({ datacenter: 1, worker: 2 }) }) } }
 */
export const flakeId = /* @__PURE__ */ idColumn(flake)

/** The type of a generated id column, which inserts may omit, for an interface that you write by hand. */
export type GeneratedId<AnId extends string> = ColumnType<AnId, AnId | undefined, AnId>

/** The id type of a declared column, by its path, such as `customers.id`. */
export type IdAt<Tables, Path extends string> = {
  [Table in keyof Tables & string]: {
    [Name in keyof Tables[Table] & string]: Path extends `${Table}.${Name}`
      ? IdsOf<Tables[Table][Name], Table, Tables>
      : never
  }[keyof Tables[Table] & string]
}[keyof Tables & string]

/** The ids of a declared column: those of its target, those of its table, or those with its prefix. */
export type IdsOf<Column, Table extends string, Tables> =
  Column extends IdColumn<infer AnId, infer ARole, infer Of>
    ? ARole extends 'reference'
      ? [IdAt<Omit<Tables, never>, Of>] extends [never]
        ? AnId
        : IdAt<Tables, Of>
      : Of extends 'table'
        ? string extends AnId
          ? AnId
          : IdOf<AnId, Table>
        : AnId
    : never

/** The type of a declared column; nullable if the column's previous type is. */
export type ColumnOf<Column, Old, AnId extends string> =
  Column extends IdColumn<string, infer ARole>
    ? ARole extends 'generated'
      ? GeneratedId<AnId>
      : ARole extends 'list'
        ? Nullable<AnId[], Old>
        : Nullable<AnId, Old>
    : never

type Nullable<Type, Old> =
  null extends SelectType<Old> ? ColumnType<Type | null, Type | null | undefined, Type | null> : Type

/** The table's type with the types of its declared id columns replaced. */
export type WithIdColumns<Row, Table extends string, Tables> = {
  [Name in keyof Row | keyof Tables[Table & keyof Tables]]: Name extends keyof Tables[Table & keyof Tables]
    ? ColumnOf<
        Tables[Table & keyof Tables][Name],
        Name extends keyof Row ? Row[Name] : never,
        IdsOf<Tables[Table & keyof Tables][Name], Table, Tables>
      >
    : Name extends keyof Row
      ? Row[Name]
      : never
}
