import { requireMembers } from '@snoflax/core/adapter'
import { DataSource } from 'typeorm'
import { isPrepared, remember, state } from '../columns/prepared.js'
import { patchTypeorm } from './patches.js'
import { databaseOf, definitionsOf, settleColumns } from './settle.js'
import { libraryOf, reliancesOf } from './typeorm.js'

interface Building {
  buildMetadatas(): Promise<void>
}

/**
 * Prepares every DataSource of this copy of TypeORM when it builds its metadata. Called by the first id
 * column, since TypeORM has no place where a column could ask for it.
 */
export function patchDataSources(): void {
  if (state.patched.has(DataSource.prototype)) return
  const prototype = requireBuilding(DataSource.prototype)
  state.patched.add(prototype)
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
  const building = requireBuilding(dataSource)
  const buildMetadatas = building.buildMetadatas.bind(dataSource)
  building.buildMetadatas = async () => {
    await buildMetadatas()
    prepareMetadata(dataSource)
  }
  prepareMetadata(dataSource)
  return dataSource
}

function requireBuilding(owner: DataSource): Building {
  requireMembers(libraryOf(owner), [{ owner, name: 'DataSource', members: ['buildMetadatas'] }])
  return owner as unknown as Building
}

/** Prepares the metadata that the DataSource has built, once. */
function prepareMetadata(dataSource: DataSource): void {
  if (isPrepared(dataSource)) return
  const definitions = definitionsOf(dataSource)
  if (definitions.size === 0) return
  const facts = databaseOf(dataSource)
  requireMembers(libraryOf(dataSource), reliancesOf(dataSource))
  const columns = settleColumns(dataSource, definitions, facts)
  patchTypeorm(dataSource)
  remember(dataSource, facts.database, columns)
}
