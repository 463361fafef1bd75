import { IdError } from '@snoflax/core'
import { checkComparable } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, InsertResult, ObjectLiteral, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { dataSourceOf, idColumnsIn } from '../columns/prepared.js'
import { refuseText } from '../read/parameters.js'
import { idsOfSelect, tokensOf } from '../read/sources.js'
import {
  generatedColumns,
  generateMissingIds,
  type InsertBuilder,
  type InsertMap,
  metadataOf,
  type OnUpdate,
  takeBack,
  valuesOf,
} from './new-rows.js'
import { columnsToReturn, type Finding, keyColumns, readStoredRows, type StoredRow } from './stored-rows.js'

/** Runs an insert, and sets the stored ids in its result and its entities. */
export async function insertWithIds(
  builder: InsertBuilder,
  insert: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap } = builder
  const metadata = metadataOf(expressionMap)
  if (!metadata || expressionMap.insertFromSelect || idColumnsIn(metadata).length === 0) return insert()
  checkExpressions(metadata, expressionMap, dataSourceOf(builder))
  generateMissingIds(builder)
  if (!needsReadBack(expressionMap, metadata)) {
    const result = await insert()
    describe(result, metadata, expressionMap)
    return result
  }
  checkOverwrite(expressionMap, metadata)
  conflictColumns(metadata, expressionMap.onUpdate)
  const { returning, updateEntity } = expressionMap
  try {
    if (updateEntity) addReturning(expressionMap, metadata)
    const result = await insert()
    if (!updateEntity) valuesOf(expressionMap).forEach((_, row) => void takeBack(expressionMap, row))
    return result
  } finally {
    expressionMap.returning = returning
  }
}

/** With RETURNING, `raw` has the ids of each written row, as for keys that the database generates. */
function addReturning(map: InsertMap, metadata: EntityMetadata): void {
  const { returning = [] } = map
  if (!Array.isArray(returning) || !dataSourceOf(metadata).driver.isReturningSqlSupported('insert')) return
  const paths = columnsToReturn(metadata).map(({ propertyPath }) => propertyPath)
  map.returning = [...new Set([...(returning as string[]), ...paths])]
}

/** Refuses ids in SQL in place of an id: TypeORM sends such SQL and its parameters unchanged. */
function checkExpressions(metadata: EntityMetadata, map: InsertMap, dataSource: DataSource): void {
  for (const own of idColumnsIn(metadata)) {
    const { metadata: column, storage, path, named } = own
    const { family, converts } = storage
    for (const entity of valuesOf(map)) {
      const expression = column.getEntityValue(entity) as unknown
      if (typeof expression !== 'function') continue
      const tokens = tokensOf(String(expression()), dataSource)
      const [selected] = idsOfSelect(tokens.slice(1, -1), dataSource).values()
      if (selected) checkComparable(named, selected.named)
      else refuseText(own, tokens, [], dataSource)
      for (const { kind, text } of converts ? tokens : []) {
        const values =
          kind === 'placeholder' ? [map.parameters?.[text.replace(/^:(\.\.\.)?/, '')]].flat() : []
        const value = [...values, ...(kind === 'string' ? [text.slice(1, -1)] : [])].find((one) =>
          family.is(one),
        )
        if (value === undefined) continue
        throw new IdError(
          'INVALID_OPTION',
          `${path}: ${text} would be stored as text; pass the id itself as the value, or bind storageOf(…).toDatabase(id)`,
          { family: family.name, value, path },
        )
      }
    }
  }
}

/** Adds the ids to the result, also of rows that TypeORM did not read back. */
function describe(result: InsertResult, metadata: EntityMetadata, map: InsertMap): void {
  const entities = valuesOf(map)
  if (!map.updateEntity) {
    result.identifiers = entities.map((entity) => metadata.getEntityIdMap(entity) as ObjectLiteral)
  }
  result.generatedMaps = entities.map((entity, row) => {
    const generated = result.generatedMaps[row] ?? {}
    for (const { metadata: column } of generatedColumns(map, row)) {
      column.setEntityValue(generated, column.getEntityValue(entity))
    }
    return generated
  })
}

/**
 * Whether TypeORM's result of an insert may be wrong: it takes the first returned row for the first inserted one. That
 * fails after a conflict, and for several rows in a database without RETURNING.
 */
function needsReadBack(map: InsertMap, metadata: EntityMetadata): boolean {
  if (map.onUpdate) return true
  // With auto-increment keys and no generated id, it is unknown which rows were ignored.
  if (map.onIgnore) return keyColumns(metadata).length > 0
  return (
    map.updateEntity &&
    valuesOf(map).length > 1 &&
    isReselected(metadata) &&
    metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)
  )
}

/** Whether TypeORM reads inserted rows by a query, for columns that the database fills in. */
const isReselected = (metadata: EntityMetadata): boolean =>
  !dataSourceOf(metadata).driver.isReturningSqlSupported('insert') &&
  metadata.getInsertionReturningColumns().some(({ isGenerated }) => !isGenerated)

/** TypeORM's ReturningResultsEntityUpdator, which sets what an insert returned in its result and entities. */
export interface Updator {
  readonly queryRunner: QueryRunner
  readonly expressionMap: InsertMap
}

/** Sets the stored row of each entity, where TypeORM would take another one for it. */
export async function setInserted(
  { queryRunner, expressionMap: map }: Updator,
  set: () => Promise<void>,
  result: InsertResult,
): Promise<void> {
  const metadata = metadataOf(map)
  if (!metadata || idColumnsIn(metadata).length === 0 || !needsReadBack(map, metadata)) return set()
  const finding = {
    columns: conflictColumns(metadata, map.onUpdate),
    predicate: map.onUpdate?.indexPredicate,
  }
  await readBack(result, queryRunner, metadata, map, finding)
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

async function readBack(
  result: InsertResult,
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  map: InsertMap,
  finding: Finding,
): Promise<void> {
  const entities = valuesOf(map)
  const rows = await readStoredRows(queryRunner, metadata, entities, finding)
  if (isReselected(metadata)) {
    const loaded = entities.flatMap((entity, i) => loadedBy(metadata, entity, rows[i]) ?? [])
    await queryRunner.broadcaster.broadcast('Load', metadata, loaded)
  }
  result.generatedMaps = entities.map((entity, i) => hydrate(entity, rows[i]))
  // A row that isn't stored was ignored, so its entity loses the id generated for it.
  rows.forEach((row, i) => {
    if (row === undefined) takeBack(map, i)
  })
  // TypeORM's identifiers have undefined for ignored rows.
  result.identifiers = entities.map(
    (entity, i) => (rows[i] && metadata.getEntityIdMap(entity)) as ObjectLiteral,
  )
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
  const loaded: ObjectLiteral = {}
  for (const column of [...primaryColumns, ...metadata.getInsertionReturningColumns()]) {
    column.setEntityValue(loaded, row.get(column))
  }
  return loaded
}

function hydrate(entity: ObjectLiteral, row: StoredRow | undefined): ObjectLiteral {
  const map: ObjectLiteral = {}
  for (const [column, value] of row ?? []) {
    column.setEntityValue(entity, value)
    column.setEntityValue(map, value)
  }
  return map
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
