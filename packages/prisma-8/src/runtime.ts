import type { Expression } from '@prisma/orm-family-sql/relational-core/expression'
import type { SqlMiddleware, SqlRuntimeExtensionDescriptor } from '@prisma/orm-family-sql/runtime'
import { IdError, type IdFamily, type IdGenerator, sno } from '@snoflax/core'
import { idSource, withPath } from '@snoflax/core/adapter'
import { familyOf } from './columns.js'
import { type ContractColumn, ContractIds, type SqlContract } from './contract.js'
import { type GeneratorParams, generatorId } from './defaults.js'
import { bound, idMiddleware } from './middleware.js'
import { operations } from './operations.js'
import { type Parts, packOf, type TargetId } from './pack.js'

/** Generators by family name, for families that need a partition, worker or node. */
export type Generators = Readonly<Record<string, IdGenerator<string>>>

/** The client options to which {@link withIds} adds ids. */
export interface ClientOptions<Target extends string> {
  readonly contract?: unknown
  readonly contractJson?: unknown
  readonly extensions?: readonly SqlRuntimeExtensionDescriptor<Target>[]
  readonly middleware?: readonly SqlMiddleware[]
}

/** Options of `withIds`. */
export interface IdOptions {
  readonly generators?: Generators
  /** Families of your own, the same as in `withIds` of prisma.config.ts. */
  readonly families?: readonly IdFamily[]
}

const keyOf = (id: string, params: GeneratorParams): string =>
  JSON.stringify([id, Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1))])

/** The generator of a column's ids. @throws {IdError} with model and field, if there is none. */
function sourceOf(
  { column, place }: ContractColumn,
  params: GeneratorParams,
  generators: Generators,
): () => string {
  const { prefix, epoch, meta, partition } = params
  return withPath(place, () => {
    const base = familyOf(column, epoch === undefined ? undefined : { epoch })
    const generator =
      generators[column.family.name] ?? (partition === undefined ? undefined : partitioned(partition))
    const usage = (example: string) => `generators: { ${column.family.name}: ${example} } to withIds`
    const source = idSource({
      family: base,
      ...(generator && { generator }),
      ...(meta !== undefined && { meta }),
      usage,
    })
    return prefix === undefined ? source : () => `${prefix}_${source()}`
  })
}

const partitions = new Map<number, IdGenerator<string>>()

/** One generator per partition and process: two would generate the same ids. */
function partitioned(partition: number): IdGenerator<string> {
  const generator = partitions.get(partition) ?? sno.generator({ partition })
  partitions.set(partition, generator)
  return generator
}

function checkNames(generators: Generators, families: readonly string[]): void {
  for (const name of Object.keys(generators)) {
    if (families.includes(name)) continue
    throw new IdError(
      'INVALID_OPTION',
      `withIds: no family ${name}; generators can have ${families.join(', ')}`,
      {
        field: 'generators',
        value: name,
      },
    )
  }
}

/** Creates `withIds` of the client for one database. */
export function withIdsOf<const Target extends TargetId>(
  partsOf: (families?: readonly IdFamily[]) => Parts<Target>,
) {
  return <Options extends ClientOptions<Target>>(
    options: Options & IdOptions,
  ): Omit<Options, keyof IdOptions> => {
    const { generators = {}, families, ...client } = options
    const parts = partsOf(families)
    const { targetId, columns, codecs } = parts
    const { kind, id, familyId, version, dataTypes, types } = packOf(parts)
    checkNames(generators, [...new Set(columns.map(({ family }) => family.name))])
    const contract = (options.contract ?? options.contractJson) as SqlContract | undefined
    if (contract?.storage === undefined) {
      throw new IdError('INVALID_OPTION', 'withIds: pass contract or contractJson, as to the client', {
        field: 'contractJson',
        value: contract,
      })
    }
    const ids = new ContractIds(contract, columns, targetId)
    ids.check()
    const sources = new Map(
      ids
        .generated()
        .map(({ id, column, params }) => [keyOf(id, params), sourceOf(column, params, generators)]),
    )
    const extension: SqlRuntimeExtensionDescriptor<Target> = {
      kind,
      id,
      familyId,
      version,
      targetId,
      dataTypes,
      types: {
        codecTypes: { codecDescriptors: codecs },
        aggregateDescriptors: types.aggregateDescriptors,
      },
      codecs: () => codecs,
      queryOperations: () => operations(columns),
      mutationDefaultGenerators: () =>
        [...new Set(columns.map(generatorId))].map((name) => ({
          id: name,
          stability: 'field' as const,
          // A default of the contract, so its source was created above.
          generate: (params) => (sources.get(keyOf(name, params ?? {})) as () => string)(),
        })),
      create: () => ({ familyId, targetId }),
    } as SqlRuntimeExtensionDescriptor<Target>
    return {
      ...client,
      extensions: [...(options.extensions ?? []), extension],
      middleware: [...(options.middleware ?? []), idMiddleware(columns, targetId)],
    } as unknown as Omit<Options, keyof IdOptions>
  }
}

/** Creates `parametersOf` for one database. */
export const parametersFor =
  <const Target extends TargetId>(partsOf: (families?: readonly IdFamily[]) => Parts<Target>) =>
  ({
    contractJson,
    families,
  }: {
    readonly contractJson: unknown
    readonly families?: readonly IdFamily[]
  }) => {
    const { columns, targetId } = partsOf(families)
    const ids = new ContractIds(contractJson as SqlContract, columns, targetId)
    return (field: string, id: string): Expression<{ codecId: string; nullable: false }> => {
      const column = ids.ofField(field)
      const parameter = bound(column, id)
      return {
        returnType: { codecId: column.ref.codecId, nullable: false },
        buildAst: () => parameter,
      }
    }
  }
