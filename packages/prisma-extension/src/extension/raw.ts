import { type Database, type DatabaseValue, IdError } from '@snoflax/core'
import {
  markOf,
  NamedColumns,
  readComparisons,
  refuseUnconverted,
  withMarks,
  withoutMarks,
} from '@snoflax/core/adapter'
import type { Configuration } from '../configuration.js'
import { columnsOf, type IdColumn, type Models } from './model.js'
import { inside, outermost, type Place, withPlace } from './place.js'
import { readId, refuseValue } from './result.js'

/** A row with ids in place of database values. */
export type ReadRow<Types, Given, Columns> = {
  [Column in keyof Given]: Column extends keyof Columns
    ? Columns[Column] extends keyof Types
      ? Types[Columns[Column]] | Extract<Given[Column], null>
      : Given[Column]
    : Given[Column]
}

/** Helpers for raw queries, which the extension can't convert. `Types` is the id type of each field: `{ 'Order.id': SnoId }`. */
export interface RawQueries<Types> {
  /**
   * The stored value of an id, as a parameter of `$queryRaw` or `Prisma.sql`. Null stays null.
   *
   * @throws {IdError} for a malformed id, naming the field.
   *
   * @example
   * await prisma.$queryRaw`SELECT total FROM "Order" WHERE id = ${parameter('Order.id', id)}`
   */
  parameter<Name extends keyof Types & string>(name: Name, id: Types[Name]): DatabaseValue
  /** The same for an id that may be null. */
  parameter<Name extends keyof Types & string>(name: Name, id: Types[Name] | null): DatabaseValue | null

  /**
   * The rows of a raw query, with the named columns converted to ids.
   *
   * @throws {IdError} for a value that is not an id, and for a column that a row lacks.
   *
   * @example
   * const rows = await prisma.$queryRaw<{ id: string; total: number }[]>`SELECT id, total FROM "Order"`
   * readRows(rows, { id: 'Order.id' })
   */
  readRows<
    Given extends object,
    const Columns extends { readonly [Column in keyof Given]?: keyof Types & string },
  >(rows: readonly Given[], columns: Columns): ReadRow<Types, Given, Columns>[]
}

/** A raw query as Prisma passes it: a template, TypedSQL, or text and values of `$queryRawUnsafe`. */
type RawQuery =
  | { readonly strings: readonly string[]; readonly values: readonly unknown[] }
  | { readonly strings?: never; readonly sql: string; readonly values: readonly unknown[] }
  | readonly [text: string, ...values: unknown[]]

const isText = (query: RawQuery): query is readonly [string, ...unknown[]] => Array.isArray(query)

const ADVICE = {
  advice: 'pass parameter(field, id)',
  several: 'pass parameter(field, id) for each id',
  known: '',
}

/**
 * Refuses unconverted ids that a raw query compares with an id field or inserts into it: values, also in lists and JSON,
 * and literals in its text.
 *
 * @throws {IdError} `INVALID_OPTION`, naming the field.
 */
export function rawGuard(models: Models, database: Database): (query: RawQuery) => void {
  const named = new NamedColumns()
  for (const { table, fields, converted } of models.values()) {
    named.addTable(table)
    for (const { name, field, settings, storage } of converted) {
      const column = { table, place: name, family: settings.family, storage: () => storage }
      for (const alias of [field, fields.get(field)?.dbName ?? field]) named.add(alias, column)
    }
  }
  return (query) => {
    const values = isText(query) ? query.slice(1) : query.values
    const parts = isText(query) ? query.slice(0, 1) : (query.strings ?? [query.sql])
    const written = (parts as string[]).flatMap((part) => part.match(/(?<=['"])[^'"]+(?=['"])/g) ?? [])
    if (!named.mayContain([...values, ...written])) return
    const reading = readComparisons(textOf(query, database), database)
    for (const { chunk, columns } of named.beside(reading)) {
      refuseUnconverted(columns, values[chunk], ADVICE.advice)
    }
    named.refuseUnseen(reading, { ...ADVICE, column: () => undefined, value: (chunk) => values[chunk] })
  }
}

function textOf(query: RawQuery, database: Database): string {
  if (isText(query)) return withMarks(query[0], database)
  if (query.strings === undefined) return withMarks(query.sql, database)
  return query.strings.map((one, at) => (at === 0 ? '' : markOf(at - 1)) + withoutMarks(one)).join('')
}

/**
 * Helpers for raw queries, for a configuration that you write by hand.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an invalid configuration.
 *
 * @example
 * const { parameter, readRows } = rawQueries({
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'text', generated: true } } },
 * })
 */
export function rawQueries<Types = Record<string, string>>(configuration: Configuration): RawQueries<Types> {
  const columns = new Map(columnsOf(configuration).map((column) => [column.name, column]))
  return {
    parameter: (name: string, id: unknown) => toParameter(columnOf(columns, name), id),
    readRows: (rows: readonly Row[], names: Readonly<Record<string, string>>) => {
      const found = Object.entries(names).map(([key, name]) => [key, columnOf(columns, name)] as const)
      return rows.map((row, index) => readRow(row, found, inside(ROWS, index)))
    },
  } as unknown as RawQueries<Types>
}

type Row = Readonly<Record<string, unknown>>
type Columns = ReadonlyMap<string, IdColumn>

const ROWS = outermost('readRows')

function columnOf(columns: Columns, name: string): IdColumn {
  const column = columns.get(name)
  if (column !== undefined) return column
  const known = [...columns.keys()].join(', ')
  throw new IdError('INVALID_OPTION', `no field ${JSON.stringify(name)} with ids, only ${known}`, {
    value: name,
  })
}

const toParameter = ({ name, storage }: IdColumn, id: unknown): unknown =>
  withPlace(name, outermost('parameter'), () => storage.toDatabase(id))

function readRow(row: Row, columns: readonly (readonly [string, IdColumn])[], place: Place): Row {
  const ids = columns.map(([key, column]) => [key, readColumn(row, key, column, inside(place, key))])
  return { ...row, ...Object.fromEntries(ids) }
}

function readColumn(row: Row, key: string, column: IdColumn, place: Place): unknown {
  try {
    if (Object.hasOwn(row, key)) return readId(column, row[key])
  } catch (error) {
    refuseValue(error, column, row[key], place)
  }
  return withPlace(column.name, place, () => {
    throw new IdError('INVALID_OPTION', `the row has no column ${JSON.stringify(key)}`, { value: key })
  })
}
