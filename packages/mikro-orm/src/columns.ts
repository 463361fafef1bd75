import {
  type Accept,
  type FlaxId,
  flax,
  type IdFamily,
  type IdOf,
  type IdStorage,
  type SnoId,
  type StorageName,
  sno,
} from '@snoflax/core'
import {
  checkColumnOptions,
  checkFamily,
  checkOwnType,
  checkSchema,
  familyWith,
  type IdSource,
  idSource,
  type KeyOf,
  type KeyOptions,
  type MetaOption,
  type OnMismatch,
} from '@snoflax/core/adapter'
import { IdType } from './type.js'

/** Options of an id property whose ids are not generated. */
export interface PlainIdOptions {
  /** Whether the column is nullable. Default false. */
  readonly nullable?: boolean
  /** Whether the column has a unique constraint. Default false. */
  readonly unique?: boolean
  /** The column's name in the database. Default: the naming strategy's. */
  readonly fieldName?: string
  /** The column's comment in the database. */
  readonly comment?: string
  /** `text`, or `uuid` for UUIDv7 in PostgreSQL. Default: that of the family. */
  readonly storage?: StorageName
  /** Adds a CHECK of length and prefix, in SQLite of the type too, so that other programs can't write what is no id. */
  readonly check?: boolean
  /** The column's type that you have, such as `varchar(36)`, for ids of `opaque()`. Default: that of the family. */
  readonly columnType?: string
  /**
   * What a write of a text does that can't be an id of the property: it is an error, or with `notFound` it is written, as to a
   * plain string. Conditions never check. `notFound` needs storage `text`. Default: `error`; relations follow their target.
   */
  readonly onMismatch?: OnMismatch
}

/** Options of an id property whose ids are generated. */
export interface IdOptions<AnId extends string> extends PlainIdOptions {
  /** Whether the property is the primary key, or a part of it. Default true. */
  readonly primary?: boolean
  /** What generates the ids: a generator, or a family that has a default generator. Default: the property's family. */
  readonly generator?: IdSource<AnId>
  /** `database`: PostgreSQL generates the ids by the functions of \@snoflax/pg-sql, not the application. */
  readonly default?: 'database'
  /** With `default: 'database'`: the schema of \@snoflax/pg-sql. Default `snoflax`. */
  readonly schema?: string
}

/** Option of a property whose ids have a prefix: `cus` for `cus_Kpcan0M1FakODT4k`. */
export interface PrefixOption<Prefix extends string = string> {
  /** The prefix, without the `_`; the same as a property of `prefixed(family, prefix)`. A relation takes its target's. */
  readonly prefix: Prefix
}

/**
 * Options of a property, for MikroORM's decorators and EntitySchema, and for `defineEntity`, which infers the id type
 * from them.
 */
export interface IdProperty<AnId extends string, Options> {
  /** Checks the ids. */
  type: IdType<AnId>
  /** What `defineEntity` reads. */
  readonly '~options': Options
  /** Exists in types only. */
  readonly '~type'?: { value: AnId }
}

/** What `defineEntity` infers from the options of a generated id. */
export type GeneratedBy<Options> = { onCreate: () => string } & (Options extends { primary: false }
  ? Nullable<Options>
  : { primary: true })

type Nullable<Options> = Options extends { nullable: true } ? { nullable: true } : unknown

/** Functions that declare properties of one family: the short forms of {@link idProperty}. */
export interface IdProperties<AnId extends string, Options> {
  /**
   * A generated primary key: a row that is inserted without an id gets a new one.
   *
   * @throws {IdError} `INVALID_OPTION`.
   */
  <
    const Prefix extends string,
    const Passed extends Options,
    const Accepted extends Accept = never,
    const IsBranded extends boolean = true,
  >(
    options: Passed & PrefixOption<Prefix> & KeyOptions<Prefix, Accepted, IsBranded>,
  ): IdProperty<KeyOf<AnId, Prefix, Accepted, IsBranded>, GeneratedBy<Passed>>
  <
    Of extends string = string,
    const Passed extends Options = Options,
    const Accepted extends Accept = never,
    const IsBranded extends boolean = true,
  >(
    options?: Passed & KeyOptions<never, Accepted, IsBranded>,
  ): IdProperty<KeyOf<IdOf<AnId, Of>, never, Accepted, IsBranded>, GeneratedBy<Passed>>
  /** A property of ids that are neither generated nor a relation. */
  plain<
    const Prefix extends string,
    const Passed extends PlainIdOptions,
    const Accepted extends Accept = never,
    const IsBranded extends boolean = true,
  >(
    options: Passed & PrefixOption<Prefix> & KeyOptions<Prefix, Accepted, IsBranded>,
  ): IdProperty<KeyOf<AnId, Prefix, Accepted, IsBranded>, Nullable<Passed>>
  plain<
    Of extends string = string,
    const Passed extends PlainIdOptions = PlainIdOptions,
    const Accepted extends Accept = never,
    const IsBranded extends boolean = true,
  >(
    options?: Passed & KeyOptions<never, Accepted, IsBranded>,
  ): IdProperty<KeyOf<IdOf<AnId, Of>, never, Accepted, IsBranded>, Nullable<Passed>>
}

