import { IdError } from '@snoflax/core'
import type { EntityMetadata, ObjectLiteral } from 'typeorm'
import { fail, idColumnFor, type PreparedColumn, state } from '../columns/prepared.js'

/** An entity's class, or `dataSource.getMetadata(…)` for an EntitySchema and where DataSources store an id in different ways. */
export type IdEntity<Entity extends ObjectLiteral> =
  | (abstract new (
      ...given: never[]
    ) => Entity)
  | EntityMetadata

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
  const column = columnOf(entity, property)
  if (!column.storage.converts) return value as string | null
  if (column.metadata.isArray) return column.from(value) as never
  try {
    return column.read(value)
  } catch (error) {
    return fail(column.path, error)
  }
}

function columnOf(entity: IdEntity<ObjectLiteral>, property: string): PreparedColumn {
  const metadatas =
    typeof entity === 'function' ? [...(state.entities.get(entity)?.values() ?? [])] : [entity]
  const found = metadatas.flatMap((metadata) => {
    // A relation may have several columns, and those of many-to-many are in its junction table.
    const columns = metadata.findColumnsWithPropertyPath(property)
    const [column] = columns.length === 1 ? columns : []
    return (column && metadata.columns.includes(column) && idColumnFor(column)) || []
  })
  const storages = [...new Set(found.map(({ storage }) => storage.name))]
  const column = found.at(-1)
  if (column !== undefined && storages.length === 1) return column
  const path = `${entity.name}.${property}`
  throw new IdError(
    'INVALID_OPTION',
    column === undefined
      ? `${path} is not an id column of an initialized DataSource, nor a relation of one id column`
      : `${path} is stored as ${storages.join(' and as ')}; pass dataSource.getMetadata(…) instead of the class`,
    { field: property, path },
  )
}
