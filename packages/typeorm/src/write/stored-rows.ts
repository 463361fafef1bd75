import type { EntityMetadata, ObjectLiteral, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { idColumnsIn } from '../prepare/prepared-column.js'
import { keyColumns } from './conflict.js'

/** Values of a row that lies in the table, by column. */
export type StoredRow = ReadonlyMap<ColumnMetadata, unknown>

/** By which columns a row is found, and a condition of SQL that it has to fulfil. */
export interface Finding {
  readonly columns: readonly ColumnMetadata[]
  readonly predicate: string | undefined
}

const ALIAS = 'stored'
/** Rows looked up in one query; databases limit the depth of conditions. */
const BATCH = 200

/** The rows that lie where the entities were inserted, in the entities' order; undefined where there is none. */
export async function readStoredRows(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
  { columns, predicate }: Finding,
): Promise<(StoredRow | undefined)[]> {
  // A row with a null there was in nobody's way, and has the id that it went in with.
  const isComplete = (entity: ObjectLiteral) =>
    columns.every((column) => column.getEntityValue(entity) != null)
  const rows: (StoredRow | undefined)[] = []
  const read = (some: readonly ObjectLiteral[], finding: Finding) =>
    readBatch(queryRunner, metadata, some, finding)
  for (let i = 0; i < entities.length; i += BATCH) {
    const batch = entities.slice(i, i + BATCH)
    const byConflict = await read(batch.filter(isComplete), { columns, predicate })
    const byKey = await read(
      batch.filter((entity) => !isComplete(entity)),
      { columns: keyColumns(metadata), predicate: undefined },
    )
    rows.push(...batch.map((entity) => byConflict.get(entity) ?? byKey.get(entity)))
  }
  return rows
}

async function readBatch(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
  finding: Finding,
): Promise<Map<ObjectLiteral, StoredRow>> {
  const rows = entities.length === 0 ? [] : await query(queryRunner, metadata, entities, finding)
  const byValues = new Map(
    rows.map((row) => [comparable(finding.columns.map((column) => row.get(column))), row]),
  )
  const found = new Map<ObjectLiteral, StoredRow>()
  for (const entity of entities) {
    const values = comparable(finding.columns.map((column): unknown => column.getEntityValue(entity)))
    // Equal for the database may look different here: other case, other type. Then it is asked for this one.
    const row = byValues.get(values) ?? (await query(queryRunner, metadata, [entity], finding))[0]
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
  const { driver } = queryRunner.dataSource
  const columns = [...new Set([...finding.columns, ...columnsToReturn(metadata)])]
  const builder = queryRunner.manager.createQueryBuilder().from(metadata.target, ALIAS).withDeleted()
  columns.forEach((column, i) => void builder.addSelect(`${ALIAS}.${column.propertyPath}`, `c${i}`))
  builder.where(`(${conditionOf(entities, finding)})`)
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

function conditionOf(entities: readonly ObjectLiteral[], { columns, predicate }: Finding): string {
  const equal = (row: number) =>
    columns.map((column, i) => `${ALIAS}.${column.propertyPath} = :v${row}_${i}`).join(' AND ')
  const any = entities.map((_, row) => `(${equal(row)})`).join(' OR ')
  return predicate === undefined ? any : `(${any}) AND (${predicate})`
}

/** What an insert tells of its rows: keys, ids, and what the database filled in. */
const columnsToReturn = (metadata: EntityMetadata): ColumnMetadata[] => [
  ...metadata.primaryColumns,
  ...idColumnsIn(metadata)
    .filter(({ source }) => source !== undefined)
    .map((column) => column.metadata),
  ...metadata.getInsertionReturningColumns(),
]

const comparable = (values: readonly unknown[]): string =>
  JSON.stringify(values.map((value) => (value instanceof Uint8Array ? [...value] : String(value))))
