import type { DataSource, EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { IdSource } from '../columns/definition.js'
import type { IdTransformer } from './id-transformer.js'

/** A column of ids in the metadata of one DataSource: own ids, or a foreign key. */
export interface PreparedColumn {
  readonly metadata: ColumnMetadata
  readonly transformer: IdTransformer
  /** Its place among the id columns of the DataSource. */
  readonly number: number
  /** What makes its ids; undefined where the application does not. */
  readonly source: IdSource<string> | undefined
}

const byDataSource = new WeakMap<DataSource, readonly PreparedColumn[]>()
const byMetadata = new WeakMap<ColumnMetadata, PreparedColumn>()

export function rememberColumns(dataSource: DataSource, columns: readonly PreparedColumn[]): void {
  byDataSource.set(dataSource, columns)
  for (const column of columns) byMetadata.set(column.metadata, column)
}

/** The id columns of a DataSource, by their number; none where it was never prepared. */
export const idColumnsOf = (dataSource: DataSource): readonly PreparedColumn[] =>
  byDataSource.get(dataSource) ?? []

export const idColumnFor = (column: ColumnMetadata): PreparedColumn | undefined => byMetadata.get(column)

/** The id columns of an entity. */
export const idColumnsIn = ({ columns }: EntityMetadata): PreparedColumn[] =>
  columns.flatMap((column) => byMetadata.get(column) ?? [])
