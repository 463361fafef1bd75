import { IdError } from '@snoflax/core'
import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm'
import { idColumnFor } from './prepare/prepared-column.js'

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
 * @throws {IdError} `INVALID_OPTION` if the property holds no ids.
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
  const [column] = metadata.findColumnsWithPropertyPath(property)
  const prepared = column && idColumnFor(column)
  if (prepared === undefined) {
    const place = `${metadata.name}.${property}`
    throw new IdError(
      'INVALID_OPTION',
      `${place} is no id column of this DataSource, nor a relation by one`,
      {
        field: property,
        path: place,
      },
    )
  }
  const { transformer } = prepared
  return {
    toDatabase: (id) => transformer.to(id),
    fromDatabase: (value) => transformer.from(value) as string | null,
  }
}
