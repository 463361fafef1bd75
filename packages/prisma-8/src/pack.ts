import type { CodecDescriptor, DataType } from '@prisma/orm-framework/components/codec'
import type { AggregateDescriptor } from '@prisma/orm-framework/components/components'
import { authoringTypes } from './authoring.js'
import type { IdColumn } from './columns.js'
import { defaultsFor } from './defaults.js'

/** The database, as Prisma and we name it. */
export type TargetId = 'postgres' | 'sqlite'

/** The parts of a contract that depend on the database. */
export interface Parts<Target extends string> {
  readonly targetId: Target
  readonly columns: readonly IdColumn[]
  // biome-ignore lint/suspicious/noExplicitAny: descriptors of all parameters
  readonly codecs: readonly CodecDescriptor<any>[]
  readonly dataTypes: readonly DataType[]
  /** The module from which `contract.d.ts` imports types. */
  readonly types: string
  typeOf(column: IdColumn): string
}

/** The extension's name in contracts, configurations and databases. */
export const EXTENSION_ID = 'snoflax'

/** The extension's description, shared by contracts, command and client. */
export const packOf = <const Target extends string>({
  targetId,
  columns,
  codecs,
  dataTypes,
  types,
  typeOf,
}: Parts<Target>) =>
  ({
    kind: 'extension',
    id: EXTENSION_ID,
    familyId: 'sql',
    targetId,
    version: '1',
    capabilities: {},
    authoring: { type: authoringTypes(columns, typeOf) },
    controlMutationDefaults: defaultsFor(columns, targetId === 'postgres'),
    dataTypes,
    types: {
      codecTypes: {
        codecDescriptors: codecs,
        import: { package: types, named: 'CodecTypes', alias: 'SnoflaxTypes' },
        typeImports: [{ package: '@snoflax/core', named: 'Id', alias: 'Id' }],
      },
      aggregateDescriptors: columns.flatMap((column) =>
        ['min', 'max'].map(
          (operation): AggregateDescriptor => ({
            operation,
            input: { kind: 'codec', codecId: column.codecId },
            output: { kind: 'self' },
            nullable: true,
          }),
        ),
      ),
      queryOperationTypes: {
        import: { package: types, named: 'QueryOperationTypes', alias: 'SnoflaxQueryOperationTypes' },
      },
      storage: columns.map((column) => ({
        typeId: column.codecId,
        familyId: 'sql',
        targetId,
        nativeType: typeOf(column),
      })),
    },
  }) as const
