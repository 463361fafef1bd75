import { DataSource, type EntityMetadata } from 'typeorm'
import { isPrepared, rememberColumns } from '../columns/prepared.js'
import { generateIdsBeforeListeners } from '../write/insert.js'
import { encodePaths } from '../write/trees.js'
import { patchDriver, patchQueryBuilders } from './patches.js'
import { settleColumns } from './settle.js'

interface Building {
  buildMetadatas(): Promise<void>
}

let patched = false

/**
 * Prepares every DataSource of this copy of TypeORM when it builds its metadata. Called by the first id
 * column, since TypeORM has no place where a column could ask for it.
 */
export function patchDataSources(): void {
  if (patched) return
  patched = true
  const prototype = DataSource.prototype as unknown as Building
  const { buildMetadatas } = prototype
  prototype.buildMetadatas = async function (this: DataSource & Building) {
    await buildMetadatas.call(this)
    prepareMetadata(this)
  }
}

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
  const building = dataSource as unknown as Building
  const buildMetadatas = building.buildMetadatas.bind(dataSource)
  building.buildMetadatas = async () => {
    await buildMetadatas()
    prepareMetadata(dataSource)
  }
  prepareMetadata(dataSource)
  return dataSource
}

/** Prepares the metadata that the DataSource has built, once. */
function prepareMetadata(dataSource: DataSource): void {
  if (isPrepared(dataSource)) return
  const columns = settleColumns(dataSource)
  if (columns.length > 0) {
    patchDriver(dataSource)
    patchQueryBuilders(dataSource)
  }
  rememberColumns(dataSource, columns)
  if (columns.length > 0) dataSource.entityMetadatas.forEach(prepareEntity)
}

function prepareEntity(metadata: EntityMetadata): void {
  generateIdsBeforeListeners(metadata)
  encodePaths(metadata)
}
