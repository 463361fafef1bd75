import {
  type Accept,
  type FlakeId,
  type FlaxId,
  flake,
  flax,
  type IdFamily,
  type ParsedId,
  type SnoId,
  sno,
} from '@snoflax/core'
import { type KeyOf, type KeyOptions, withPath } from '@snoflax/core/adapter'
import { Column } from 'typeorm'
import {
  generatedColumn,
  type IdColumnOptions,
  type PlainIdColumnOptions,
  type PreliminaryColumn,
  plainColumn,
} from '../columns/definition.js'
import { remindOf } from '../columns/properties.js'
import { patchDataSources } from '../prepare/data-source.js'

/** The type of a property: an id, or an array of ids. */
export type OneOrMany<AnId extends string, IsArray extends boolean> = IsArray extends true ? AnId[] : AnId

/** The id type as a property declares it, for the compiler's messages. */
type Spelled<Value> = Value extends readonly (infer One)[]
  ? `${Spelled<One>}[]`
  : Value extends ParsedId<infer Name>
    ? `Id<'${Name}'>`
    : 'string'

/** A decorator for a property of this id type. Properties of another family's type don't compile. */
export interface IdDecorator<Value extends string | string[]> {
  <Name extends string>(entity: { [Property in Name]?: Value | null }, property: Name): void
  /** Fits no property: with it the compiler's message for a property of another type ends. */
  <Name extends string>(
    entity: { [Property in Name]: `declare the property as ${Spelled<Value>}` },
    property: Name,
  ): void
}

/**
 * A generated primary key, unlike TypeORM's own `Column`: a row that is inserted without an id gets a new one. For a
 * column that is neither a key nor generated, use `IdColumn.plain`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` if the family has no default generator and you pass none.
 *
 * @example
 * `class Ticket { @IdColumn(flake, { generator: flake.generator({ worker: 3 }) }) id!: FlakeId }`
 */
export function IdColumn<
  AnId extends string,
  const Prefix extends string = never,
  const Accepted extends Accept = never,
  IsBranded extends boolean = true,
>(
  family: IdFamily<AnId>,
  options: IdColumnOptions<AnId> & KeyOptions<Prefix, Accepted, IsBranded> = {},
): IdDecorator<KeyOf<AnId, Prefix, Accepted, IsBranded>> {
  return decorator(() => generatedColumn(family, options))
}

/**
 * A column of ids that are neither the primary key nor generated.
 *
 * @example
 * `class Order { @IdColumn.plain(sno, { nullable: true }) traceId!: SnoId | null }`
 */
export function plainIdColumn<
  AnId extends string,
  const Prefix extends string = never,
  const Accepted extends Accept = never,
  IsBranded extends boolean = true,
  IsArray extends boolean = false,
>(
  family: IdFamily<AnId>,
  options: PlainIdColumnOptions<IsArray> & KeyOptions<Prefix, Accepted, IsBranded> = {},
): IdDecorator<OneOrMany<KeyOf<AnId, Prefix, Accepted, IsBranded>, IsArray>> {
  return decorator(() => plainColumn(family, options))
}

IdColumn.plain = plainIdColumn

function decorator(columnOf: () => PreliminaryColumn): (entity: object, property: string) => void {
  return (entity, property) => {
    const column = withPath(`${entity.constructor.name}.${property}`, columnOf)
    patchDataSources()
    remindOf(entity, property, column)
    Column(column)(entity, property)
  }
}

/**
 * A generated primary key in an `EntitySchema`: `IdColumn` without decorators.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` if the family has no default generator and you pass none.
 *
 * @example
 * const Customer = new EntitySchema<{ id: FlaxId }>({
 *   name: 'customer',
 *   columns: { id: idColumn(flax) },
 * })
 */
export function idColumn<AnId extends string>(
  family: IdFamily<AnId>,
  options: IdColumnOptions<AnId> & KeyOptions = {},
): PreliminaryColumn {
  patchDataSources()
  return generatedColumn(family, options)
}

/**
 * A column in an `EntitySchema` for ids that are neither the primary key nor generated.
 *
 * @example
 * const columns = { traceId: idColumn.plain(sno, { nullable: true }) }
 */
idColumn.plain = (family: IdFamily, options: PlainIdColumnOptions & KeyOptions = {}): PreliminaryColumn => {
  patchDataSources()
  return plainColumn(family, options)
}

/** Decorators of one family. */
export interface FamilyColumn<AnId extends string, Options = Omit<IdColumnOptions<AnId>, 'meta'>> {
  /**
   * A generated primary key.
   *
   * @throws {IdError} `GENERATOR_REQUIRED`, `INVALID_OPTION`, naming entity and property.
   */
  <
    const Prefix extends string = never,
    const Accepted extends Accept = never,
    IsBranded extends boolean = true,
  >(
    options?: Options & KeyOptions<Prefix, Accepted, IsBranded>,
  ): IdDecorator<KeyOf<AnId, Prefix, Accepted, IsBranded>>
  /** A column of ids that are neither the primary key nor generated, or in PostgreSQL of arrays of ids. */
  plain<
    const Prefix extends string = never,
    const Accepted extends Accept = never,
    IsBranded extends boolean = true,
    IsArray extends boolean = false,
  >(
    options?: PlainIdColumnOptions<IsArray> & KeyOptions<Prefix, Accepted, IsBranded>,
  ): IdDecorator<OneOrMany<KeyOf<AnId, Prefix, Accepted, IsBranded>, IsArray>>
}

function familyColumn<AnId extends string>(
  family: IdFamily<AnId>,
): FamilyColumn<AnId, IdColumnOptions<AnId>> {
  return Object.assign((options?: IdColumnOptions<AnId>) => IdColumn(family, options), {
    plain: (options?: PlainIdColumnOptions) => plainIdColumn(family, options),
  }) as never
}

/**
 * Primary key of flax ids, generated. A column that is neither: `FlaxIdColumn.plain()`.
 *
 * @example
 * `class Customer { @FlaxIdColumn({ prefix: 'cus' }) id!: Id<'cus'> }`
 */
export const FlaxIdColumn: FamilyColumn<FlaxId> = /* @__PURE__ */ familyColumn(flax)

/**
 * Primary key of sno ids, generated. A column that is neither: `SnoIdColumn.plain()`.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE` for the metabyte, naming entity and property.
 *
 * @example
 * `class Order { @SnoIdColumn({ meta: 2 }) id!: SnoId }`
 */
export const SnoIdColumn: FamilyColumn<SnoId, IdColumnOptions<SnoId>> = /* @__PURE__ */ familyColumn(sno)

/**
 * Primary key of flake ids, generated. A column that is neither: `FlakeIdColumn.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator or `default: 'database'`.
 *
 * @example
 * `class Ticket { @FlakeIdColumn({ generator: flake.generator({ worker: 3 }) }) id!: FlakeId }`
 */
export const FlakeIdColumn: FamilyColumn<FlakeId> = /* @__PURE__ */ familyColumn(flake)
