import {
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  type IDatabaseDriver,
  isRaw,
  type MetadataStorage,
  ReferenceKind,
} from '@mikro-orm/core'
import { IdError } from '@snoflax/core'
import { checkRow, checksOf, idTypeOf, type Row, type RowChecks } from './checks.js'
import { checkGenerators } from './generating.js'

/** Of MikroORM's query builder, by an interface that each of its SQL drivers meets. */
interface QueryBuilder {
  readonly type: string
  /** What the methods collect until the statement is built. */
  readonly state: {
    /** By columns. */
    data?: Row | readonly Row[]
    onConflict?: readonly OnConflict[] | undefined
  }
  insert(data: Row | readonly Row[]): unknown
  update(data: Row): unknown
  getNativeQuery(...more: unknown[]): unknown
  clone(...more: unknown[]): QueryBuilder
}

interface OnConflict {
  /** Names of properties, or values for them; undefined for all that the row has. */
  readonly merge?: readonly string[] | Row | undefined
}

type Write = (name: EntityName, ...args: unknown[]) => Promise<object>

interface Driver extends Record<keyof typeof ROWS_AT, Write> {
  getMetadata(): MetadataStorage
  setMetadata(all: MetadataStorage): void
  createQueryBuilder(name: EntityName, ...more: unknown[]): QueryBuilder
  convertException(error: Error): Error
}

/** Where the driver's methods have a row or rows, behind the entity. */
const ROWS_AT = {
  nativeInsert: 0,
  nativeInsertMany: 0,
  nativeUpdate: 1,
  nativeUpdateMany: 1,
  nativeClone: 1,
} as const

const WATCHED = new WeakSet<object>()

/**
 * Generates ids of rows that reach the driver without one, since MikroORM calls `onCreate` for entities only, not for
 * the rows of `em.insert()`, `insertMany()` and a query builder's `insert()`, and has no event for them. Checks the ids
 * that are written by the kind of their property; MikroORM asks the type of a property in the same way for rows that it
 * reads, and not at all for some kinds. The driver of one ORM is changed, and no class.
 */
export function watchWrites(original: IDatabaseDriver): void {
  if (WATCHED.has(original)) return
  WATCHED.add(original)
  const driver = original as unknown as Driver
  const { createQueryBuilder, convertException, setMetadata } = driver
  // `MikroORM.init()` calls it when it knows all entities.
  driver.setMetadata = (all) => {
    checkGenerators(all)
    setMetadata.call(driver, all)
  }
  const known = new WeakMap<EntityMetadata, Ids>()
  const idsOf = (name: EntityName, row?: Row): Ids => {
    const all = driver.getMetadata()
    const meta = childOf(all.find(name as EntityMetadata['class']), row, all)
    if (meta === undefined) return NONE
    const ids = known.get(meta) ?? { ...checksOf(meta, all), generated: generatedIn(meta) }
    known.set(meta, ids)
    return ids
  }
  for (const [method, at] of Object.entries(ROWS_AT) as [keyof typeof ROWS_AT, number][]) {
    const write = driver[method]
    const isInsert = method.startsWith('nativeInsert')
    driver[method] = async (name, ...args) => {
      const ids = idsOf(name)
      const rows = ([args[at] ?? []].flat() as Row[]).map((row) => {
        checkRow(idsOf(name, row), row)
        return isInsert ? withIds(ids.generated, row, 'name') : row
      })
      if (args[at] !== undefined) args[at] = Array.isArray(args[at]) ? rows : rows[0]
      const result = await write.call(driver, name, ...args)
      if (method !== 'nativeInsertMany') return result
      // SQL drivers answer with the id of one row.
      const [key = '', other] = driver.getMetadata().find(name as EntityMetadata['class'])?.primaryKeys ?? []
      const isOurs = other === undefined && ids.properties.some(([property]) => property === key)
      const insertedIds = isOurs ? rows.map((row) => row[key]) : [undefined]
      return insertedIds.includes(undefined) ? result : { insertedIds, ...result }
    }
  }
  driver.createQueryBuilder = (name, ...more) =>
    watched(createQueryBuilder.call(driver, name, ...more), (row) => idsOf(name, row))
  // MikroORM makes errors of the database of all that happens while a junction table is written.
  driver.convertException = (error) =>
    error instanceof IdError ? error : convertException.call(driver, error)
}

