import type { EntityMetadata, InsertResult, ObjectLiteral } from 'typeorm'
import { generatedColumnsIn, idColumnsIn } from '../columns/prepared.js'
import {
  generatedColumns,
  generateIds,
  generateMissingIds,
  type InsertBuilder,
  type InsertMap,
  metadataOf,
  valuesOf,
} from './new-rows.js'
import { beginInsert, deferForeignKeys, endInsert, isWaitedFor } from './pending.js'
import { insertAndReadBack, needsReadBack } from './upsert.js'

type Listeners = EntityMetadata['beforeInsertListeners']

/** Generates the ids of an entity before its own `@BeforeInsert` and the subscribers run, so that they see them. */
export function generateIdsBeforeListeners(metadata: EntityMetadata): void {
  deferForeignKeys(metadata)
  const columns = generatedColumnsIn(metadata)
  if (columns.length === 0) return
  if (isWaitedFor(metadata)) {
    first(metadata.beforeInsertListeners, beginInsert)
    first(metadata.afterInsertListeners, endInsert)
  }
  first(metadata.beforeInsertListeners, (entity) => void generateIds(columns, entity))
}

function first(listeners: Listeners, execute: (entity: object) => void): void {
  listeners.unshift({ isAllowed: () => true, execute } as unknown as Listeners[number])
}

/** Runs an insert, and gives its result and its entities the ids that are stored. */
export async function insertWithIds(
  builder: InsertBuilder,
  insert: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap } = builder
  const metadata = metadataOf(expressionMap)
  if (!metadata || expressionMap.insertFromSelect || idColumnsIn(metadata).length === 0) return insert()
  generateMissingIds(builder)
  try {
    if (needsReadBack(builder, metadata)) return await insertAndReadBack(builder, metadata, insert)
    const result = await insert()
    describe(result, metadata, expressionMap)
    return result
  } catch (error) {
    for (const entity of valuesOf(expressionMap)) endInsert(entity)
    throw error
  }
}

/** Tells the ids in the result, of rows that TypeORM did not read back too. */
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
