import { IdError } from '@snoflax/core'
import { isBytes, isDate } from '@snoflax/core/adapter'
import {
  type DataSource,
  type Driver,
  type EntityMetadata,
  type InsertResult,
  type ObjectLiteral,
  type QueryRunner,
  TableColumn,
} from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import {
  type Belonging,
  dataSourceOf,
  generatedColumnsIn,
  generatedFor,
  idColumnFor,
  idColumnsIn,
  preparedOf,
  state,
} from '../columns/prepared.js'
import { convertIn } from '../read/runners.js'

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

/** Values of a stored row, by column. */
type StoredRow = ReadonlyMap<ColumnMetadata, unknown>

/** The columns by which to find a row, and an SQL condition that it must also meet. */
interface Finding {
  readonly columns: readonly ColumnMetadata[]
  readonly predicate: string | undefined
}

/** Whether TypeORM reads inserted rows by a query, for columns that the database fills in. */
export const isReselected = (metadata: EntityMetadata): boolean =>
  !dataSourceOf(metadata).driver.isReturningSqlSupported('insert') &&
  metadata.getInsertionReturningColumns().some(({ isGenerated }) => !isGenerated)

/**
 * Runs an insert after which rows may have other ids than those that we generated, and looks these up.
 *
 * @param own TypeORM's methods of the builder.
 */
export async function insertAndFind(
  builder: InsertBuilder,
  own: InsertBuilder,
  metadata: EntityMetadata,
  entities: readonly ObjectLiteral[],
): Promise<InsertResult> {
  const { expressionMap: map, queryRunner: given } = builder
  checkOverwrite(map, metadata, entities)
  if (!map.updateEntity) {
    const result = await own.execute.call(builder)
    entities.forEach((_, row) => void takeBack(entities, row))
    return result
  }
  const columns = conflictColumns(metadata, map.onUpdate)
  const runner = given ?? dataSourceOf(builder).createQueryRunner('master')
  const { returning } = map
  let rows: readonly (StoredRow | undefined)[] = []
  const find = async () => {
    const predicate = map.onUpdate?.indexPredicate
    rows = await readStoredRows(runner, metadata, entities, { columns, predicate })
    if (isReselected(metadata)) {
      const loaded = entities.flatMap((entity, i) => loadedBy(metadata, entity, rows[i]) ?? [])
      await runner.broadcaster.broadcast('Load', metadata, loaded)
    }
    rows.forEach((row, i) => {
      // A row that isn't stored was ignored, so its entity loses the id generated for it.
      if (row) setIn(entities[i] as ObjectLiteral, row)
      else takeBack(entities, i)
    })
  }
  addReturning(map, metadata)
  builder.queryRunner = runner
  builder.getQueryAndParameters = () => {
    const made = own.getQueryAndParameters.call(builder)
    // TypeORM itself would take the first returned row for the first entity.
    map.updateEntity = false
    // Called when the runner has run the statement with these parameters, before the events that follow.
    state.inserted.set(made[1], find)
    convertIn(runner)
    return made
  }
  try {
    const result = await own.execute.call(builder)
    result.generatedMaps = rows.map((row) => setIn({}, row ?? new Map()))
    result.identifiers = entities.map(
      (entity, i) => (rows[i] && metadata.getEntityIdMap(entity)) as ObjectLiteral,
    )
    return result
  } finally {
    delete (builder as Partial<InsertBuilder>).getQueryAndParameters
    Object.assign(map, { returning, updateEntity: true })
    builder.queryRunner = given
    if (given === undefined) await runner.release()
  }
}

/** What TypeORM's query would load: the columns that the database fills in, of a row with the entity's key. */
function loadedBy(
  metadata: EntityMetadata,
  entity: ObjectLiteral,
  row: StoredRow | undefined,
): ObjectLiteral | undefined {
  const { primaryColumns } = metadata
  if (!row || primaryColumns.some((column) => column.getEntityValue(entity) !== row.get(column)))
    return undefined
  const columns = [...primaryColumns, ...metadata.getInsertionReturningColumns()]
  return setIn({}, new Map(columns.map((column) => [column, row.get(column)])))
}

/** With RETURNING, `raw` has the ids of each written row, as for keys that the database generates. */
function addReturning(map: InsertMap, metadata: EntityMetadata): void {
  const { returning = [] } = map
  if (!Array.isArray(returning) || !dataSourceOf(metadata).driver.isReturningSqlSupported('insert')) return
  const paths = columnsToReturn(metadata).map(({ propertyPath }) => propertyPath)
  map.returning = [...new Set([...(returning as string[]), ...paths])]
}

/** Refuses an upsert in which only some rows have an id: it would overwrite stored ids with those generated for others. */
function checkOverwrite(map: InsertMap, metadata: EntityMetadata, rows: readonly ObjectLiteral[]): void {
  const overwritten = idColumnsIn(metadata).find(
    ({ metadata: column }) =>
      map.onUpdate?.overwrite?.includes(column.databaseName) &&
      !isConflictColumn(map.onUpdate, column.databaseName),
  )
  if (!overwritten || !rows.some((_, row) => generatedFor(rows, row).includes(overwritten))) return
  const { path, storage } = overwritten
  throw new IdError(
    'INVALID_OPTION',
    `${path}: the upsert would replace stored ids by new ones, since only some rows have their own id; upsert those separately`,
    { family: storage.family.name, path },
  )
}

const isConflictColumn = ({ conflict }: OnUpdate, name: string): boolean =>
  Array.isArray(conflict) && conflict.includes(name)

function setIn(entity: ObjectLiteral, row: StoredRow): ObjectLiteral {
  for (const [column, value] of row) column.setEntityValue(entity, value)
  return entity
}

/**
 * The columns by which to find the row that an insert conflicted with.
 *
 * @throws {IdError} `INVALID_OPTION` for a constraint that the entity does not declare.
 */
function conflictColumns(metadata: EntityMetadata, onUpdate: OnUpdate | undefined): ColumnMetadata[] {
  const conflict = onUpdate?.conflict
  if (conflict === undefined) return keyColumns(metadata)
  if (typeof conflict === 'string') return columnsOfConstraint(metadata, conflict)
  return conflict.map((name) => metadata.findColumnWithDatabaseName(name) ?? refuse(metadata, name))
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

/** Removes the generated ids of a row that was not stored. */
function takeBack(rows: readonly ObjectLiteral[], row: number): void {
  for (const { metadata } of generatedFor(rows, row))
    metadata.setEntityValue(rows[row] as ObjectLiteral, undefined)
}

/** The columns that identify a row we inserted: its key, or with auto-increment keys, the ids that we generated. */
function keyColumns(metadata: EntityMetadata): ColumnMetadata[] {
  if (metadata.primaryColumns.every(({ isGenerated }) => !isGenerated)) return metadata.primaryColumns
  return generatedColumnsIn(metadata).map((column) => column.metadata)
}

const ALIAS = 'stored'
/** Rows looked up in one query; databases limit the depth of conditions. */
const BATCH = 200

/** The stored rows of inserted entities, in the entities' order; undefined for an entity without one. */
async function readStoredRows(
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
const columnsToReturn = (metadata: EntityMetadata): ColumnMetadata[] => [
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
