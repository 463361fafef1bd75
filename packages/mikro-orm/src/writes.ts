import type { EntityMetadata, EntityName, IDatabaseDriver } from '@mikro-orm/core'

/** What the type of an id property does for the rows that are written. */
export interface IdWriting {
  /** A new id; undefined if the property's ids are not generated. */
  readonly newId: (() => string) | undefined
  /** @throws {IdError} for a value that is not an id of the property. */
  check(value: unknown): void
}

type Row = Readonly<Record<string, unknown>>

interface QueryBuilder {
  insert(data: Row | readonly Row[], ...more: unknown[]): unknown
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
}

/** Drivers that are changed already. */
const WATCHED = new WeakSet<object>()

/**
 * Generates ids of rows that reach the driver without one, since MikroORM calls `onCreate` for entities only, not for
 * the rows of `em.insert()`, `insertMany()` and a query builder's `insert()`. Checks the ids of a flush, for which
 * MikroORM asks the type in the same way as for rows that it reads. The driver of one ORM is changed, and no class.
 */
export function watchWrites(given: IDatabaseDriver): void {
  if (WATCHED.has(given)) return
  WATCHED.add(given)
  const driver = given as unknown as Driver
  const { nativeInsert, nativeInsertMany, nativeUpdate, nativeUpdateMany, createQueryBuilder } = driver
  const metaOf = (name: EntityName) => driver.getMetadata().find(name)
  const completed = (name: EntityName, row: Row): Row => withIds(metaOf(name), row)
  Object.assign(driver, {
    async nativeInsert(name, row, ...more) {
      return nativeInsert.call(driver, name, checked(metaOf(name), completed(name, row)), ...more)
    },
    async nativeInsertMany(name, given, ...more) {
      const meta = metaOf(name)
      const rows = given.map((row) => checked(meta, completed(name, row)))
      const result = await nativeInsertMany.call(driver, name, rows, ...more)
      // SQL drivers answer with the id of one row.
      const [key = '', other] = meta?.primaryKeys ?? []
      const ids = rows.map((row) => row[key])
      return other === undefined && !ids.includes(undefined) ? { insertedIds: ids, ...result } : result
    },
    async nativeUpdate(name, where, row, ...more) {
      return nativeUpdate.call(driver, name, where, checked(metaOf(name), row), ...more)
    },
    async nativeUpdateMany(name, where, rows, ...more) {
      for (const row of rows) checked(metaOf(name), row)
      return nativeUpdateMany.call(driver, name, where, rows, ...more)
    },
    createQueryBuilder(name, ...more) {
      const builder = createQueryBuilder.call(driver, name, ...more)
      const { insert } = builder
      builder.insert = (data, ...rest) =>
        insert.call(
          builder,
          Array.isArray(data) ? data.map((row) => completed(name, row)) : completed(name, data as Row),
          ...rest,
        )
      return builder
    },
  } satisfies Partial<Driver>)
}

function withIds(meta: EntityMetadata | undefined, row: Row): Row {
  const missing = (meta?.props ?? []).flatMap(({ name, customType, onCreate }) => {
    const type = customType as Partial<IdWriting> | undefined
    return type?.newId && onCreate && row[name] === undefined ? [[name, type.newId()] as const] : []
  })
  return missing.length === 0 ? row : { ...row, ...Object.fromEntries(missing) }
}

function checked(meta: EntityMetadata | undefined, row: Row): Row {
  for (const { name, customType } of meta?.props ?? []) {
    const type = customType as Partial<IdWriting> | undefined
    type?.check?.(row[name])
  }
  return row
}
