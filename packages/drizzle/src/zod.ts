import { idSchema as ofFamily } from '@snoflax/validators/zod'
import { z } from 'zod/v4'
import { type IdSchemas, idSchemas, type SchemaTypes, type TextOf } from './id-schemas.js'

interface ZodTypes extends SchemaTypes {
  readonly id: z.ZodType<this['data'], TextOf<this['data']>>
  readonly nullable: z.ZodNullable<this['id']>
  readonly optional: z.ZodOptional<this['id']>
  readonly nullish: z.ZodOptional<this['nullable']>
}

const schemas: IdSchemas<ZodTypes> = /* @__PURE__ */ idSchemas<ZodTypes>({
  id: ofFamily,
  list: z.array,
  nullable: z.nullable,
  optional: z.optional,
})

/**
 * A schema of a column's ids. Issues have the message of the IdError.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const input = z.object({ orderId: idSchema(orders.id) })
 */
export const idSchema: IdSchemas<ZodTypes>['idSchema'] = schemas.idSchema

/** The id columns of a table, for a schema of its rows. @example createSelectSchema(orders, selectIds(orders)) */
export const selectIds: IdSchemas<ZodTypes>['selectIds'] = schemas.selectIds

/** The same for an insert: columns with a default are optional. @example createInsertSchema(orders, insertIds(orders)) */
export const insertIds: IdSchemas<ZodTypes>['insertIds'] = schemas.insertIds

/** The same for an update: all columns are optional. @example createUpdateSchema(orders, updateIds(orders)) */
export const updateIds: IdSchemas<ZodTypes>['updateIds'] = schemas.updateIds
