import type { EntityMetadata, ObjectLiteral } from 'typeorm'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'

/** Entities that are about to be inserted, and that foreign keys wait for: they have an id, but no row yet. */
const pending = new WeakSet<object>()

/**
 * Lets nullable foreign keys wait for the row that they lead to. TypeORM fills them in afterwards where the
 * target has no id yet, as with keys that the database makes. Ours have one from the start, and would point to
 * nothing where rows of one entity, or of two that need each other, are inserted by one save.
 */
export function deferForeignKeys(metadata: EntityMetadata): void {
  for (const relation of deferrable(metadata)) defer(relation)
}

/** Whether a foreign key waits for this entity's rows, or for those of an entity that it extends. */
export const isWaitedFor = (metadata: EntityMetadata): boolean =>
  metadata.dataSource.entityMetadatas.some((one) =>
    deferrable(one).some(({ inverseEntityMetadata: { target } }) => ancestry(metadata).includes(target)),
  )

const deferrable = ({ relationsWithJoinColumns }: EntityMetadata): RelationMetadata[] =>
  relationsWithJoinColumns.filter(({ isNullable }) => isNullable)

const ancestry = ({ target, inheritanceTree }: EntityMetadata) => [target, ...inheritanceTree]

function defer(relation: RelationMetadata): void {
  const getRelationIdMap = relation.getRelationIdMap.bind(relation)
  relation.getRelationIdMap = (entity: ObjectLiteral) =>
    pending.has(entity) ? undefined : getRelationIdMap(entity)
}

export const beginInsert = (entity: object): void => void pending.add(entity)

export const endInsert = (entity: object): void => void pending.delete(entity)

/** After a save that failed: none of all that it was given, and that hangs on it, is about to be inserted. */
export function endInserts(given: unknown, seen: Set<object> = new Set()): void {
  if (typeof given !== 'object' || given === null || ArrayBuffer.isView(given) || seen.has(given)) return
  seen.add(given)
  pending.delete(given)
  for (const one of Object.values(given)) endInserts(one, seen)
}
