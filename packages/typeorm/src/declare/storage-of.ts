import { IdError } from '@snoflax/core'
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm'
import { idColumnFor } from '../columns/prepared.js'

/** Converts the ids of one column, for raw SQL. */
export interface ColumnStorage {
  /** The parameter for an id. @throws {IdError} naming entity and property, for a malformed id. */
  toDatabase(id: string | null): unknown
  /** The id for a value in a raw row. @throws {IdError} naming entity and property, for anything that is not an id. */
  fromDatabase(value: unknown): string | null
}

/**
 * Converts the ids of a property for `dataSource.query`, whose parameters and rows TypeORM doesn't convert. Query builders
 * and find options don't need it.
 *
 * @throws {IdError} `INVALID_OPTION` if the property contains no ids, or is a relation with several columns or a junction
 * table.
 *
 * @example
 * const ids = storageOf(dataSource, Order, 'customer')
 * await dataSource.query('SELECT * FROM "order" WHERE "customerId" = $1', [ids.toDatabase(customer.id)])
 */
export function storageOf<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: EntityTarget<Entity>,
  property: keyof Entity & string,
): ColumnStorage {
  const metadata = dataSource.getMetadata(entity)
  // A relation may have several columns, and those of many-to-many are in its junction table.
  const columns = metadata.findColumnsWithPropertyPath(property)
  const [column] = columns.length === 1 ? columns : []
  const prepared = column?.entityMetadata === metadata ? idColumnFor(column) : undefined
  if (prepared === undefined) {
    const place = `${metadata.name}.${property}`
    throw new IdError(
      'INVALID_OPTION',
      `${place} is not an id column of this DataSource, nor a relation of one id column`,
      {
        field: property,
        path: place,
      },
    )
  }
  return {
    toDatabase: (id) => prepared.to(id),
    fromDatabase: (value) => prepared.from(value) as string | null,
  }
}
