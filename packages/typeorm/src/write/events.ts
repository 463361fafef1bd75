import type { Database } from '@snoflax/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { EntityListenerMetadata } from 'typeorm/metadata/EntityListenerMetadata.js'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'
import { around } from '../columns/around.js'
import {
  generatedColumnsIn,
  idColumnsIn,
  type Pending,
  type PreparedColumn,
  preparedOf,
} from '../columns/prepared.js'
import { generateIds, missingIn } from './new-rows.js'

/**
 * Generates the ids of new entities by TypeORM's own event, before the listeners of the entity and all subscribers.
 *
 * A row that isn't inserted yet has an id then, which TypeORM doesn't expect of keys that it generates. So relations don't
 * see it: TypeORM inserts such references as null and sets them by an UPDATE after that.
 */
export function generateByEvents(dataSource: DataSource): void {
  const { database, pending } = preparedOf(dataSource)
  for (const metadata of dataSource.entityMetadatas) {
    if (generatedColumnsIn(metadata).length > 0) listen(metadata, pending)
    checkKeys(metadata)
    for (const relation of metadata.relationsWithJoinColumns) {
      const columns = generatedColumnsIn(relation.inverseEntityMetadata)
      if (columns.length > 0 && !isOneStatement(relation, database)) hide(relation, columns, pending)
    }
  }
}

/** Ids of saves that failed. */
const MOST = 100_000

function listen(metadata: EntityMetadata, { ids, given, needed }: Pending): void {
  const columns = generatedColumnsIn(metadata)
  const listener: Partial<EntityListenerMetadata> = {
    isAllowed(entity) {
      if (missingIn(columns, entity).length > 0) return true
      given.add(entity)
      for (const one of columns) ids.delete(one.metadata.getEntityValue(entity))
      for (const relation of metadata.relationsWithJoinColumns) {
        const target: unknown = relation.getEntityValue(entity)
        if (typeof target === 'object' && target !== null) needed.add(target)
      }
      return false
    },
    execute(entity) {
      if (ids.size > MOST) ids.clear()
      for (const one of generateIds(columns, entity)) ids.add(one.metadata.getEntityValue(entity))
    },
  }
  metadata.beforeInsertListeners.unshift(listener as EntityListenerMetadata)
}

/** PostgreSQL checks foreign keys at the end of a statement, and TypeORM inserts the rows of an entity by one. */
const isOneStatement = (
  { entityMetadata, inverseEntityMetadata }: RelationMetadata,
  database: Database,
): boolean =>
  database === 'postgres' &&
  entityMetadata === inverseEntityMetadata &&
  !entityMetadata.treeType &&
  entityMetadata.childEntityMetadatas.length === 0

function hide(
  relation: RelationMetadata,
  columns: readonly PreparedColumn[],
  { ids, given, needed }: Pending,
): void {
  const isNeeded = (target: ObjectLiteral): boolean =>
    needed.has(target) ||
    [relation.inverseRelation?.getEntityValue(target) as unknown]
      .flat()
      .some((one) => given.has(one as object))
  const isPending = (target: ObjectLiteral): boolean =>
    columns.some(({ metadata }) => ids.has(metadata.getEntityValue(target)))
  around<RelationMetadata, [ObjectLiteral], ObjectLiteral | undefined>(
    relation,
    'getRelationIdMap',
    (_, idMapOf, target) => (isPending(target) && !isNeeded(target) ? undefined : idMapOf(target)),
  )
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A save looks for its rows first, and PostgreSQL would refuse a text that is no uuid there, before it is written and checked. */
function checkKeys(metadata: EntityMetadata): void {
  const keys = idColumnsIn(metadata).filter(
    ({ metadata: { isPrimary }, storage }) => isPrimary && storage.name === 'uuid' && !storage.converts,
  )
  if (keys.length === 0) return
  around<EntityMetadata, [ObjectLiteral, unknown], unknown>(
    metadata,
    'extractRelationValuesFromEntity',
    (_, extract, entity, relations) => {
      for (const key of keys) {
        const id: unknown = key.metadata.getEntityValue(entity)
        if (typeof id !== 'string' || !UUID.test(id)) key.check(id)
      }
      return extract(entity, relations)
    },
  )
}
