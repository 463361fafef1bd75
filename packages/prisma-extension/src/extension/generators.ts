import { IdError, type IdGenerator, isSameFamily } from '@snoflax/core'
import type { AnyFamily } from '../configuration.js'
import type { IdColumn, Models } from './model.js'

/** Makes an id for a column. */
export type NewId = (column: IdColumn) => string

/** Generators by the name of their family. */
// biome-ignore lint/suspicious/noExplicitAny: a generator of any family's ids
export type Generators = Readonly<Record<string, IdGenerator<any> | undefined>>

type Generate = (meta?: number) => string

/**
 * What makes the ids of the columns that are generated: the generators given, or a family's own.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` naming the field where there is none, `INVALID_OPTION` for a generator
 * of another family and for one that no field needs.
 */
export function newIds(models: Models, given: Generators): NewId {
  const columns = [...models.values()].flatMap(({ idList }) => idList.filter(isGenerated))
  refuseUnused(columns, given)
  const generate = new Map(
    columns.map((column) => [column, generateOf(column, given[column.settings.family.name])]),
  )
  return (column) => (generate.get(column) as Generate)(column.settings.meta)
}

const isGenerated = ({ settings }: IdColumn): boolean => settings.generated === true

function generateOf(column: IdColumn, generator: Generators[string]): Generate {
  const { family } = column.settings
  if (generator !== undefined && !isSameFamily(generator.family, family)) {
    refuse(column, `the generator given for ${family.name} makes ids of another family`, generator)
  }
  const maker = (generator ?? ownGenerator(family) ?? requireGenerator(column)) as { generate: Generate }
  return (meta) => maker.generate(meta)
}

/** Families that need no identity make ids themselves. */
const ownGenerator = (family: AnyFamily): unknown => ('generate' in family ? family : undefined)

function requireGenerator({ name, settings: { family } }: IdColumn): never {
  const example = family.generatorExample ?? `an IdGenerator of ${family.name}`
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${name}: ${family.name} has no generator of its own; ` +
      `give snoflax({ generators: { ${family.name}: ${example} } })`,
    { family: family.name, path: name },
  )
}

function refuseUnused(columns: readonly IdColumn[], given: Generators): void {
  const families = new Set(columns.map(({ settings }) => settings.family.name))
  for (const name of Object.keys(given)) {
    if (families.has(name)) continue
    const others = families.size > 0 ? `only of ${[...families].join(', ')}` : 'nor any others'
    throw new IdError('INVALID_OPTION', `generators: no ids of ${name} are made, ${others}`, {
      family: name,
      field: 'generators',
      value: given[name],
    })
  }
}

function refuse({ name, settings }: IdColumn, reason: string, value: unknown): never {
  throw new IdError('INVALID_OPTION', `${name}: ${reason}`, {
    family: settings.family.name,
    field: 'generators',
    value,
    path: name,
  })
}
