import type { EntityMetadata, InsertResult, ObjectLiteral } from 'typeorm'
import { idColumnsIn } from '../prepare/prepared-column.js'
import { type InsertBuilder, type InsertMap, metadataOf, valuesOf } from './insert-builder.js'
import { madeColumns, makeMissingIds } from './missing-ids.js'
import { endInsert } from './pending.js'
import { insertAndReadBack, needsReadBack } from './read-back.js'

/** Builders that are being run: their rows have ids already. */
const running = new WeakSet<InsertBuilder>()

/** For a statement that is asked for without being run. */
export function makeIdsForStatement(builder: InsertBuilder): void {
  if (!running.has(builder)) makeMissingIds(builder)
}

/** Runs an insert, and lets its result and its entities have the ids that lie in the rows. */
export async function insertWithIds(
  builder: InsertBuilder,
  insert: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap } = builder
  const metadata = metadataOf(expressionMap)
  if (!metadata || expressionMap.insertFromSelect || idColumnsIn(metadata).length === 0) return insert()
  makeMissingIds(builder)
  running.add(builder)
  try {
    if (needsReadBack(builder, metadata)) return await insertAndReadBack(builder, metadata, insert)
    const result = await insert()
    describe(result, metadata, expressionMap)
    return result
  } catch (error) {
    for (const entity of valuesOf(expressionMap)) endInsert(entity)
    throw error
  } finally {
    running.delete(builder)
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
    for (const { metadata: column } of madeColumns(map, row)) {
      column.setEntityValue(generated, column.getEntityValue(entity))
    }
    return generated
  })
}