/** Two entities of one table may have different properties of one name. */
function childOf(
  meta: EntityMetadata | undefined,
  row: Row | undefined,
  all: MetadataStorage,
): EntityMetadata | undefined {
  const { discriminatorColumn, discriminatorMap } = meta?.root ?? {}
  const child = discriminatorMap?.[row?.[discriminatorColumn as string] as string]
  return child ? all.find(child) : meta
}

/** A query builder that checks what it writes, and whose inserts get ids when the statement is built, so that each copy of it gets others. */
function watched(builder: QueryBuilder, idsOf: (row?: Row) => Ids): QueryBuilder {
  const { getNativeQuery, clone, insert, update } = builder
  const check = (row: Row) => checkRow(idsOf(row), row)
  return Object.assign(builder, {
    clone: (...more) => watched(clone.apply(builder, more), idsOf),
    insert: (data) => {
      const rows = [data].flat() as readonly Row[]
      rows.forEach(check)
      return insert.call(builder, data)
    },
    update: (data) => {
      check(data)
      return update.call(builder, data)
    },
    getNativeQuery: (...more) => {
      const { state } = builder
      const { data, onConflict } = state
      if (builder.type !== 'INSERT' || data === undefined) return getNativeQuery.apply(builder, more)
      const rows = [data].flat() as readonly Row[]
      const filled = rows.map((row) => withIds(idsOf().generated, row, 'column'))
      state.data = Array.isArray(data) ? filled : (filled[0] as Row)
      state.onConflict = onConflict?.map((one) => merging(check, one, rows, filled))
      try {
        return getNativeQuery.apply(builder, more)
      } finally {
        Object.assign(state, { data, onConflict })
      }
    },
  } satisfies Partial<QueryBuilder>)
}

/** A row that is there keeps its ids: `merge()` writes what was passed, without the ids that were generated. */
function merging(
  check: (row: Row) => void,
  one: OnConflict,
  rows: readonly Row[],
  filled: readonly Row[],
): OnConflict {
  if (one.merge !== undefined) check(one.merge as Row)
  if (!('merge' in one) || one.merge !== undefined) return one
  const isPassed = (column: string) => filled.every((row, at) => row[column] === rows[at]?.[column])
  return { ...one, merge: Object.keys(filled[0] ?? {}).filter(isPassed) }
}

/** What is known of the ids in an entity's rows. */
interface Ids extends RowChecks {
  readonly generated: readonly GeneratedId[]
}

const NONE: Ids = { properties: [], columns: [], generated: [] }

interface GeneratedId {
  readonly name: string
  readonly column: string
  newId(): string
}

/** Ids in embedded objects are generated for entities only: a row may have none. */
const generatedIn = (meta: EntityMetadata): readonly GeneratedId[] =>
  (meta.inheritanceType === 'tpt' ? (meta.ownProps ?? []) : meta.props).flatMap((prop) => {
    const newId = generatorOf(prop)
    const isOwn = newId && !prop.embedded && prop.persist !== false && !prop.generated && !prop.formula
    return isOwn ? [{ name: prop.name, column: prop.fieldNames[0] as string, newId }] : []
  })

/** Generates the ids of a property; undefined if they aren't generated. */
const generatorOf = (prop: EntityProperty): (() => string) | undefined =>
  prop.onCreate && prop.kind === ReferenceKind.SCALAR ? idTypeOf(prop)?.newId : undefined

function withIds(generated: readonly GeneratedId[], row: Row, key: 'name' | 'column'): Row {
  const missing = generated.filter(({ [key]: name }) => isLeftOut(row[name]))
  const newIds = missing.map(({ [key]: name, newId }) => [name, newId()] as const)
  return missing.length === 0 ? row : { ...row, ...Object.fromEntries(newIds) }
}

/** MikroORM writes DEFAULT for the key of a row without values. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || (isRaw(value) && value.sql === 'default')
