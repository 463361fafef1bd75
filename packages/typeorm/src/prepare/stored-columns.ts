import { type Database, IdError } from '@snoflax/core'
import { columnFaults, type DeclaredColumn, refuseFaults } from '@snoflax/core/adapter'
import type { DataSource, Driver, EntityMetadata, QueryRunner, Table, TableColumn } from 'typeorm'
import { around, dataSourceOf, idColumnsIn, preparedOf, state } from '../columns/prepared.js'

/**
 * Compares id columns with the database. Missing tables and columns are left to TypeORM.
 *
 * @throws {IdError} `STORAGE_REFUSED` with the columns that are wrong.
 */
export async function checkStoredColumns(dataSource: DataSource): Promise<void> {
  const { columns, database } = preparedOf(dataSource)
  if (columns.length === 0 || state.unchecked.has(dataSource)) return
  const entities = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view')
  const declared = entities.flatMap((metadata) =>
    idColumnsIn(metadata)
      .filter(({ keepsType }) => !keepsType)
      .map((column) => ({
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
  refuseFaults(
    faults.filter(({ isMissing }) => !isMissing),
    "the entity's storage; prepareDataSource(dataSource, { checkColumns: false }) starts without this check",
  )
}

/** TypeORM's RdbmsSchemaBuilder. */
interface SchemaBuilder {
  readonly queryRunner: QueryRunner
  updateExistColumns(): Promise<void>
}

/** Checks the changes of each `synchronize`. */
export function guardIds({ driver }: DataSource): void {
  around<Driver, [], object>(driver, 'createSchemaBuilder', (_, create) => {
    const builder = create()
    around<SchemaBuilder, [], Promise<void>>(builder, 'updateExistColumns', ({ queryRunner }, update) => {
      around<QueryRunner, [Table | string, ColumnChange[]], Promise<void>>(
        queryRunner,
        'changeColumns',
        async (runner, change, table, changes) => {
          await refuseLostIds(runner, table, changes)
          return change(table, changes)
        },
      )
      return update()
    })
    return builder
  })
}

/** A column in the database, and its new definition. */
interface ColumnChange {
  readonly oldColumn: TableColumn
  readonly newColumn: TableColumn
}

/**
 * Checks a change that `synchronize` is about to make. If the type changes, TypeORM drops the column and adds a new one;
 * in SQLite it keeps the old values, which no condition finds.
 *
 * @throws {IdError} `STORAGE_REFUSED` for an id column that has values.
 */
async function refuseLostIds(
  runner: QueryRunner,
  table: Table | string,
  changes: readonly ColumnChange[],
): Promise<void> {
  const dataSource = dataSourceOf(runner)
  const { driver } = dataSource
  const { columns, database } = preparedOf(dataSource)
  const tableIn = (of: Table | EntityMetadata | string) => Object.values(driver.parseTableName(of)).join('.')
  for (const { oldColumn, newColumn } of changes.filter((change) => losesValues(change, database))) {
    const column = columns.find(
      ({ metadata }) =>
        metadata.databaseName === newColumn.name && tableIn(metadata.entityMetadata) === tableIn(table),
    )
    if (column === undefined) continue
    const name = typeof table === 'string' ? table : table.name
    const values = runner.manager
      .createQueryBuilder()
      .select('1', 'found')
      .from(name, 'changed')
      .where(`${driver.escape('changed')}.${driver.escape(oldColumn.name)} IS NOT NULL`)
      .limit(1)
    if ((await values.getRawOne()) === undefined) continue
    const [from, to] = [driver.createFullType(oldColumn), driver.createFullType(newColumn)]
    throw new IdError(
      'STORAGE_REFUSED',
      `${column.path}: TypeORM would change column ${name}.${newColumn.name} from ${from} to ${to} and lose its ids; ` +
        'convert them by a migration of your own, or keep the storage that the column has',
      { path: column.path, family: column.storage.family.name },
    )
  }
}

function losesValues({ oldColumn, newColumn }: ColumnChange, database: Database): boolean {
  const types = [oldColumn.type, newColumn.type]
  if (database === 'sqlite') return types.includes('blob') && types.some((type) => type !== 'blob')
  const isSameSize = oldColumn.length === newColumn.length && oldColumn.isArray === newColumn.isArray
  return oldColumn.type !== newColumn.type || !isSameSize
}

/** In PostgreSQL the connection's search_path finds the table, as in any statement. */
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
