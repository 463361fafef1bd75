import type { SqlControlExtensionDescriptor } from '@prisma/orm-family-sql/family/control'
import type { IdParams } from './columns.js'
import { operations } from './operations.js'
import { type Parts, packOf } from './pack.js'

/** What Prisma's command needs to know of the extension. */
export function controlOf<const Target extends string>(
  parts: Parts<Target>,
): SqlControlExtensionDescriptor<Target> {
  const pack = packOf(parts)
  // Of a column's parameters only the domain has to do with its type.
  const expandNativeType = ({
    nativeType,
    typeParams,
  }: {
    nativeType: string
    typeParams?: IdParams
  }): string => typeParams?.domain ?? nativeType
  return {
    ...pack,
    types: {
      ...pack.types,
      codecTypes: {
        ...pack.types.codecTypes,
        controlPlaneHooks: Object.fromEntries(
          parts.columns.map(({ codecId }) => [codecId, { expandNativeType }]),
        ),
      },
    },
    queryOperations: () => operations(parts.columns),
    create: () => ({ familyId: 'sql', targetId: parts.targetId }),
  } as SqlControlExtensionDescriptor<Target>
}
