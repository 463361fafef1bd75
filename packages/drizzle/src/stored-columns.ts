import { IdError } from '@snoflax/core'
import { type ColumnFault, columnFaults, type RunQuery, refuseFaults } from '@snoflax/core/adapter'
import { type Column, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { type ColumnIds, findIds, idColumnsIn, isList, placeOf, schemaOf } from './id-column/ids.js'
import { checkGenerated, foreignKeysOf, tablesIn } from './id-column/keys.js'

/** A Drizzle database, with any driver. */
export interface AnyDatabase {
  /** Starts a query. */
  select(...fields: never): unknown
}

/** Applies the database's `casing` to a name, which is Drizzle 0.45's; in 1.0 it belongs to the table. */
interface Casing {
  readonly dialect?: { readonly casing?: { getColumnCasing?(column: Column): string } }
}

/**
 * Compares the declared id columns with those in the database, and with the foreign keys of the schema. Run
 * it when your application starts, or after migrations: with another collation, width or type, queries would silently find
 * wrong rows. drizzle-kit doesn't check collations. It first checks that one column generates the ids of each prefix, and
 * that no foreign key generates ids.
 *
 * @param tables your schema, as you pass it to `drizzle()`. Exports that are not tables are ignored.
 *
 * @throws {IdError} `STORAGE_REFUSED` listing the columns that are wrong or missing; `INVALID_OPTION` if no table has
 * ids, for tables of several databases, and for a column that must not generate ids.
 *
 * @example
 * await checkColumns(db, { orders })
 */
export async function checkColumns(
  db: AnyDatabase,
  tables: Readonly<Record<string, unknown>>,
): Promise<void> {
  const declared = tablesIn(tables).map(([, table]) => table)
  const { casing } = (db as Casing).dialect ?? {}
  const columns = declared.flatMap((table) =>
    idColumnsIn(table).map(({ column, ids }) => ({
      path: ids.place,
      schema: schemaOf(table),
      table: getTableName(table),
      column: casing?.getColumnCasing?.(column) ?? column.name,
      storage: ids.storage,
      ids,
      isList: isList(column),
    })),
  )
  const [first] = columns
  if (first === undefined) {
    const message = 'checkColumns: none of these tables has an id column; pass the tables of your schema'
    throw new IdError('INVALID_OPTION', message, { field: 'tables' })
  }
  const other = columns.find(({ storage }) => storage.database !== first.storage.database)
  if (other) {
    const message = `checkColumns: ${first.path} is a column of ${first.storage.database} and ${other.path} of ${other.storage.database}; pass the tables of one database`
    throw new IdError('INVALID_OPTION', message, { field: 'tables', path: other.path })
  }
  checkGenerated(declared)
  const kept = columns.flatMap(({ ids, path }) => (ids.type === undefined ? [] : `${path}: `))
  const all = await columnFaults(first.storage.database, columns, queryOf(db))
  const stored = all.filter(
    ({ message, isMissing }) => isMissing || !kept.some((path) => message.startsWith(path)),
  )
  const references = declared.flatMap((table) => referenceFaults(table, first.ids))
  refuseFaults([...stored, ...references], "the table's definition")
}

/** Foreign keys between columns that can't have equal values: a compact id, and an integer, text or id of another kind. */
const referenceFaults = (table: Table, ids: ColumnIds): ColumnFault[] =>
  foreignKeysOf(table, ids).flatMap((pairs) =>
    pairs.flatMap(([own, target]) => {
      if (canBeEqual(own, target)) return []
      const what = `${own.getSQLType()} and references ${placeOf(target)}, which is ${target.getSQLType()}`
      return [{ message: `${placeOf(own)}: the column is ${what}; declare it by .ref()`, isMissing: false }]
    }),
  )

function canBeEqual(own: Column, target: Column): boolean {
  const [ours, theirs] = [findIds(own)?.storage, findIds(target)?.storage]
  if (ours && theirs) return ours.name === theirs.name
  const ids = ours ?? theirs
  if (!ids?.converts) return true
  // A column of numbers is rounded.
  const isBigint = (ours ? target : own).dataType.startsWith('bigint')
  return ids.name === 'bigint' && isBigint && own.getSQLType() === target.getSQLType()
}

/** As a subquery, so that Drizzle reads the rows of each driver. */
const queryOf =
  (db: AnyDatabase): RunQuery =>
  (text, parameters, names) => {
    // A quoted name may contain what else is a placeholder.
    const [first = '', ...rest] = parameters.length === 0 ? [text] : text.split(/\$1|\?/)
    const query = rest.reduce(
      (before, after, at) => sql`${before}${sql.param(parameters[at])}${sql.raw(after)}`,
      sql.raw(first),
    )
    const fields = Object.fromEntries(names.map((name) => [name, sql`${sql.identifier(name)}`]))
    const selecting = db as unknown as { select(of: object): { from(source: SQL): ReturnType<RunQuery> } }
    return selecting.select(fields).from(sql`(${query}) found`)
  }
