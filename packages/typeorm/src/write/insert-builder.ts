import type { DataSource, EntityMetadata, InsertResult, ObjectLiteral, QueryRunner } from 'typeorm'

/** TypeORM's InsertQueryBuilder, as far as ids are concerned. */
export interface InsertBuilder {
  readonly dataSource: DataSource
  queryRunner?: QueryRunner | undefined
  readonly expressionMap: InsertMap
  obtainQueryRunner(): QueryRunner
  execute(): Promise<InsertResult>
}

/** What the builder was told. */
export interface InsertMap {
  readonly mainAlias?: { readonly hasMetadata: boolean; readonly metadata: EntityMetadata }
  readonly insertFromSelect?: unknown
  readonly onIgnore?: boolean
  readonly onUpdate?: OnUpdate
  insertColumns: string[]
  valuesSet?: ObjectLiteral | ObjectLiteral[]
  callListeners: boolean
  updateEntity: boolean
  useTransaction: boolean
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
