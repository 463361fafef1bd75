import type {
  AuthoringArgumentDescriptor,
  AuthoringTypeConstructorDescriptor,
  AuthoringTypeNamespace,
} from '@prisma/orm-framework/components/authoring'
import type { IdColumn, IdParams } from './columns.js'

const OPTIONS: AuthoringArgumentDescriptor = {
  kind: 'object',
  name: 'options',
  optional: true,
  properties: {
    prefix: { kind: 'string', optional: true },
    epoch: { kind: 'number', integer: true, optional: true },
  },
}

/** The constructors of column types: `snoflax.Flax()`, `snoflax.FlaxUuid()`. */
export const authoringTypes = (
  columns: readonly IdColumn[],
  typeOf: (column: IdColumn) => string,
): AuthoringTypeNamespace => ({
  snoflax: Object.fromEntries(
    columns.map((column): [string, AuthoringTypeConstructorDescriptor] => [
      column.name,
      {
        kind: 'typeConstructor',
        documentation: `Ids of the family ${column.family.name}, stored as ${column.storage}.`,
        args: [OPTIONS],
        output: {
          codecId: column.codecId,
          nativeType: typeOf(column),
          typeParams: {
            ...column.fixedParams,
            prefix: { kind: 'arg', index: 0, path: ['prefix'] },
            epoch: { kind: 'arg', index: 0, path: ['epoch'] },
          } satisfies Partial<Record<keyof IdParams, unknown>>,
        },
      },
    ]),
  ),
})
