import { hexOf } from '@snoflax/core/adapter'
import type { EntityMetadata, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { Subject } from 'typeorm/persistence/Subject.js'
import { convertingFor, state } from '../columns/prepared.js'

/**
 * A row of a tree for TypeORM's tree executors, which read keys from entities by their metadata and insert them into
 * statements unconverted. With this metadata they read keys in their stored form.
 */
export const asStored = (subject: Subject): Subject =>
  view(subject, { metadata: storedKeys(subject.metadata) as EntityMetadata })

/** The query runner for a tree executor, whose statements contain ids in their stored form. */
export const converting = (runner: QueryRunner): QueryRunner =>
  view(runner, {
    query: (sql: string, parameters?: unknown[], ...rest: []) => {
      if (parameters) state.own.set(parameters, () => undefined)
      return runner.query(sql, parameters, ...rest)
    },
  })

function storedKeys(metadata: EntityMetadata): Partial<EntityMetadata> {
  const { treeType, primaryColumns, treeParentRelation } = metadata
  const links = metadata.closureJunctionTable as EntityMetadata | undefined
  const referencing = (keyOf: typeof storedKey) => (column: ColumnMetadata) =>
    view(storedKey(column), {
      referencedColumn: column.referencedColumn && keyOf(column.referencedColumn),
    })
  const parentKey = referencing(treeType === 'materialized-path' ? pathKey : storedKey)
  return view(metadata, {
    primaryColumns: primaryColumns.map(storedKey),
    ...(links && {
      closureJunctionTable: view(links, {
        ancestorColumns: links.ancestorColumns.map(referencing(storedKey)),
        descendantColumns: links.descendantColumns.map(referencing(storedKey)),
      }),
    }),
    ...(treeParentRelation && {
      treeParentRelation: view(treeParentRelation, {
        joinColumns: treeParentRelation.joinColumns.map(parentKey),
      }),
    }),
  })
}

const storedKey = (column: ColumnMetadata): ColumnMetadata =>
  reading(column, (value) => convertingFor(column)?.to(value) ?? value)

/**
 * A materialized path contains keys in hex: TypeORM finds descendants by LIKE, for which `_` is any character and, in
 * SQLite and MySQL, upper and lower case are equal.
 */
const pathKey = (column: ColumnMetadata): ColumnMetadata =>
  reading(column, (value) => {
    const family = convertingFor(column)?.storage.family
    if (family === undefined || typeof value !== 'string') return value
    return `x${hexOf(family.decode(value))}`
  })

const reading = (column: ColumnMetadata, as: (value: unknown) => unknown): ColumnMetadata =>
  view(column, { getEntityValue: (entity, transform) => as(column.getEntityValue(entity, transform)) })

/** The object with some properties overridden. */
const view = <One extends object>(one: One, properties: Partial<One>): One =>
  Object.assign(Object.create(one) as One, properties)
