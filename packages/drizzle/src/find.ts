import { type CanBeKey, type FoundIn, findRow, keysOf } from '@snoflax/core/adapter'
import { eq, is, type SQL, sql, Table } from 'drizzle-orm'
import { idColumnsIn, isList } from './id-column/ids.js'
import type { AnyDatabase } from './stored-columns.js'

interface IdTable {
  readonly $inferSelect: object
  readonly _: { readonly columns: object }
}

/** The ids of a table's keys. */
type KeysOf<ATable extends IdTable> = {
  [Key in keyof ATable['_']['columns']]: ATable['_']['columns'][Key] extends {
    readonly _: { readonly isPrimaryKey: true; readonly data: infer Data extends string }
  }
    ? Data
    : never
}[keyof ATable['_']['columns']]

type FoundOf<Schema, AnId extends string> = {
  [Model in keyof Schema & string]: Schema[Model] extends IdTable
    ? true extends CanBeKey<AnId, KeysOf<Schema[Model]>>
      ? FoundIn<Model, Schema[Model]['$inferSelect']>
      : never
    : never
}[keyof Schema & string]

/** The row that has an id, and rows of other tables that share it. */
export type Found<Schema, AnId extends string> = FoundOf<Schema, AnId> & {
  readonly also: readonly FoundOf<Schema, AnId>[]
}

interface Selecting {
  select(): { from(table: Table): { where(condition: SQL): PromiseLike<object[]> } }
  select(fields: object): { from(source: SQL): PromiseLike<object[]> }
}

/**
 * The row that has an id; null if none has. If several tables can have it, one statement by their keys says which do, and
 * their rows are read.
 *
 * @param schema your tables, as you pass them to `drizzle()`; its keys are read once. Exports that are not tables are ignored.
 *
 * @throws {IdError} the parser's error for a malformed id.
 *
 * @example
 * const found = await find(db, { orders }, '9q7k4h922d78w222')
 * if (found) console.log(found.model, found.row.total)
 */
export function find<const Schema extends Readonly<Record<string, unknown>>, const AnId extends string>(
  db: AnyDatabase,
  schema: Schema,
  id: AnId,
): Promise<Found<Schema, AnId> | null> {
  const selecting = db as unknown as Selecting
  return findRow(
    keysOf(schema, () => keysIn(schema)),
    id,
    ({ table, key }) =>
      selecting
        .select()
        .from(table)
        .where(eq(key, id))
        .then(([row]) => row),
    async (keys) => {
      const counts = keys.map(({ table, key }, at) =>
        sql`(select count(*) from ${table} where ${eq(key, id)})`.as(`c${at}`),
      )
      const [row = {}] = await selecting.select({ ...counts }).from(sql`(select 1) one`)
      return Object.values(row)
    },
  ) as Promise<Found<Schema, AnId> | null>
}

const keysIn = (schema: Readonly<Record<string, unknown>>) =>
  Object.entries(schema).flatMap(([model, table]) =>
    is(table, Table)
      ? idColumnsIn(table).flatMap(({ key: column, column: key, ids }) => {
          const isKey = key.primary || (key.isUnique && ids.generate)
          return isKey && !isList(key) ? [{ model, column, family: ids.family, table, key }] : []
        })
      : [],
  )
