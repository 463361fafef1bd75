import { IdError } from '@snoflax/core'
import type { EntityMetadata, InsertResult, ObjectLiteral } from 'typeorm'
import {
  type Belonging,
  dataSourceOf,
  generatedColumnsIn,
  type PreparedColumn,
  preparedOf,
  prototypeOf,
} from '../columns/prepared.js'
import { link } from '../convert/trees.js'
import { generateIds } from './events.js'

/** The part of TypeORM's InsertQueryBuilder that we use. */
export interface InsertBuilder extends Belonging {
  readonly expressionMap: InsertMap
  queryRunner?: Runner | undefined
  obtainQueryRunner(): Runner
  createInsertExpression(): string
  execute(): Promise<InsertResult>
}

/** The part of TypeORM's query runners that we use. */
interface Runner {
  readonly isTransactionActive: boolean
  readonly broadcaster: {
    broadcastAfterInsertEvent(events: BroadcasterResult, metadata: EntityMetadata, row: ObjectLiteral): void
  }
  startTransaction(): Promise<void>
  commitTransaction(): Promise<void>
  rollbackTransaction(): Promise<void>
  release(): Promise<void>
}

/** What listeners and subscribers of an event have returned. */
interface BroadcasterResult {
  count: number
  readonly promises: Promise<unknown>[]
}

/** The part of a builder's expression map that we use. */
interface InsertMap {
  readonly mainAlias?: { readonly hasMetadata: boolean; readonly metadata: EntityMetadata }
  readonly insertFromSelect?: unknown
  readonly onIgnore?: boolean
  readonly onUpdate?: {
    readonly overwrite?: readonly string[]
    readonly conflict?: string | readonly string[]
  }
  /** What TypeORM generated itself, by rows. */
  readonly locallyGenerated: Record<number, ObjectLiteral>
  readonly updateEntity: boolean
  readonly useTransaction: boolean
  callListeners: boolean
  insertColumns: string[]
  valuesSet?: ObjectLiteral | ObjectLiteral[]
}

/** The columns whose ids we generated, for each row of an insert. */
type FilledColumns = readonly (readonly PreparedColumn[])[]

/** Has an insert of a query builder generate ids, where no event comes. */
export const generating = (builder: InsertBuilder): InsertBuilder =>
  Object.assign(builder, { createInsertExpression, execute })

/** What to do when an insert that runs has shown its rows to BeforeInsert, and is about to be sent. */
const onSending = new WeakMap<InsertBuilder, () => void>()

function createInsertExpression(this: InsertBuilder): string {
  generateMissingIds(this)
  onSending.get(this)?.()
  return prototypeOf(this).createInsertExpression.call(this)
}

async function execute(this: InsertBuilder): Promise<InsertResult> {
  const { expressionMap: map } = this
  const metadata = metadataOf(map)
  const columns = metadata && !map.insertFromSelect ? generatedColumnsIn(metadata) : []
  if (!metadata || columns.length === 0) return prototypeOf(this).execute.call(this)
  const filled = generateMissingIds(this)
  checkOverwrite(map, filled)
  const rows = valuesIn(map)
  const keys = keysIn(columns)
  const returned = metadata.getInsertionReturningColumns()
  const kept = [
    ...keys,
    ...returned.filter((one) => !keys.some((key) => key.propertyPath === one.propertyPath)),
  ]
  const generated = rows.map((row) => valuesOf(row, keys))
  let before: readonly Values[] = []
  const tidy = (result: InsertResult) => {
    if (map.updateEntity) putInOrder(result, metadata, rows, { keys, kept, before, filled })
    else if (!map.onUpdate && !map.onIgnore) {
      result.identifiers = rows.map((row) => metadata.getEntityIdMap(row) ?? {})
      result.generatedMaps = rows.map((row) => put({}, keys, valuesOf(row, keys)))
    }
  }
  const showsLater = mayShowOtherIds(this, metadata, rows)
  onSending.set(this, () => {
    before = rows.map((row) => valuesOf(row, kept))
    if (showsLater) map.callListeners = false
  })
  try {
    const insert = async () => {
      const result = await prototypeOf(this).execute.call(this)
      tidy(result)
      return result
    }
    const result = await (showsLater ? showingAfter(this, metadata, rows, insert) : insert())
    // Nothing tells which rows were stored. Listeners had the new ids, as TypeORM shows its own.
    if (!map.updateEntity && (map.onUpdate || map.onIgnore))
      rows.forEach((row, i) => void takeBack(row, filled[i]))
    for (const row of rows) link(metadata, row)
    return result
  } finally {
    onSending.delete(this)
    const { ids } = preparedOf(dataSourceOf(this)).pending
    if (ids.size > 0) for (const values of generated) for (const i of keys.keys()) ids.delete(values[i])
  }
}

