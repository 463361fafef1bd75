import { isBytes, isDate } from '@snoflax/core/adapter'
import {
  type DataSource,
  type Driver,
  type EntityMetadata,
  type ObjectLiteral,
  type QueryRunner,
  TableColumn,
} from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { dataSourceOf, generatedColumnsIn, idColumnFor, preparedOf } from '../columns/prepared.js'

/** Values of a stored row, by column. */
export type StoredRow = ReadonlyMap<ColumnMetadata, unknown>

/** The columns by which to find a row, and an SQL condition that it must also meet. */
export interface Finding {
  readonly columns: readonly ColumnMetadata[]
  readonly predicate: string | undefined
}

/** The columns that identify a row we inserted: its key, or with auto-increment keys, the ids that we generated. */
export function keyColumns(metadata: EntityMetadata): ColumnMetadata[] {
  if (metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)) return metadata.primaryColumns
  return generatedColumnsIn(metadata).map((column) => column.metadata)
}

const ALIAS = 'stored'
/** Rows looked up in one query; databases limit the depth of conditions. */
const BATCH = 200

/** The stored rows of inserted entities, in the entities' order; undefined for an entity without one. */
export async function readStoredRows(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
  finding: Finding,
): Promise<(StoredRow | undefined)[]> {
  const findings = findingsOf(metadata, finding)
  const rows: (StoredRow | undefined)[] = []
  for (let i = 0; i < entities.length; i += BATCH) {
    const batch = entities.slice(i, i + BATCH)
    const found = new Map<ObjectLiteral, StoredRow>()
    for (const one of findings) {
      const missing = batch.filter((entity) => !found.has(entity) && isComplete(entity, one))
      for (const [entity, row] of await readBatch(queryRunner, metadata, missing, one)) found.set(entity, row)
    }
    rows.push(...batch.map((entity) => found.get(entity)))
  }
  return rows
}

/** The ways to find a row, in order. A row without a conflict is found by the id that it was inserted with. */
function findingsOf(metadata: EntityMetadata, { columns, predicate }: Finding): Finding[] {
  const keys = keyColumns(metadata)
  const byKey = { columns: keys, predicate: undefined }
  const byConflict = { columns, predicate }
  // With a partial index, a row with equal values may exist beside the inserted one.
  const findings = predicate === undefined ? [byConflict, byKey] : [byKey, byConflict]
  const isByKey = columns.every((column) => keys.includes(column))
  return (isByKey ? [byKey] : findings).filter((finding) => finding.columns.length > 0)
}

/** Whether no column is null, since nothing equals null. */
const isComplete = (entity: ObjectLiteral, { columns }: Finding): boolean =>
  columns.every((column) => column.getEntityValue(entity) != null)

async function readBatch(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
  finding: Finding,
): Promise<Map<ObjectLiteral, StoredRow>> {
  const rows = entities.length === 0 ? [] : await query(queryRunner, metadata, entities, finding)
  const { driver } = dataSourceOf(queryRunner)
  const keyBy = (valueAt: (column: ColumnMetadata) => unknown): string =>
    JSON.stringify(finding.columns.map((column) => comparable(valueAt(column), column, driver)))
  const byValues = new Map(rows.map((row) => [keyBy((column) => row.get(column)), row]))
  // Values that the database treats as equal may differ in case or type; equal ids never differ.
  const areIds = finding.columns.every((column) => idColumnFor(column) !== undefined)
  const queryAlone = async (entity: ObjectLiteral): Promise<StoredRow | undefined> =>
    areIds ? undefined : (await query(queryRunner, metadata, [entity], finding))[0]
  const found = new Map<ObjectLiteral, StoredRow>()
  for (const entity of entities) {
    const values = keyBy((column) => column.getEntityValue(entity))
    const row = byValues.get(values) ?? (await queryAlone(entity))
    if (row) found.set(entity, row)
  }
  return found
}

async function query(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
  finding: Finding,
): Promise<StoredRow[]> {
  const { driver } = dataSourceOf(queryRunner)
  const columns = [...new Set([...finding.columns, ...columnsToReturn(metadata)])]
  const builder = queryRunner.manager.createQueryBuilder().from(metadata.target, ALIAS).withDeleted()
  columns.forEach((column, i) => void builder.addSelect(`${ALIAS}.${column.propertyPath}`, `c${i}`))
  builder.where(`(${conditionOf(entities, finding, dataSourceOf(queryRunner))})`)
  entities.forEach((entity, row) => {
    for (const [i, column] of finding.columns.entries()) {
      const value: unknown = driver.preparePersistentValue(column.getEntityValue(entity), column)
      builder.setParameter(`v${row}_${i}`, value)
    }
  })
  const rows = await builder.getRawMany<Record<string, unknown>>()
  return rows.map(
    (row) => new Map(columns.map((column, i) => [column, driver.prepareHydratedValue(row[`c${i}`], column)])),
  )
}

function conditionOf(
  entities: readonly ObjectLiteral[],
  { columns, predicate }: Finding,
  dataSource: DataSource,
): string {
  const types = columns.map((column) => roundingType(column, dataSource))
  const asKept = (parameter: string, type: string | undefined) =>
    type === undefined ? parameter : `CAST(${parameter} AS ${type})`
  const equal = (row: number) =>
    columns
      .map(({ propertyPath }, i) => `${ALIAS}.${propertyPath} = ${asKept(`:v${row}_${i}`, types[i])}`)
      .join(' AND ')
  const any = entities.map((_, row) => `(${equal(row)})`).join(' OR ')
  return predicate === undefined ? any : `(${any}) AND (${predicate})`
}

/** The type to which a value must be cast before a comparison, if the column stores it with less precision. */
function roundingType(column: ColumnMetadata, dataSource: DataSource): string | undefined {
  const { database } = preparedOf(dataSource)
  const { precision, scale } = column
  const type = dataSource.driver.normalizeType(column)
  if (database === 'postgres') {
    if (precision == null) return undefined
    const sized = new TableColumn({ name: ALIAS, type, precision, ...(scale !== undefined && { scale }) })
    return dataSource.driver.createFullType(sized)
  }
  if (database === 'sqlite') return undefined
  if (type === 'datetime' || type === 'timestamp') return `DATETIME(${precision ?? 0})`
  if (type === 'time') return `TIME(${precision ?? 0})`
  if (type === 'decimal') return `DECIMAL(${precision ?? 10}, ${scale ?? 0})`
  return type === 'float' ? 'FLOAT' : undefined
}

/** The columns that an insert returns: keys, ids, and those that the database fills in. */
export const columnsToReturn = (metadata: EntityMetadata): ColumnMetadata[] => [
  ...new Set([
    ...metadata.primaryColumns,
    ...generatedColumnsIn(metadata).map((column) => column.metadata),
    ...metadata.getInsertionReturningColumns(),
  ]),
]

/** A value as JSON that is equal only for equal values; objects in the form that the driver gets. */
function comparable(value: unknown, column: ColumnMetadata, driver: Driver): unknown {
  return typeof value === 'object' ? plain(driver.preparePersistentValue(value, column)) : String(value)
}

function plain(value: unknown): unknown {
  if (isDate(value)) return value.getTime()
  if (isBytes(value) || Array.isArray(value)) return Array.from(value, plain)
  return typeof value === 'object' ? value : String(value)
}
