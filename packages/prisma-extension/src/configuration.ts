import type { Database, IdFamily, StorageName } from '@snoflax/core'

/** A family of any ids, your own included. */
// biome-ignore lint/suspicious/noExplicitAny: families of every id fit, and their methods take their own ids only
export type AnyFamily = IdFamily<any, any>

/** A field that holds ids. */
export interface IdField {
  /** Whose ids they are. */
  readonly family: AnyFamily
  /** How the ids are stored in the column; it has to fit the field's type in the Prisma schema. */
  readonly storage: StorageName
  /** Whether the extension makes the id where a write gives none. Never for foreign keys. */
  readonly generated?: boolean
  /** Metabyte of the ids generated for this field, 0 to 255, for families that have one. */
  readonly meta?: number
  /** Name of a property of the rows that has the id's creation time. */
  readonly createdAt?: string
}

/** Which fields of a Prisma schema hold ids: what the generator writes. */
export interface Configuration {
  /** The database of the schema's datasource. */
  readonly database: Database
  /**
   * Model → field → its ids, by the names that the Prisma client uses: keys, foreign keys and all other fields that
   * hold ids. Models without ids may be left out.
   */
  readonly models: Readonly<Record<string, Readonly<Record<string, IdField>>>>
}

/** What of a generated client's `Prisma.TypeMap` names its models and fields. */
interface ClientModels {
  readonly model: Readonly<Record<string, { readonly payload: { scalars: object } }>>
}

/**
 * A configuration that only names models and fields of a client: for those who write it by hand.
 *
 * @example
 * const configuration = {
 *   database: 'sqlite',
 *   models: { Order: { id: { family: sno, storage: 'text', generated: true } } },
 * } as const satisfies ConfigurationOf<Prisma.TypeMap>
 */
export interface ConfigurationOf<TypeMap extends ClientModels> {
  /** See {@link Configuration.database}. */
  readonly database: Database
  /** See {@link Configuration.models}. */
  readonly models: {
    readonly [Model in keyof TypeMap['model']]?: {
      readonly [Field in keyof TypeMap['model'][Model]['payload']['scalars']]?: IdField
    }
  }
}
