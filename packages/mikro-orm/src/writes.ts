import { type EntityMetadata, type EntityName, type IDatabaseDriver, isRaw } from '@mikro-orm/core'
import { IdError } from '@snoflax/core'

/** What the type of an id property does for the rows that are written. */
interface IdWriting {
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

type Write = (name: EntityName, ...given: unknown[]) => Promise<object>

interface Driver extends Record<keyof typeof ROWS_AT, Write> {
  getMetadata(): { find(name: EntityName): EntityMetadata | undefined }
  createQueryBuilder(name: EntityName, ...more: unknown[]): QueryBuilder
  convertException(error: Error): Error
}

/** Where the driver's methods have a row or rows, behind the entity. */
const ROWS_AT = { nativeInsert: 0, nativeInsertMany: 0, nativeUpdate: 1, nativeUpdateMany: 1 } as const

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
  const { createQueryBuilder, convertException } = driver
  const metaOf = (name: EntityName) => driver.getMetadata().find(name)
  for (const [method, at] of Object.entries(ROWS_AT) as [keyof typeof ROWS_AT, number][]) {
    const write = driver[method]
    const isInsert = method.startsWith('nativeInsert')
    driver[method] = async (name, ...given) => {
      const meta = metaOf(name)
      const ids = idsIn(meta)
      const rows = ([given[at]].flat() as Row[]).map((row) =>
        checked(ids, isInsert ? withIds(ids, row, 'name') : row),
      )
      given[at] = Array.isArray(given[at]) ? rows : rows[0]
      const result = await write.call(driver, name, ...given)
      if (method !== 'nativeInsertMany') return result
      // SQL drivers answer with the id of one row.
      const [key = '', other] = meta?.primaryKeys ?? []
      const isOurs = other === undefined && ids.some((one) => one.name === key)
      const insertedIds = isOurs ? rows.map((row) => row[key]) : [undefined]
      return insertedIds.includes(undefined) ? result : { insertedIds, ...result }
    }
  }
  driver.createQueryBuilder = (name, ...more) =>
    inserting(createQueryBuilder.call(driver, name, ...more), () => idsIn(metaOf(name)))
  // MikroORM makes errors of the database of all that happens while a junction table is written.
  driver.convertException = (error) =>
    error instanceof IdError ? error : convertException.call(driver, error)
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
