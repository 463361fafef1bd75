import { type CanBeKey, type FoundIn, findRow, keysOf } from '@snoflax/core/adapter'
import { eq, type SQL, sql, type Table } from 'drizzle-orm'
import { checkGenerated, keysIn, tablesIn } from './id-column/keys.js'
import type { AnyIdColumn } from './id-column/types.js'
import type { AnyDatabase } from './stored-columns.js'

interface IdTable {
  readonly $inferSelect: object
  readonly _: { readonly columns: object }
}

type ColumnsOf<ATable extends IdTable> = ATable['_']['columns']

/** The ids of a table's columns: of all, or of those that are declared as its key or generate them. */
type IdsOf<ATable extends IdTable, Key> = {
  [Name in keyof ColumnsOf<ATable>]: ColumnsOf<ATable>[Name] extends Key & {
    readonly _: { readonly data: infer Data }
  }
    ? Extract<Data, string>
    : never
}[keyof ColumnsOf<ATable>]

type DeclaredKey = AnyIdColumn &
  ({ readonly _: { readonly isPrimaryKey: true } } | { readonly _: { readonly hasRuntimeDefault: true } })

type FoundOf<Schema, AnId extends string, Key> = {
  [Model in keyof Schema & string]: Schema[Model] extends IdTable
    ? true extends CanBeKey<AnId, IdsOf<Schema[Model], Key>>
      ? FoundIn<Model, Schema[Model]['$inferSelect']>
      : never
    : never
}[keyof Schema & string]

/** Types don't contain keys that are declared at the table, nor unique columns: any column of such ids may be one. */
type RowOf<Schema, AnId extends string> = [FoundOf<Schema, AnId, DeclaredKey>] extends [never]
  ? FoundOf<Schema, AnId, AnyIdColumn>
  : FoundOf<Schema, AnId, DeclaredKey>

/** The row that has an id, and the others that have it. */
export type Found<Schema, AnId extends string> = RowOf<Schema, AnId> & {
  /** The other rows with the same id, ten at most. */
  readonly also: readonly FoundOf<Schema, AnId, AnyIdColumn>[]
  /** Whether there are more rows than in `also`. */
  readonly hasMore: boolean
}

interface Selecting {
  select(): { from(table: Table): { where(condition: SQL): { limit(rows: number): PromiseLike<object[]> } } }
  select(fields: object): { from(source: SQL): PromiseLike<object[]> }
}

/**
 * The row that has an id, in a column that generates ids or is in a primary key or a unique set; null if none has. If
 * several tables can have it, one statement by their keys says which do, and their rows are read. Rows of columns that
 * generate ids come first.
 *
 * @param schema your tables, as you pass them to `drizzle()`; its keys are read once. Exports that are not tables are ignored.
 *
 * @throws {IdError} the parser's error for a malformed id; `INVALID_OPTION` for a column that must not generate ids, as
 * `checkColumns`.
 *
 * @example
 * const found = await find(db, { orders }, '9q7k4h922d78w222')
 * if (found) console.log(found.model, found.row.total)
 */
export async function find<const Schema extends Readonly<Record<string, unknown>>, const AnId extends string>(
  db: AnyDatabase,
  schema: Schema,
  id: AnId,
): Promise<Found<Schema, AnId> | null> {
  const selecting = db as unknown as Selecting
  const keys = keysOf(schema, () => {
    checkGenerated(tablesIn(schema).map(([, table]) => table))
    return keysIn(schema)
  })
  return findRow(
    keys,
    id,
    ({ table, key }, limit) => selecting.select().from(table).where(eq(key, id)).limit(limit),
    async (keys) => {
      const counts = keys.map(({ table, key }, at) =>
        sql`(select count(*) from ${table} where ${eq(key, id)})`.as(`c${at}`),
      )
      const [row = {}] = await selecting.select({ ...counts }).from(sql`(select 1) one`)
      return Object.values(row)
    },
  ) as Promise<Found<Schema, AnId> | null>
}
