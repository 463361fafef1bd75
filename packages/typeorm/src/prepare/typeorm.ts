import { IdError } from '@snoflax/core'
import type { Library, Reliance } from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'
import { DataSource as OwnDataSource } from 'typeorm/data-source/DataSource.js'
import { FindOperator } from 'typeorm/find-options/FindOperator.js'
import { SubjectExecutor } from 'typeorm/persistence/SubjectExecutor.js'
import { ClosureSubjectExecutor } from 'typeorm/persistence/tree/ClosureSubjectExecutor.js'
import { MaterializedPathSubjectExecutor } from 'typeorm/persistence/tree/MaterializedPathSubjectExecutor.js'
import { NestedSetSubjectExecutor } from 'typeorm/persistence/tree/NestedSetSubjectExecutor.js'
import { ReturningResultsEntityUpdator } from 'typeorm/query-builder/ReturningResultsEntityUpdator.js'

/** TypeORM's classes that can't be reached from a builder, and their folders. */
const CLASSES = {
  FindOperator: [FindOperator, 'find-options'],
  ReturningResultsEntityUpdator: [ReturningResultsEntityUpdator, 'query-builder'],
  SubjectExecutor: [SubjectExecutor, 'persistence'],
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

/** TypeORM's own class of the DataSource in its copy of TypeORM, not a subclass. */
export const dataSourceClassOf = (dataSource: DataSource): typeof OwnDataSource =>
  dataSource instanceof OwnDataSource
    ? OwnDataSource
    : (moduleOf(dataSource)?.exports.DataSource as typeof OwnDataSource)

/** TypeORM and its version, for errors. */
export const libraryOf = (dataSource: DataSource): Library => ({
  name: 'typeorm',
  version: moduleOf(dataSource)?.require('../package.json')['version'] as string | undefined,
  supported: '^0.3.28 || ^1.1.0',
  by: '@snoflax/typeorm',
})

/** Prototypes of TypeORM's classes, in the DataSource's copy of TypeORM. */
export function prototypesOf(dataSource: DataSource) {
  const select = dataSource.createQueryBuilder()
  const SelectQueryBuilder = prototypeOf(select)
  return {
    QueryBuilder: prototypeOf(SelectQueryBuilder),
    SelectQueryBuilder,
    InsertQueryBuilder: prototypeOf(select.insert()),
    UpdateQueryBuilder: prototypeOf(select.update()),
    DeleteQueryBuilder: prototypeOf(select.delete()),
    SoftDeleteQueryBuilder: prototypeOf(select.softDelete()),
    EntityManager: prototypeOf(dataSource.manager),
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

/** Non-public members that we patch, call or read, by their owner. */
const MEMBERS = {
  QueryBuilder:
    'replacePropertyNamesForTheWholeQuery getWherePredicateCondition getWhereInIdsCondition createParameter createCteExpression',
  SelectQueryBuilder: 'loadRawResults stream',
  InsertQueryBuilder: 'createInsertExpression execute',
  UpdateQueryBuilder: 'execute',
  DeleteQueryBuilder: 'execute',
  SoftDeleteQueryBuilder: 'execute',
  QueryRunner: 'query release stream changeColumns',
  EntityManager: 'sum average minimum maximum',
  FindOperator: 'transformValue',
  ReturningResultsEntityUpdator: 'insert',
  SubjectExecutor: 'executeInsertOperations recompute groupBulkSubjects',
  ClosureSubjectExecutor: 'insert update',
  MaterializedPathSubjectExecutor: 'insert update',
  NestedSetSubjectExecutor: 'insert update',
  expressionMap: 'aliases selects insertColumns updateEntity commonTableExpressions',
  driver:
    'escapeQueryWithParameters createGeneratedMap preparePersistentValue prepareHydratedValue isReturningSqlSupported',
  EntityMetadata:
    'columns relations primaryColumns foreignKeys getEntityIdMap ensureEntityIdMap getInsertionReturningColumns',
  ColumnMetadata: 'getEntityValue setEntityValue entityMetadata propertyPath',
} as const

/** All members of TypeORM that this package relies on. */
export function reliancesOf(dataSource: DataSource): Reliance[] {
  const [metadata] = dataSource.entityMetadatas
  const owners: Readonly<Record<keyof typeof MEMBERS, unknown>> = {
    ...prototypesOf(dataSource),
    expressionMap: dataSource.createQueryBuilder().insert().expressionMap,
    driver: dataSource.driver,
    EntityMetadata: metadata,
    ColumnMetadata: metadata?.columns[0],
  }
  return Object.entries(MEMBERS).map(([name, members]) => ({
    owner: owners[name as keyof typeof MEMBERS],
    name,
    members: members.split(' '),
  }))
}
