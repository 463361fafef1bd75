import { type EntityMetadata, In, type ObjectLiteral } from 'typeorm'
import { idColumnFor } from '../prepare/prepared-column.js'

/**
 * The condition of `whereInIds`, `delete([…])` and `update([…])` as one list. TypeORM writes a chain of OR for
 * keys with a transformer, which SQLite refuses from a thousand ids on. Undefined where the key is no single id.
 */
export function inIds(metadata: EntityMetadata, ids: unknown): ObjectLiteral | undefined {
  const [key, another] = metadata.primaryColumns
  if (!Array.isArray(ids) || ids.length < 2 || key === undefined || another !== undefined) return undefined
  if (idColumnFor(key) === undefined || key.relationMetadata || key.embeddedMetadata) return undefined
  const values = ids.map((id: ObjectLiteral) => key.getEntityValue(metadata.ensureEntityIdMap(id)) as unknown)
  return { [key.propertyName]: In(values) }
}
