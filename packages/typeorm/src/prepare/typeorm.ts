import { type Library, type Reliance, requireMembers } from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'
import { prototypeOf } from '../columns/prepared.js'

/** A module in Node's cache of `require`, by which TypeORM is always loaded. */
interface LoadedModule {
  readonly exports: { readonly DataSource?: new (...args: never[]) => object }
  require(path: string): Record<string, unknown>
}

/** TypeORM's version, from the module that exports the DataSource's class. */
function versionOf(dataSource: DataSource): string | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module')
  const cache = node?.createRequire(`${process.cwd()}/`).cache ?? {}
  const found = Object.keys(cache)
    .filter((path) => /[\\/]data-source[\\/]DataSource\.js$/.test(path))
    .map((path) => cache[path] as unknown as LoadedModule)
    .find(({ exports: { DataSource } }) => DataSource !== undefined && dataSource instanceof DataSource)
  return found?.require('../package.json')['version'] as string | undefined
}

/** TypeORM and its version, for errors. */
export const libraryOf = (dataSource: DataSource): Library => ({
  name: 'typeorm',
  version: versionOf(dataSource),
  supported: '^0.3.28 || ^1.1.0',
  by: '@snoflax/typeorm',
})

/** The prototype of all query builders, in the DataSource's copy of TypeORM. */
export const builderPrototype = (dataSource: DataSource): object =>
  prototypeOf(prototypeOf<object>(dataSource.createQueryBuilder()))

/** Checks that TypeORM has the members that id columns rely on. @throws {IdError} `UNSUPPORTED_VERSION`. */
export function requireTypeorm(dataSource: DataSource, converts: boolean): void {
  const [metadata] = dataSource.entityMetadatas
  const builder = dataSource.createQueryBuilder()
  const members: (readonly [name: string, owner: unknown, members: string])[] = [
    ['InsertQueryBuilder', builder.insert(), 'createInsertExpression execute obtainQueryRunner'],
    ['driver', dataSource.driver, 'preparePersistentValue isReturningSqlSupported createSchemaBuilder'],
    [
      'EntityMetadata',
      metadata,
      'columns relationsWithJoinColumns primaryColumns beforeInsertListeners afterInsertListeners getEntityIdMap getInsertionReturningColumns extractRelationValuesFromEntity findColumnsWithPropertyPath',
    ],
    ['ColumnMetadata', metadata?.columns[0], 'getEntityValue setEntityValue entityMetadata propertyPath'],
    ...(converts
      ? ([
          [
            'QueryBuilder',
            builderPrototype(dataSource),
            'getWherePredicateCondition clone relation setParameters',
          ],
          ['SelectQueryBuilder', builder, 'loadRawResults'],
          ['expressionMap', builder.expressionMap, 'aliases aliasNamePrefixingEnabled relationIdAttributes'],
          ['driver', dataSource.driver, 'prepareHydratedValue createGeneratedMap'],
          ['relationLoader', dataSource.relationLoader, 'load'],
        ] as const)
      : []),
  ]
  const reliances = members.map(
    ([name, owner, list]): Reliance => ({ name, owner, members: list.split(' ') }),
  )
  requireMembers(libraryOf(dataSource), reliances)
}
