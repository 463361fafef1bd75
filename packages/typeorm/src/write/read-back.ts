import { IdError } from '@snoflax/core'
import type { EntityMetadata, InsertResult, ObjectLiteral, QueryRunner } from 'typeorm'
import { idColumnsIn } from '../prepare/prepared-column.js'
import { conflictColumns, keyColumns } from './conflict.js'
import { type InsertBuilder, type InsertMap, type OnUpdate, valuesOf } from './insert-builder.js'
import { madeColumns, takeBack } from './missing-ids.js'
import { onOneConnection } from './one-connection.js'
import { type Finding, readStoredRows, type StoredRow } from './stored-rows.js'

/**
 * Whether the result of an insert can't be taken from TypeORM, which takes the first row that comes back for
 * the first that went in. That is wrong after a conflict, and for several rows where the database has no
 * RETURNING.
 */
export function needsReadBack(
  { expressionMap, dataSource }: InsertBuilder,
  metadata: EntityMetadata,
): boolean {
  if (expressionMap.onUpdate) return true
  // Where the database counts keys, and no id of ours is made, nothing tells which rows were left out.
  if (expressionMap.onIgnore) return keyColumns(metadata).length > 0
  return (
    expressionMap.updateEntity &&
    valuesOf(expressionMap).length > 1 &&
    !dataSource.driver.isReturningSqlSupported('insert') &&
    metadata.getInsertionReturningColumns().length > 0 &&
    metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)
  )
}

/** Runs an insert, and reads for each entity the row that lies there now. */
export async function insertAndReadBack(
  builder: InsertBuilder,
  metadata: EntityMetadata,
  insert: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const map = builder.expressionMap
  checkOverwrite(map, metadata)
  const finding = {
    columns: conflictColumns(metadata, map.onUpdate),
    predicate: map.onUpdate?.indexPredicate,
  }
  const { callListeners, updateEntity } = map
  return onOneConnection(builder, async (queryRunner) => {
    const tell = async (event: 'BeforeInsert' | 'AfterInsert') => {
      if (!callListeners) return
      for (const entity of valuesOf(map)) await queryRunner.broadcaster.broadcast(event, metadata, entity)
    }
    await tell('BeforeInsert')
    Object.assign(map, { callListeners: false, updateEntity: false })
    try {
      const result = await insert()
      if (updateEntity) await readBack(result, queryRunner, metadata, map, finding)
      else valuesOf(map).forEach((_, row) => void takeBack(map, row))
      await tell('AfterInsert')
      return result
    } finally {
      Object.assign(map, { callListeners, updateEntity })
    }
  })
}

/** An id that some rows bring along would overwrite stored ids with those just made for the others. */
function checkOverwrite(map: InsertMap, metadata: EntityMetadata): void {
  const overwritten = idColumnsIn(metadata).find(
    ({ metadata: column }) =>
      map.onUpdate?.overwrite?.includes(column.databaseName) &&
      !isConflictColumn(map.onUpdate, column.databaseName),
  )
  if (!overwritten || !valuesOf(map).some((_, row) => madeColumns(map, row).includes(overwritten))) return
  const { place, storage } = overwritten.transformer
  throw new IdError(
    'INVALID_OPTION',
    `${place}: the upsert would replace stored ids by new ones, since some rows bring an id and others don't; upsert them apart`,
    { family: storage.family.name, path: place },
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
  result.generatedMaps = entities.map((entity, i) => hydrate(entity, rows[i]))
  // What is not there was left out: the id that was made for it is taken back.
  rows.forEach((row, i) => {
    if (row === undefined) takeBack(map, i)
  })
  // As TypeORM has it for rows that were left out, there is nothing in their place.
  result.identifiers = entities.map(
    (entity, i) => (rows[i] && metadata.getEntityIdMap(entity)) as ObjectLiteral,
  )
}

function hydrate(entity: ObjectLiteral, row: StoredRow | undefined): ObjectLiteral {
  const map: ObjectLiteral = {}
  for (const [column, value] of row ?? []) {
    column.setEntityValue(entity, value)
    column.setEntityValue(map, value)
  }
  return map
}
