import { IdError } from '@snoflax/core'
import type { Library, Reliance } from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'
import { DataSource as OwnDataSource } from 'typeorm/data-source/DataSource.js'
import { FindOperator } from 'typeorm/find-options/FindOperator.js'
import { ClosureSubjectExecutor } from 'typeorm/persistence/tree/ClosureSubjectExecutor.js'
import { MaterializedPathSubjectExecutor } from 'typeorm/persistence/tree/MaterializedPathSubjectExecutor.js'
import { NestedSetSubjectExecutor } from 'typeorm/persistence/tree/NestedSetSubjectExecutor.js'

/** TypeORM's classes that can't be reached from a builder, and their folders. */
const CLASSES = {
  FindOperator: [FindOperator, 'find-options'],
  ClosureSubjectExecutor: [ClosureSubjectExecutor, 'persistence/tree'],
  MaterializedPathSubjectExecutor: [MaterializedPathSubjectExecutor, 'persistence/tree'],
  NestedSetSubjectExecutor: [NestedSetSubjectExecutor, 'persistence/tree'],
} as const

/** A module in Node's cache of `require`, by which TypeORM is always loaded. */
interface LoadedModule {
  readonly exports: { readonly DataSource?: new (...given: never[]) => object }
  require(path: string): Record<string, unknown>
}

/** The module that exports the DataSource's class, in any copy of TypeORM. */
function moduleOf(dataSource: DataSource): LoadedModule | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module')
  const cache = node?.createRequire(`${process.cwd()}/`).cache ?? {}
  const paths = Object.keys(cache).filter((path) => /[\\/]data-source[\\/]DataSource\.js$/.test(path))
  return paths
    .map((path) => cache[path] as unknown as LoadedModule)
    .find(({ exports: { DataSource } }) => DataSource !== undefined && dataSource instanceof DataSource)
}

/** TypeORM and its version, for errors. */
export const libraryOf = (dataSource: DataSource): Library => ({
  name: 'typeorm',
  version: moduleOf(dataSource)?.require('../package.json')['version'] as string | undefined,
  supported: '^0.3.28 || ^1.1.0',
  by: '@snoflax/typeorm',
})

/** Prototypes of TypeORM's classes, in the DataSource's copy of TypeORM. */
export function prototypesOf(dataSource: DataSource) {
  return {
    QueryBuilder: prototypeOf(prototypeOf(dataSource.createQueryBuilder())),
    QueryRunner: prototypeOf(dataSource.driver.createQueryRunner('master')),
    ...classesOf(dataSource),
  }
}

export type Prototypes = ReturnType<typeof prototypesOf>

const prototypeOf = (one: object): object => Object.getPrototypeOf(one) as object

function classesOf(dataSource: DataSource): Record<keyof typeof CLASSES, object> {
  const isOwn = dataSource instanceof OwnDataSource
  const other = isOwn ? undefined : moduleOf(dataSource)
  if (!isOwn && other === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      'this DataSource belongs to a copy of TypeORM that @snoflax/typeorm does not find; let both packages use the same copy',
      { field: 'dataSource' },
    )
  }
  const entries = Object.entries(CLASSES).map(([name, [own, folder]]) => {
    const found = other?.require(`../${folder}/${name}.js`)[name] ?? own
    return [name, (found as { readonly prototype: object }).prototype]
  })
  return Object.fromEntries(entries) as Record<keyof typeof CLASSES, object>
}

/** Members of TypeORM that every id column relies on, by their owner. */
const WRITING = {
  InsertQueryBuilder: 'createInsertExpression getQueryAndParameters execute',
  driver: 'preparePersistentValue prepareHydratedValue isReturningSqlSupported createSchemaBuilder',
  EntityMetadata:
    'columns relationsWithJoinColumns primaryColumns beforeInsertListeners afterInsertListeners getEntityIdMap getInsertionReturningColumns extractRelationValuesFromEntity',
  ColumnMetadata: 'getEntityValue setEntityValue entityMetadata propertyPath',
} as const

/** Those that columns rely on whose storage converts. */
const CONVERTING = {
  QueryBuilder:
    'replacePropertyNamesForTheWholeQuery getQueryAndParameters getParameters getWherePredicateCondition getWhereInIdsCondition createParameter',
  QueryRunner: 'query release stream',
  FindOperator: 'transformValue',
  ClosureSubjectExecutor: 'insert update',
  MaterializedPathSubjectExecutor: 'insert update',
  NestedSetSubjectExecutor: 'insert update',
  expressionMap: 'queryType aliases selects',
  driver: 'escapeQueryWithParameters',
  EntityMetadata: 'findColumnsWithPropertyPath findColumnWithDatabaseName',
} as const

/** The members of TypeORM that the writing of ids relies on. */
export function writingReliancesOf(dataSource: DataSource): Reliance[] {
  const [metadata] = dataSource.entityMetadatas
  return reliances(WRITING, {
    InsertQueryBuilder: dataSource.createQueryBuilder().insert(),
    driver: dataSource.driver,
    EntityMetadata: metadata,
    ColumnMetadata: metadata?.columns[0],
  })
}

/** All members of TypeORM that this package relies on, but for those. */
export const reliancesOf = (dataSource: DataSource): Reliance[] =>
  reliances(CONVERTING, {
    ...prototypesOf(dataSource),
    expressionMap: dataSource.createQueryBuilder().expressionMap,
    driver: dataSource.driver,
    EntityMetadata: dataSource.entityMetadatas[0],
  })

const reliances = <Name extends string>(
  members: Readonly<Record<Name, string>>,
  owners: Readonly<Record<Name, unknown>>,
): Reliance[] =>
  (Object.keys(members) as Name[]).map((name) => ({
    owner: owners[name],
    name,
    members: members[name].split(' '),
  }))
