import { IdError } from '@snoflax/core'
import { timeOf } from '@snoflax/core/adapter'
import { decoratedFamily } from '../columns/properties.js'

/**
 * A property with the creation time of the entity's id, as a Date. It is not a column: it is read from the id. It is
 * undefined while the entity has no id, and null if the id is null or another key that the column accepts. As an accessor
 * of the class it is not in `JSON.stringify`.
 *
 * @param idProperty the id column's property, default `id`.
 * @throws {IdError} when it is read: `INVALID_OPTION` if that property is not an id column, and the family's codes for a
 * malformed id.
 *
 * @example
 * `class Order { @FlaxIdColumn() id!: FlaxId; @CreatedAt() readonly createdAt!: Date }`
 */
export function CreatedAt(idProperty = 'id') {
  return (entity: object, property: string): void => {
    Object.defineProperty(entity, property, {
      configurable: true,
      get(this: Record<string, string | null | undefined>) {
        return createdAtOf(this, idProperty, property)
      },
    })
  }
}

function createdAtOf(
  entity: Record<string, string | null | undefined>,
  idProperty: string,
  property: string,
): Date | null | undefined {
  const family = decoratedFamily(entity, idProperty)
  const place = `${entity.constructor.name}.${property}`
  if (family === undefined) {
    throw new IdError('INVALID_OPTION', `${place}: ${idProperty} is not decorated as an id column`, {
      field: idProperty,
      path: place,
    })
  }
  const id = entity[idProperty]
  return id == null ? id : timeOf(family, id)
}
