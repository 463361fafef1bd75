import type { DataSource } from 'typeorm'
import { patchDriver } from './patch-driver.js'
import { patchQueryBuilders } from './patch-query-builders.js'
import { settleColumns } from './settle-columns.js'

/** Metadata that is settled, so that settling twice does nothing. */
const settled = new WeakSet<object>()

/**
 * Makes a DataSource ready for id columns, before `initialize()` or after it. Only needed where this package
 * sees another copy of TypeORM than the application does: otherwise it happens by itself.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for a column that the database can't hold, from
 * `initialize()` or here if that was called before.
 *
 * @example
 * const dataSource = prepareDataSource(new DataSource({ type: 'better-sqlite3', database: ':memory:', entities }))
 * await dataSource.initialize()
 */
export function prepareDataSource<Source extends DataSource>(dataSource: Source): Source {
  const building = dataSource as unknown as { buildMetadatas(): Promise<void> }
  const buildMetadatas = building.buildMetadatas.bind(dataSource)
  building.buildMetadatas = async () => {
    await buildMetadatas()
    prepareMetadata(dataSource)
  }
  prepareMetadata(dataSource)
  return dataSource
}

/** Settles the id columns of the metadata that the DataSource has built. */
export function prepareMetadata(dataSource: DataSource): void {
  const { entityMetadatas } = dataSource
  if (settled.has(entityMetadatas)) return
  if (settleColumns(dataSource)) {
    patchDriver(dataSource)
    patchQueryBuilders(dataSource)
  }
  settled.add(entityMetadatas)
}
