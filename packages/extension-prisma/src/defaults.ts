import type {
  ControlMutationDefaultEntry,
  ControlMutationDefaults,
} from '@prisma/orm-framework/components/control'
import { type FuncCallSig, int, optional, str } from '@prisma/orm-framework/psl-parser'
import { IdError } from '@snoflax/core'
import { databaseDefault } from '@snoflax/core/adapter'
import type { IdColumn } from './columns.js'

/** The name that contracts give to what generates a family's ids, in this process. */
export const generatorId = ({ family }: Pick<IdColumn, 'family'>): string => `snoflax_${family.name}`

type Named = NonNullable<FuncCallSig['named']>

const PREFIX: Named = {
  prefix: { type: optional(str()), documentation: "The prefix of the column's ids, as its type has it." },
}

const META: Named = {
  meta: {
    type: optional(int({ min: 0, max: 255 })),
    documentation: 'The metabyte of every id of the column.',
  },
}

/** What the generator of a family can be told in a contract. */
const OPTIONS: Readonly<Record<string, Named>> = {
  sno: {
    ...META,
    partition: {
      type: optional(int({ min: 0, max: 65_535 })),
      documentation:
        'The partition, if a single process writes. Otherwise each process brings its own generator.',
    },
  },
  flake: {
    epoch: {
      type: optional(int()),
      documentation: 'Unix milliseconds that the time counts from, as the type of the column has it.',
    },
  },
}

function generated(column: IdColumn): ControlMutationDefaultEntry {
  const { name } = column.family
  const named = { ...PREFIX, ...OPTIONS[name] }
  return {
    signature: { documentation: `Generates a ${name} where none is given.`, named } satisfies FuncCallSig,
    usageSignatures: [`${name}()`, `${name}(${Object.keys(named).join(': …, ')}: …)`],
    lower({ call }) {
      const params = Object.entries(call.args).filter(([, value]) => value !== undefined)
      return {
        ok: true,
        value: {
          kind: 'execution',
          generated: {
            kind: 'generator',
            id: generatorId(column),
            ...(params.length > 0 && {
              params: Object.fromEntries(params) as Record<string, string | number>,
            }),
          },
        },
      }
    },
  }
}

function inDatabase(columns: readonly IdColumn[]): ControlMutationDefaultEntry {
  const { family } = columns[0] as IdColumn
  const named = family.name === 'sno' ? META : {}
  return {
    signature: {
      documentation: `The database generates a ${family.name} where none is given.`,
      named,
    } satisfies FuncCallSig,
    usageSignatures: [`${family.name}Db()`],
    lower({ call, context }) {
      const refuse = (message: string) =>
        ({
          ok: false,
          diagnostic: {
            code: 'SNOFLAX_DEFAULT',
            message: `${context.modelName}.${context.fieldName}: ${message}`,
            sourceId: context.sourceId,
            span: call.span,
          },
        }) as const
      const column = columns.find(({ codecId }) => codecId === context.columnCodecId)
      if (column === undefined) {
        return refuse(
          `@default(${call.fn}()) is for columns of ${columns.map(({ name }) => `snoflax.${name}()`).join(' and ')}`,
        )
      }
      try {
        const meta = call.args['meta'] as number | undefined
        const expression = databaseDefault({ family, database: 'postgres', storage: column.storage, meta })
        return { ok: true, value: { kind: 'storage', defaultValue: { kind: 'function', expression } } }
      } catch (error) {
        if (error instanceof IdError) return refuse(error.message)
        throw error
      }
    },
  }
}

/** What `@default(…)` takes: `flax()` of this process and, where the database can, `flaxDb()` of the database. */
export function defaultsFor(columns: readonly IdColumn[], hasDatabase: boolean): ControlMutationDefaults {
  const families = Map.groupBy(columns, ({ family }) => family)
  return {
    defaultFunctionRegistry: new Map(
      [...families].flatMap(([family, own]) => [
        [family.name, generated(own[0] as IdColumn)],
        ...(hasDatabase ? [[`${family.name}Db`, inDatabase(own)] as const] : []),
      ]) as [string, ControlMutationDefaultEntry][],
    ),
    generatorDescriptors: [...families].map(([, own]) => ({
      id: generatorId(own[0] as IdColumn),
      applicableCodecIds: own.map(({ codecId }) => codecId),
    })),
  }
}
