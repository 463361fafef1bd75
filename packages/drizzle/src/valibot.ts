import { idSchema as ofFamily } from '@snoflax/validators/valibot'
import * as v from 'valibot'
import { type IdSchemas, idSchemas, type SchemaTypes, type TextOf } from './id-schemas.js'

interface ValibotTypes extends SchemaTypes {
  readonly id: v.GenericSchema<TextOf<this['data']>, this['data']>
  readonly nullable: v.NullableSchema<this['id'], undefined>
  readonly optional: v.OptionalSchema<this['id'], undefined>
  readonly nullish: v.OptionalSchema<this['nullable'], undefined>
}

const schemas: IdSchemas<ValibotTypes> = /* @__PURE__ */ idSchemas<ValibotTypes>({
  id: ofFamily,
  list: v.array,
  nullable: v.nullable,
  optional: v.optional,
})

/**
 * A schema of a column's ids. Issues have the message of the IdError.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const input = v.object({ orderId: idSchema(orders.id) })
 */
export const idSchema: IdSchemas<ValibotTypes>['idSchema'] = schemas.idSchema

/** The id columns of a table, for a schema of its rows. @example createSelectSchema(orders, selectIds(orders)) */
export const selectIds: IdSchemas<ValibotTypes>['selectIds'] = schemas.selectIds

/** The same for an insert: columns with a default are optional. @example createInsertSchema(orders, insertIds(orders)) */
export const insertIds: IdSchemas<ValibotTypes>['insertIds'] = schemas.insertIds

/** The same for an update: all columns are optional. @example createUpdateSchema(orders, updateIds(orders)) */
export const updateIds: IdSchemas<ValibotTypes>['updateIds'] = schemas.updateIds
