import type { Time } from '@snoflax/core'
import { readKeyset, refuse, show, type Timed, withPath } from '@snoflax/core/adapter'
import {
  And,
  Equal,
  type FindManyOptions,
  FindOperator,
  type FindOptionsOrder,
  type FindOptionsWhere,
  IsNull,
  LessThan,
  LessThanOrEqual,
  MoreThan,
  MoreThanOrEqual,
  Not,
  type ObjectLiteral,
} from 'typeorm'
import { type IdEntity, idPropertyOf } from '../columns/properties.js'

/** The properties of an entity that may be ids. */
export type IdPropertyOf<Entity> = {
  [Property in keyof Entity]-?: NonNullable<Entity[Property]> extends string ? Property : never
}[keyof Entity] &
  string

/** The properties of an entity that may be relations, whose foreign keys are ids. */
type RelationOf<Entity> = {
  [Property in keyof Entity]-?: Awaited<NonNullable<Entity[Property]>> extends readonly unknown[] | Date
    ? never
    : Awaited<NonNullable<Entity[Property]>> extends object
      ? Property
      : never
}[keyof Entity] &
  string

/** A condition on an id property, or on a relation. */
export type Created<Value> = FindOperator<NonNullable<Value> extends string ? NonNullable<Value> : string>

/**
 * Finds rows whose ids were generated at or after `from` and before `to`. For families whose `exactRange` is false (uid)
 * it also finds others nearby: recheck with `family.time`. If `from` is after the family's last time, it finds none.
 *
 * @param property an id column, a foreign key, or a relation of one id column.
 * @throws {IdError} `INVALID_OPTION` if the property is no id column, or `from` is after `to`; `INVALID_TIME`.
 *
 * @example
 * await orders.findBy({ id: createdBetween(Order, 'id', new Date('2026-11-01'), new Date('2026-12-01')) })
 */
export function createdBetween<
  Entity extends ObjectLiteral,
  Property extends IdPropertyOf<Entity> | RelationOf<Entity>,
>(
  entity: IdEntity<Entity>,
  property: Property & Timed<NonNullable<Entity[Property]>>,
  from: Time,
  to: Time,
): Created<Entity[Property]> {
  return created("createdBetween(Order, 'id', from, to)", entity, property, from, to)
}

/**
 * Finds rows whose ids were generated at or after `time`: none after the family's last time. If `exactRange` is false,
 * recheck with `family.time`.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * await orders.findBy({ id: createdAfter(Order, 'id', Date.now() - 3_600_000) })
 */
export function createdAfter<
  Entity extends ObjectLiteral,
  Property extends IdPropertyOf<Entity> | RelationOf<Entity>,
>(
  entity: IdEntity<Entity>,
  property: Property & Timed<NonNullable<Entity[Property]>>,
  time: Time,
): Created<Entity[Property]> {
  return created("createdAfter(Order, 'id', time)", entity, property, time, Number.POSITIVE_INFINITY)
}

/**
 * Finds rows whose ids were generated before `time`: all, if it is after the family's last time. If `exactRange` is
 * false, recheck with `family.time`.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * await orders.delete({ id: createdBefore(Order, 'id', new Date('2020-01-01')) })
 */
export function createdBefore<
  Entity extends ObjectLiteral,
  Property extends IdPropertyOf<Entity> | RelationOf<Entity>,
>(
  entity: IdEntity<Entity>,
  property: Property & Timed<NonNullable<Entity[Property]>>,
  time: Time,
): Created<Entity[Property]> {
  return created("createdBefore(Order, 'id', time)", entity, property, Number.NEGATIVE_INFINITY, time)
}

function created(
  usage: string,
  entity: IdEntity<ObjectLiteral>,
  property: string,
  from: Time,
  to: Time,
): FindOperator<never> {
  const { path, family } = idPropertyOf(entity, property, usage)
  const { gte, lt, lte } = withPath(path, () => family.range(from, to))
  const bounds = [MoreThanOrEqual(gte)]
  if (lt !== undefined) bounds.push(LessThan(lt))
  if (lte !== undefined) bounds.push(LessThanOrEqual(lte))
  // On a relation TypeORM takes a single comparison for a number of rows.
  return And(...bounds) as FindOperator<never>
}

/** Options of {@link keyset}. */
export interface KeysetOptions<Entity extends ObjectLiteral, Field extends keyof Entity & string> {
  /** The id property that rows are ordered by, of a unique column. Default `id`. Rows without an id are on no page. */
  readonly field?: Field
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: Entity[Field] | null | undefined
  /** Rows per page. */
  readonly take: number
  /** Further conditions; of a list, one must hold. An empty one is none, as in TypeORM. */
  readonly where?: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[] | undefined
}

/**
 * Find options for keyset pagination: page 1000 costs as much as page 1, and inserted or deleted rows shift no page.
 *
 * @throws {IdError} with status 400 for an `after` that is no id of the property. `INVALID_OPTION` if the property is no id
 * column, for another order, and for a `take` that is not a positive integer.
 *
 * @example
 * const first = await orders.find(keyset(Order, { order: 'desc', take: 20 }))
 * const next = await orders.find(keyset(Order, { order: 'desc', take: 20, after: first.at(-1)?.id }))
 */
export function keyset<
  Entity extends ObjectLiteral,
  Field extends IdPropertyOf<Entity> = 'id' & IdPropertyOf<Entity>,
>(
  entity: IdEntity<Entity>,
  options: KeysetOptions<Entity, Field>,
): Pick<FindManyOptions<Entity>, 'where' | 'order' | 'take'> {
  const { field = 'id' as Field, take, where } = Object(options) as typeof options
  const column = idPropertyOf(entity, field, "keyset(Order, { take: 20, field: 'id' })")
  const { after, order } = readKeyset(column, options ?? {}, 'required', { field: 'any', where: 'any' })
  const bound =
    after !== undefined
      ? (order === 'asc' ? MoreThan : LessThan)(after)
      : column.isNullable
        ? Not(IsNull())
        : undefined
  const seek = (one: FindOptionsWhere<Entity>): FindOptionsWhere<Entity> =>
    bound === undefined ? one : { ...one, [field]: both(one[field], bound) }
  return {
    where: Array.isArray(where) ? seekInEach(where, seek) : seek(checkWhere(where, 'where')),
    order: { [field]: order } as FindOptionsOrder<Entity>,
    take,
  }
}

/** TypeORM ignores conditions of a list that are empty, unless all are. */
function seekInEach<Where extends object>(list: readonly Where[], seek: (one: Where) => Where): Where[] {
  const conditions = list.map((one, i) => checkWhere(one, `where[${i}]`))
  if (conditions.length === 0) return [seek({} as Where)]
  const isEmpty = conditions.every((one) => !isCondition(one))
  return conditions.map((one) => (isEmpty || isCondition(one) ? seek(one) : one))
}

function checkWhere<Where>(where: Where | undefined, name: string): Where {
  if (where === undefined) return {} as Where
  if (typeof where === 'object' && where !== null && !Array.isArray(where)) return where
  return refuse('keyset', 'where', where, `${name} must be an object of conditions, not ${show(where)}`)
}

/** Whether TypeORM makes a condition of the value of a property, or of an object of such values. */
function isCondition(value: unknown): boolean {
  const isPlain = Object.getPrototypeOf(Object(value)) === Object.prototype
  return isPlain ? Object.values(value as object).some(isCondition) : value !== undefined
}

function both<Value>(own: unknown, bound: FindOperator<Value>): FindOperator<Value> {
  if (own === undefined) return bound
  return And(own instanceof FindOperator ? own : Equal(own as Value), bound)
}
