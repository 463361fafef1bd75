import { type EntityMetadata, type EntityName, type IDatabaseDriver, isRaw } from '@mikro-orm/core'
import { IdError } from '@snoflax/core'

/** What the type of an id property does for the rows that are written. */
export interface IdWriting {
  /** A new id; undefined if the property's ids are not generated. */
  readonly newId: (() => string) | undefined
  /** @throws {IdError} for a value that is not an id of the property. */
  check(value: unknown): void
}

type Row = Readonly<Record<string, unknown>>

/** Of MikroORM's query builder, by an interface that each of its SQL drivers meets. */
interface QueryBuilder {
  readonly type: string
  /** What the methods collect until the statement is built. */
  readonly state: {
    /** By columns. */
    data?: Row | readonly Row[]
    onConflict?: readonly OnConflict[] | undefined
  }
  getNativeQuery(...more: unknown[]): unknown
  clone(...more: unknown[]): QueryBuilder
}

interface OnConflict {
  /** Names of properties, or values for them; undefined for all that the row has. */
  readonly merge?: readonly string[] | Row | undefined
}

interface Driver {
  getMetadata(): { find(name: EntityName): EntityMetadata | undefined }
  nativeInsert(name: EntityName, data: Row, ...more: unknown[]): Promise<object>
  nativeInsertMany(name: EntityName, data: readonly Row[], ...more: unknown[]): Promise<object>
  nativeUpdate(name: EntityName, where: unknown, data: Row, ...more: unknown[]): Promise<object>
  nativeUpdateMany(
    name: EntityName,
    where: unknown,
    data: readonly Row[],
    ...more: unknown[]
  ): Promise<object>
  createQueryBuilder(name: EntityName, ...more: unknown[]): QueryBuilder
  convertException(error: Error): Error
}

const WATCHED = new WeakSet<object>()

/**
 * Generates ids of rows that reach the driver without one, since MikroORM calls `onCreate` for entities only, not for
 * the rows of `em.insert()`, `insertMany()` and a query builder's `insert()`, and has no event for them. Checks the ids
 * of a flush, for which MikroORM asks the type in the same way as for rows that it reads. The driver of one ORM is
 * changed, and no class.
 */
export function watchWrites(given: IDatabaseDriver): void {
  if (WATCHED.has(given)) return
  WATCHED.add(given)
  const driver = given as unknown as Driver
  const { nativeInsert, nativeInsertMany, nativeUpdate, nativeUpdateMany, createQueryBuilder } = driver
  const { convertException } = driver
  const idsOf = (name: EntityName) => idsIn(driver.getMetadata().find(name))
  Object.assign(driver, {
    async nativeInsert(name, row, ...more) {
      const ids = idsOf(name)
      return nativeInsert.call(driver, name, checked(ids, withIds(ids, row, 'name')), ...more)
    },
    async nativeInsertMany(name, given, ...more) {
      const ids = idsOf(name)
      const rows = given.map((row) => checked(ids, withIds(ids, row, 'name')))
      const result = await nativeInsertMany.call(driver, name, rows, ...more)
      // SQL drivers answer with the id of one row.
      const [key = '', other] = driver.getMetadata().find(name)?.primaryKeys ?? []
      const isOurs = other === undefined && ids.some((one) => one.name === key)
      const insertedIds = isOurs ? rows.map((row) => row[key]) : [undefined]
      return insertedIds.includes(undefined) ? result : { insertedIds, ...result }
    },
    async nativeUpdate(name, where, row, ...more) {
      return nativeUpdate.call(driver, name, where, checked(idsOf(name), row), ...more)
    },
    async nativeUpdateMany(name, where, rows, ...more) {
      const ids = idsOf(name)
      for (const row of rows) checked(ids, row)
      return nativeUpdateMany.call(driver, name, where, rows, ...more)
    },
    createQueryBuilder(name, ...more) {
      return inserting(createQueryBuilder.call(driver, name, ...more), () => idsOf(name))
    },
    // MikroORM makes errors of the database of all that happens while a junction table is written.
    convertException: (error) => (error instanceof IdError ? error : convertException.call(driver, error)),
  } satisfies Partial<Driver>)
}

/** A query builder whose inserts get ids when the statement is built, so that each copy of it gets others. */
function inserting(builder: QueryBuilder, idsOf: () => readonly IdColumn[]): QueryBuilder {
  const { getNativeQuery, clone } = builder
  return Object.assign(builder, {
    clone: (...more) => inserting(clone.apply(builder, more), idsOf),
    getNativeQuery: (...more) => {
      const { state } = builder
      const { data, onConflict } = state
      if (builder.type !== 'INSERT' || data === undefined) return getNativeQuery.apply(builder, more)
      const ids = idsOf()
      const rows = [data].flat() as readonly Row[]
      const filled = rows.map((row) => withIds(ids, row, 'column'))
      state.data = Array.isArray(data) ? filled : (filled[0] as Row)
      state.onConflict = onConflict?.map((one) => merging(ids, one, rows, filled))
      try {
        return getNativeQuery.apply(builder, more)
      } finally {
        Object.assign(state, { data, onConflict })
      }
    },
  } satisfies Partial<QueryBuilder>)
}

/** A row that is there keeps its ids: `merge()` writes what was given, without the ids that were generated. */
function merging(
  ids: readonly IdColumn[],
  one: OnConflict,
  given: readonly Row[],
  filled: readonly Row[],
): OnConflict {
  if (one.merge !== undefined) checked(ids, one.merge as Row)
  if (!('merge' in one) || one.merge !== undefined) return one
  const isGiven = (column: string) => filled.every((row, at) => row[column] === given[at]?.[column])
  return { ...one, merge: Object.keys(filled[0] ?? {}).filter(isGiven) }
}

/** A column of ids; of a relation by a composite key, one of its columns. */
interface IdColumn {
  readonly name: string
  readonly column: string
  /** Its place in a composite key. */
  readonly at: number | undefined
  readonly type: IdWriting
  readonly isGenerated: boolean
}

function idsIn(meta: EntityMetadata | undefined): readonly IdColumn[] {
  return (meta?.props ?? []).flatMap(({ name, fieldNames = [], customType, customTypes, onCreate }) =>
    (customTypes ?? [customType]).flatMap((type, at) =>
      'check' in Object(type)
        ? {
            name,
            column: fieldNames[at] ?? name,
            at: customTypes && at,
            type: type as unknown as IdWriting,
            isGenerated: onCreate !== undefined,
          }
        : [],
    ),
  )
}

function withIds(ids: readonly IdColumn[], row: Row, key: 'name' | 'column'): Row {
  const missing = ids.flatMap(({ [key]: name, isGenerated, type: { newId } }) =>
    isGenerated && newId && isLeftOut(row[name]) ? [[name, newId()] as const] : [],
  )
  return missing.length === 0 ? row : { ...row, ...Object.fromEntries(missing) }
}

/** MikroORM writes DEFAULT for the key of a row without values. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || (isRaw(value) && value.sql === 'default')

/** The rows of junction tables are named by their columns. */
function checked(ids: readonly IdColumn[], row: Row): Row {
  for (const { name, column, at, type } of ids) {
    const value = row[name] ?? row[column]
    type.check(at !== undefined && Array.isArray(value) ? value[at] : value)
  }
  return row
}
