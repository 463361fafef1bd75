import { type Database, type IdStorage, type PrefixedFamily, storageFor } from '@snoflax/core'
import {
  checkGeneratorNames,
  checkMeta,
  checkMismatch,
  checkOptions,
  checkTimed,
  familyWith,
  type IdSource,
  idSource,
  withPath,
} from '@snoflax/core/adapter'
import type { AnyFamily, Configuration, IdField } from '../configuration.js'

/** An id field, ready to convert ids. */
export interface IdColumn {
  /** `Order.id` */
  readonly name: string
  readonly model: string
  readonly field: string
  readonly settings: IdField
  readonly storage: IdStorage<string>
  /** Generates an id; undefined if the extension generates none. */
  readonly generate: (() => string) | undefined
}

/** Generators by family name. */
// biome-ignore lint/suspicious/noExplicitAny: sources of every family's ids
export type Generators = Readonly<Record<string, IdSource<any>>>

/**
 * The columns of a configuration; with generators they generate ids.
 *
 * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a metabyte where ids have none, for a generator of
 * another family and for one that no field needs; `FIELD_OUT_OF_RANGE` for a metabyte above 255;
 * `GENERATOR_REQUIRED`.
 */
export function columnsOf(configuration: Configuration, generators?: Generators): IdColumn[] {
  const kinds = { database: 'any', models: 'any' } as const
  const { database, models } = checkOptions('snoflax', configuration, kinds, 'the configuration')
  const columns = Object.entries(models).flatMap(([model, fields]) =>
    Object.entries(fields).map(([field, settings]) =>
      idColumn(model, field, settings, database, settings.generated ? generators : undefined),
    ),
  )
  const generated = columns.filter(({ generate }) => generate).map(({ settings }) => settings.family)
  if (generators)
    checkGeneratorNames(generators, [...generated, ...generated.flatMap((family) => baseOf(family) ?? [])])
  return columns
}

/** The base of a prefixed family. */
const baseOf = (family: AnyFamily): AnyFamily | undefined => (family as Partial<PrefixedFamily>).base

/** The generator of a family; if it has none, that of its base with the prefix. */
function generatorOf(family: AnyFamily, generators: Generators): IdSource | undefined {
  const base = baseOf(family)
  const ofBase = base && generators[base.name]
  if (Object.hasOwn(generators, family.name) || ofBase === undefined) return generators[family.name]
  const source = (ofBase as { readonly monotonic?: IdSource }).monotonic ?? ofBase
  return {
    family,
    generate: (...meta) => (family as PrefixedFamily).withPrefix(source.generate(...meta) as never),
  }
}

/** Of {@link IdField}. */
const FIELD = {
  family: 'any',
  storage: 'any',
  generated: 'boolean',
  meta: 'number',
  accept: 'any',
  onMismatch: ['error', 'notFound'],
  createdAt: 'any',
  key: ['unique', 'shared'],
  relations: 'any',
} as const

function idColumn(
  model: string,
  field: string,
  options: IdField,
  database: Database,
  generators: Generators | undefined,
): IdColumn {
  const name = `${model}.${field}`
  return withPath(name, () => {
    const settings: IdField = checkOptions('ids', options, FIELD, 'the field')
    const { family, meta } = settings
    checkMeta(family, meta)
    if (settings.createdAt !== undefined) checkTimed(family)
    // Prisma's drivers return 64-bit integers exactly.
    const storage = storageFor(familyWith(family, settings), database, {
      storage: settings.storage,
      exactBigint: true,
    })
    checkMismatch(storage, settings.onMismatch)
    const usage = (example: string) =>
      `snoflax({ generators: { ${(baseOf(family) ?? family).name}: ${example} } })`
    const generate =
      generators && idSource({ family, generator: generatorOf(family, generators), meta, usage })
    return { name, model, field, settings, storage, generate }
  })
}
