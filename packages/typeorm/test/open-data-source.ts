import type { MysqlDatabase, OpenDatabase, PostgresDatabase, SqliteDatabase } from '@snoflax/test'
import { DataSource, type DataSourceOptions } from 'typeorm'

/** Options of a DataSource on an open database. */
export function optionsFor(database: OpenDatabase): DataSourceOptions {
  switch (database.kind) {
    case 'sqlite':
      return { type: 'better-sqlite3', database: (database as SqliteDatabase).file }
    case 'postgres':
      return { type: 'postgres', url: (database as PostgresDatabase).url }
    case 'mysql': {
      const { url, label } = database as MysqlDatabase
      return { type: label.startsWith('MariaDB') ? 'mariadb' : 'mysql', url }
    }
    default:
      throw new Error(`TypeORM has no driver for ${database.kind}`)
  }
}

/** A DataSource whose tables are made. */
export async function openDataSource(
  database: OpenDatabase,
  entities: DataSourceOptions['entities'],
  more: Partial<DataSourceOptions> = {},
): Promise<DataSource> {
  const options = { ...optionsFor(database), entities, synchronize: true, ...more } as DataSourceOptions
  return new DataSource(options).initialize()
}
