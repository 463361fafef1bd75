import { idSchema as ofFamily } from '@snoflax/validators/arktype'
import type { Type } from 'arktype'
import { type IdSchemas, idSchemas, type SchemaTypes } from './id-schemas.js'

interface ArkTypes extends SchemaTypes {
  readonly id: Type<this['data']>
  readonly nullable: Type<this['data'] | null>
  readonly optional: [this['id'], '?']
  readonly nullish: [this['nullable'], '?']
}

const schemas: IdSchemas<ArkTypes> = /* @__PURE__ */ idSchemas<ArkTypes>({
  id: ofFamily,
  list: (schema: Type<string>) => schema.array(),
  nullable: (schema: Type<string>) => schema.or('null'),
  optional: (schema: Type<string>) => schema.optional(),
})

/**
 * A schema of a column's ids. Errors have the message of the IdError.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const input = type({ orderId: idSchema(orders.id) })
 */
export const idSchema: IdSchemas<ArkTypes>['idSchema'] = schemas.idSchema

/** The id columns of a table, for a schema of its rows. @example createSelectSchema(orders, selectIds(orders)) */
export const selectIds: IdSchemas<ArkTypes>['selectIds'] = schemas.selectIds

/** The same for an insert: columns with a default are optional. @example createInsertSchema(orders, insertIds(orders)) */
export const insertIds: IdSchemas<ArkTypes>['insertIds'] = schemas.insertIds

/** The same for an update: all columns are optional. @example createUpdateSchema(orders, updateIds(orders)) */
export const updateIds: IdSchemas<ArkTypes>['updateIds'] = schemas.updateIds
