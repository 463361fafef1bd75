import type { DMMF } from '@prisma/generator-helper'
import { type Database, IdError } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'

export type PrismaField = DMMF.Field
export type PrismaModel = DMMF.Model

/** The models and views of a Prisma schema, and their database. */
export interface PrismaSchema {
  readonly database: Database
  readonly models: readonly PrismaModel[]
  /** Names of the views. */
  readonly views: ReadonlySet<string>
}

/** A field, and the model that has it. */
export interface FieldOfModel {
  readonly model: PrismaModel
  readonly field: PrismaField
}

/** Views are models whose rows can't be deleted. */
export const viewsOf = ({ mappings }: DMMF.Document): ReadonlySet<string> =>
  new Set(mappings.modelOperations.filter(({ deleteMany }) => deleteMany == null).map(({ model }) => model))

const DATABASES: Readonly<Record<string, Database>> = {
  postgresql: 'postgres',
  postgres: 'postgres',
  sqlite: 'sqlite',
  mysql: 'mysql',
}

/** @throws {IdError} `INVALID_OPTION` for a database that can't store ids. */
export function databaseOf(provider: string): Database {
  const database = DATABASES[provider]
  if (database !== undefined) return database
  throw new IdError(
    'INVALID_OPTION',
    `datasource: ids can be stored in postgresql, sqlite and mysql, not in ${provider}`,
    { field: 'provider', value: provider },
  )
}

export const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** `Order.customerId` */
export const nameOf = ({ model, field }: FieldOfModel): string => `${model.name}.${field.name}`

/** @throws {IdError} always, for a mistake in the schema. */
export function refuse(reason: string, value: unknown): never {
  throw new IdError('INVALID_OPTION', reason, { field: '@snoflax', value })
}

/** All mistakes of a schema, reported at once. */
export class Mistakes {
  readonly #found = new Set<string>()

  /** Runs the action and collects the IdError that it throws, with the path in front. */
  collect<Result>(path: string, action: () => Result): Result | undefined {
    try {
      return withPath(path, action)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      this.#found.add(error.message)
      return undefined
    }
  }

  /** @throws {IdError} `INVALID_OPTION` listing them, if there are any. */
  raise(): void {
    if (this.#found.size > 0) throw new IdError('INVALID_OPTION', [...this.#found].join('\n'))
  }
}
