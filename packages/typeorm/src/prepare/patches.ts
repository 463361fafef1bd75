import { IdError } from '@snoflax/core'
import { readComparisons, refuseUnconverted, withMarks } from '@snoflax/core/adapter'
import type {
  DataSource,
  EntityMetadata,
  EntityTarget,
  InsertResult,
  ObjectLiteral,
  QueryRunner,
  Table,
} from 'typeorm'
import type { Subject } from 'typeorm/persistence/Subject.js'
import { bound, unboundList } from '../columns/bound.js'
import {
  type Belonging,
  dataSourceOf,
  idColumnFor,
  idColumnsIn,
  isPreparedColumn,
  preparedOf,
  state,
} from '../columns/prepared.js'
import {
  asPlainKey,
  inOneParameter,
  markIdParameters,
  type Parametric,
  withIdValues,
} from '../read/parameters.js'
import {
  putIdsIntoReturned,
  putIdsIntoRows,
  putIdsIntoStream,
  type RawRow,
  type Stream,
} from '../read/rows.js'
import { type Selection, tokensOf } from '../read/sources.js'
import { insertWithIds, setInserted, type Updator } from '../write/insert.js'
import { generateMissingIds, type InsertBuilder, type InsertMap, metadataOf } from '../write/new-rows.js'
import { generateIdsOfSave, insertInOrder, type Save } from '../write/saves.js'
import { asStored, converting } from '../write/trees.js'
import { logReadably, queryReadably } from './readable.js'
import { type ColumnChange, refuseLostIds } from './stored-columns.js'
import { type Prototypes, prototypesOf } from './typeorm.js'

/** A builder that has its main entity. */
interface MainBuilder {
  readonly expressionMap: { readonly mainAlias: { readonly metadata: EntityMetadata } }
}

/** A builder that changes rows. */
interface Changing {
  readonly expressionMap: Pick<InsertMap, 'mainAlias' | 'returning'>
}

interface Changed {
  readonly raw: unknown
}

/**
 * Patches the places of TypeORM where ids are generated, bound and read: in the DataSource's driver, and in the
 * prototypes of its copy of TypeORM. DataSources without id columns are not affected.
 */
export function patchTypeorm(dataSource: DataSource): void {
  const prototypes = prototypesOf(dataSource)
  logReadably(dataSource)
  for (const [owner, patch] of [
    [dataSource.driver, () => patchDriver(dataSource)],
    [prototypes.QueryRunner, () => patchQueryRunner(prototypes.QueryRunner)],
    [prototypes.QueryBuilder, () => patchPrototypes(prototypes)],
  ] as const) {
    if (!state.patched.has(owner)) patch()
    state.patched.add(owner)
  }
}

/** Wraps a method in a function that gets the object and the bound method. */
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

/** A query runner, which opens its connection with the first query. */
interface Connecting extends QueryRunner {
  readonly databaseConnectionPromise?: Promise<unknown>
}

function patchQueryRunner(runner: object): void {
  // A save with a refused id releases its runner while other rows are being loaded. A connection opened after that
  // never returns to the pool, and `destroy()` waits for it forever.
  around<Connecting, [], Promise<void>>(runner, 'release', async (self, release) => {
    await self.databaseConnectionPromise?.catch(() => undefined)
    return release()
  })
  around(runner, 'query', queryReadably)
  around<QueryRunner, [Table | string, ColumnChange[]], Promise<void>>(
    runner,
    'changeColumns',
    async (self, change, table, changes) => {
      await refuseLostIds(self, table, changes)
      return change(table, changes)
    },
  )
  for (const name of ['query', 'stream']) {
    around<QueryRunner, [unknown, unknown, ...unknown[]], Promise<unknown>>(
      runner,
      name,
      async (self, run, sql, parameters, ...rest) => {
        refuseIds(dataSourceOf(self), sql, parameters)
        return run(sql, parameters, ...rest)
      },
    )
  }
}

