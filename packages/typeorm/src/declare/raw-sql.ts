import { IdError } from '@snoflax/core'
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm'
import { idColumnFor, type PreparedColumn } from '../columns/prepared.js'

/** An id column of a DataSource, for {@link parameter} and {@link fromDatabase}. */
export interface RawColumn {
  /** Entity and property. */
  readonly path: string
}

/**
 * The id column of a property, for SQL that TypeORM doesn't write.
 *
 * @throws {IdError} `INVALID_OPTION` if the property contains no ids, or is a relation with several columns or a junction
 * table.
 *
 * @example
 * const customerId = columnOf(dataSource, Order, 'customer')
 * await dataSource.query('SELECT * FROM "order" WHERE "customerId" = $1', [parameter(customerId, customer.id)])
 */
export function columnOf<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: EntityTarget<Entity>,
  property: keyof Entity & string,
): RawColumn {
  const metadata = dataSource.getMetadata(entity)
  // A relation may have several columns, and those of many-to-many are in its junction table.
  const columns = metadata.findColumnsWithPropertyPath(property)
  const [column] = columns.length === 1 ? columns : []
  const idColumn = column?.entityMetadata === metadata ? idColumnFor(column) : undefined
  if (idColumn !== undefined) return idColumn
  const place = `${metadata.name}.${property}`
  throw new IdError(
    'INVALID_OPTION',
    `${place} is not an id column of this DataSource, nor a relation of one id column`,
    { field: property, path: place },
  )
}

/**
 * The stored form of an id, as a parameter of any SQL. For a column of text it is the id itself.
 *
 * @throws {IdError} naming entity and property, for a malformed id.
 *
 * @example
 * const bound = parameter(columnOf(dataSource, Visit, 'id'), visit.id)
 * await dataSource.query('SELECT * FROM visit WHERE id = coalesce($1, id)', [bound])
 */
export function parameter(column: RawColumn, id: string | null): unknown {
  const idColumn = column as PreparedColumn
  if (idColumn.storage.converts) return idColumn.to(id)
  idColumn.check(id)
  return id
}

/**
 * The id for a value that SQL returned, such as those of `query()`. A column of text returns the value itself.
 *
 * @throws {IdError} naming entity and property, for anything that the column doesn't store.
 *
 * @example
 * const [row] = await dataSource.query('SELECT id AS first FROM visit ORDER BY id LIMIT 1')
 * const first = fromDatabase(columnOf(dataSource, Visit, 'id'), row.first)
 */
export function fromDatabase(column: RawColumn, value: unknown): string | null {
  const idColumn = column as PreparedColumn
  return (idColumn.storage.converts ? idColumn.from(value) : value) as string | null
}
