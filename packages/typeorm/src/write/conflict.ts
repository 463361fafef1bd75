import { IdError } from '@snoflax/core'
import type { EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { idColumnsIn } from '../prepare/prepared-column.js'
import type { OnUpdate } from './insert-builder.js'

/**
 * The columns by which the row that was in the way is found.
 *
 * @throws {IdError} `INVALID_OPTION` for a constraint that the entity does not declare.
 */
export function conflictColumns(metadata: EntityMetadata, onUpdate: OnUpdate | undefined): ColumnMetadata[] {
  const conflict = onUpdate?.conflict
  if (conflict === undefined) return keyColumns(metadata)
  if (typeof conflict === 'string') return columnsOfConstraint(metadata, conflict)
  return conflict.map((name) => metadata.findColumnWithDatabaseName(name) ?? refuse(metadata, name))
}

/** The columns that tell a row that we inserted from all others: where the database counts keys, our ids do. */
export function keyColumns(metadata: EntityMetadata): ColumnMetadata[] {
  if (metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)) return metadata.primaryColumns
  return idColumnsIn(metadata).flatMap((column) => (column.source ? [column.metadata] : []))
}

function columnsOfConstraint(metadata: EntityMetadata, name: string): ColumnMetadata[] {
  const declared = [...metadata.uniques, ...metadata.indices].find((one) => one.name === name)
  return declared?.columns ?? refuse(metadata, name)
}

function refuse({ name: entity }: EntityMetadata, name: string): never {
  throw new IdError(
    'INVALID_OPTION',
    `${entity}: an upsert finds the stored id by its conflict columns, and ${JSON.stringify(name)} is neither a column nor a unique constraint of the entity`,
    { field: 'conflict', value: name, path: entity },
  )
}
