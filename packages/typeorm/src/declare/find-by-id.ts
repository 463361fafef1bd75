import { type FoundRow, findRow, type KeyColumn, keysOf } from '@snoflax/core/adapter'
import type { DataSource, EntityManager, EntityMetadata, FindOptionsWhere, ObjectLiteral } from 'typeorm'
import { dataSourceOf, idColumnsIn, type PreparedColumn } from '../columns/prepared.js'

/**
 * Finds the row of an id from a log, a ticket or a URL, in whatever entity has it: by its prefix, or in all entities whose keys
 * it fits. If there are several, one statement by their keys says which have it, and their rows are read. Null if none has.
 *
 * @param source a DataSource, or the manager of a transaction.
 *
 * @throws {IdError} the parser's error for a malformed id.
 *
 * @example
 * const found = await findById(dataSource, flax.generate())
 * if (found) console.log(found.model, found.row)
 */
export function findById<Entity extends ObjectLiteral = ObjectLiteral>(
  source: DataSource | EntityManager,
  id: string,
): Promise<FoundRow<string, Entity> | null> {
  const manager = 'manager' in source ? source.manager : source
  const { entityMetadatas, driver } = dataSourceOf(manager)
  const keys = keysOf(entityMetadatas, () => entityMetadatas.flatMap(keysIn))
  return findRow(
    keys,
    id,
    ({ entity, stored: { metadata } }) =>
      manager
        .getRepository<Entity>(entity.target)
        .findOneBy(metadata.createValueMap(id) as FindOptionsWhere<Entity>),
    async (several) => {
      const counts = several.map(({ entity, stored: { metadata } }, at) => {
        const table = entity.tablePath.split('.').map((name) => driver.escape(name))
        const column = driver.escape(metadata.databaseName)
        return `(SELECT count(*) FROM ${table.join('.')} WHERE ${column} = ${driver.createParameter('id', at)}) AS c${at}`
      })
      const values = several.map(({ stored }) => stored.to(id))
      const [row] = await manager.query<[object]>(`SELECT ${counts.join(', ')}`, values)
      return Object.values(row)
    },
  )
}

/** A column that identifies rows of an entity: its key, or another one whose ids are generated. */
interface Key extends KeyColumn {
  readonly entity: EntityMetadata
  readonly stored: PreparedColumn
}

function keysIn(entity: EntityMetadata): Key[] {
  if (entity.tableType !== 'regular') return []
  return idColumnsIn(entity).flatMap((stored) => {
    const { metadata, storage, generate } = stored
    const isKey = (metadata.isPrimary && entity.primaryColumns.length === 1) || generate !== undefined
    if (!isKey || metadata.isArray) return []
    return [{ model: entity.name, column: metadata.propertyPath, family: storage.family, entity, stored }]
  })
}
