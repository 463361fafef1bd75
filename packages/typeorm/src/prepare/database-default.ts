import { checkDatabaseGenerator, IdError, type IdStorage } from '@snoflax/core'
import type { IdColumnDefinition, Origin } from '../columns/definition.js'

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/

/**
 * The default of a column whose ids the database makes; undefined for others.
 *
 * @throws {IdError} `INVALID_OPTION` where the database has no such functions, or makes other ids.
 */
export function databaseDefault(
  { origin, family }: IdColumnDefinition,
  { database, name }: IdStorage<string>,
): (() => string) | undefined {
  if (origin?.kind !== 'database') return undefined
  if (database !== 'postgres') {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: default: 'database' needs PostgreSQL with @snoflax/pg-sql; in ${database} the application makes the ids`,
      { family: family.name, field: 'default', value: 'database' },
    )
  }
  checkDatabaseGenerator(family)
  const call = callOf(origin, family.name, name)
  return () => call
}

function callOf(
  { schema, arguments: given }: Origin & { kind: 'database' },
  family: string,
  storage: string,
): string {
  if (!PLAIN_NAME.test(schema)) {
    throw new IdError(
      'INVALID_OPTION',
      `${family}: the schema's name ${JSON.stringify(schema)} is not lower-case letters, digits and _`,
      {
        family,
        field: 'schema',
        value: schema,
      },
    )
  }
  const wrong = given.findIndex((argument) => !Number.isSafeInteger(argument))
  if (wrong !== -1) refuseArgument(given[wrong], family)
  const prefix = family.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const suffix = storage === 'binary' ? '' : `_${storage}`
  return `${schema}.${prefix}_generate${suffix}(${given.join(', ')})`
}

function refuseArgument(value: unknown, family: string): never {
  throw new IdError(
    'INVALID_OPTION',
    `${family}: an argument of its SQL function is a whole number, not ${JSON.stringify(value) ?? value}`,
    { family, field: 'functionArguments', value },
  )
}