/** Refuses ids in the user's own SQL, where only the text names columns: an unconverted id would find nothing. */
function refuseIds(dataSource: DataSource, sql: unknown, parameters: unknown): void {
  if (typeof sql !== 'string' || typeof parameters !== 'object' || parameters === null) return
  const { named, database } = preparedOf(dataSource)
  if (state.converted.has(parameters) || !named.mayContain(Object.values(parameters))) return
  const [text, values] = Array.isArray(parameters)
    ? [sql, parameters as unknown[]]
    : inOrder(sql, parameters as ObjectLiteral, dataSource)
  const reading = readComparisons(withMarks(text, database), database)
  for (const { chunk, columns } of named.beside(reading)) {
    refuseUnconverted(columns, values[chunk], 'pass storageOf(dataSource, entity, property).toDatabase(id)')
  }
}

/** SQL with `?` in place of each `:name`, for mysql2's `namedPlaceholders`. */
function inOrder(sql: string, parameters: ObjectLiteral, dataSource: DataSource): [string, unknown[]] {
  const names = tokensOf(sql, dataSource).filter(({ kind }) => kind === 'placeholder')
  const ends = [0, ...names.map(({ end }) => end)]
  const parts = [...names.map(({ start }, i) => sql.slice(ends[i], start)), sql.slice(ends.at(-1))]
  return [parts.join('?'), names.map(({ text }) => parameters[text.slice(1)] as unknown)]
}

function patchPrototypes(of: Prototypes): void {
  around<Selection, [string], string>(
    of.QueryBuilder,
    'replacePropertyNamesForTheWholeQuery',
    (builder, replace, query) =>
      replace(hasIds(builder) && !isPlainInsert(builder, query) ? markIdParameters(query, builder) : query),
  )
  around<Parametric, [string, unknown], unknown>(
    of.QueryBuilder,
    'getWherePredicateCondition',
    (builder, conditionOf, path, value) =>
      (hasIds(builder) ? inOneParameter(builder, path, value) : undefined) ?? conditionOf(path, value),
  )
  around<MainBuilder, [unknown], unknown>(
    of.QueryBuilder,
    'getWhereInIdsCondition',
    ({ expressionMap: { mainAlias } }, conditionOf, ids) =>
      asPlainKey(mainAlias.metadata.primaryColumns, () => conditionOf(ids)),
  )
  around<Selection, [unknown], Promise<RawRow[]>>(
    of.SelectQueryBuilder,
    'loadRawResults',
    async (builder, load, queryRunner) => {
      const rows = await load(queryRunner)
      if (hasIds(builder)) putIdsIntoRows(rows, builder)
      return rows
    },
  )
  around<Selection, [], Promise<Stream>>(of.SelectQueryBuilder, 'stream', async (builder, stream) =>
    hasIds(builder) ? putIdsIntoStream(await stream(), builder) : stream(),
  )
  around<InsertBuilder, [], string>(of.InsertQueryBuilder, 'createInsertExpression', (builder, create) => {
    generateMissingIds(builder)
    return create()
  })
  around<InsertBuilder, [], Promise<InsertResult>>(
    of.InsertQueryBuilder,
    'execute',
    async (builder, execute) => withIds(await insertWithIds(builder, execute), builder),
  )
  around<Updator, [InsertResult, ObjectLiteral[]], Promise<void>>(
    of.ReturningResultsEntityUpdator,
    'insert',
    (updator, set, result, entities) => setInserted(updator, () => set(result, entities), result),
  )
  for (const name of ['sum', 'average', 'minimum', 'maximum']) {
    around<Belonging, [EntityTarget<ObjectLiteral>, string, ...unknown[]], Promise<number | null>>(
      of.EntityManager,
      name,
      async (manager, aggregate, entity, property, ...rest) => {
        refuseAggregate(dataSourceOf(manager).getMetadata(entity), name, property)
        return aggregate(entity, property, ...rest)
      },
    )
  }
  for (const builder of [of.UpdateQueryBuilder, of.DeleteQueryBuilder, of.SoftDeleteQueryBuilder]) {
    around<Changing, [], Promise<Changed>>(builder, 'execute', async (builder, execute) =>
      withIds(await execute(), builder),
    )
  }
  // TypeORM overwrites the value in the caller's operator, which may be used again for other columns.
  around<object, [object], void>(of.FindOperator, 'transformValue', (operator, transform, transformer) => {
    const held = { ...operator }
    transform(transformer)
    if (isPreparedColumn(transformer)) Object.assign(operator, held)
  })
  around<Save, [], void>(of.SubjectExecutor, 'recompute', (save, recompute) => {
    if (hasIds(save.queryRunner)) generateIdsOfSave(save)
    recompute()
  })
  around<Save, [], Promise<void>>(of.SubjectExecutor, 'executeInsertOperations', (save, insert) =>
    hasIds(save.queryRunner) ? insertInOrder(save, insert) : insert(),
  )
  for (const kind of ['Closure', 'MaterializedPath', 'NestedSet'] as const) {
    for (const name of ['insert', 'update']) {
      around<{ queryRunner: QueryRunner }, [Subject], Promise<void>>(
        of[`${kind}SubjectExecutor`],
        name,
        (executor, write, subject) => {
          if (!hasIds(executor.queryRunner)) return write(subject)
          executor.queryRunner = converting(executor.queryRunner)
          return write(asStored(subject))
        },
      )
    }
  }
}

