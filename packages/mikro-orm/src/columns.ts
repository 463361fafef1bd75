import {
  type FlaxId,
  flax,
  type Id,
  type IdFamily,
  type IdOf,
  type SnoId,
  type StorageName,
  sno,
} from '@snoflax/core'
import { checkFamily, checkOptions, familyWith, type IdSource, idSource } from '@snoflax/core/adapter'
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
}

/** Options of an id property whose ids are generated. */
export interface IdOptions<AnId extends string> extends PlainIdOptions {
  /** Whether the property is the primary key, or a part of it. Default true. */
  readonly primary?: boolean
  /** What generates the ids: a generator, or a family that has a default generator. Default: the property's family. */
  readonly generator?: IdSource<AnId>
}

/** Option of a generated property whose ids contain a byte of your own. */
export interface MetaOption {
  /** The metabyte of the ids, 0 to 255. */
  readonly meta?: number
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

/** Functions that declare properties of one family. */
export interface IdProperties<AnId extends string, Options> {
  /**
   * A generated primary key: a row that is inserted without an id gets a new one.
   *
   * @throws {IdError} `GENERATOR_REQUIRED` if the family has no default generator and you pass none, `INVALID_OPTION`.
   */
  <const Prefix extends string, const Given extends Options>(
    options: Given & PrefixOption<Prefix>,
  ): IdProperty<Id<Prefix>, GeneratedBy<Given>>
  <Of extends string = string, const Given extends Options = Options>(
    options?: Given,
  ): IdProperty<IdOf<AnId, Of>, GeneratedBy<Given>>
  /** A property of ids that are neither generated nor a relation. */
  plain<const Prefix extends string, const Given extends PlainIdOptions>(
    options: Given & PrefixOption<Prefix>,
  ): IdProperty<Id<Prefix>, Nullable<Given>>
  plain<Of extends string = string, const Given extends PlainIdOptions = PlainIdOptions>(
    options?: Given,
  ): IdProperty<IdOf<AnId, Of>, Nullable<Given>>
}

const PLAIN = {
  prefix: 'any',
  storage: 'any',
  nullable: 'boolean',
  unique: 'boolean',
  fieldName: 'any',
  comment: 'any',
} as const

type Given = IdOptions<string> & MetaOption & Partial<PrefixOption>

/**
 * Declares id properties of a family, which may be your own or prefixed.
 *
 * @example
 * const customerId = idProperty(prefixed(flax, 'cus'))
 * const Customer = defineEntity({ name: 'Customer', properties: { id: customerId(), name: p.string() } })
 */
export function idProperty<AnId extends string>(
  base: IdFamily<AnId>,
): IdProperties<AnId, IdOptions<AnId> & MetaOption> {
  checkFamily(base)
  const generated = (options: Given = {}) => {
    checkOptions(base.name, options, { ...PLAIN, primary: 'boolean', generator: 'any', meta: 'any' })
    const { prefix, storage, generator, meta, primary = true, ...rest } = options
    const family = familyWith(base, { prefix })
    const generate = idSource({ family, generator, meta, usage: (example) => `{ generator: ${example} }` })
    return property(new IdType(family, storage, generate), { ...rest, primary, onCreate: () => generate() })
  }
  const plain = (options: PlainIdOptions & Partial<PrefixOption> = {}) => {
    checkOptions(base.name, options, PLAIN)
    const { prefix, storage, ...rest } = options
    return property(new IdType(familyWith(base, { prefix }), storage, undefined), rest)
  }
  return Object.assign(generated, { plain }) as never
}

/** `defineEntity` looks for `~options`; decorators take what is enumerable. */
function property(type: IdType<string>, options: object): object {
  const all = { ...options, type }
  return Object.defineProperty(all, '~options', { value: all })
}

/**
 * Properties of flax ids: generated, or `flaxId.plain()`. The other families have the same two.
 *
 * @example
 * const Customer = defineEntity({ name: 'Customer', properties: { id: flaxId({ prefix: 'cus' }), name: p.string() } })
 */
export const flaxId: IdProperties<FlaxId, IdOptions<FlaxId>> = /* @__PURE__ */ idProperty(flax)

/**
 * Properties of sno ids.
 *
 * @example
 * const Order = defineEntity({ name: 'Order', properties: { id: snoId({ meta: 2 }), total: p.integer() } })
 */
export const snoId: IdProperties<SnoId, IdOptions<SnoId> & MetaOption> = /* @__PURE__ */ idProperty(sno)
