import { IdError } from '@snoflax/core'
import type { DataSource, EntityMetadata, InsertResult, ObjectLiteral, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { around } from '../columns/around.js'
import { dataSourceOf, generatedColumnsIn, idColumnsIn, preparedOf, state } from '../columns/prepared.js'
import { convertIn } from '../read/runners.js'
import {
  copyFrozen,
  generatedColumns,
  generateMissingIds,
  type InsertBuilder,
  type InsertMap,
  metadataOf,
  type OnUpdate,
  takeBack,
  valuesOf,
} from './new-rows.js'
import { columnsToReturn, keyColumns, readStoredRows, type StoredRow } from './stored-rows.js'

/** A builder as `createQueryBuilder()` returns it. */
interface Builder {
  insert(): InsertBuilder
}

/** Where no event comes, the inserts of a DataSource's own query builders generate ids. */
export function generateInInserts(dataSource: DataSource): void {
  around<DataSource, unknown[], Builder>(dataSource, 'createQueryBuilder', (_, create, ...given) =>
    Object.assign(create(...given), { insert }),
  )
}

const ownOf = <One extends object>(one: One): One => Object.getPrototypeOf(one) as One

function insert(this: Builder): InsertBuilder {
  return Object.assign(ownOf(this).insert.call(this), { createInsertExpression, execute })
}

function createInsertExpression(this: InsertBuilder): string {
  generateMissingIds(this)
  return ownOf(this).createInsertExpression.call(this)
}

async function execute(this: InsertBuilder): Promise<InsertResult> {
  const { expressionMap: map } = this
  const metadata = metadataOf(map)
  const run = () => ownOf(this).execute.call(this)
  const columns = metadata && !map.insertFromSelect ? generatedColumnsIn(metadata) : []
  if (!metadata || columns.length === 0) return run()
  copyFrozen(map)
  try {
    return await insertRows(this, metadata, run)
  } finally {
    const { ids } = preparedOf(dataSourceOf(this)).pending
    for (const { metadata: column } of columns)
      for (const entity of valuesOf(map)) ids.delete(column.getEntityValue(entity))
  }
}

/** Runs an insert, and sets the stored ids in its result and its entities. */
async function insertRows(
  builder: InsertBuilder,
  metadata: EntityMetadata,
  run: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap: map } = builder
  const mayConflict = map.onUpdate !== undefined || map.onIgnore
  if (mayConflict) generateMissingIds(builder)
  const isGenerated = valuesOf(map).some((_, row) => generatedColumns(map, row).length > 0)
  if (!isMixedUp(map, metadata) && !(mayConflict && isGenerated)) return describe(await run(), metadata, map)
  checkOverwrite(map, metadata)
  if (map.updateEntity) return insertAndFind(builder, metadata, run)
  const result = await run()
  valuesOf(map).forEach((_, row) => void takeBack(map, row))
  return result
}

/** Whether TypeORM would give entities the ids and the generated columns of each other: it reads the rows in any order. */
const isMixedUp = (map: InsertMap, metadata: EntityMetadata): boolean =>
  map.updateEntity &&
  valuesOf(map).length > 1 &&
  isReselected(metadata) &&
  metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)

/** Whether TypeORM reads inserted rows by a query, for columns that the database fills in. */
const isReselected = (metadata: EntityMetadata): boolean =>
  !dataSourceOf(metadata).driver.isReturningSqlSupported('insert') &&
  metadata.getInsertionReturningColumns().some(({ isGenerated }) => !isGenerated)

/** Adds the ids to the result, from which TypeORM takes what an insert generated. */
function describe(result: InsertResult, metadata: EntityMetadata, map: InsertMap): InsertResult {
  const entities = valuesOf(map)
  if (!map.updateEntity) result.identifiers = entities.map((one) => metadata.getEntityIdMap(one) ?? {})
  entities.forEach((entity, row) => {
    for (const { metadata: column } of generatedColumns(map, row)) {
      result.generatedMaps[row] ??= {}
      column.setEntityValue(result.generatedMaps[row], column.getEntityValue(entity))
    }
  })
  return result
}

