import { IdError } from '@snoflax/core'
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm'
import { idColumnFor } from '../columns/prepared.js'

/** Ids ⇄ values of one column, for SQL of your own. */
export interface ColumnStorage {
  /** Id → parameter. @throws {IdError} with entity and property, for a malformed id. */
  toDatabase(id: string | null): unknown
  /** Value of a raw row → id. @throws {IdError} with entity and property. */
  fromDatabase(value: unknown): string | null
}

/**
 * How the ids of a property lie in its column: for parameters and rows of `dataSource.query`, which TypeORM
 * passes on as they are. Query builders and find options need no such help.
 *
 * @throws {IdError} `INVALID_OPTION` if the property holds no ids, or is a relation by several columns or by a
 * junction table.
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
