import type { IdFamily } from '@snoflax/core'
import { patchDataSources } from '../prepare/patch-data-sources.js'
import {
  generatedColumn,
  type IdColumnOptions,
  type PlainIdColumnOptions,
  type PreliminaryColumn,
  plainColumn,
} from './definition.js'

/**
 * The column of an `EntitySchema` that is the primary key and generated: `IdColumn` without decorators.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` where the family has no generator of its own and none is given.
 *
 * @example
 * const Customer = new EntitySchema<{ id: FlaxId }>({
 *   name: 'customer',
 *   columns: { id: idColumn(flax) },
 * })
 */
export function idColumn<AnId extends string>(
  family: IdFamily<AnId>,
  options: IdColumnOptions<AnId> = {},
): PreliminaryColumn {
  patchDataSources()
  return generatedColumn(family, options)
}

/**
 * The column of an `EntitySchema` for ids that are neither the primary key nor generated.
 *
 * @example
 * const columns = { traceId: idColumn.plain(sno, { nullable: true }) }
 */
idColumn.plain = <AnId extends string>(
  family: IdFamily<AnId>,
  options: PlainIdColumnOptions = {},
): PreliminaryColumn => {
  patchDataSources()
  return plainColumn(family as unknown as IdFamily<string>, options)
}
