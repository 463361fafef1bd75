import { type Accept, flax, type IdFamily, type IdOf, type StorageName, sno } from '@snoflax/core'
import {
  familyWith,
  type IdSource,
  type KeyOf,
  type KeyOptions,
  type MetaOption,
  type OnMismatch,
} from '@snoflax/core/adapter'
import type { ColumnType, Generated, InsertType, SelectType } from 'kysely'

/** Where a column's ids come from. */
export type Role = 'generated' | 'reference' | 'plain' | 'list'

/** Options of every id column but references. */
export interface StorageOptions {
  /** `text`, or `uuid` for UUIDv7 in PostgreSQL. Default: that of the family. */
  readonly storage?: StorageName
  /**
   * What a write of a text does that can't be an id of the column: it is an error, or with `notFound` it is written, as to a
   * plain column. Conditions never check. `notFound` needs storage `text`. Default: `error`; references follow their target.
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

/**
 * The declaration of an id column. `Of` is a reference's target, or `table` if its ids are typed by their table: those
 * without a prefix that aren't opaque.
 */
export interface IdColumn<
  AnId extends string = string,
  ARole extends Role = Role,
  Of extends string = string,
  ATime extends Date | null = Date | null,
> {
  /** The family of its ids; `idColumn.ref` takes that of its target. */
  readonly family: IdFamily<AnId> | undefined
  /** Where its ids come from. */
  readonly role: ARole
  /** The options that you passed. */
  readonly options: GeneratedOptions<AnId> & MetaOption & KeyOptions
  /** For a reference: its table and column, such as `customers.id`. */
  readonly target?: Of
  /** What `createdAt()` returns. Exists in types only. */
  readonly '~time'?: ATime
}

type IdIn<Family> = Family extends IdFamily<infer AnId> ? AnId : never

/** The options of a column of a family, by its role. */
export type OptionsOf<
  Family,
  ARole,
  Prefix extends string,
  Accepts extends Accept,
  Branded extends boolean,
> = KeyOptions<Prefix, Accepts, Branded> &
  (ARole extends 'generated' ? GeneratedOptions<IdIn<Family>> : StorageOptions) &
  ([ARole, Family] extends ['generated', { prefix: string } | { withMeta: unknown }] ? MetaOption : unknown)

/** A column of a family with these {@link KeyOptions}. */
export type ColumnFor<
  Family,
  ARole extends Role,
  Prefix extends string,
  Accepts extends Accept,
  Branded extends boolean,
> = IdColumn<
  KeyOf<IdIn<Family>, Prefix, Accepts, Branded>,
  ARole,
  [ARole, Prefix] extends ['generated', never]
    ? Family extends { prefix: string } | { time: never }
      ? 'prefix'
      : 'table'
    : 'prefix',
  [Accepts] extends [never] ? (Family extends { accepted: unknown } ? Date | null : Date) : Date | null
>

type Declare<ARole extends Role> = <
  Family extends IdFamily,
  const P extends string = never,
  const A extends Accept = never,
  const B extends boolean = true,
>(
  definition: Family,
  options?: OptionsOf<Family, ARole, P, A, B>,
) => ColumnFor<Family, ARole, P, A, B>

type DeclareOf<Family extends IdFamily, ARole extends Role> = <
  const P extends string = never,
  const A extends Accept = never,
  const B extends boolean = true,
>(
  options?: OptionsOf<Family, ARole, P, A, B>,
) => ColumnFor<Family, ARole, P, A, B>

/** Functions that declare columns of one family. */
export interface IdColumns<Family extends IdFamily> extends DeclareOf<Family, 'generated'> {
  /** A column that references another one, such as `customers.id`, and is like it in everything else. */
  ref<const Target extends string>(target: Target): IdColumn<IdIn<Family>, 'reference', Target>
  /** A column of ids that are neither generated nor a reference. */
  readonly plain: DeclareOf<Family, 'plain'>
  /** A column of arrays of ids, in PostgreSQL. */
  readonly list: DeclareOf<Family, 'list'>
}

/** Id columns by table and column name. */
export type IdTables = Readonly<Record<string, Readonly<Record<string, IdColumn>>>>

const declare =
  (role: Role) =>
  (definition: IdFamily, options: KeyOptions = {}) => ({
    family: familyWith(definition, options),
    role,
    options,
  })
const refTo = <const Target extends string>(target: Target): IdColumn<string, 'reference', Target> => ({
  family: undefined,
  role: 'reference',
  options: {},
  target,
})

/**
 * Declares a column of a definition: a family, `prefixed()`, `typeid()`, `opaque()` or `accepting()`. Rows that are inserted
 * without its id get one. `idColumn.ref('customers.id')` is like its target, `idColumn.plain(definition)` is not generated,
 * `idColumn.list(definition)` is an array, in PostgreSQL.
 *
 * @example
 * const customerId = prefixed(flax, 'cus')
 * const tables = { customers: { id: idColumn(customerId) }, orders: { customer_id: idColumn.ref('customers.id') } }
 * const ids = idPlugin({ database: 'sqlite', tables })
 */
export const idColumn = /* @__PURE__ */ Object.assign(
  declare('generated') as unknown as Declare<'generated'>,
  {
    ref: refTo,
    plain: /* @__PURE__ */ declare('plain') as unknown as Declare<'plain'>,
    list: /* @__PURE__ */ declare('list') as unknown as Declare<'list'>,
  },
)

const columnsOf = <Family extends IdFamily>(family: Family): IdColumns<Family> => {
  const of = (role: Role) => (options?: KeyOptions) => declare(role)(family, options)
  const ref = (target: string) => ({ ...refTo(target), family })
  return Object.assign(of('generated'), { ref, plain: of('plain'), list: of('list') }) as never
}

/**
 * Columns of flax ids, short for `idColumn(flax)` and its kind.
 *
 * @example
 * const tables = { customers: { id: flaxId() }, orders: { id: flaxId(), customer_id: flaxId.ref('customers.id') } }
 */
export const flaxId: IdColumns<typeof flax> = /* @__PURE__ */ columnsOf(flax)

/** Columns of sno ids. @example const tables = { orders: { id: snoId({ meta: 2 }) } } */
export const snoId: IdColumns<typeof sno> = /* @__PURE__ */ columnsOf(sno)

/** The column at a path, and its table; of a reference, those that it leads to. */
type Origin<Tables, Path extends string> = {
  [Table in keyof Tables & string]: Path extends `${Table}.${infer Name extends keyof Tables[Table] & string}`
    ? Tables[Table][Name] extends IdColumn<string, 'reference', infer Target>
      ? Origin<Tables, Target>
      : [column: Tables[Table][Name], table: Table]
    : never
}[keyof Tables & string]

/** The id type of a declared column, by its path, such as `customers.id`: those of its target, its table or its prefix. */
export type IdAt<Tables, Path extends string> =
  Origin<Tables, Path> extends infer Found
    ? Found extends [IdColumn<infer AnId, Role, infer Of>, infer Table extends string]
      ? [Of, string extends AnId ? true : false] extends ['table', false]
        ? IdOf<AnId, Table>
        : AnId
      : never
    : never

/** What `createdAt()` returns for a declared column: null too if it accepts other keys. */
export type TimeAt<Tables, Path extends string> =
  Origin<Tables, Path> extends [IdColumn<string, Role, string, infer ATime>, string] ? ATime : never

/** The type of a declared column; nullable, or with a default, if the column's previous type is. */
type ColumnOf<Column, Old, AnId extends string> =
  Column extends IdColumn<string, infer ARole>
    ? ARole extends 'generated'
      ? Generated<AnId>
      : Nullable<ARole extends 'list' ? AnId[] : AnId, Old>
    : never

type Nullable<Type, Old> =
  null extends SelectType<Old>
    ? ColumnType<Type | null, Type | null | undefined, Type | null>
    : undefined extends InsertType<Old>
      ? Generated<Type>
      : Type

type MemberOf<Type, Key> = Key extends keyof Type ? Type[Key] : never

/** The table's type with the types of its declared id columns replaced. */
export type WithIdColumns<Row, Table extends keyof Tables & string, Tables> = {
  [Name in keyof Row | keyof Tables[Table]]: Name extends keyof Tables[Table] & string
    ? ColumnOf<Tables[Table][Name], MemberOf<Row, Name>, IdAt<Tables, `${Table}.${Name}`>>
    : MemberOf<Row, Name>
}
