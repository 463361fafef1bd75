import type { EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/core'
import type { Time } from '@snoflax/core'
import { readKeyset, type Timed, withPath } from '@snoflax/core/adapter'
import { type IdAt, type IdName, idColumnOf, nested } from './property.js'

/** A condition on an id property: a half-open range. */
export interface CreatedBetween<AnId extends string> {
  /** The smallest id in the range. */
  $gte: AnId
  /** The smallest id after the range; without it, the range has no end. */
  $lt?: AnId
  /** In place of `$lt`, the family's last id, if the property also accepts other keys. */
  $lte?: AnId
}

/** The name of an id property or relation, or a path to one in an embeddable: `place.visitId`. */
export type IdPath<Entity, Path extends string> = [IdAt<Entity, Path>] extends [never] ? IdName<Entity> : Path

function rangeOf<AnId extends string>(
  name: string,
  times: string,
  entity: EntityName,
  property: unknown,
  from: Time,
  to: Time,
): CreatedBetween<AnId> {
  const { path, family } = idColumnOf(entity, property, `${name}(Order, 'id', ${times})`)
  const { gte, lt, lte } = withPath(path, () => family.range<AnId>(from, to))
  return { $gte: gte, ...(lt !== undefined && { $lt: lt }), ...(lte !== undefined && { $lte: lte }) } as never
}

/**
 * Finds rows whose ids were generated at or after `from` and before `to`. Of uid it also finds others nearby: recheck with
 * `uid.time`.
 *
 * @param entity a decorated class, an EntitySchema or what `defineEntity` returns, after `MikroORM.init()`.
 * @param property an id, a relation, or a path to one in an embeddable: `place.visitId`.
 * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, or the property isn't an id; `INVALID_TIME`.
 *
 * @example
 * await em.find(Order, { id: createdBetween(Order, 'id', new Date('2026-11-01'), new Date('2026-12-01')) })
 */
export const createdBetween = <Entity extends object, const Path extends string>(
  entity: EntityName<Entity>,
  property: IdPath<Entity, Path> & Path & Timed<IdAt<Entity, Path>>,
  from: Time,
  to: Time,
): CreatedBetween<IdAt<Entity, Path>> => rangeOf('createdBetween', 'from, to', entity, property, from, to)

/**
 * Finds rows whose ids were generated at or after `time`.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * await em.find(Order, { id: createdAfter(Order, 'id', Date.now() - 3_600_000) })
 */
export const createdAfter = <Entity extends object, const Path extends string>(
  entity: EntityName<Entity>,
  property: IdPath<Entity, Path> & Path & Timed<IdAt<Entity, Path>>,
  time: Time,
): CreatedBetween<IdAt<Entity, Path>> =>
  rangeOf('createdAfter', 'time', entity, property, time, Number.POSITIVE_INFINITY)

/**
 * Finds rows whose ids were generated before `time`.
 *
 * @throws {IdError} as {@link createdBetween}.
 *
 * @example
 * await em.nativeDelete(Order, { id: createdBefore(Order, 'id', new Date('2020-01-01')) })
 */
export const createdBefore = <Entity extends object, const Path extends string>(
  entity: EntityName<Entity>,
  property: IdPath<Entity, Path> & Path & Timed<IdAt<Entity, Path>>,
  time: Time,
): CreatedBetween<IdAt<Entity, Path>> =>
  rangeOf('createdBefore', 'time', entity, property, Number.NEGATIVE_INFINITY, time)

/** Options of {@link keyset}. */
export interface KeysetOptions<Entity extends object, Field extends string> {
  /** The id property that rows are ordered by, or a path to one in an embeddable: `place.visitId`. Default `id`. */
  readonly field?: IdPath<Entity, Field> & Field
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: IdAt<Entity, Field> | null | undefined
  /** Rows per page. */
  readonly take: number
  /** Further conditions. */
  readonly where?: FilterQuery<Entity> | undefined
}

/**
 * Options for keyset pagination: page 1000 costs as much as page 1.
 *
 * @throws {IdError} with status 400 for an `after` that is no id of the property. `INVALID_OPTION` for another order, for a
 * `take` that is not a positive integer, and for a field that isn't an id.
 *
 * @example
 * const first = await em.findAll(Order, keyset(Order, { order: 'desc', take: 20 }))
 * const next = await em.findAll(Order, keyset(Order, { order: 'desc', take: 20, after: first.at(-1)?.id }))
 */
export function keyset<Entity extends object, const Field extends string = 'id'>(
  entity: EntityName<Entity>,
  options: KeysetOptions<Entity, Field>,
): { where: FilterQuery<Entity>; orderBy: QueryOrderMap<Entity>; limit: number } {
  const passed: Partial<KeysetOptions<Entity, Field>> = options ?? {}
  const { field = 'id', take, where } = passed
  const column = idColumnOf(entity, field, 'keyset(Order, { take: 20 })')
  const { after, order } = readKeyset(column, passed, 'required', { field: 'any', where: 'any' })
  const beyond = nested(field, { [order === 'asc' ? '$gt' : '$lt']: after })
  return {
    where: (after === undefined
      ? (where ?? {})
      : where == null
        ? beyond
        : { $and: [where, beyond] }) as FilterQuery<Entity>,
    orderBy: nested(field, order) as QueryOrderMap<Entity>,
    limit: take as number,
  }
}
