import { idSchema as ofFamily } from '@snoflax/validators/typebox'
import { type TNull, type TOptional, type TUnion, type TUnsafe, Type } from 'typebox'
import { type IdSchemas, idSchemas, type SchemaTypes } from './id-schemas.js'

interface TypeBoxTypes extends SchemaTypes {
  readonly id: TUnsafe<this['data']>
  readonly nullable: TUnion<[this['id'], TNull]>
  readonly optional: TOptional<this['id']>
  readonly nullish: TOptional<this['nullable']>
}

const schemas: IdSchemas<TypeBoxTypes> = /* @__PURE__ */ idSchemas<TypeBoxTypes>({
  id: ofFamily,
  list: (schema: TUnsafe<string>) => Type.Array(schema),
  nullable: (schema: TUnsafe<string>) => Type.Union([schema, Type.Null()]),
  optional: (schema: TUnsafe<string>) => Type.Optional(schema),
})

/**
 * A schema of a column's ids. Errors are TypeBox's.
 *
 * @throws {IdError} `INVALID_OPTION` for a column without ids.
 *
 * @example
 * const input = Type.Object({ orderId: idSchema(orders.id) })
 */
export const idSchema: IdSchemas<TypeBoxTypes>['idSchema'] = schemas.idSchema

/** The id columns of a table, for a schema of its rows. @example Type.Object(selectIds(orders)) */
export const selectIds: IdSchemas<TypeBoxTypes>['selectIds'] = schemas.selectIds

/** The same for an insert: columns with a default are optional. @example Type.Object(insertIds(orders)) */
export const insertIds: IdSchemas<TypeBoxTypes>['insertIds'] = schemas.insertIds

/** The same for an update: all columns are optional. @example Type.Object(updateIds(orders)) */
export const updateIds: IdSchemas<TypeBoxTypes>['updateIds'] = schemas.updateIds
