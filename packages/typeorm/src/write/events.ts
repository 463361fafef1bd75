import type { Database } from '@snoflax/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { EntityListenerMetadata } from 'typeorm/metadata/EntityListenerMetadata.js'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'
import {
  around,
  fail,
  generatedColumnsIn,
  idColumnsIn,
  type Pending,
  type PreparedColumn,
  preparedOf,
} from '../columns/prepared.js'

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
    returnIds(metadata, dataSource)
    for (const relation of metadata.relationsWithJoinColumns) {
      const columns = generatedColumnsIn(relation.inverseEntityMetadata)
      if (columns.length > 0 && !isOneStatement(relation, database)) hide(relation, columns, pending)
    }
  }
}

/** Ids of saves that failed. */
const MOST = 100_000

function listen(metadata: EntityMetadata, { ids, complete, needed }: Pending): void {
  const columns = generatedColumnsIn(metadata)
  const listener: Partial<EntityListenerMetadata> = {
    isAllowed(entity) {
      for (const column of columns) if (isMissing(column, entity)) return true
      complete.add(entity)
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
  { ids, complete, needed }: Pending,
): void {
  const isNeeded = (target: ObjectLiteral): boolean =>
    needed.has(target) ||
    [relation.inverseRelation?.getEntityValue(target) as unknown]
      .flat()
      .some((one) => complete.has(one as object))
  const isPending = (target: ObjectLiteral): boolean =>
    columns.some(({ metadata }) => ids.has(metadata.getEntityValue(target)))
  around<RelationMetadata, [ObjectLiteral], ObjectLiteral | undefined>(
    relation,
    'getRelationIdMap',
    (_, idMapOf, target) => (isPending(target) && !isNeeded(target) ? undefined : idMapOf(target)),
  )
}

/** A save looks for its rows first. A malformed key is an error there already, where PostgreSQL would refuse what is no uuid. */
function checkKeys(metadata: EntityMetadata): void {
  const keys = idColumnsIn(metadata).filter(
    ({ metadata: { isPrimary }, storage }) => isPrimary && storage.name !== 'text',
  )
  if (keys.length === 0) return
  around<EntityMetadata, [ObjectLiteral, unknown], unknown>(
    metadata,
    'extractRelationValuesFromEntity',
    (_, extract, entity, relations) => {
      for (const key of keys) key.check(key.metadata.getEntityValue(entity))
      return extract(entity, relations)
    },
  )
}

/**
 * Has inserts return our ids, as those that TypeORM generates. Databases without RETURNING get rows one by one if a row can
 * reference another one of its entity, so that they are inserted with their references.
 */
function returnIds(metadata: EntityMetadata, { driver }: DataSource): void {
  const isSelfReferencing = metadata.relationsWithJoinColumns.some(
    ({ inverseEntityMetadata: { target } }) => target === metadata.target,
  )
  // TypeORM doesn't select generated columns again.
  const returned = generatedColumnsIn(metadata).map(
    (column) => Object.create(column.metadata, { isGenerated: { value: true } }) as ColumnMetadata,
  )
  if (returned.length === 0) return
  around<EntityMetadata, [], ColumnMetadata[]>(metadata, 'getInsertionReturningColumns', (_, columnsOf) =>
    isSelfReferencing || driver.isReturningSqlSupported('insert')
      ? [...returned, ...columnsOf()]
      : columnsOf(),
  )
}

/** Generates the ids that are missing in an entity, and returns the columns that got one. */
export function generateIds(columns: readonly PreparedColumn[], entity: object): PreparedColumn[] {
  const filled: PreparedColumn[] = []
  for (const column of columns) {
    if (!isMissing(column, entity)) continue
    try {
      column.metadata.setEntityValue(entity, column.generate?.())
    } catch (error) {
      fail(column.path, error)
    }
    filled.push(column)
  }
  return filled
}

/** Whether the column has no id. A key can't be null, so null means a new id there; in other columns it is a value. */
function isMissing({ metadata }: PreparedColumn, entity: object): boolean {
  const value: unknown = metadata.getEntityValue(entity)
  return value === undefined || (value === null && metadata.isPrimary)
}
