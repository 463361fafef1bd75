import type { ObjectLiteral } from 'typeorm'
import { fail } from '../columns/prepared.js'
import { checkEntity, columnOf, type IdEntity } from '../columns/properties.js'

/**
 * The stored form of an id, as a parameter of your own SQL. For a column of text it is the id itself.
 *
 * @param property the id column's property, or a relation of one id column.
 * @throws {IdError} naming entity and property, for a malformed id; `INVALID_OPTION` if the property is no id column.
 *
 * @example
 * const id = parameter(Visit, 'id', visit.id)
 * await visits.createQueryBuilder('v').where('v.id = :id', { id }).getOne()
 */
export function parameter<Entity extends ObjectLiteral>(
  entity: IdEntity<Entity>,
  property: keyof Entity & string,
  id: string | null,
): unknown {
  checkEntity(entity, property, `parameter(Order, 'id', id)`)
  const column = columnOf(entity, property)
  if (column.storage.converts) return column.to(id)
  column.check(id)
  return id
}

/**
 * The id of a value that your own SQL returned, such as those of `query()` and `getRawMany()`. A column of text returns the
 * value itself.
 *
 * @param property the id column's property, or a relation of one id column.
 * @throws {IdError} naming entity and property, for anything that the column doesn't store; `INVALID_OPTION` if the property
 * is no id column.
 *
 * @example
 * const [row] = await dataSource.query('SELECT id AS first FROM visit ORDER BY id LIMIT 1')
 * const first = fromDatabase(Visit, 'id', row.first)
 */
export function fromDatabase<Entity extends ObjectLiteral>(
  entity: IdEntity<Entity>,
  property: keyof Entity & string,
  value: unknown,
): string | null {
  checkEntity(entity, property, `fromDatabase(Order, 'id', value)`)
  const column = columnOf(entity, property)
  if (!column.storage.converts) return value as string | null
  if (column.metadata.isArray) return column.from(value) as never
  try {
    return column.read(value)
  } catch (error) {
    return fail(column.path, error)
  }
}
