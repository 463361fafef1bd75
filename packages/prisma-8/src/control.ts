import { readFile } from 'node:fs/promises'
import type { SqlControlExtensionDescriptor } from '@prisma/orm-family-sql/family/control'
import type { ContractConfig, ContractSourceDiagnostic } from '@prisma/orm-framework/config/config-types'
import { notOk } from '@prisma/orm-framework/utils/result'
import { IdError, type IdFamily } from '@snoflax/core'
import type { IdParams } from './columns.js'
import { ContractIds, type SqlContract } from './contract.js'
import { operations } from './operations.js'
import { EXTENSION_ID, type Parts, packOf, type TargetId } from './pack.js'

/** The extension's description for Prisma's command. */
export function controlOf<const Target extends string>(
  parts: Parts<Target>,
): SqlControlExtensionDescriptor<Target> {
  const pack = packOf(parts)
  // Of a column's parameters, only the domain is part of its type.
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

/** The configuration to which {@link withIdsOf} adds ids. */
export interface Config {
  readonly contract?: ContractConfig
  readonly extensions?: readonly { readonly id: string }[]
}

type Source = ContractConfig['source']
type Load = Source['load']

/** Creates `withIds` of `prisma.config.ts` for one database. */
export const withIdsOf =
  <Target extends TargetId>(
    descriptorOf: (families?: readonly IdFamily[]) => { readonly id: string },
    partsOf: (families?: readonly IdFamily[]) => Parts<Target>,
  ) =>
  <AConfig extends Config>(
    config: AConfig,
    { families }: { readonly families?: readonly IdFamily[] } = {},
  ): AConfig => {
    const { columns, targetId } = partsOf(families)
    const { contract, extensions = [] } = config
    const checked = (source: Source): Source => ({
      ...source,
      async load(context) {
        const loaded = await source.load(context)
        if (!loaded.ok) return loaded
        try {
          new ContractIds(loaded.value as unknown as SqlContract, columns, targetId).check()
          return loaded
        } catch (error) {
          if (!(error instanceof IdError)) throw error
          const diagnostics = [await diagnosticOf(error, context)]
          return notOk({ summary: 'Columns of ids contradict each other', diagnostics })
        }
      },
    })
    return {
      ...config,
      extensions: [...extensions.filter(({ id }) => id !== EXTENSION_ID), descriptorOf(families)],
      ...(contract && { contract: { ...contract, source: checked(contract.source) } }),
    }
  }

/** The error with the position of its field in the schema file, if found there. */
async function diagnosticOf(
  { message, path }: IdError,
  { resolvedInputs }: Parameters<Load>[0],
): Promise<ContractSourceDiagnostic> {
  const found = { code: 'SNOFLAX_CONTRACT', message }
  const [model, field] = path?.split('.') ?? []
  const declaration = new RegExp(`(\\bmodel\\s+${model}\\s*\\{[^}]*?\\n\\s*)${field}\\b[^\\n]*`)
  for (const file of resolvedInputs) {
    const text = await readFile(file, 'utf8')
    const match = declaration.exec(text)
    if (match === null) continue
    const start = match.index + (match[1] as string).length
    const end = match.index + match[0].length
    return { ...found, sourceId: file, span: { start: positionAt(text, start), end: positionAt(text, end) } }
  }
  return { ...found, sourceId: resolvedInputs[0] ?? 'contract' }
}

function positionAt(text: string, offset: number) {
  const lines = text.slice(0, offset).split('\n')
  return { offset, line: lines.length, column: (lines.at(-1) as string).length + 1 }
}
