import { type IdStorage, storageFor } from '@snoflax/core'
import type { DataSource, EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { IdColumnDefinition } from '../columns/definition.js'
import { placed } from '../placed.js'
import { encodePaths } from '../write/tree-paths.js'
import { checkAgreement } from './check-agreement.js'
import { type DatabaseFacts, databaseOf } from './database.js'
import { databaseDefault } from './database-default.js'
import { IdTransformer } from './id-transformer.js'
import { makeIdsBeforeListeners } from './insert-listener.js'
import { type PreparedColumn, rememberColumns } from './prepared-column.js'

type Definitions = ReadonlyMap<ColumnMetadata, IdColumnDefinition>

/**
 * Gives every id column, and every column that references one, the type and the transformer of its database.
 * Answers whether there are any.
 *
 * @throws {IdError} with entity and property, for a column that the database can't hold.
 */
export function settleColumns(dataSource: DataSource): boolean {
  const columns = [...new Set(dataSource.entityMetadatas.flatMap(columnsOf))]
  const definitions = definitionsOf(columns)
  if (definitions.size === 0) return false
  const facts = databaseOf(dataSource)
  const settled = columns.flatMap((column) => settle(column, definitions, facts) ?? [])
  rememberColumns(
    dataSource,
    settled.map((column, number) => ({ ...column, number })),
  )
  for (const metadata of dataSource.entityMetadatas) {
    makeIdsBeforeListeners(metadata)
    encodePaths(metadata)
  }
  return true
}

/** TypeORM gives relations that share a column copies of it, which are in the relations alone. */
const columnsOf = (entity: EntityMetadata): ColumnMetadata[] => [...entity.columns, ...joinColumnsOf(entity)]

const joinColumnsOf = ({ relations }: EntityMetadata): ColumnMetadata[] =>
  relations.flatMap(({ joinColumns }) => joinColumns)

function definitionsOf(columns: readonly ColumnMetadata[]): Definitions {
  return new Map(
    columns.flatMap((column) =>
      column.transformer instanceof IdColumnDefinition ? [[column, column.transformer] as const] : [],
    ),
  )
}

function settle(
  column: ColumnMetadata,
  definitions: Definitions,
  facts: DatabaseFacts,
): Omit<PreparedColumn, 'number'> | undefined {
  const own = definitions.get(column)
  const key = referenced(column, definitions)
  const definition = definitions.get(key)
  if (own === undefined && definition === undefined) return undefined
  const place = placeOf(column)
  if (own !== undefined && own !== definition) checkAgreement(own, definition, place, placeOf(key))
  const storage = placed(place, () =>
    storageFor((definition as IdColumnDefinition).family, facts.database, {
      storage: definition?.storage,
      exactBigint: facts.exactBigint,
    }),
  )
  const transformer = new IdTransformer(storage, place)
  applyType(column, storage)
  column.transformer = transformer
  if (own !== undefined) {
    const call = placed(place, () => databaseDefault(own, storage))
    applyDefault(column, call)
  }
  const source = own?.origin?.kind === 'application' ? own.origin.source : undefined
  return { metadata: column, transformer, source }
}

/** The id column that a foreign key leads to in the end; else its last one, or the column itself. */
function referenced(column: ColumnMetadata, definitions: Definitions): ColumnMetadata {
  const [, ...followed] = follow(column)
  return followed.filter((one) => definitions.has(one)).at(-1) ?? followed.at(-1) ?? column
}

/** A column and all that it leads to. Composite keys that share a column may lead back to it. */
function follow(column: ColumnMetadata, seen: Set<ColumnMetadata> = new Set()): Set<ColumnMetadata> {
  if (seen.has(column)) return seen
  seen.add(column)
  for (const target of targetsOf(column)) follow(target, seen)
  return seen
}

/** What a column references by its relations, and by foreign keys that are declared apart. */
function targetsOf(column: ColumnMetadata): ColumnMetadata[] {
  const isSame = (one: ColumnMetadata) =>
    one.entityMetadata === column.entityMetadata && one.databaseName === column.databaseName
  const joined = [column, ...joinColumnsOf(column.entityMetadata).filter(isSame)]
  const declared = column.entityMetadata.foreignKeys.map(
    ({ columns, referencedColumns }) => referencedColumns[columns.findIndex(isSame)],
  )
  return [...joined.map(({ referencedColumn }) => referencedColumn), ...declared].filter(
    (one) => one !== undefined,
  )
}

const placeOf = (column: ColumnMetadata): string => `${column.entityMetadata.name}.${column.propertyPath}`

function applyType(
  column: ColumnMetadata,
  { database, name, column: { type, length, collation } }: IdStorage<string>,
): void {
  const sized = type === 'char' || type === 'binary'
  column.type = type
  column.length = sized ? String(length) : ''
  column.unsigned = name === 'bigint' && (database === 'mysql' || database === 'mariadb')
  // SQLite orders text by bytes unless told otherwise, and TypeORM would not find the collation again.
  if (collation !== undefined && database !== 'sqlite') column.collation = collation
  else delete column.collation
  if (type === 'char') column.charset = 'ascii'
  else delete column.charset
}

function applyDefault(column: ColumnMetadata, call: (() => string) | undefined): void {
  if (call === undefined) delete (column as Partial<ColumnMetadata>).default
  else column.default = call
}
