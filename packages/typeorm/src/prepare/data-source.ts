import { checkOptions, requireMembers } from '@snoflax/core/adapter'
import { DataSource } from 'typeorm'
import { isPrepared, remember, state } from '../columns/prepared.js'
import { patchTypeorm } from './patches.js'
import { rehearse } from './self-test.js'
import { databaseOf, definitionsOf, settleColumns } from './settle.js'
import { checkStoredColumns } from './stored-columns.js'
import { libraryOf, prototypesOf, reliancesOf } from './typeorm.js'

interface Building {
  buildMetadatas(): Promise<void>
  initialize(): Promise<DataSource>
  destroy(): Promise<void>
}

/** Options of {@link prepareDataSource}. */
export interface PrepareOptions {
  /** Whether `initialize()` compares the declared id columns with those in the database. Default true. */
  readonly checkColumns?: boolean
}

/**
 * Prepares every DataSource of this copy of TypeORM when it builds its metadata. The first id column calls it, since
 * TypeORM has no hook for columns.
 */
export function patchDataSources(): void {
  if (state.patched.has(DataSource.prototype)) return
  const prototype = requireBuilding(DataSource.prototype)
  patchBuilding(prototype)
}

function patchBuilding(owner: Building): void {
  state.patched.add(owner)
  const { buildMetadatas, initialize } = owner
  owner.buildMetadatas = async function (this: DataSource & Building) {
    await buildMetadatas.call(this)
    prepareMetadata(this)
    await rehearseOnce(this)
  }
  owner.initialize = async function (this: DataSource & Building) {
    const dataSource = await initialize.call(this)
    // TypeORM's commands must run in spite of wrong columns, since migrations correct them.
    if (isCommand()) return dataSource
    try {
      await checkStoredColumns(dataSource)
    } catch (error) {
      await dataSource.destroy()
      throw error
    }
    return dataSource
  }
}

/** Once for each copy of TypeORM. */
async function rehearseOnce(dataSource: DataSource): Promise<void> {
  const { SelectQueryBuilder } = isPrepared(dataSource) ? prototypesOf(dataSource) : {}
  if (SelectQueryBuilder === undefined || state.rehearsed.has(SelectQueryBuilder)) return
  state.rehearsed.add(SelectQueryBuilder)
  try {
    await rehearse(dataSource, prepareMetadata)
  } catch (error) {
    state.rehearsed.delete(SelectQueryBuilder)
    throw error
  }
}

const isCommand = (): boolean =>
  /[\\/](?:typeorm|cli)(?:-ts-node-(?:commonjs|esm))?(?:\.js)?$/.test(globalThis.process?.argv?.[1] ?? '')

/**
 * Prepares a DataSource for id columns, before or after `initialize()`. You only need it to pass options, or if this package
 * loads another copy of TypeORM than your application; otherwise declaring id columns is enough.
 *
 * @throws {IdError} `STORAGE_REFUSED`, `INVALID_OPTION` for a column that the database can't store: from `initialize()`, or
 * from this function if the DataSource is initialized.
 *
 * @example
 * const dataSource = prepareDataSource(new DataSource({ type: 'better-sqlite3', database: ':memory:', entities }))
 * await dataSource.initialize()
 */
export function prepareDataSource<Source extends DataSource>(
  dataSource: Source,
  options: PrepareOptions = {},
): Source {
  checkOptions('prepareDataSource', options, { checkColumns: 'boolean' })
  const building = requireBuilding(dataSource)
  if (dataSource instanceof DataSource) patchDataSources()
  else if (!state.patched.has(building)) patchBuilding(building)
  if (options.checkColumns === false) state.unchecked.add(dataSource)
  prepareMetadata(dataSource)
  return dataSource
}

function requireBuilding(owner: DataSource): Building {
  requireMembers(libraryOf(owner), [{ owner, name: 'DataSource', members: ['buildMetadatas', 'initialize'] }])
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