/**
 * Whether TypeORM could show entities to AfterInsert with ids of other rows: it takes the n-th row that comes back for the
 * n-th entity.
 */
function mayShowOtherIds(
  builder: InsertBuilder,
  { afterInsertListeners }: EntityMetadata,
  rows: readonly unknown[],
): boolean {
  const { callListeners, onIgnore, onUpdate, updateEntity } = builder.expressionMap
  const { driver, subscribers } = dataSourceOf(builder)
  const isHeard = callListeners && (afterInsertListeners.length > 0 || subscribers.length > 0)
  const isInOrder = driver.isReturningSqlSupported('insert') || rows.length < 2
  return isHeard && updateEntity && Boolean(onIgnore || onUpdate || !isInOrder)
}

/** Runs an insert that leaves AfterInsert out, and then shows the rows, in its transaction and on its connection. */
async function showingAfter(
  builder: InsertBuilder,
  metadata: EntityMetadata,
  rows: readonly ObjectLiteral[],
  insert: () => Promise<InsertResult>,
): Promise<InsertResult> {
  const { expressionMap: map, queryRunner: ownRunner } = builder
  const runner = builder.obtainQueryRunner()
  const isOwnTransaction = map.useTransaction && !runner.isTransactionActive
  builder.queryRunner = runner
  try {
    if (isOwnTransaction) await runner.startTransaction()
    const result = await insert()
    const events: BroadcasterResult = { count: 0, promises: [] }
    for (const row of rows) runner.broadcaster.broadcastAfterInsertEvent(events, metadata, row)
    await Promise.all(events.promises)
    if (isOwnTransaction) await runner.commitTransaction()
    return result
  } catch (error) {
    // As in TypeORM, its own error is of less use.
    if (isOwnTransaction) await runner.rollbackTransaction().catch(() => undefined)
    throw error
  } finally {
    builder.queryRunner = ownRunner
    map.callListeners = true
    if (runner !== ownRunner) await runner.release()
  }
}

const metadataOf = ({ mainAlias }: InsertMap): EntityMetadata | undefined =>
  mainAlias?.hasMetadata ? mainAlias.metadata : undefined

const valuesIn = ({ valuesSet = [] }: InsertMap): ObjectLiteral[] =>
  Array.isArray(valuesSet) ? valuesSet : [valuesSet]

type Column = EntityMetadata['columns'][number]
/** The values of columns, in their order. */
type Values = readonly unknown[]

const keysIn = (columns: readonly PreparedColumn[]): Column[] => columns.map(({ metadata }) => metadata)

const valuesOf = (row: ObjectLiteral, columns: readonly Column[]): Values =>
  columns.map((column) => column.getEntityValue(row) as unknown)

function put(row: ObjectLiteral, columns: readonly Column[], values: Values): ObjectLiteral {
  columns.forEach((column, i) => void column.setEntityValue(row, values[i]))
  return row
}

/** Rows of an insert before it runs: their ids, and all that may come back. */
interface Before {
  readonly keys: readonly Column[]
  readonly kept: readonly Column[]
  readonly before: readonly Values[]
  readonly filled: FilledColumns
}

/**
 * TypeORM takes the n-th row that comes back for the n-th entity, but rows that were not written don't come back, and those
 * that it reads by a query come in any order. Our ids tell which is whose.
 */