/** Refuses aggregates that TypeORM converts to a number. */
function refuseAggregate(metadata: EntityMetadata, name: string, property: string): void {
  const column = metadata.findColumnWithPropertyPath(property)
  const idColumn = column && idColumnFor(column)
  if (idColumn === undefined) return
  const { path, storage } = idColumn
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${name}() returns numbers, not ids; for the first or last id use find({ order: { ${property}: 'ASC' }, take: 1 }), or 'DESC'`,
    { family: storage.family.name, path },
  )
}

const hasIds = (one: Belonging): boolean => preparedOf(dataSourceOf(one)).columns.length > 0

/** An insert's values were converted one by one, so its text, which may be long, needs no reading. */
function isPlainInsert({ expressionMap }: { readonly expressionMap: object }, query: string): boolean {
  const { queryType, onUpdate } = expressionMap as {
    queryType?: string
    onUpdate?: { overwriteCondition?: unknown }
  }
  return queryType === 'insert' && onUpdate?.overwriteCondition === undefined && !/\bSELECT\b/i.test(query)
}

function withIds<Result extends Changed>(result: Result, { expressionMap }: Changing): Result {
  const metadata = metadataOf(expressionMap)
  if (metadata) putIdsIntoReturned(result.raw, metadata, expressionMap.returning)
  return result
}

/** Patches the conversion of parameters and of returned values. */
function patchDriver(dataSource: DataSource): void {
  const { driver } = dataSource
  const escapeQueryWithParameters = driver.escapeQueryWithParameters.bind(driver)
  driver.escapeQueryWithParameters = (query, parameters, ...rest) => {
    const values = withIdValues(query, parameters ?? {}, preparedOf(dataSource).columns)
    const [sql, list] = escapeQueryWithParameters(query, values, ...rest)
    return [sql, unboundList(list)]
  }

  const preparePersistentValue = driver.preparePersistentValue.bind(driver)
  driver.preparePersistentValue = (value, column) => {
    const idColumn = idColumnFor(column)
    const prepared: unknown = preparePersistentValue(value, column)
    return idColumn ? bound(prepared, idColumn) : prepared
  }

  const prepareHydratedValue = driver.prepareHydratedValue.bind(driver)
  driver.prepareHydratedValue = (value, column): unknown =>
    idColumnFor(column)?.from(value) ?? prepareHydratedValue(value, column)

  const createGeneratedMap = driver.createGeneratedMap.bind(driver)
  driver.createGeneratedMap = (metadata, ...result) =>
    returnedIds(metadata, createGeneratedMap(metadata, ...result))
}

/** The row of a RETURNING, with ids for the values of id columns. */
function returnedIds(
  metadata: EntityMetadata,
  returned: ObjectLiteral | undefined,
): ObjectLiteral | undefined {
  if (returned === undefined) return undefined
  for (const idColumn of idColumnsIn(metadata)) {
    const column = idColumn.metadata
    const value: unknown = column.getEntityValue(returned)
    if (value == null) continue
    // Here a foreign key is the value of the relation itself, not of a property in it.
    if (column.embeddedMetadata) column.setEntityValue(returned, idColumn.from(value))
    else returned[column.propertyName] = idColumn.from(value)
  }
  return returned
}
