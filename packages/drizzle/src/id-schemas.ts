import type { Id, IdFamily } from '@snoflax/core'
import type { Column, Table } from 'drizzle-orm'
import { idColumnsIn, idsOf, isList } from './id-column/ids.js'

/** A library's types of schemas for a column, by the column's data: `this['data']`. */
export interface SchemaTypes {
  readonly data: unknown
  /** The schema of a column's ids, or of its arrays of ids. */
  readonly id: unknown
  readonly nullable: unknown
  readonly optional: unknown
  readonly nullish: unknown
}

type SchemaOf<Types extends SchemaTypes, AColumn extends Column, Kind extends keyof SchemaTypes> = (Types & {
  readonly data: AColumn['_']['data']
})[Kind]

/** The functions of a schema library. */
export interface Library {
  id(family: IdFamily): unknown
  list(schema: never): unknown
  nullable(schema: never): unknown
  optional(schema: never): unknown
}

/** The input: a text, or an array of texts for an array column. */
export type TextOf<Data> = Data extends readonly unknown[] ? string[] : string

/** In Drizzle 1.0 a column's type has no mark of ours, so an id is recognized by its brand: not one typed as `string`. */
type HasType =
  | { readonly _: { readonly data: Id<string> | readonly Id<string>[] } }
  | { readonly _: { readonly columnType: 'SnoflaxId' } }

type Columns<ATable extends Table> = ATable['_']['columns']

/** The keys of a table's id columns. */
type IdKeys<ATable extends Table> = {
  [Key in keyof Columns<ATable>]: Columns<ATable>[Key] extends HasType ? Key : never
}[keyof Columns<ATable>]

/** Columns that an insert may set; only the database writes the others. */
type WrittenKeys<ATable extends Table> = Extract<IdKeys<ATable>, KeysOfInsert<ATable>>

type KeysOfInsert<ATable> = ATable extends { readonly $inferInsert: infer Insert } ? keyof Insert : never

/** The schemas of columns: of those that are not null, of those that are not null and have a default, and of the others. */
type Schemas<
  Types extends SchemaTypes,
  ATable extends Table,
  Keys extends keyof Columns<ATable>,
  NotNull extends keyof SchemaTypes,
  HasDefault extends keyof SchemaTypes,
  Nullable extends keyof SchemaTypes,
> = {
  [Key in Keys]: SchemaOf<
    Types,
    Columns<ATable>[Key],
    Columns<ATable>[Key]['_']['notNull'] extends true
      ? Columns<ATable>[Key]['_']['hasDefault'] extends true
        ? HasDefault
        : NotNull
      : Nullable
  >
}

/** The schemas of id columns in one library. */
export interface IdSchemas<Types extends SchemaTypes> {
  idSchema<AColumn extends Column>(column: AColumn): SchemaOf<Types, AColumn, 'id'>
  selectIds<ATable extends Table>(
    table: ATable,
  ): Schemas<Types, ATable, IdKeys<ATable>, 'id', 'id', 'nullable'>
  insertIds<ATable extends Table>(
    table: ATable,
  ): Schemas<Types, ATable, WrittenKeys<ATable>, 'id', 'optional', 'nullish'>
  updateIds<ATable extends Table>(
    table: ATable,
  ): Schemas<Types, ATable, WrittenKeys<ATable>, 'optional', 'optional', 'nullish'>
}

export function idSchemas<Types extends SchemaTypes>(library: Library): IdSchemas<Types> {
  const idSchema = (column: Column): unknown => {
    const one = library.id(idsOf(column).family)
    return isList(column) ? library.list(one as never) : one
  }
  const nullable = (column: Column): unknown =>
    column.notNull ? idSchema(column) : library.nullable(idSchema(column) as never)
  const optional = (column: Column): unknown => library.optional(nullable(column) as never)
  const schemas = (table: Table, schema: (column: Column) => unknown, isWanted = isWritten): unknown =>
    Object.fromEntries(
      idColumnsIn(table)
        .filter(({ column }) => isWanted(column))
        .map(({ key, column }) => [key, schema(column)]),
    )
  return {
    idSchema,
    selectIds: (table) => schemas(table, nullable, () => true),
    insertIds: (table) =>
      schemas(table, (column) => (column.notNull && !column.hasDefault ? idSchema : optional)(column)),
    updateIds: (table) => schemas(table, optional),
  } as IdSchemas<Types>
}

const isWritten = ({ generated }: Column): boolean => generated?.type !== 'always'
