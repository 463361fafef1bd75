import { hexOf, isBytes } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { around, convertingFor, convertingIn, idColumnFor, type PreparedColumn } from '../columns/prepared.js'
import { loadingKey } from './relations.js'
import { storeKeysOf } from './trees.js'

/** Checks the ids that a DataSource writes, and converts those of compact columns. */
export function checkWrites({ driver }: DataSource): void {
  // TypeORM prepares the values of inserts and updates by this method, but not those of conditions.
  around<object, [unknown, ColumnMetadata], unknown>(
    driver,
    'preparePersistentValue',
    (_, prepare, value, column) => {
      const idColumn = idColumnFor(column)
      if (idColumn?.storage.converts) return prepare(idColumn.to(value), column)
      idColumn?.check(value)
      return prepare(value, column)
    },
  )
}

/** A column and what TypeORM has just read of it from an object. What a write returned, it then reads from there as stored. */
let taken: { readonly column: ColumnMetadata; readonly value: unknown } | undefined

/** Converts the ids of compact columns that a DataSource reads. */
export function convertReads({ driver }: DataSource): void {
  around<object, [unknown, ColumnMetadata], unknown>(
    driver,
    'prepareHydratedValue',
    (_, read, value, column) => {
      const idColumn = convertingFor(column)
      const isRead = taken?.column === column && taken.value === value && !isBytes(value)
      taken = undefined
      if (!idColumn) return read(value, column)
      return isRead ? value : idColumn.from(value)
    },
  )
  around<object, [EntityMetadata, ...unknown[]], ObjectLiteral | undefined>(
    driver,
    'createGeneratedMap',
    (_, make, metadata, ...returned) => {
      const map = make(metadata, ...returned)
      for (const column of map ? convertingIn(metadata) : []) {
        const value: unknown = column.metadata.getEntityValue(map as ObjectLiteral)
        if (value != null) column.metadata.setEntityValue(map as ObjectLiteral, column.from(value))
      }
      return map
    },
  )
}

/** Converts the keys that TypeORM reads from entities for its own statements. */
export function convertKeys({ entityMetadatas }: DataSource, columns: readonly PreparedColumn[]): void {
  for (const column of columns.filter(({ storage }) => storage.converts)) {
    around<ColumnMetadata, [ObjectLiteral, boolean?], unknown>(
      column.metadata,
      'getEntityValue',
      (_, read, entity, transform) => {
        const value = read(entity)
        taken = { column: column.metadata, value }
        return transform ? loadingKey(column, value) : value
      },
    )
  }
  for (const metadata of entityMetadatas) storeKeysOf(metadata)
}

/**
 * TypeORM groups the rows of relations by the text of their keys, and the text of bytes is not unique. Its cache keeps rows as
 * JSON, in which bytes are objects.
 */
export function distinguish(rows: readonly ObjectLiteral[]): void {
  for (const row of rows) {
    for (const [name, value] of Object.entries(row) as [string, unknown][]) {
      const isJson = (value as { type?: unknown } | null)?.type === 'Buffer'
      const bytes = isJson ? Buffer.from((value as { data: number[] }).data) : value
      if (isBytes(bytes)) row[name] = Object.defineProperty(bytes, 'toString', { value: () => hexOf(bytes) })
    }
  }
}
