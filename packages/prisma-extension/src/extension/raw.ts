import { type Database, type DatabaseValue, IdError } from '@snoflax/core'
import { type PlaceholderKey, type SqlIdColumn, SqlIds, withPath } from '@snoflax/core/adapter'
import type { Configuration } from '../configuration.js'
import { columnsOf, type IdColumn, type Models } from './model.js'
import { outermost, withPlace } from './place.js'
import { refuseValue } from './result.js'

/** Helpers for raw queries. `Types` is the id type of each field: `{ 'Order.id': SnoId }`. */
export interface RawQueries<Types> {
  /**
   * The stored value of an id, as a parameter of `$queryRaw` or `Prisma.sql`. Null stays null.
   *
   * @throws {IdError} for a malformed id, naming the field.
   *
   * @example
   * await prisma.$queryRaw`SELECT total FROM "Order" WHERE coalesce("traceId", id) = ${parameter('Order.id', id)}`
   */
  parameter<Name extends keyof Types & string>(name: Name, id: Types[Name]): DatabaseValue
  /** The same for an id that may be null. */
  parameter<Name extends keyof Types & string>(name: Name, id: Types[Name] | null): DatabaseValue | null

  /**
   * Marks a text that looks like an id and is not one: it is neither converted nor refused.
   *
   * @example
   * await prisma.$queryRaw`SELECT total FROM "Order" WHERE concat('a', 'b') = ${asText('Kpcan0M1FakODT4k')}`
   */
  asText(value: string): { toJSON(): string }

  /**
   * The id for a value in a row of a raw query. Null stays null.
   *
   * @throws {IdError} for a value that is not an id in the field's storage.
   *
   * @example
   * const rows = await prisma.$queryRaw<{ id: string; total: number }[]>`SELECT id, total FROM "Order"`
   * rows.map((row) => ({ ...row, id: fromDatabase('Order.id', row.id) }))
   */
  fromDatabase<Name extends keyof Types & string, Value>(
    name: Name,
    value: Value,
  ): Types[Name] | (null extends Value ? null : never)
}

/** A raw query as Prisma passes it: a template, TypedSQL, or text and values of `$queryRawUnsafe`. */
export type RawQuery = SqlQuery | readonly [text: string, ...values: unknown[]]

interface SqlQuery {
  /** Of a template. */
  readonly strings?: readonly string[]
  /** A template's text with placeholders of PostgreSQL. */
  readonly text?: string
  readonly sql: string
  readonly values: readonly unknown[]
  readonly constructor: new (text: string | readonly string[], values: readonly unknown[]) => RawQuery
}

const isText = (query: RawQuery): query is readonly [string, ...unknown[]] => Array.isArray(query)

/**
 * Converts the ids in raw queries that stand beside their columns, and refuses other ids that the database would not
 * refuse.
 */
export function rawConverter(models: Models, database: Database): (query: RawQuery) => RawQuery {
  const tables = tablesOf(models)
  const ids = sqlIds(tables)
  return (query) => {
    const [text, ...given] = isText(query) ? query : [textOf(query, database), ...query.values]
    if (!ids.mayBeIn(text, given)) return query
    // SQLite numbers names as they come.
    const names: PlaceholderKey[] = []
    const indexOf = (key: PlaceholderKey): number =>
      typeof key === 'number' ? key : names.includes(key) ? names.indexOf(key) : names.push(key) - 1
    const found = ids.find({
      sql: text,
      dialect: database,
      value: (key) => given[indexOf(key)],
      named: naming(tables, text),
    })
    if (found.size === 0) return query
    const values = [...given]
    for (const [key, { place, storage }] of found) {
      const at = indexOf(key)
      const convert = (value: unknown) => storage().toDatabase(value)
      values[at] = withPath(place, () =>
        Array.isArray(given[at]) ? given[at].map(convert) : convert(given[at]),
      )
    }
    return isText(query) ? [text, ...values] : new query.constructor(query.strings ?? query.sql, values)
  }
}

const textOf = ({ sql, text }: SqlQuery, database: Database): string =>
  database === 'postgres' ? (text ?? sql) : sql

/** A table, and its columns by their names in SQL: id columns, and others by the types of their fields. */
interface Table {
  readonly name: string
  readonly columns: ReadonlyMap<string, SqlIdColumn | string>
}

const tablesOf = (models: Models): Table[] =>
  [...models.values()].map(({ table, fields, ids }) => ({
    name: table.toLowerCase(),
    columns: new Map(
      [...fields.values()].flatMap(({ name, dbName, kind, type }) => {
        const id = ids.get(name)
        const column = id ? { place: id.name, storage: () => id.storage } : type
        return kind === 'object' ? [] : [[(dbName ?? name).toLowerCase(), column] as const]
      }),
    ),
  }))

function sqlIds(tables: readonly Table[]): SqlIds {
  const ids = new SqlIds('pass parameter(field, id), or asText(value) for a value that is not an id')
  const columns = tables.flatMap((table) => [...table.columns])
  const names = new Set(columns.flatMap(([name, column]) => (typeof column === 'string' ? [] : name)))
  for (const [name, column] of columns) {
    if (typeof column !== 'string') ids.add(name, column)
    // A number beside an id finds nothing in any form; a text may be another form of it.
    else if (column === 'String' || !names.has(name)) ids.addOther(name)
  }
  return ids
}

/** The columns that a name can mean: that of the table before it, or those of the tables that the SQL names. */
function naming(tables: readonly Table[], sql: string) {
  const words = new Set(sql.toLowerCase().split(/[\s"`.,;()[\]]+/))
  const named = tables.filter(({ name }) => words.has(name))
  return (parts: readonly string[]): readonly (SqlIdColumn | null)[] | undefined => {
    const [name = '', before] = parts.map((part) => part.toLowerCase()).reverse()
    const own = named.filter((table) => table.name === before)
    const found = (own.length > 0 ? own : named)
      .flatMap(({ columns }) => columns.get(name) ?? [])
      .flatMap((column) => (typeof column !== 'string' ? column : column === 'String' ? null : []))
    // A view that the schema doesn't have may have a compact column of that name.
    return own.length > 0 || found.some((column) => column?.storage().converts) ? found : undefined
  }
}

/**
 * Helpers for raw queries, for a configuration that you write by hand.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an invalid configuration.
 *
 * @example
 * const { parameter, fromDatabase } = rawQueries({
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'text', generated: true } } },
 * })
 */
export function rawQueries<Types = Record<string, string>>(configuration: Configuration): RawQueries<Types> {
  const columns = new Map(columnsOf(configuration).map((column) => [column.name, column]))
  return {
    parameter: (name: string, id: unknown) => {
      const column = columnOf(columns, name)
      return withPlace(name, outermost('parameter'), () => column.storage.toDatabase(id))
    },
    // Prisma copies parameters, and sends them as JSON.
    asText: (value: string) => ({ toJSON: () => value }),
    fromDatabase: (name: string, value: unknown) => {
      const column = columnOf(columns, name)
      try {
        return column.storage.fromDatabase(value)
      } catch (error) {
        return refuseValue(error, column, value, outermost('fromDatabase'))
      }
    },
  } as unknown as RawQueries<Types>
}

function columnOf(columns: ReadonlyMap<string, IdColumn>, name: string): IdColumn {
  const column = columns.get(name)
  if (column !== undefined) return column
  const known = [...columns.keys()].join(', ')
  throw new IdError('INVALID_OPTION', `no field ${JSON.stringify(name)} with ids, only ${known}`, {
    value: name,
  })
}