const STORED = {
  storage: 'any',
  nullable: 'boolean',
  unique: 'boolean',
  fieldName: 'any',
  comment: 'any',
  check: 'boolean',
  columnType: 'any',
  onMismatch: ['error', 'notFound'],
} as const

/**
 * A column of a type of its own stores what a `uuid` column would as text. MikroORM sizes the discriminators of polymorphic
 * relations by its length.
 */
function ownStorage<Options extends PlainIdOptions>(family: IdFamily, options: Options): Options {
  const { columnType, storage } = options
  if (columnType === undefined) return options
  checkOwnType({ family, name: 'text' } as IdStorage<string>, columnType, 'columnType')
  const [, length] = /\((\d+)\)$/.exec(columnType) ?? []
  return {
    ...options,
    storage: storage ?? (/^uuid$/i.test(columnType) ? undefined : 'text'),
    ...(length && { length: Number(length) }),
  }
}

/**
 * A generated primary key with the ids of a definition: any family, prefixed or your own. A row that is inserted without
 * an id gets a new one.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` if the family has no default generator and you pass none, `INVALID_OPTION`.
 *
 * @example
 * const customerId = prefixed(flax, 'cus')
 * const Customer = defineEntity({ name: 'Customer', properties: { id: idProperty(customerId), name: p.string() } })
 */
export function idProperty<
  AnId extends string,
  const Passed extends IdOptions<AnId> & MetaOption = IdOptions<AnId>,
  const Prefix extends string = never,
  const Accepted extends Accept = never,
  const IsBranded extends boolean = true,
>(
  definition: IdFamily<AnId>,
  options?: Passed & KeyOptions<Prefix, Accepted, IsBranded>,
): IdProperty<KeyOf<AnId, Prefix, Accepted, IsBranded>, GeneratedBy<Passed>> {
  checkFamily(definition)
  const checked: IdOptions<AnId> & MetaOption & KeyOptions = checkColumnOptions(
    definition,
    'generated',
    options ?? {},
    { ...STORED, primary: 'boolean' },
  )
  const { check, primary = true, prefix, accept, branded: _, onMismatch, ...others } = checked
  const { generator, meta, default: by, schema, ...stored } = others
  const family = familyWith(definition, { prefix, accept })
  const { storage, ...rest } = ownStorage(family, stored)
  if (by === 'database') {
    if (schema !== undefined) checkSchema(schema)
    const type = new IdType(family, storage, undefined, check, { schema, meta }, onMismatch)
    return property(type, { ...rest, primary })
  }
  const usage = (example: string) => `{ generator: ${example} }`
  const generate = idSource({ family, generator, meta, usage })
  const type = new IdType(family, storage, generate, check, undefined, onMismatch)
  return property(type, { ...rest, primary, onCreate: () => generate() })
}

/**
 * A property with the ids of a definition that are neither generated nor a relation.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * const properties = { id: idProperty(flax), customerId: idProperty.plain(prefixed(flax, 'cus'), { nullable: true }) }
 */
idProperty.plain = <
  AnId extends string,
  const Passed extends PlainIdOptions = PlainIdOptions,
  const Prefix extends string = never,
  const Accepted extends Accept = never,
  const IsBranded extends boolean = true,
>(
  definition: IdFamily<AnId>,
  options?: Passed & KeyOptions<Prefix, Accepted, IsBranded>,
): IdProperty<KeyOf<AnId, Prefix, Accepted, IsBranded>, Nullable<Passed>> => {
  checkFamily(definition)
  const checked: PlainIdOptions & KeyOptions = checkColumnOptions(definition, 'plain', options ?? {}, STORED)
  const { check, prefix, accept, branded: _, onMismatch, ...stored } = checked
  const family = familyWith(definition, { prefix, accept })
  const { storage, ...rest } = ownStorage(family, stored)
  return property(new IdType(family, storage, undefined, check, undefined, onMismatch), rest)
}

/** `defineEntity` looks for `~options`; decorators take what is enumerable. */
function property<AnId extends string, Options>(
  type: IdType<string>,
  options: object,
): IdProperty<AnId, Options> {
  const all = { ...options, type }
  return Object.defineProperty(all, '~options', { value: all }) as never
}

const shortForms = <AnId extends string, Options>(family: IdFamily<AnId>): IdProperties<AnId, Options> =>
  Object.assign((options?: object) => idProperty(family, options), {
    plain: (options?: object) => idProperty.plain(family, options),
  }) as never

/**
 * Properties of flax ids: generated, or `flaxId.plain()`.
 *
 * @example
 * const Customer = defineEntity({ name: 'Customer', properties: { id: flaxId({ prefix: 'cus' }), name: p.string() } })
 */
export const flaxId: IdProperties<FlaxId, IdOptions<FlaxId>> = /* @__PURE__ */ shortForms(flax)

/**
 * Properties of sno ids.
 *
 * @example
 * const Order = defineEntity({ name: 'Order', properties: { id: snoId({ meta: 2 }), total: p.integer() } })
 */
export const snoId: IdProperties<SnoId, IdOptions<SnoId> & MetaOption> = /* @__PURE__ */ shortForms(sno)