function putInOrder(
  result: InsertResult,
  metadata: EntityMetadata,
  rows: readonly ObjectLiteral[],
  { keys, kept, before, filled }: Before,
): void {
  const raw: unknown = result.raw
  const isReturned = dataSourceOf(metadata).driver.isReturningSqlSupported('insert')
  if (isReturned && (!Array.isArray(raw) || raw.length === rows.length)) return
  // A query reads primary keys, and leaves another id as that of the n-th entity.
  const primary = isReturned ? [] : keys.filter(({ isPrimary }) => isPrimary)
  const read = primary.length > 0 ? primary : keys
  const others = keys.filter((key) => !read.includes(key))
  const ownOf = (i: number, columns: readonly Column[]): Values =>
    columns.map((column) => before[i]?.[kept.indexOf(column)])
  const ids = result.generatedMaps.map((map) => valuesOf(map, read))
  const isOwn = (values: Values, i: number) => String(values) === String(ownOf(i, read))
  const isEmpty = (values: Values) => values.every((id) => id === undefined)
  if (!isReturned && ids.every((values, i) => isOwn(values, i) || isEmpty(values))) return
  const maps = new Map<string, ObjectLiteral | undefined>()
  // After the rows that were read come those that were not, with an id that may belong to a row before them.
  ids.forEach((values, i) => {
    const id = String(values)
    if (!isEmpty(values) && !maps.has(id)) maps.set(id, result.generatedMaps[i])
  })
  rows.forEach((row, i) => {
    const map = maps.get(String(ownOf(i, read)))
    result.generatedMaps[i] = map ?? {}
    put(row, kept, before[i] as Values)
    if (map !== undefined) put(row, kept, valuesOf(put(map, others, ownOf(i, others)), kept))
    else if (isReturned) takeBack(row, filled[i])
    result.identifiers[i] = metadata.getEntityIdMap(row) as ObjectLiteral
  })
}

/** Removes the generated ids of a row that was not stored. */
function takeBack(row: ObjectLiteral, columns: readonly PreparedColumn[] = []): void {
  for (const { metadata } of columns) metadata.setEntityValue(row, undefined)
}

/** Refuses an upsert in which only some rows have an id: it would overwrite stored ids with those generated for others. */
function checkOverwrite({ onUpdate }: InsertMap, filled: FilledColumns): void {
  const overwritten = filled
    .flat()
    .find(
      ({ metadata: { databaseName: name } }) =>
        onUpdate?.overwrite?.includes(name) &&
        !(Array.isArray(onUpdate.conflict) && onUpdate.conflict.includes(name)),
    )
  if (!overwritten) return
  const { path, storage } = overwritten
  throw new IdError(
    'INVALID_OPTION',
    `${path}: the upsert would replace stored ids by new ones, since only some rows have their own id; upsert those separately`,
    { family: storage.family.name, path },
  )
}

/** Generates the ids that an insert's rows lack. @throws {IdError} for an INSERT … SELECT that lacks ids. */
function generateMissingIds(builder: InsertBuilder): FilledColumns {
  const { expressionMap: map } = builder
  const metadata = metadataOf(map)
  const columns = metadata ? generatedColumnsIn(metadata) : []
  if (columns.length === 0) return []
  if (map.insertFromSelect) refuseMissing(columns, map)
  if (map.valuesSet === undefined) return []
  const paths = map.insertColumns.length > 0 ? columns.map((one) => one.metadata.propertyPath) : []
  map.insertColumns = [...new Set([...map.insertColumns, ...paths])]
  const before = valuesIn(map)
  // Frozen values can't be written into.
  const rows = before.map((values) => (Object.isExtensible(values) ? values : { ...values }))
  if (!rows.every((row, i) => row === before[i])) map.valuesSet = rows
  const filled = rows.map((row) => generateIds(columns, row))
  if (dataSourceOf(builder).driver.isReturningSqlSupported('insert')) return filled
  rows.forEach((row, i) => {
    const keys = keysIn(filled[i] ?? [])
    if (keys.length > 0)
      map.locallyGenerated[i] = put(map.locallyGenerated[i] ?? {}, keys, valuesOf(row, keys))
  })
  return filled
}

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
