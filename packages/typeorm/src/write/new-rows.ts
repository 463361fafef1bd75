import { IdError } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import type { EntityMetadata, InsertResult, ObjectLiteral, QueryRunner } from 'typeorm'
import { type Belonging, generatedColumnsIn, type PreparedColumn, state } from '../columns/prepared.js'

/** The part of TypeORM's InsertQueryBuilder that we use. */
export interface InsertBuilder extends Belonging {
  readonly expressionMap: InsertMap
  queryRunner?: QueryRunner | undefined
  createInsertExpression(): string
  getQueryAndParameters(): [string, unknown[]]
  execute(): Promise<InsertResult>
}

/** The part of a builder's expression map that we use. */
export interface InsertMap {
  readonly mainAlias?: { readonly hasMetadata: boolean; readonly metadata: EntityMetadata }
  readonly insertFromSelect?: unknown
  readonly onIgnore?: boolean
  readonly onUpdate?: OnUpdate
  insertColumns: string[]
  valuesSet?: ObjectLiteral | ObjectLiteral[]
  readonly parameters?: ObjectLiteral
  /** SQL, or names of columns. */
  returning?: unknown
  updateEntity: boolean
}

/** What an insert does on a conflict. */
export interface OnUpdate {
  readonly overwrite?: readonly string[]
  readonly conflict?: string | readonly string[]
  readonly indexPredicate?: string
}

export const metadataOf = ({ mainAlias }: Pick<InsertMap, 'mainAlias'>): EntityMetadata | undefined =>
  mainAlias?.hasMetadata ? mainAlias.metadata : undefined

export const valuesOf = ({ valuesSet = [] }: InsertMap): ObjectLiteral[] =>
  Array.isArray(valuesSet) ? valuesSet : [valuesSet]

/** The columns of an insert's row whose ids we generated, but for those of TypeORM's events. */
export const generatedColumns = ({ valuesSet }: InsertMap, row: number): readonly PreparedColumn[] =>
  (Array.isArray(valuesSet) && state.generated.get(valuesSet)?.[row]) || []

/** Removes the generated ids of a row that was not stored. */
export function takeBack(map: InsertMap, row: number): void {
  const entity = valuesOf(map)[row] as ObjectLiteral
  for (const { metadata } of generatedColumns(map, row)) metadata.setEntityValue(entity, undefined)
}

/** Generates the ids that an insert's rows lack. @throws {IdError} for an INSERT … SELECT that lacks ids. */
export function generateMissingIds({ expressionMap: map }: InsertBuilder): void {
  const metadata = metadataOf(map)
  const columns = metadata ? generatedColumnsIn(metadata) : []
  if (columns.length === 0) return
  if (map.insertFromSelect) refuseMissing(columns, map)
  if (map.valuesSet === undefined) return
  addColumns(columns, map)
  copyFrozen(map)
  const entities = valuesOf(map)
  // A builder comes here twice if its SQL is read and then it is run; the second time no id is missing.
  const fresh = entities.map((entity, row) => [
    ...generateIds(columns, entity),
    ...generatedColumns(map, row),
  ])
  map.valuesSet = entities
  state.generated.set(entities, fresh)
}

/** Copies the values that can't be written into. */
export function copyFrozen(map: InsertMap): void {
  if (valuesOf(map).every((values) => Object.isExtensible(values))) return
  map.valuesSet = valuesOf(map).map((values) => (Object.isExtensible(values) ? values : { ...values }))
}

/** Generates the ids that are missing in an entity, and returns the columns that got one. */
export function generateIds(columns: readonly PreparedColumn[], entity: object): PreparedColumn[] {
  const missing = missingIn(columns, entity)
  for (const { metadata, generate, path } of missing) {
    metadata.setEntityValue(
      entity,
      withPath(path, () => generate?.()),
    )
  }
  return missing
}

/** The columns without an id. A key can't be null, so null means a new id there; in other columns it is a value. */
export const missingIn = (columns: readonly PreparedColumn[], entity: object): PreparedColumn[] =>
  columns.filter(({ metadata }) => {
    const value: unknown = metadata.getEntityValue(entity)
    return value === undefined || (value === null && metadata.isPrimary)
  })

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

function addColumns(columns: readonly PreparedColumn[], map: InsertMap): void {
  if (map.insertColumns.length === 0) return
  const paths = columns.map(({ metadata }) => metadata.propertyPath)
  map.insertColumns = [...new Set([...map.insertColumns, ...paths])]
}
