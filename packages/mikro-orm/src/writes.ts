import type { EntityMetadata, EntityName, EntityProperty, IDatabaseDriver } from '@mikro-orm/core'

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
  const idsOf = (name: EntityName) => idsIn(driver.getMetadata().find(name))
  Object.assign(driver, {
    async nativeInsert(name, row, ...more) {
      const ids = idsOf(name)
      return nativeInsert.call(driver, name, checked(ids, withIds(ids, row)), ...more)
    },
    async nativeInsertMany(name, given, ...more) {
      const ids = idsOf(name)
      const rows = given.map((row) => checked(ids, withIds(ids, row)))
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
      const builder = createQueryBuilder.call(driver, name, ...more)
      const { insert } = builder
      builder.insert = (data, ...rest) => {
        const ids = idsOf(name)
        const rows = Array.isArray(data) ? data.map((row) => withIds(ids, row)) : withIds(ids, data as Row)
        return insert.call(builder, rows, ...rest)
      }
      return builder
    },
  } satisfies Partial<Driver>)
}

type IdProperty = Pick<EntityProperty, 'name' | 'onCreate'> & { readonly customType: IdWriting }

const idsIn = (meta: EntityMetadata | undefined): readonly IdProperty[] =>
  (meta?.props ?? []).filter(({ customType }) => 'check' in Object(customType)) as never

function withIds(ids: readonly IdProperty[], row: Row): Row {
  const missing = ids.flatMap(({ name, onCreate, customType: { newId } }) =>
    newId && onCreate && row[name] === undefined ? [[name, newId()] as const] : [],
  )
  return missing.length === 0 ? row : { ...row, ...Object.fromEntries(missing) }
}

function checked(ids: readonly IdProperty[], row: Row): Row {
  for (const { name, customType } of ids) customType.check(row[name])
  return row
}
