import { IdError } from '@snoflax/core'
import { type FoundRow, findRow, type KeyColumn, keysOf, show } from '@snoflax/core/adapter'
import type { DataSource, EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm'
import { dataSourceOf, idColumnsIn, type PreparedColumn } from '../columns/prepared.js'

/**
 * Finds the row of an id from a log, a ticket or a URL, in whatever entity has it: by its prefix, or in all entities whose keys
 * it fits. If there are several, one statement by their keys says which have it, and their rows are read. Null if none has;
 * soft-deleted rows are hidden, as by TypeORM's own `find`.
 *
 * @param source a DataSource, or the manager of a transaction.
 *
 * @throws {IdError} the parser's error for a malformed id; `INVALID_OPTION` if the DataSource is not initialized.
 *
 * @example
 * const found = await find(dataSource, flax.generate())
 * if (found) console.log(found.model, found.row)
 */
export async function find<Entity extends ObjectLiteral = ObjectLiteral>(
  source: DataSource | EntityManager,
  id: string,
): Promise<FoundRow<string, Entity> | null> {
  const manager = managerOf(source)
  const { entityMetadatas, driver } = dataSourceOf(manager)
  const keys = keysOf(entityMetadatas, () => keysIn(entityMetadatas))
  return findRow(
    keys,
    id,
    ({ entity, stored }, limit) => {
      const column = ['found', stored.metadata.databaseName].map((name) => driver.escape(name)).join('.')
      const order = entity.primaryColumns.filter(({ relationMetadata }) => !relationMetadata)
      const builder = manager
        .createQueryBuilder<Entity>(entity.target as never, 'found')
        .setFindOptions({ take: limit })
        .where(`${column} = :id`, { id: stored.to(id) })
      for (const { propertyPath } of order) builder.addOrderBy(`found.${propertyPath}`)
      return builder.getMany()
    },
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

function managerOf(source: DataSource | EntityManager): EntityManager {
  const { manager = source as EntityManager } = Object(source) as Partial<DataSource>
  const refuse = (reason: string): never => {
    throw new IdError('INVALID_OPTION', `find: ${reason}`, { field: 'source' })
  }
  if (typeof Object(manager).getRepository !== 'function')
    refuse(`the first argument must be a DataSource or an EntityManager, not ${show(source)}`)
  if (!dataSourceOf(manager).isInitialized)
    refuse(
      'this DataSource is not initialized, so its entities are not known; call dataSource.initialize() first',
    )
  return manager
}

/** A column that identifies rows of an entity. */
interface Key extends KeyColumn {
  readonly entity: EntityMetadata
  readonly stored: PreparedColumn
}

/**
 * The keys of all tables; first those whose ids are their own, since rows that refer to them are further rows. A column that
 * two entities of one table have is asked once.
 */
function keysIn(entities: readonly EntityMetadata[]): Key[] {
  const keys = entities.flatMap((entity): Key[] => {
    // Children of single-table inheritance are in the table of their parent.
    if (entity.tableType !== 'regular') return []
    const unique = uniqueIn(entities.filter(({ tablePath }) => tablePath === entity.tablePath))
    return idColumnsIn(entity).flatMap((stored) => {
      const { metadata, storage, definition } = stored
      const isKey = definition?.isGenerated || metadata.isPrimary || unique.has(metadata.databaseName)
      if (!isKey || metadata.isArray) return []
      return [{ model: entity.name, column: metadata.propertyPath, family: storage.family, entity, stored }]
    })
  })
  const rank = ({ stored: { definition, metadata } }: Key) =>
    definition?.isGenerated ? 0 : metadata.isPrimary && !metadata.referencedColumn ? 1 : 2
  const columns = new Map<string, Key>()
  for (const key of keys.sort((one, other) => rank(one) - rank(other))) {
    const place = JSON.stringify([key.entity.tablePath, key.stored.metadata.databaseName])
    if (!columns.has(place)) columns.set(place, key)
  }
  return [...columns.values()]
}

/** The columns of a table that are in a unique set. */
function uniqueIn(entities: readonly EntityMetadata[]): Set<string> {
  const sets = entities.flatMap(({ uniques, indices }) => [
    ...uniques,
    ...indices.filter(({ isUnique }) => isUnique),
  ])
  return new Set(sets.flatMap(({ columns }) => columns.map(({ databaseName }) => databaseName)))
}
