import { type Database, IdError } from '@snoflax/core'
import type { DataSource, EntityMetadata, InsertResult, ObjectLiteral } from 'typeorm'
import type { EntityListenerMetadata } from 'typeorm/metadata/EntityListenerMetadata.js'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'
import {
  around,
  dataSourceOf,
  generatedColumnsIn,
  generatedFor,
  idColumnsIn,
  type Pending,
  type PreparedColumn,
  preparedOf,
  state,
} from '../columns/prepared.js'
import { type InsertBuilder, type InsertMap, insertAndFind, isReselected } from './upsert.js'

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
      for (const column of columns) if (isMissing(column, entity)) return true
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

/** Generates the ids that are missing in an entity, and returns the columns that got one. */
function generateIds(columns: readonly PreparedColumn[], entity: object): PreparedColumn[] {
  const made: PreparedColumn[] = []
  for (const column of columns) {
    if (!isMissing(column, entity)) continue
    try {
      column.metadata.setEntityValue(entity, column.generate?.())
    } catch (error) {
      column.fail(error)
    }
    made.push(column)
  }
  return made
}

/** Whether the column has no id. A key can't be null, so null means a new id there; in other columns it is a value. */
function isMissing({ metadata }: PreparedColumn, entity: object): boolean {
  const value: unknown = metadata.getEntityValue(entity)
  return value === undefined || (value === null && metadata.isPrimary)
}

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
  generateMissingIds(this.expressionMap)
  return ownOf(this).createInsertExpression.call(this)
}

async function execute(this: InsertBuilder): Promise<InsertResult> {
  const { expressionMap: map } = this
  const metadata = metadataOf(map)
  const columns = metadata && !map.insertFromSelect ? generatedColumnsIn(metadata) : []
  const own = ownOf(this)
  if (!metadata || columns.length === 0) return own.execute.call(this)
  copyFrozen(map)
  try {
    const mayConflict = map.onUpdate !== undefined || map.onIgnore
    if (mayConflict) generateMissingIds(map)
    const isGenerated = state.generated.get(valuesIn(map))?.some(({ length }) => length > 0)
    if (isMixedUp(map, metadata) || (mayConflict && isGenerated))
      return await insertAndFind(this, own, metadata, valuesIn(map))
    return describe(await own.execute.call(this), metadata, map)
  } finally {
    const { ids } = preparedOf(dataSourceOf(this)).pending
    for (const { metadata: column } of columns)
      for (const entity of valuesIn(map)) ids.delete(column.getEntityValue(entity))
  }
}

const metadataOf = ({ mainAlias }: InsertMap): EntityMetadata | undefined =>
  mainAlias?.hasMetadata ? mainAlias.metadata : undefined

const valuesIn = ({ valuesSet = [] }: InsertMap): ObjectLiteral[] =>
  Array.isArray(valuesSet) ? valuesSet : [valuesSet]

/** Whether TypeORM would give entities the ids and the generated columns of each other: it reads the rows in any order. */
const isMixedUp = (map: InsertMap, metadata: EntityMetadata): boolean =>
  map.updateEntity &&
  valuesIn(map).length > 1 &&
  isReselected(metadata) &&
  metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)

/** Adds the ids to the result, from which TypeORM takes what an insert generated. */
function describe(result: InsertResult, metadata: EntityMetadata, map: InsertMap): InsertResult {
  const rows = valuesIn(map)
  if (!map.updateEntity) result.identifiers = rows.map((one) => metadata.getEntityIdMap(one) ?? {})
  for (const [row, entity] of rows.entries()) {
    for (const { metadata: column } of generatedFor(rows, row)) {
      result.generatedMaps[row] ??= {}
      column.setEntityValue(result.generatedMaps[row], column.getEntityValue(entity))
    }
  }
  return result
}

/** Generates the ids that an insert's rows lack. @throws {IdError} for an INSERT … SELECT that lacks ids. */
function generateMissingIds(map: InsertMap): void {
  const metadata = metadataOf(map)
  const columns = metadata ? generatedColumnsIn(metadata) : []
  if (columns.length === 0) return
  if (map.insertFromSelect) refuseMissing(columns, map)
  if (map.valuesSet === undefined) return
  const paths = map.insertColumns.length > 0 ? columns.map((one) => one.metadata.propertyPath) : []
  map.insertColumns = [...new Set([...map.insertColumns, ...paths])]
  copyFrozen(map)
  const rows = valuesIn(map)
  // A builder comes here twice if its SQL is read and then it is run; the second time no id is missing.
  const made = rows.map((entity, row) => [...generateIds(columns, entity), ...generatedFor(rows, row)])
  map.valuesSet = rows
  state.generated.set(rows, made)
}

/** Copies the values that can't be written into. */
function copyFrozen(map: InsertMap): void {
  const rows = valuesIn(map)
  if (rows.every(Object.isExtensible)) return
  map.valuesSet = rows.map((values) => (Object.isExtensible(values) ? values : { ...values }))
}

/** INSERT … SELECT creates its rows inside the database, where we can't generate ids. */
function refuseMissing(columns: readonly PreparedColumn[], { insertColumns }: InsertMap): void {
  const missing = columns.find(
    ({ metadata }) => insertColumns.length > 0 && !insertColumns.includes(metadata.propertyPath),
  )
  if (!missing) return
  const { path, storage } = missing
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${path}: INSERT … SELECT inserts rows inside the database; select ids for this column, or let the database generate them (default: 'database')`,
    { family: storage.family.name, path },
  )
}
