import { type Database, IdError } from '@snoflax/core'
import { columnFaults, type DeclaredColumn } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import { idColumnsIn, preparedOf, state } from '../columns/prepared.js'

/**
 * Looks at the id columns that are in the database. Tables and columns that are not there are TypeORM's affair.
 *
 * @throws {IdError} `STORAGE_REFUSED` with the columns that are wrong.
 */
export async function checkStoredColumns(dataSource: DataSource): Promise<void> {
  const { columns, database } = preparedOf(dataSource)
  if (columns.length === 0 || state.unchecked.has(dataSource)) return
  const entities = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view')
  const declared = entities.flatMap((metadata) =>
    idColumnsIn(metadata).map((column) => ({
      ...tableOf(dataSource, database, metadata),
      path: column.path,
      column: column.metadata.databaseName,
      storage: column.storage,
      isList: column.metadata.isArray,
    })),
  )
  const faults = await columnFaults(database, declared, (sql, parameters) =>
    dataSource.query(sql, [...parameters]),
  )
  const wrong = faults.filter(({ isMissing }) => !isMissing).map(({ message }) => message)
  if (wrong.length === 0) return
  throw new IdError(
    'STORAGE_REFUSED',
    `${wrong.join('; ')}. Change the column${wrong.length > 1 ? 's' : ''} by a migration, or the entity's storage; ` +
      'prepareDataSource(dataSource, { checkColumns: false }) starts without this check',
    { field: 'checkColumns' },
  )
}

/** PostgreSQL finds a table as statements do, by the connection's search_path. */
function tableOf(
  { driver }: DataSource,
  database: Database,
  metadata: EntityMetadata,
): Pick<DeclaredColumn, 'schema' | 'table'> {
  if (database !== 'postgres') {
    return {
      schema: database === 'sqlite' ? undefined : metadata.database,
      table: driver.parseTableName(metadata).tableName,
    }
  }
  const [table = '', schema] = metadata.tablePath.split('.').reverse()
  return { schema, table }
}
