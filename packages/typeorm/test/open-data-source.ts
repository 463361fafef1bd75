import type {
  DatabaseKind,
  MysqlDatabase,
  OpenDatabase,
  PostgresDatabase,
  SqliteDatabase,
} from '@snoflax/test'
import { DataSource, type DataSourceOptions } from 'typeorm'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

type Entities = DataSourceOptions['entities']
type More = Partial<DataSourceOptions>

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
  entities: Entities,
  more: More = {},
): Promise<DataSource> {
  const options = { ...optionsFor(database), entities, synchronize: true, ...more } as DataSourceOptions
  return new DataSource(options).initialize()
}

/** A database for the test that calls it. */
export async function databaseForTest<Database extends OpenDatabase>(
  kind: Pick<DatabaseKind<Database>, 'open'>,
): Promise<Database> {
  const database = await kind.open()
  onTestFinished(() => database.close())
  return database
}

/** A DataSource for the test that calls it, on a database of its own or on this one. */
export async function openForTest(
  on: Pick<DatabaseKind<OpenDatabase>, 'open'> | OpenDatabase,
  entities: Entities,
  more: More = {},
): Promise<DataSource> {
  const dataSource = await openDataSource('open' in on ? await databaseForTest(on) : on, entities, more)
  onTestFinished(() => (dataSource.isInitialized ? dataSource.destroy() : undefined))
  return dataSource
}

/** A DataSource on a database of its own for the tests of a block. */
export function openForBlock(kind: DatabaseKind<OpenDatabase>, entities: Entities, more: More = {}) {
  const opened = {} as { database: OpenDatabase; dataSource: DataSource }
  beforeAll(async () => {
    opened.database = await kind.open()
    opened.dataSource = await openDataSource(opened.database, entities, more)
  })
  afterAll(async () => {
    await opened.dataSource?.destroy()
    await opened.database?.close()
  })
  return opened
}

/** The statements by which TypeORM would change the schema, and undo that. */
export async function changesOf(dataSource: DataSource): Promise<string[]> {
  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log()
  return [...upQueries, ...downQueries].map(({ query }) => query)
}
