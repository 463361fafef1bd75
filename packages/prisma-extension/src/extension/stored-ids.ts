import { type DatabaseValue, IdError } from '@snoflax/core'
import type { Configuration } from '../configuration.js'
import { columnsOf, type IdColumn } from './columns.js'
import { outermost, withPlace } from './place.js'
import { refuseValue } from './result.js'

/** Ids in raw queries on compact storages. `Types` is the id type of each field: `{ 'Order.id': SnoId }`. */
export interface StoredIds<Types> {
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

/**
 * The functions for raw queries on compact storages, for a configuration that you write by hand.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an invalid configuration.
 *
 * @example
 * const { parameter, fromDatabase } = storedIds({
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'binary', generated: true } } },
 * })
 */
export function storedIds<Types = Record<string, string>>(configuration: Configuration): StoredIds<Types> {
  const columns = new Map(columnsOf(configuration).map((column) => [column.name, column]))
  return {
    parameter: (name: string, id: unknown) => {
      const { storage } = columnOf(columns, name)
      return withPlace(name, outermost('parameter'), () => storage.toDatabase(id))
    },
    fromDatabase: (name: string, value: unknown) => {
      const column = columnOf(columns, name)
      try {
        return column.storage.fromDatabase(value)
      } catch (error) {
        return refuseValue(error, column, value, outermost('fromDatabase'))
      }
    },
  } as unknown as StoredIds<Types>
}

function columnOf(columns: ReadonlyMap<string, IdColumn>, name: string): IdColumn {
  const column = columns.get(name)
  if (column !== undefined) return column
  const known = [...columns.keys()].join(', ')
  throw new IdError('INVALID_OPTION', `no field ${JSON.stringify(name)} with ids, only ${known}`, {
    value: name,
  })
}
