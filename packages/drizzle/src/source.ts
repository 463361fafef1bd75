import { IdError, type IdFamily, isSameFamily } from '@snoflax/core'
import type { ColumnRequest, MetaFamily } from './options.js'

/** Makes the next id of a column. */
export type Source = () => string

/**
 * What makes the ids of a column.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` for a family that has no default generator, `INVALID_OPTION` for a
 * generator of another family, or a metabyte where ids have none.
 */
export function sourceOf({ family, options }: ColumnRequest): Source {
  const { generator, meta } = options
  checkMeta(family, meta)
  if (generator !== undefined && !isSameFamily(generator.family, family)) {
    throw new IdError(
      'INVALID_OPTION',
      `the generator makes ids of another family than this ${family.name}: give idColumn the generator's family`,
      { family: family.name, field: 'generator' },
    )
  }
  const maker = (generator ?? defaultMaker(family)) as Pick<MetaFamily<string>, 'generate'>
  return meta === undefined ? () => maker.generate() : () => maker.generate(meta)
}

/** @throws {IdError} `INVALID_OPTION`, `FIELD_OUT_OF_RANGE`. */
export function checkMeta(family: IdFamily<string>, meta: number | undefined): void {
  if (meta === undefined) return
  if (!('withMeta' in family)) {
    throw new IdError('INVALID_OPTION', `${family.name}: its ids carry no metabyte`, {
      family: family.name,
      field: 'meta',
      value: meta,
    })
  }
  // Refuses a metabyte out of range now, rather than at the first insert.
  const { withMeta, min } = family as MetaFamily<string>
  withMeta(min, meta)
}

function defaultMaker(family: IdFamily<string>): object {
  if ('generate' in family) return family
  const example = family.generatorExample ?? 'one'
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${family.name} has no default generator: give the column { generator: ${example} }`,
    { family: family.name, field: 'generator' },
  )
}
