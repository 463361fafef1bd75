import { IdError } from '@snoflax/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'
import { around, convertingFor, type PreparedColumn, storedIn } from '../columns/prepared.js'

/** A builder for one relation. */
export interface RelationBuilder {
  readonly expressionMap: { readonly relationMetadata: RelationMetadata; of: unknown }
  remove(value: unknown): Promise<void>
  set(value: unknown): Promise<void>
}

/**
 * Has a relation's builder bind keys in their stored form where TypeORM writes a condition in SQL: in `remove()`, and in
 * `set(null)` of the side without the column. Everything else goes through its other builders, whose events show the ids.
 */
export function convertingRelation(builder: RelationBuilder): RelationBuilder {
  for (const name of ['remove', 'set'] as const) {
    around<RelationBuilder, [unknown], Promise<void>>(
      builder,
      name,
      async ({ expressionMap }, write, value) => {
        const { relationMetadata: relation, of } = expressionMap
        const isUnset = value === null && (relation.isOneToMany || relation.isOneToOneNotOwner)
        if (name === 'set' && !isUnset) return write(value)
        expressionMap.of = storedKeys(of, keysOf(relation, relation.entityMetadata))
        try {
          // TypeORM reads it before it waits for anything.
          return write(storedKeys(value, keysOf(relation, relation.inverseEntityMetadata)))
        } finally {
          expressionMap.of = of
        }
      },
    )
  }
  return builder
}

const joinsOf = (relation: RelationMetadata): ColumnMetadata[] =>
  [relation, relation.inverseRelation].flatMap((one) =>
    one ? [...one.joinColumns, ...one.inverseJoinColumns] : [],
  )

/** The columns of an entity by which a relation finds it. */
function keysOf(relation: RelationMetadata, metadata: EntityMetadata): ColumnMetadata[] {
  const referenced = joinsOf(relation).flatMap(({ referencedColumn: key }) =>
    key?.entityMetadata === metadata ? [key] : [],
  )
  return referenced.length > 0 ? referenced : metadata.primaryColumns
}

function storedKeys(value: unknown, keys: readonly ColumnMetadata[]): unknown {
  if (Array.isArray(value)) return value.map((one) => storedKeys(one, keys))
  if (value == null || !keys.some(convertingFor)) return value
  const stored: ObjectLiteral = {}
  for (const key of keys) {
    const id: unknown = typeof value === 'object' ? key.getEntityValue(value) : value
    key.setEntityValue(stored, storedIn(key, id))
  }
  return stored
}

/** Whether TypeORM reads the keys of entities for a statement that loads a relation. */
let isLoading = false

/** The stored form of a key that TypeORM reads from an entity to load its relation. */
export const loadingKey = (column: PreparedColumn, value: unknown): unknown =>
  isLoading ? column.to(value) : value

/** Converts the keys of lazy relations and of `loadMany()`, and refuses what TypeORM would silently load as empty. */
export function convertLoading({ relationLoader }: DataSource): void {
  around<object, [RelationMetadata, unknown, unknown?, unknown?], Promise<unknown>>(
    relationLoader,
    'load',
    (_, load, relation, entities, runner, builder) => {
      const column = joinsOf(relation)
        .map(convertingFor)
        .find((one) => one !== undefined)
      if (builder && column) {
        throw new IdError(
          'INVALID_OPTION',
          `${relation.entityMetadata.name}.${relation.propertyPath}: relationLoadStrategy 'query' needs keys of storage text; use ` +
            `'join', or store ${column.path} as text`,
          { field: 'relationLoadStrategy', value: 'query', path: column.path },
        )
      }
      isLoading = true
      try {
        // TypeORM reads the keys before it waits for anything.
        return load(relation, entities, runner, builder)
      } finally {
        isLoading = false
      }
    },
  )
}
