import type { DMMF } from '@prisma/generator-helper'
import { type Database, IdError } from '@snoflax/core'

export type PrismaField = DMMF.Field
export type PrismaModel = DMMF.Model

/** The models and views of a Prisma schema, and the database that they are for. */
export interface PrismaSchema {
  readonly database: Database
  readonly models: readonly PrismaModel[]
  /** Names of the views. */
  readonly views: ReadonlySet<string>
}

/** Which models are views: the DMMF doesn't tell, but the text of the schema does, which Prisma has formatted. */
export const viewsOf = (datamodel: string): ReadonlySet<string> =>
  new Set(Array.from(datamodel.matchAll(/^view (\w+) \{/gm), ([, name]) => name as string))

const DATABASES: Readonly<Record<string, Database>> = {
  postgresql: 'postgres',
  postgres: 'postgres',
  sqlite: 'sqlite',
  mysql: 'mysql',
}

/** @throws {IdError} `INVALID_OPTION` for a database that has no storage for ids. */
export function databaseOf(provider: string): Database {
  const database = DATABASES[provider]
  if (database !== undefined) return database
  throw new IdError(
    'INVALID_OPTION',
    `datasource: ids can lie in postgresql, sqlite and mysql, not ${provider}`,
    {
      field: 'provider',
      value: provider,
    },
  )
}

export const nameOf = (model: PrismaModel, field: PrismaField | string): string =>
  `${model.name}.${typeof field === 'string' ? field : field.name}`
