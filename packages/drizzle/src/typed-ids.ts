import { type Id, IdError } from '@snoflax/core'
import { show } from '@snoflax/core/adapter'
import { is, Table } from 'drizzle-orm'
import type {
  MySqlColumn,
  TableConfig as MySqlTableConfig,
  MySqlTableWithColumns,
} from 'drizzle-orm/mysql-core'
import type { PgColumn, TableConfig as PgTableConfig, PgTableWithColumns } from 'drizzle-orm/pg-core'
import type {
  SQLiteColumn,
  TableConfig as SQLiteTableConfig,
  SQLiteTableWithColumns,
} from 'drizzle-orm/sqlite-core'

interface Named {
  readonly name: string
  readonly schema: string | undefined
}

type NameOf<C extends Named> = C['schema'] extends string ? `${C['schema']}.${C['name']}` : C['name']

type TypedId<Data, Of extends string> =
  Data extends Id<infer Name, infer Own> ? (string extends Own ? Id<Name, Of> : Data) : Data

type Retyped<C, Of extends string> = C extends { data: infer Data }
  ? { [Key in keyof C]: Key extends 'data' ? TypedId<Data, Of> : C[Key] }
  : C

interface OwnIds {
  readonly _: { readonly hasDefault: true; readonly data: Id }
}

// The first argument has `data` in Drizzle 0.45, the second in 1.0, where its constraint names the first.
type PgConfig<AColumn, Of extends string> =
  // biome-ignore lint/suspicious/noExplicitAny: fits whatever the first argument is
  AColumn extends PgColumn<any, infer B> ? Extract<Retyped<B, Of>, B> : never

type TypedColumn<AColumn, Of extends string> = AColumn extends OwnIds
  ? AColumn extends PgColumn<infer A>
    ? PgColumn<Extract<Retyped<A, Of>, A>, PgConfig<AColumn, Of>>
    : AColumn extends SQLiteColumn<infer A, infer B>
      ? SQLiteColumn<Extract<Retyped<A, Of>, A>, B>
      : AColumn extends MySqlColumn<infer A, infer B>
        ? MySqlColumn<Extract<Retyped<A, Of>, A>, B>
        : AColumn
  : AColumn

/** The inferred name `Shown` makes editors show the table's columns in place of this type's name. */
type Typed<C extends Named, Config> = {
  [Key in keyof C]: Key extends 'columns'
    ? { [Column in keyof C[Key]]: TypedColumn<C[Key][Column], NameOf<C>> } & {}
    : C[Key]
} extends infer Shown extends Config
  ? Shown
  : never

/**
 * The same table, whose generated ids are typed by its name: with `Id<'flax', 'shops'>` in place of `FlaxId`, ids of
 * different tables don't compile into each other. It changes types alone. In a schema the name is `crm.shops`. References take
 * the type of their target; a column that `$type` gave a second name keeps it.
 *
 * @throws {IdError} `INVALID_OPTION` for what isn't a table.
 *
 * @example
 * const shops = typedIds(pgTable('shops', { id: flaxId().primaryKey() }))
 * const doors = typedIds(pgTable('doors', { id: flaxId().primaryKey(), shopId: flaxId.ref(() => shops.id) }))
 */
export function typedIds<C extends PgTableConfig & { dialect: 'pg' }>(
  table: PgTableWithColumns<C>,
): PgTableWithColumns<Typed<C, PgTableConfig>>
export function typedIds<C extends SQLiteTableConfig & { dialect: 'sqlite' }>(
  table: SQLiteTableWithColumns<C>,
): SQLiteTableWithColumns<Typed<C, SQLiteTableConfig>>
export function typedIds<C extends MySqlTableConfig & { dialect: 'mysql' }>(
  table: MySqlTableWithColumns<C>,
): MySqlTableWithColumns<Typed<C, MySqlTableConfig>>
export function typedIds(table: unknown): unknown {
  if (is(table, Table)) return table
  throw new IdError('INVALID_OPTION', `typedIds: expected a table, not ${show(table)}`, { value: table })
}
