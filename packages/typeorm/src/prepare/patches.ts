import type { DataSource, EntityMetadata, InsertResult, ObjectLiteral } from 'typeorm'
import { idColumnsIn, preparedOf } from '../columns/prepared.js'
import { inIds, markIdParameters, withIdValues } from '../read/parameters.js'
import { putIdsIntoReturned, putIdsIntoRows, type RawRow, type Selection } from '../read/rows.js'
import { insertWithIds } from '../write/insert.js'
import { generateMissingIds, type InsertBuilder, type InsertMap, metadataOf } from '../write/new-rows.js'
import { endInserts } from '../write/pending.js'
import { convertTreeStatements } from '../write/trees.js'
import { prototypesOf } from './reliances.js'

/** A builder that has its main entity. */
interface MainBuilder {
  readonly expressionMap: { readonly mainAlias: { readonly metadata: EntityMetadata } }
}

/** A builder that changes rows. */
interface Changing {
  readonly expressionMap: Pick<InsertMap, 'mainAlias'>
}

/** Drivers and prototypes that are patched. */
const patched = new WeakSet<object>()

/**
 * The places of TypeORM where ids are generated, go in and come out: in the DataSource's driver, and in the
 * prototypes of its copy of TypeORM. A DataSource without id columns passes through those unchanged.
 */
export function patchTypeorm(dataSource: DataSource): void {
  const { queryBuilder, ...of } = prototypesOf(dataSource)
  once(dataSource.driver, () => patchDriver(dataSource))
  once(queryBuilder, () => {
    patchConditions(queryBuilder)
    patchRawRows(of.selectQueryBuilder)
    patchInserts(of.insertQueryBuilder)
    patchReturning(of.updateQueryBuilder)
    patchReturning(of.deleteQueryBuilder)
    patchReturning(of.softDeleteQueryBuilder)
    patchSaves(of.entityManager)
  })
}

function once(owner: object, patch: () => void): void {
  if (patched.has(owner)) return
  patched.add(owner)
  patch()
}

/** Puts a function around a method; it gets the object and the method, bound to it. */
function around<This, Given extends unknown[], Result>(
  owner: object,
  name: string,
  call: (self: This, method: (...given: Given) => Result, ...given: Given) => Result,
): void {
  const methods = owner as Record<string, (...given: Given) => Result>
  const method = methods[name] as (...given: Given) => Result
  methods[name] = function (this: This, ...given) {
    return call(this, method.bind(this), ...given)
  }
}

/** Where parameters go in and returned values come out. */
function patchDriver(dataSource: DataSource): void {
  const { driver } = dataSource
  const escapeQueryWithParameters = driver.escapeQueryWithParameters.bind(driver)
  driver.escapeQueryWithParameters = (query, parameters, ...rest) =>
    escapeQueryWithParameters(
      query,
      withIdValues(query, parameters ?? {}, preparedOf(dataSource).columns),
      ...rest,
    )

  const createGeneratedMap = driver.createGeneratedMap.bind(driver)
  driver.createGeneratedMap = (metadata, ...result) =>
    returnedIds(metadata, createGeneratedMap(metadata, ...result))

  const createQueryRunner = driver.createQueryRunner.bind(driver)
  driver.createQueryRunner = (mode) => convertTreeStatements(createQueryRunner(mode), dataSource)
}

/** What RETURNING answered, with ids for the values of id columns. */
function returnedIds(
  metadata: EntityMetadata,
  returned: ObjectLiteral | undefined,
): ObjectLiteral | undefined {
  if (returned === undefined) return undefined
  for (const idColumn of idColumnsIn(metadata)) {
    const column = idColumn.metadata
    const value: unknown = column.getEntityValue(returned)
    if (value == null) continue
    // A foreign key stands as the relation's value here, not within it.
    if (column.embeddedMetadata) column.setEntityValue(returned, idColumn.from(value))
    else returned[column.propertyName] = idColumn.from(value)
  }
  return returned
}

function patchConditions(queryBuilder: object): void {
  around<Selection, [string], string>(
    queryBuilder,
    'replacePropertyNamesForTheWholeQuery',
    (builder, replace, query) => replace(isPlainInsert(builder) ? query : marked(builder, query)),
  )
  around<MainBuilder, [unknown], unknown>(
    queryBuilder,
    'getWhereInIdsCondition',
    ({ expressionMap: { mainAlias } }, conditionOf, ids) =>
      inIds(mainAlias.metadata, ids) ?? conditionOf(ids),
  )
}

function marked({ dataSource, expressionMap: { aliases } }: Selection, query: string): string {
  if (preparedOf(dataSource).columns.length === 0) return query
  return markIdParameters(query, aliases, dataSource)
}

/** Values of an insert are converted one by one; reading through thousands of them would only cost time. */
function isPlainInsert({ expressionMap }: { readonly expressionMap: object }): boolean {
  const { queryType, onUpdate } = expressionMap as {
    queryType?: string
    onUpdate?: { overwriteCondition?: unknown }
  }
  return queryType === 'insert' && onUpdate?.overwriteCondition === undefined
}

const patchRawRows = (selectQueryBuilder: object): void =>
  around<Selection, [unknown], Promise<RawRow[]>>(
    selectQueryBuilder,
    'loadRawResults',
    async (builder, load, queryRunner) => {
      const rows = await load(queryRunner)
      if (preparedOf(builder.dataSource).columns.length > 0) putIdsIntoRows(rows, builder)
      return rows
    },
  )

function patchInserts(insertQueryBuilder: object): void {
  around<InsertBuilder, [], string>(insertQueryBuilder, 'createInsertExpression', (builder, create) => {
    generateMissingIds(builder)
    return create()
  })
  around<InsertBuilder, [], Promise<InsertResult>>(insertQueryBuilder, 'execute', async (builder, execute) =>
    withIds(await insertWithIds(builder, execute), builder),
  )
}

const patchReturning = (queryBuilder: object): void =>
  around<Changing, [], Promise<{ readonly raw: unknown }>>(
    queryBuilder,
    'execute',
    async (builder, execute) => withIds(await execute(), builder),
  )

function withIds<Result extends { readonly raw: unknown }>(
  result: Result,
  { expressionMap }: Changing,
): Result {
  const metadata = metadataOf(expressionMap)
  if (metadata) putIdsIntoReturned(result.raw, metadata)
  return result
}

const patchSaves = (entityManager: object): void =>
  around<object, unknown[], Promise<unknown>>(entityManager, 'save', async (_, save, ...given) => {
    try {
      return await save(...given)
    } catch (error) {
      endInserts(given)
      throw error
    }
  })
