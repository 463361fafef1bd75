import { type Database, IdError } from '@snoflax/core'
import type { DataSource } from 'typeorm'

const DATABASES: Readonly<Record<string, Database>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  'better-sqlite3': 'sqlite',
  sqljs: 'sqlite',
  capacitor: 'sqlite',
  cordova: 'sqlite',
  expo: 'sqlite',
  nativescript: 'sqlite',
  'react-native': 'sqlite',
}

/** What storages have to know of a DataSource. */
export interface DatabaseFacts {
  readonly database: Database
  /** Whether its driver keeps integers of 64 bits exact. */
  readonly exactBigint: boolean
}

/** @throws {IdError} `INVALID_OPTION` for a type of DataSource that there are no storages for. */
export function databaseOf({ options }: DataSource): DatabaseFacts {
  const database = DATABASES[options.type]
  if (database === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `id columns are there for ${Object.keys(DATABASES).join(', ')}, not for a DataSource of type ${options.type}`,
      { field: 'type', value: options.type },
    )
  }
  return { database, exactBigint: keepsBigints(options) }
}

function keepsBigints(options: DataSource['options']): boolean {
  if (options.type === 'postgres') return options.parseInt8 !== true
  return (options.type === 'mysql' || options.type === 'mariadb') && options.supportBigNumbers !== false
}
