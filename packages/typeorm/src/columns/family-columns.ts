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
import { placed } from '../placed.js'
import type { IdColumnOptions, IdSource, PlainIdColumnOptions } from './definition.js'
import { IdColumn, type IdDecorator, plainIdColumn } from './id-column.js'

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
