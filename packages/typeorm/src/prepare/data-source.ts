import { checkOptions, requireMembers } from '@snoflax/core/adapter'
import { DataSource } from 'typeorm'
import { around, isPrepared, remember, state } from '../columns/prepared.js'
import { convertConditions } from '../convert/conditions.js'
import { checkWrites, convertKeys, convertReads } from '../convert/data-source.js'
import { convertLoading } from '../convert/relations.js'
import { generateByEvents } from '../write/events.js'
import { watchBuilders } from './builders.js'
import { definitionsOf } from './declared.js'
import { databaseOf, settleColumns } from './settle.js'
import { checkStoredColumns, guardIds } from './stored-columns.js'
import { builderPrototype, libraryOf, requireTypeorm } from './typeorm.js'

interface Building {
  buildMetadatas(): Promise<void>
}

/** Options of {@link prepareDataSource}. */
export interface PrepareOptions {
  /** Whether `initialize()` compares the declared id columns with those in the database. Default true. */
  readonly checkColumns?: boolean
}

/**
 * Prepares every DataSource of this copy of TypeORM when it builds its metadata: TypeORM has no hook for that. The first
 * id column calls it. A DataSource without id columns is left as it is.
 */
export function patchDataSources(): void {
  if (!state.patched.has(DataSource.prototype)) patchBuilding(requireBuilding(DataSource.prototype))
}

function patchBuilding(owner: Building): void {
  state.patched.add(owner)
  around<DataSource, [], Promise<void>>(owner, 'buildMetadatas', async (dataSource, build) => {
    await build()
    prepareMetadata(dataSource)
    if (isPrepared(dataSource) && dataSource.isInitialized) checkAtEnd(dataSource)
  })
}

/** Checks the columns of the database after the last step of `initialize()`. */
function checkAtEnd(dataSource: DataSource): void {
  // TypeORM's commands must run in spite of wrong columns, since migrations correct them.
  if (isCommand()) return
  const { synchronize, migrationsRun, dropSchema } = dataSource.options
  const steps = { synchronize, runMigrations: migrationsRun, dropDatabase: dropSchema }
  const [last] = Object.entries(steps).find(([, isTaken]) => isTaken) ?? ['afterConnect']
  const owner = (last === 'afterConnect' ? dataSource.driver : dataSource) as object as Record<
    string,
    unknown
  >
  around<object, unknown[], Promise<unknown>>(owner, last, async (_, step, ...args) => {
    delete owner[last]
    const result = await step(...args)
    await checkStoredColumns(dataSource)
    return result
  })
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
  const { checkColumns } = checkOptions('prepareDataSource', options, { checkColumns: 'boolean' })
  const building = requireBuilding(dataSource)
  if (dataSource instanceof DataSource) patchDataSources()
  else if (!state.patched.has(building)) patchBuilding(building)
  if (checkColumns === false) state.unchecked.add(dataSource)
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
  requireTypeorm(dataSource, false)
  const columns = settleColumns(dataSource, definitions, facts)
  const converts = columns.some(({ storage }) => storage.converts)
  if (converts) {
    requireTypeorm(dataSource, true)
    const prototype = builderPrototype(dataSource)
    if (!state.patched.has(prototype)) convertConditions(prototype)
    state.patched.add(prototype)
    convertKeys(dataSource, columns)
  }
  remember(dataSource, facts.database, columns)
  generateByEvents(dataSource)
  if (state.hooked.has(dataSource)) return
  state.hooked.add(dataSource)
  watchBuilders(dataSource)
  checkWrites(dataSource)
  guardIds(dataSource)
  if (!converts) return
  convertReads(dataSource)
  convertLoading(dataSource)
}
