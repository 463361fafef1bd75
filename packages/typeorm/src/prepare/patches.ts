import { IdError } from '@snoflax/core'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import { idColumnsIn, idColumnsOf } from '../columns/prepared.js'
import { inIds, markIdParameters, withIdValues } from '../read/parameters.js'
import { putIdsIntoReturned, putIdsIntoRows, type RawRow, type Selection } from '../read/rows.js'
import { insertWithIds } from '../write/insert.js'
import { generateMissingIds, type InsertBuilder, type InsertMap, metadataOf } from '../write/new-rows.js'
import { endInserts } from '../write/pending.js'
import { convertTreeStatements } from '../write/trees.js'

/** Drivers and query builders that are patched. */
const patched = new WeakSet<object>()

/** The places of a DataSource's driver where parameters go in and returned values come out. */
export function patchDriver(dataSource: DataSource): void {
  const { driver } = dataSource
  if (patched.has(driver)) return
  patched.add(driver)

  const escapeQueryWithParameters = driver.escapeQueryWithParameters.bind(driver)
  driver.escapeQueryWithParameters = (query, parameters) =>
    escapeQueryWithParameters(query, withIdValues(query, parameters ?? {}, idColumnsOf(dataSource)))

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

/** A builder that has its main entity. */
interface MainBuilder {
  readonly expressionMap: { readonly mainAlias: { readonly metadata: EntityMetadata } }
}

/** A builder that changes rows. */
interface Changing {
  readonly expressionMap: Pick<InsertMap, 'mainAlias'>
}

/** A method of TypeORM that is not public. */
type Method<This, Given extends unknown[], Result> = (this: This, ...given: Given) => Result

/** Puts our method in the place of TypeORM's. */
type Patch = () => void

/**
 * The places of TypeORM's query builders where ids are made, go in and come out, in the copy of TypeORM that
 * the DataSource is of. A DataSource without id columns passes through unchanged.
 */
export function patchQueryBuilders(dataSource: DataSource): void {
  const select = dataSource.createQueryBuilder()
  const selectPrototype = prototypeOf(select)
  const prototype = prototypeOf(selectPrototype)
  if (patched.has(prototype)) return
  // All methods are found before the first is changed: a version that lacks one is left as it is.
  const patches = [
    ...conditions(prototype),
    rawRows(selectPrototype),
    ...inserts(prototypeOf(select.insert())),
    ...[select.update(), select.delete(), select.softDelete()].map((builder) =>
      returning(prototypeOf(builder)),
    ),
    saves(prototypeOf(dataSource.manager)),
  ]
  for (const patch of patches) patch()
  patched.add(prototype)
}

const prototypeOf = (one: object): object => Object.getPrototypeOf(one) as object

const conditions = (queryBuilder: object): Patch[] => [
  wrapped<Selection, [string], string>(queryBuilder, 'replacePropertyNamesForTheWholeQuery', (original) => {
    return function (query) {
      return original.call(this, isPlainInsert(this) ? query : marked(this, query))
    }
  }),
  wrapped<MainBuilder, [unknown], unknown>(queryBuilder, 'getWhereInIdsCondition', (original) => {
    return function (ids) {
      return inIds(this.expressionMap.mainAlias.metadata, ids) ?? original.call(this, ids)
    }
  }),
]

const rawRows = (selectQueryBuilder: object): Patch =>
  wrapped<Selection, [unknown], Promise<RawRow[]>>(selectQueryBuilder, 'loadRawResults', (original) => {
    return async function (queryRunner) {
      const rows = await original.call(this, queryRunner)
      if (idColumnsOf(this.dataSource).length > 0) putIdsIntoRows(rows, this)
      return rows
    }
  })

const inserts = (insertQueryBuilder: object): Patch[] => [
  wrapped<InsertBuilder, [], string>(insertQueryBuilder, 'createInsertExpression', (original) => {
    return function () {
      generateMissingIds(this)
      return original.call(this)
    }
  }),
  wrapped<InsertBuilder, [], ReturnType<InsertBuilder['execute']>>(
    insertQueryBuilder,
    'execute',
    (original) => {
      return async function () {
        return withIds(await insertWithIds(this, () => original.call(this)), this)
      }
    },
  ),
]

const returning = (queryBuilder: object): Patch =>
  wrapped<Changing, [], Promise<{ readonly raw: unknown }>>(queryBuilder, 'execute', (original) => {
    return async function () {
      return withIds(await original.call(this), this)
    }
  })

function withIds<Result extends { readonly raw: unknown }>(
  result: Result,
  { expressionMap }: Changing,
): Result {
  const metadata = metadataOf(expressionMap)
  if (metadata) putIdsIntoReturned(result.raw, metadata)
  return result
}

const saves = (entityManager: object): Patch =>
  wrapped<object, unknown[], Promise<unknown>>(entityManager, 'save', (original) => {
    return async function (...given) {
      try {
        return await original.apply(this, given)
      } catch (error) {
        endInserts(given)
        throw error
      }
    }
  })

function wrapped<This, Given extends unknown[], Result>(
  prototype: object,
  name: string,
  wrapper: (original: Method<This, Given, Result>) => Method<This, Given, Result>,
): Patch {
  const methods = prototype as Record<string, Method<This, Given, Result> | undefined>
  const original = methods[name]
  if (original === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `this version of TypeORM has no ${name}: use one that @snoflax/typeorm names as its peer`,
    )
  }
  return () => {
    methods[name] = wrapper(original)
  }
}

function marked({ dataSource, expressionMap: { aliases } }: Selection, query: string): string {
  if (idColumnsOf(dataSource).length === 0) return query
  return markIdParameters(query, aliases, dataSource)
}

/** Values of an insert are converted one by one; reading through thousands of them would only cost time. */
function isPlainInsert({ expressionMap }: object & { readonly expressionMap: object }): boolean {
  const { queryType, onUpdate } = expressionMap as {
    queryType?: string
    onUpdate?: { overwriteCondition?: unknown }
  }
  return queryType === 'insert' && onUpdate?.overwriteCondition === undefined
}
