import type { Library, Reliance } from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'

export const TYPEORM: Library = { name: 'typeorm', supported: '^1.1.0', by: '@snoflax/typeorm' }

const prototypeOf = (one: object): object => Object.getPrototypeOf(one) as object

/** Where TypeORM's methods are, in the copy of TypeORM that the DataSource is of. */
export function prototypesOf(dataSource: DataSource) {
  const select = dataSource.createQueryBuilder()
  const selectQueryBuilder = prototypeOf(select)
  return {
    queryBuilder: prototypeOf(selectQueryBuilder),
    selectQueryBuilder,
    insertQueryBuilder: prototypeOf(select.insert()),
    updateQueryBuilder: prototypeOf(select.update()),
    deleteQueryBuilder: prototypeOf(select.delete()),
    softDeleteQueryBuilder: prototypeOf(select.softDelete()),
    entityManager: prototypeOf(dataSource.manager),
  }
}

/** All of TypeORM that is patched, or read though it is not public. */
export function reliances(dataSource: DataSource): Reliance[] {
  const of = prototypesOf(dataSource)
  const { driver } = dataSource
  const [entity] = dataSource.entityMetadatas
  const relation = dataSource.entityMetadatas.flatMap(({ relations }) => relations)[0]
  const { expressionMap } = dataSource.createQueryBuilder().insert()
  return [
    ['QueryBuilder', of.queryBuilder, 'replacePropertyNamesForTheWholeQuery getWhereInIdsCondition'],
    ['SelectQueryBuilder', of.selectQueryBuilder, 'loadRawResults'],
    ['InsertQueryBuilder', of.insertQueryBuilder, 'createInsertExpression execute obtainQueryRunner'],
    ['UpdateQueryBuilder', of.updateQueryBuilder, 'execute'],
    ['DeleteQueryBuilder', of.deleteQueryBuilder, 'execute'],
    ['SoftDeleteQueryBuilder', of.softDeleteQueryBuilder, 'execute'],
    ['EntityManager', of.entityManager, 'save'],
    [
      'expressionMap',
      expressionMap,
      'aliases selects insertColumns callListeners updateEntity useTransaction',
    ],
    ['driver', driver, 'escapeQueryWithParameters createGeneratedMap createQueryRunner escape'],
    ['driver', driver, 'preparePersistentValue prepareHydratedValue isReturningSqlSupported'],
    ['EntityMetadata', entity, 'columns relations primaryColumns foreignKeys inheritanceTree'],
    ['EntityMetadata', entity, 'beforeInsertListeners afterInsertListeners relationsWithJoinColumns'],
    ['EntityMetadata', entity, 'getEntityIdMap ensureEntityIdMap getInsertionReturningColumns'],
    ['ColumnMetadata', entity?.columns[0], 'getEntityValue setEntityValue entityMetadata propertyPath'],
    ...(relation ? [['RelationMetadata', relation, 'joinColumns getRelationIdMap'] as const] : []),
  ].map(([name, owner, members]) => ({ name, owner, members: (members as string).split(' ') }) as Reliance)
}