/** Runs an insert after which rows may have other ids than those that we generated, and looks these up. */
async function insertAndFind(
  builder: InsertBuilder,
  metadata: EntityMetadata,
  run: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap: map, queryRunner: given } = builder
  const columns = conflictColumns(metadata, map.onUpdate)
  const runner = given ?? dataSourceOf(builder).createQueryRunner('master')
  const { returning } = map
  let rows: readonly (StoredRow | undefined)[] = []
  const find = async () => {
    const predicate = map.onUpdate?.indexPredicate
    rows = await readStoredRows(runner, metadata, valuesOf(map), { columns, predicate })
    if (isReselected(metadata)) {
      const loaded = valuesOf(map).flatMap((entity, i) => loadedBy(metadata, entity, rows[i]) ?? [])
      await runner.broadcaster.broadcast('Load', metadata, loaded)
    }
    rows.forEach((row, i) => {
      // A row that isn't stored was ignored, so its entity loses the id generated for it.
      if (row) setIn(valuesOf(map)[i] as ObjectLiteral, row)
      else takeBack(map, i)
    })
  }
  addReturning(map, metadata)
  builder.queryRunner = runner
  builder.getQueryAndParameters = () => {
    const made = ownOf(builder).getQueryAndParameters.call(builder)
    // TypeORM itself would take the first returned row for the first entity.
    map.updateEntity = false
    whenInserted(runner, made[1], find)
    return made
  }
  try {
    const result = await run()
    result.generatedMaps = rows.map((row) => setIn({}, row ?? new Map()))
    result.identifiers = valuesOf(map).map(
      (entity, i) => (rows[i] && metadata.getEntityIdMap(entity)) as ObjectLiteral,
    )
    return result
  } finally {
    delete (builder as Partial<InsertBuilder>).getQueryAndParameters
    Object.assign(map, { returning, updateEntity: true })
    builder.queryRunner = given
    if (given === undefined) await runner.release()
  }
}

/** What TypeORM's query would load: the columns that the database fills in, of a row with the entity's key. */
function loadedBy(
  metadata: EntityMetadata,
  entity: ObjectLiteral,
  row: StoredRow | undefined,
): ObjectLiteral | undefined {
  const { primaryColumns } = metadata
  if (!row || primaryColumns.some((column) => column.getEntityValue(entity) !== row.get(column)))
    return undefined
  const columns = [...primaryColumns, ...metadata.getInsertionReturningColumns()]
  return setIn({}, new Map(columns.map((column) => [column, row.get(column)])))
}

/** Calls a function when the runner has run the statement with these parameters, before the events that follow. */
function whenInserted(runner: QueryRunner, parameters: readonly unknown[], find: () => Promise<void>): void {
  state.inserted.set(parameters, find)
  convertIn(runner)
}

/** With RETURNING, `raw` has the ids of each written row, as for keys that the database generates. */
function addReturning(map: InsertMap, metadata: EntityMetadata): void {
  const { returning = [] } = map
  if (!Array.isArray(returning) || !dataSourceOf(metadata).driver.isReturningSqlSupported('insert')) return
  const paths = columnsToReturn(metadata).map(({ propertyPath }) => propertyPath)
  map.returning = [...new Set([...(returning as string[]), ...paths])]
}

/** Refuses an upsert in which only some rows have an id: it would overwrite stored ids with those generated for others. */
function checkOverwrite(map: InsertMap, metadata: EntityMetadata): void {
  const overwritten = idColumnsIn(metadata).find(
    ({ metadata: column }) =>
      map.onUpdate?.overwrite?.includes(column.databaseName) &&
      !isConflictColumn(map.onUpdate, column.databaseName),
  )
  if (!overwritten || !valuesOf(map).some((_, row) => generatedColumns(map, row).includes(overwritten)))
    return
  const { path, storage } = overwritten
  throw new IdError(
    'INVALID_OPTION',
    `${path}: the upsert would replace stored ids by new ones, since only some rows have their own id; upsert those separately`,
    { family: storage.family.name, path },
  )
}

const isConflictColumn = ({ conflict }: OnUpdate, name: string): boolean =>
  Array.isArray(conflict) && conflict.includes(name)

function setIn(entity: ObjectLiteral, row: StoredRow): ObjectLiteral {
  for (const [column, value] of row) column.setEntityValue(entity, value)
  return entity
}

/**
 * The columns by which to find the row that an insert conflicted with.
 *
 * @throws {IdError} `INVALID_OPTION` for a constraint that the entity does not declare.
 */
function conflictColumns(metadata: EntityMetadata, onUpdate: OnUpdate | undefined): ColumnMetadata[] {
  const conflict = onUpdate?.conflict
  if (conflict === undefined) return keyColumns(metadata)
  if (typeof conflict === 'string') return columnsOfConstraint(metadata, conflict)
  return conflict.map((name) => metadata.findColumnWithDatabaseName(name) ?? refuse(metadata, name))
}

function columnsOfConstraint(metadata: EntityMetadata, name: string): ColumnMetadata[] {
  const declared = [...metadata.uniques, ...metadata.indices].find((one) => one.name === name)
  return declared?.columns ?? refuse(metadata, name)
}

function refuse({ name: entity }: EntityMetadata, name: string): never {
  throw new IdError(
    'INVALID_OPTION',
    `${entity}: an upsert finds the stored id by its conflict columns, and ${JSON.stringify(name)} is neither a column nor a unique constraint of the entity`,
    { field: 'conflict', value: name, path: entity },
  )
}
