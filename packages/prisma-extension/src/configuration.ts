import type { Database, IdFamily, StorageName } from '@snoflax/core'

/** A family of any ids, your own included. */
// biome-ignore lint/suspicious/noExplicitAny: families of every id fit, and their methods take their own ids only
export type AnyFamily = IdFamily<any, any>

/** A field that holds ids. */
export interface IdField {
  /** Whose ids they are. */
  readonly family: AnyFamily
  /** How the ids lie in the column; it has to fit the field's type in the Prisma schema. */
  readonly storage: StorageName
  /** Whether the extension makes the id where a write gives none. Never for foreign keys. */
  readonly generated?: boolean
  /** Metabyte of the ids made for this field, 0 to 255, for families that have one. */
  readonly meta?: number
  /** Name of a property of the rows that has the id's creation time. */
  readonly createdAt?: string
}

/** What the extension has to know of a model, by the names that the Prisma client uses. */
export interface ModelConfiguration {
  /** Field → its ids: keys, foreign keys and all other fields that hold ids. */
  readonly ids?: Readonly<Record<string, IdField>>
  /** Relation field → model. All of them, those to models without ids too. */
  readonly relations?: Readonly<Record<string, string>>
  /** Names of composite keys and composite unique constraints, as `where` knows them: `orderId_position`. */
  readonly compounds?: readonly string[]
}

/** Where the ids of a Prisma schema lie: what the generator writes. */
export interface Configuration {
  /** The database of the schema's datasource. */
  readonly database: Database
  /** Model → what it holds. Models without ids may be left out. */
  readonly models: Readonly<Record<string, ModelConfiguration>>
}

/** What of a generated client's `Prisma.TypeMap` tells its models and fields. */
interface ClientModels {
  readonly model: Readonly<Record<string, { readonly payload: { scalars: object; objects: object } }>>
}

/**
 * A configuration that only names models and fields of a client: for those who write it by hand.
 *
 * @example
 * const configuration = {
 *   database: 'sqlite',
 *   models: { Order: { ids: { id: { family: sno, storage: 'text', generated: true } } } },
 * } as const satisfies ConfigurationOf<Prisma.TypeMap>
 */
export interface ConfigurationOf<TypeMap extends ClientModels> {
  /** See {@link Configuration.database}. */
  readonly database: Database
  /** See {@link Configuration.models}. */
  readonly models: {
    readonly [Model in keyof TypeMap['model']]?: {
      readonly ids?: { readonly [Field in keyof TypeMap['model'][Model]['payload']['scalars']]?: IdField }
      readonly relations?: {
        readonly [Field in keyof TypeMap['model'][Model]['payload']['objects']]?: keyof TypeMap['model']
      }
      readonly compounds?: readonly string[]
    }
  }
}
