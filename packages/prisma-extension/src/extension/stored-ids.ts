import { type DatabaseValue, IdError, type Time } from '@snoflax/core'
import { show, type Timed } from '@snoflax/core/adapter'
import type { Configuration } from '../configuration.js'
import { columnsOf, type IdColumn } from './columns.js'
import { outermost, withPlace } from './place.js'
import { refuseValue } from './result.js'

/** A filter of an id field. Its bounds are ids of the field's own family, also where it accepts other keys. */
export interface CreatedBetween<AnId extends string> {
  /** The smallest id in the range. */
  readonly gte: AnId
  /** The smallest id after the range. */
  readonly lt?: AnId
  /** In place of `lt`, if no id is after the range and the field accepts other keys: they may sort behind it. */
  readonly lte?: AnId
}

/** Ids by the field that stores them. `Types` is the id type of each field: `{ 'Order.id': SnoId }`. */
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

  /**
   * A filter of the ids that were generated at or after `from` and before `to`. For families whose `exactRange` is false
   * (uid) it also finds others nearby: recheck with `family.time`.
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
   *
   * @example
   * const november = createdBetween('Order.id', new Date('2026-11-01'), new Date('2026-12-01'))
   * await prisma.order.findMany({ where: { id: november } })
   */
  createdBetween<Name extends keyof Types & string>(
    name: Name & Timed<Types[Name]>,
    from: Time,
    to: Time,
  ): CreatedBetween<IdIn<Types, Name>>

  /**
   * A filter of the ids that were generated at or after `time`.
   *
   * @throws {IdError} `INVALID_TIME`.
   *
   * @example
   * await prisma.order.count({ where: { id: createdAfter('Order.id', Date.now() - 3_600_000) } })
   */
  createdAfter<Name extends keyof Types & string>(
    name: Name & Timed<Types[Name]>,
    time: Time,
  ): CreatedBetween<IdIn<Types, Name>>

  /**
   * A filter of the ids that were generated before `time`.
   *
   * @throws {IdError} `INVALID_TIME`.
   *
   * @example
   * await prisma.order.deleteMany({ where: { id: createdBefore('Order.id', new Date('2020-01-01')) } })
   */
  createdBefore<Name extends keyof Types & string>(
    name: Name & Timed<Types[Name]>,
    time: Time,
  ): CreatedBetween<IdIn<Types, Name>>
}

type IdIn<Types, Name extends keyof Types> = Types[Name] & string

/**
 * The functions by field, for a configuration that you write by hand.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for an invalid configuration.
 *
 * @example
 * const { parameter, fromDatabase, createdBetween } = storedIds({
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'binary', generated: true } } },
 * })
 */
export function storedIds<Types = Record<string, string>>(configuration: Configuration): StoredIds<Types> {
  const columns = new Map(columnsOf(configuration).map((column) => [column.name, column]))
  const range = (call: string) => (name: string, from: Time, to: Time) => {
    const { family } = columnOf(columns, name).storage
    return withPlace(name, outermost(call), () => family.range(from, to))
  }
  const [after, before] = [range('createdAfter'), range('createdBefore')]
  return {
    createdBetween: range('createdBetween'),
    createdAfter: (name: string, time: Time) => after(name, time, Number.POSITIVE_INFINITY),
    createdBefore: (name: string, time: Time) => before(name, Number.NEGATIVE_INFINITY, time),
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
  throw new IdError('INVALID_OPTION', `no field ${show(name)} with ids, only ${known}`, {
    value: name,
  })
}
