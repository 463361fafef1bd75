import {
  type FlakeId,
  type FlaxId,
  flake,
  flax,
  IdError,
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

/** Primary key of flake ids, generated. It needs a generator, or `default: 'database'`. */
export const FlakeIdColumn: FamilyColumn<FlakeId> = /* @__PURE__ */ familyColumn(flake)

/** Primary key of global uid ids, generated. It needs a generator, or `default: 'database'`. */
export const UidColumn: FamilyColumn<UidId> = /* @__PURE__ */ familyColumn(uid)

/** Primary key of local uid ids, generated. It needs a generator, or `default: 'database'`. */
export const UidLocalColumn: FamilyColumn<UidLocalId> = /* @__PURE__ */ familyColumn(uidLocal)

/** What can give a sno id its metabyte. */
export interface SnoSource extends IdSource<SnoId> {
  generate(meta?: number): SnoId
}

export interface SnoIdColumnOptions extends IdColumnOptions<SnoId> {
  readonly generator?: SnoSource
  /** The metabyte of every id of the column, from 0 to 255. Default that of the generator. */
  readonly meta?: number
}

/**
 * Primary key of sno ids, generated. A column that is neither: `SnoIdColumn.plain()`.
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
  if (!Number.isInteger(meta) || meta < 0 || meta > 255) {
    throw new IdError('FIELD_OUT_OF_RANGE', `sno: meta is a whole number from 0 to 255, not ${meta}`, {
      family: sno.name,
      field: 'meta',
      value: meta,
    })
  }
  if (options.default === 'database') return { ...options, functionArguments: [meta] }
  const { generator = sno } = options
  return { ...options, generator: { generate: () => generator.generate(meta) } }
}
