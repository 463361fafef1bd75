import type { IdFamily } from '@snoflax/core'
import { Column } from 'typeorm'
import { placed } from '../placed.js'
import { patchDataSources } from '../prepare/patch-data-sources.js'
import {
  generatedColumn,
  type IdColumnOptions,
  type PlainIdColumnOptions,
  type PreliminaryColumn,
  plainColumn,
} from './definition.js'
import { rememberIdProperty } from './id-properties.js'

/** Decorates a property that holds ids of the family: another family's does not compile. */
export type IdDecorator<AnId extends string> = <Name extends string>(
  entity: { [Property in Name]?: AnId | null },
  property: Name,
) => void

/**
 * A column of ids: **the primary key, and generated** (TypeORM's own `Column` is neither). Ids are made
 * wherever a row is inserted without one, and the column's type is that of the database.
 * For ids that are no key and not generated there is `IdColumn.plain`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` where the family has no generator of its own and none is given.
 *
 * @example
 * `class Ticket { @IdColumn(flake, { generator: flake.generator({ worker: 3 }) }) id!: FlakeId }`
 */
export function IdColumn<AnId extends string>(
  family: IdFamily<AnId>,
  options: IdColumnOptions<AnId> = {},
): IdDecorator<AnId> {
  return decorator(family, () => generatedColumn(family, options))
}

/**
 * A column of ids that are neither the primary key nor generated.
 *
 * @example
 * `class Order { @IdColumn.plain(sno, { nullable: true }) traceId!: SnoId | null }`
 */
export function plainIdColumn<AnId extends string>(
  family: IdFamily<AnId>,
  options: PlainIdColumnOptions = {},
): IdDecorator<AnId> {
  return decorator(family, () => plainColumn(family as unknown as IdFamily<string>, options))
}

IdColumn.plain = plainIdColumn

function decorator<AnId extends string>(
  family: IdFamily<AnId>,
  columnOf: () => PreliminaryColumn,
): IdDecorator<AnId> {
  return (entity, property) => {
    const column = placed(`${entity.constructor.name}.${property}`, columnOf)
    patchDataSources()
    rememberIdProperty(entity, property, family as unknown as IdFamily<string>)
    Column(column)(entity, property)
  }
}
