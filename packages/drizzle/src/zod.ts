import { type Id, IdError, type IdFamily } from '@snoflax/core'
import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { z } from 'zod/v4'
import { findIds, idsOf, isList } from './id-column/ids.js'

/** Drizzle 1.0 keeps no column's type: an id is told by its brand. */
interface HasType {
  readonly _: { readonly data: Id<string> | readonly Id<string>[] }
}

type Columns<ATable extends Table> = ATable['_']['columns']
type IdKeys<ATable extends Table> = {
  [Key in keyof Columns<ATable>]: Columns<ATable>[Key] extends HasType ? Key : never
}[keyof Columns<ATable>]

/** The database alone writes the others. */
type WrittenKeys<ATable extends Table> = Extract<IdKeys<ATable>, keyof ATable['$inferInsert']>

/** Text in, branded ids out; lists for an array column. */
export type IdSchema<AColumn extends Column> = z.ZodType<
  AColumn['_']['data'],
  AColumn['_']['data'] extends readonly unknown[] ? string[] : string
>

type Nullable<AColumn extends Column> = AColumn['_']['notNull'] extends true
  ? IdSchema<AColumn>
  : z.ZodNullable<IdSchema<AColumn>>
type Insertable<AColumn extends Column> = AColumn['_']['notNull'] extends true
  ? AColumn['_']['hasDefault'] extends true
    ? z.ZodOptional<IdSchema<AColumn>>
    : IdSchema<AColumn>
  : z.ZodOptional<z.ZodNullable<IdSchema<AColumn>>>

/** For `createSelectSchema`. */
export type SelectIds<ATable extends Table> = { [Key in IdKeys<ATable>]: Nullable<Columns<ATable>[Key]> }
/** For `createInsertSchema`. */
export type InsertIds<ATable extends Table> = {
  [Key in WrittenKeys<ATable>]: Insertable<Columns<ATable>[Key]>
}
/** For `createUpdateSchema`. */
export type UpdateIds<ATable extends Table> = {
  [Key in WrittenKeys<ATable>]: z.ZodOptional<Nullable<Columns<ATable>[Key]>>
}

/**
 * A schema that takes the ids of a column and nothing else. Issues have the message of the IdError.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const input = z.object({ orderId: idSchema(orders.id) })
 */
export function idSchema<AColumn extends Column>(column: AColumn): IdSchema<AColumn> {
  const one = schemaOf(idsOf(column).family)
  return (isList(column) ? z.array(one) : one) as unknown as IdSchema<AColumn>
}

function schemaOf(family: IdFamily) {
  return z.string().check(({ value, issues }) => {
    try {
      family.parse(value)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      issues.push({ code: 'custom', message: error.message, input: value })
    }
  })
}

/**
 * The id columns of a table as drizzle-zod's refinements for a select.
 *
 * @example
 * const orderSchema = createSelectSchema(orders, selectIds(orders))
 */
export const selectIds = <ATable extends Table>(table: ATable): SelectIds<ATable> =>
  schemas(table, nullable) as SelectIds<ATable>

/**
 * The same for an insert: what has a default may be left out.
 *
 * @example
 * const newOrder = createInsertSchema(orders, { ...insertIds(orders), total: (schema) => schema.positive() })
 */
export const insertIds = <ATable extends Table>(table: ATable): InsertIds<ATable> =>
  schemas(
    table,
    (column) => (column.notNull && !column.hasDefault ? idSchema(column) : nullable(column).optional()),
    isWritten,
  ) as InsertIds<ATable>

/**
 * The same for an update: all may be left out.
 *
 * @example
 * const change = createUpdateSchema(orders, updateIds(orders))
 */
export const updateIds = <ATable extends Table>(table: ATable): UpdateIds<ATable> =>
  schemas(table, (column) => nullable(column).optional(), isWritten) as UpdateIds<ATable>

const isWritten = ({ generated }: Column): boolean => generated?.type !== 'always'

const nullable = (column: Column): z.ZodType =>
  column.notNull ? idSchema(column) : idSchema(column).nullable()

function schemas(
  table: Table,
  schema: (column: Column) => z.ZodType,
  isWanted: (column: Column) => boolean = () => true,
): unknown {
  const columns = Object.entries<Column>(getTableColumns(table))
  return Object.fromEntries(
    columns
      .filter(([, column]) => findIds(column) && isWanted(column))
      .map(([key, column]) => [key, schema(column)]),
  )
}
