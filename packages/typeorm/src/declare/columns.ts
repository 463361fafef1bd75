import {
  type FlakeId,
  type FlaxId,
  flake,
  flax,
  type IdFamily,
  type SnoId,
  sno,
  type UidId,
  type UidLocalId,
  uid,
  uidLocal,
} from '@snoflax/core'
import { Column } from 'typeorm'
import {
  generatedColumn,
  type IdColumnOptions,
  type IdSource,
  type PlainIdColumnOptions,
  type PreliminaryColumn,
  plainColumn,
} from '../columns/definition.js'
import { placed } from '../placed.js'
import { patchDataSources } from '../prepare/data-source.js'
import { rememberIdProperty } from './created-at.js'

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

/** Decorators of one family. */
export interface FamilyColumn<AnId extends string, Options = IdColumnOptions<AnId>> {
  /**
   * The primary key, generated.
   *
   * @throws {IdError} `GENERATOR_REQUIRED`, `INVALID_OPTION`, naming entity and property.
   */
  (options?: Options): IdDecorator<AnId>
  /** Ids that are neither the primary key nor generated. */
  plain(options?: PlainIdColumnOptions): IdDecorator<AnId>
}

function familyColumn<AnId extends string>(family: IdFamily<AnId>): FamilyColumn<AnId> {
  const column = (options?: IdColumnOptions<AnId>) => IdColumn(family, options)
  return Object.assign(column, { plain: plainOf(family) })
}

const plainOf =
  <AnId extends string>(family: IdFamily<AnId>) =>
  (options?: PlainIdColumnOptions) =>
    plainIdColumn(family, options)

/**
 * Primary key of flax ids, generated. A column that is neither: `FlaxIdColumn.plain()`.
 *
 * @example
 * `class Customer { @FlaxIdColumn() id!: FlaxId }`
 */
export const FlaxIdColumn: FamilyColumn<FlaxId> = /* @__PURE__ */ familyColumn(flax)

/**
 * Primary key of flake ids, generated. A column that is neither: `FlakeIdColumn.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator or `default: 'database'`.
 *
 * @example
 * `class Ticket { @FlakeIdColumn({ generator: flake.generator({ worker: 3 }) }) id!: FlakeId }`
 */
export const FlakeIdColumn: FamilyColumn<FlakeId> = /* @__PURE__ */ familyColumn(flake)

/**
 * Primary key of global uid ids, generated. A column that is neither: `UidColumn.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator or `default: 'database'`.
 *
 * @example
 * `class Event { @UidColumn({ generator: uid.generator({ node: 'app@10.0.0.7' }) }) id!: UidId }`
 */
export const UidColumn: FamilyColumn<UidId> = /* @__PURE__ */ familyColumn(uid)

/**
 * Primary key of local uid ids, generated. A column that is neither: `UidLocalColumn.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator or `default: 'database'`.
 *
 * @example
 * `class Reading { @UidLocalColumn({ generator: uidLocal.generator() }) id!: UidLocalId }`
 */
export const UidLocalColumn: FamilyColumn<UidLocalId> = /* @__PURE__ */ familyColumn(uidLocal)

/** What can give a sno id its metabyte. */
export interface SnoSource extends IdSource<SnoId> {
  /** A new id, with the metabyte of the column. */
  generate(meta?: number): SnoId
}

/** Options of {@link SnoIdColumn}. */
export interface SnoIdColumnOptions extends IdColumnOptions<SnoId> {
  /** What makes the ids. By default sno's own generator, which has a random partition. */
  readonly generator?: SnoSource
  /** The metabyte of every id of the column, from 0 to 255. Default that of the generator. */
  readonly meta?: number
}

/**
 * Primary key of sno ids, generated. A column that is neither: `SnoIdColumn.plain()`.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE` for the metabyte, naming entity and property.
 *
 * @example
 * `class Order { @SnoIdColumn({ meta: 2 }) id!: SnoId }`
 */
export const SnoIdColumn: FamilyColumn<SnoId, SnoIdColumnOptions> = /* @__PURE__ */ Object.assign(
  ({ meta, ...options }: SnoIdColumnOptions = {}): IdDecorator<SnoId> =>
    (entity, property) => {
      const place = `${entity.constructor.name}.${property}`
      const given = meta === undefined ? options : placed(place, () => withMeta(meta, options))
      IdColumn(sno, given)(entity, property)
    },
  { plain: plainOf(sno) },
)

function withMeta(
  meta: number,
  options: IdColumnOptions<SnoId> & { generator?: SnoSource },
): IdColumnOptions<SnoId> {
  // Refuses a metabyte that is none.
  sno.withMeta(sno.min, meta)
  if (options.default === 'database') return { ...options, functionArguments: [meta] }
  const { generator = sno as SnoSource } = options
  const { family } = generator
  return { ...options, generator: { family, generate: () => generator.generate(meta) } }
}
