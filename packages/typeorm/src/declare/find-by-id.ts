import { type FoundRow, findRow, keysOf } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, FindOptionsWhere, ObjectLiteral } from 'typeorm'
import { idColumnsIn, type PreparedColumn } from '../columns/prepared.js'

/**
 * Finds the row of an id from a log, a ticket or a URL, in whatever entity has it: by its prefix, or in all entities whose keys
 * it fits. Null if no entity has it.
 *
 * @throws {IdError} the parser's error for a malformed id.
 *
 * @example
 * const found = await findById(dataSource, flax.generate())
 * if (found) console.log(found.model, found.row)
 */
export function findById<Entity extends ObjectLiteral = ObjectLiteral>(
  dataSource: DataSource,
  id: string,
): Promise<FoundRow<string, Entity> | null> {
  const keys = keysOf(dataSource.entityMetadatas, () =>
    dataSource.entityMetadatas.flatMap((entity) =>
      keysIn(entity).map(({ metadata, storage: { family } }) => ({
        model: entity.name,
        column: metadata.propertyPath,
        family,
        entity,
        metadata,
      })),
    ),
  )
  return findRow(keys, id, ({ entity, metadata }) =>
    dataSource
      .getRepository<Entity>(entity.target)
      .findOneBy(metadata.createValueMap(id) as FindOptionsWhere<Entity>),
  )
}

/** The columns that identify rows of an entity: its key, and others whose ids are generated. */
function keysIn(entity: EntityMetadata): PreparedColumn[] {
  if (entity.tableType !== 'regular') return []
  const isKey = ({ metadata, generate }: PreparedColumn) =>
    (metadata.isPrimary && entity.primaryColumns.length === 1) || generate !== undefined
  return idColumnsIn(entity).filter((column) => isKey(column) && !column.metadata.isArray)
}
