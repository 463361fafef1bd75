import type {
  ControlMutationDefaultEntry,
  ControlMutationDefaults,
} from '@prisma/orm-framework/components/control'
import { type FuncCallSig, int, optional, str } from '@prisma/orm-framework/psl-parser'
import { IdError, type IdFamily, sno } from '@snoflax/core'
import { checkMeta, databaseDefault } from '@snoflax/core/adapter'
import { familyOf, type IdColumn, type IdParams, MADE_BY_SQL, paramsOf } from './columns.js'

/** The arguments of a generator in a contract. */
export interface GeneratorParams extends IdParams {
  readonly meta?: number
  readonly partition?: number
}

/** The name in contracts of the generator in this process. */
export const generatorId = ({ family }: Pick<IdColumn, 'family'>): string => `snoflax_${family.name}`

/** Prisma has its own `ulid()`, for text columns. */
const TAKEN: readonly string[] = ['ulid']

/** The name of a family's generator in `@default(…)`. */
const defaultName = ({ name }: IdFamily): string => (TAKEN.includes(name) ? `${name}Id` : name)

type Named = NonNullable<FuncCallSig['named']>

const PREFIX: Named = {
  prefix: { type: optional(str()), documentation: "The prefix of the column's ids, as its type has it." },
}

const META: Named = {
  meta: {
    type: optional(int()),
    documentation: 'The metabyte of every id of the column.',
  },
}

/** The arguments that a family's generator accepts in a contract. */
const OPTIONS: Readonly<Record<string, Named>> = {
  sno: {
    ...META,
    partition: {
      type: optional(int()),
      documentation:
        'The partition, if a single process writes. Otherwise each process brings its own generator.',
    },
  },
  flake: {
    epoch: {
      type: optional(int()),
      documentation: 'The epoch in Unix milliseconds, the same as in the type of the column.',
    },
  },
}

type Lower = ControlMutationDefaultEntry['lower']

/** The diagnostic for an invalid default, with its position in the schema. */
const refusal = ({ call, context }: Parameters<Lower>[0], message: string) =>
  ({
    ok: false,
    diagnostic: {
      code: 'SNOFLAX_DEFAULT',
      message: `${context.modelName}.${context.fieldName}: ${message}`,
      sourceId: context.sourceId,
      span: call.span,
    },
  }) as const

/** A function of `@default(…)`. Errors of `lower` become diagnostics with a position in the schema. */
const entry = (
  name: string,
  documentation: string,
  named: Named,
  lower: Lower,
): ControlMutationDefaultEntry => ({
  signature: { documentation, named } satisfies FuncCallSig,
  usageSignatures: [`${name}()`, `${name}(${Object.keys(named).join(': …, ')}: …)`],
  lower: (input) => {
    try {
      return lower(input)
    } catch (error) {
      if (error instanceof IdError) return refusal(input, error.message)
      throw error
    }
  },
})

function generated(column: IdColumn): ControlMutationDefaultEntry {
  const { family } = column
  const named = { ...PREFIX, ...OPTIONS[family.name] }
  const about = `Generates a ${family.name} if the row has none.`
  return entry(defaultName(family), about, named, ({ call }) => {
    const params = Object.fromEntries(
      Object.entries(call.args).filter(([, value]) => value !== undefined),
    ) as GeneratorParams & Record<string, string | number>
    const { meta, partition, ...ofColumn } = params
    paramsOf(column, ofColumn)
    checkMeta(family, meta)
    if (partition !== undefined) sno.generator({ partition })
    return {
      ok: true,
      value: {
        kind: 'execution',
        generated: {
          kind: 'generator',
          id: generatorId(column),
          ...(Object.keys(params).length > 0 && { params }),
        },
      },
    }
  })
}

function inDatabase(columns: readonly IdColumn[]): ControlMutationDefaultEntry {
  const { family } = columns[0] as IdColumn
  const named = { ...PREFIX, ...(family.name === 'sno' && META) }
  const about = `The database generates a ${family.name} if the row has none.`
  return entry(`${family.name}Db`, about, named, (input) => {
    const { call, context } = input
    const column = columns.find(({ codecId }) => codecId === context.columnCodecId)
    if (column === undefined) {
      const types = columns.map(({ name }) => `snoflax.${name}()`).join(' and ')
      return refusal(input, `@default(${call.fn}()) is for columns of ${types}`)
    }
    const { prefix, meta } = call.args as GeneratorParams
    const expression = databaseDefault({
      family: familyOf(column, prefix === undefined ? undefined : { prefix }),
      database: 'postgres',
      storage: column.storage,
      meta,
    })
    return { ok: true, value: { kind: 'storage', defaultValue: { kind: 'function', expression } } }
  })
}

/** What `@default(…)` accepts: `flax()`, generated in this process, and `flaxDb()`, if the database can generate it. */
export function defaultsFor(columns: readonly IdColumn[], hasDatabase: boolean): ControlMutationDefaults {
  const families = Map.groupBy(columns, ({ family }) => family)
  return {
    defaultFunctionRegistry: new Map(
      [...families].flatMap(([family, own]) => [
        [defaultName(family), generated(own[0] as IdColumn)],
        ...(hasDatabase && MADE_BY_SQL.includes(family.name)
          ? [[`${family.name}Db`, inDatabase(own)] as const]
          : []),
      ]) as [string, ControlMutationDefaultEntry][],
    ),
    generatorDescriptors: [...families].map(([, own]) => ({
      id: generatorId(own[0] as IdColumn),
      applicableCodecIds: own.map(({ codecId }) => codecId),
    })),
  }
}
