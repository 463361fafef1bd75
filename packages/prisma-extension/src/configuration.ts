import type { Accept, Database, IdFamily, StorageName } from '@snoflax/core'
import type { OnMismatch } from '@snoflax/core/adapter'

/** Any family, including your own. */
// biome-ignore lint/suspicious/noExplicitAny: families of every id fit, and their methods take their own ids only
export type AnyFamily = IdFamily<any, any>

/** A field of ids. */
export interface IdField {
  /** The family of its ids. */
  readonly family: AnyFamily
  /** How the ids are stored. Must match the field's type in the Prisma schema. */
  readonly storage: StorageName
  /** Whether the extension generates an id if a write has none. Not for foreign keys. */
  readonly generated?: boolean
  /** The metabyte of the field's generated ids, 0 to 255, for families whose ids have one. */
  readonly meta?: number
  /**
   * Keys that the field also accepts, such as those that its rows already have: a pattern that matches the whole key, a
   * family, or a list of both.
   */
  readonly accept?: Accept
  /**
   * What a text that can't be an id of the field does in a condition: it is an IdError, or finds nothing, as with plain
   * keys. The second is for storage `text`. In data it is always an error. Default `error`.
   */
  readonly onMismatch?: OnMismatch
  /** The name of a property to add to rows, with the id's creation time. */
  readonly createdAt?: string
  /**
   * That `$find` looks ids up in this field. `shared` if several rows may have the same id: a field of a composite key or
   * unique set, or of generated ids that needn't be unique.
   */
  readonly key?: 'unique' | 'shared'
  /** The relations of a foreign key: rows that are created with a row by these have their ids before it. */
  readonly relations?: readonly string[]
}

/** The id fields of a Prisma schema. The generator writes it. */
export interface Configuration {
  /** The database of the schema's datasource. */
  readonly database: Database
  /**
   * The id fields by model and field, in the Prisma client's names: keys, foreign keys and all others. Models without ids
   * may be omitted.
   */
  readonly models: Readonly<Record<string, Readonly<Record<string, IdField>>>>
}

/** The part of a generated client's `Prisma.TypeMap` that names its models and fields. */
interface ClientModels {
  readonly model: Readonly<Record<string, { readonly payload: { scalars: object } }>>
}

/**
 * The type of a {@link Configuration} that you write by hand: only models and fields of your client compile.
 *
 * @example
 * const configuration = {
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'text', generated: true } } },
 * } as const satisfies ConfigurationOf<Prisma.TypeMap>
 */
export interface ConfigurationOf<TypeMap extends ClientModels> extends Pick<Configuration, 'database'> {
  /** See {@link Configuration.models}. */
  readonly models: {
    readonly [Model in keyof TypeMap['model']]?: {
      readonly [Field in keyof TypeMap['model'][Model]['payload']['scalars']]?: IdField
    }
  }
}
