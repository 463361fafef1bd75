import type { DataSource, EntityMetadata, QueryRunner } from 'typeorm'
import { PathTransformer } from './tree-paths.js'

/** A statement that TypeORM writes for trees without regard to transformers. */
interface TreeStatement {
  /** How it begins. */
  readonly start: string
  /** The same, with ids as they lie in the columns. */
  convert(sql: string, parameters: readonly unknown[]): [sql: string, parameters: unknown[]]
}

const statementsOf = new WeakMap<readonly EntityMetadata[], readonly TreeStatement[]>()
/** SQLite's driver answers the same query runner each time. */
const converting = new WeakSet<QueryRunner>()

/** Converts the ids in TypeORM's own statements for trees, before the query runner runs them. */
export function convertTreeStatements(queryRunner: QueryRunner, dataSource: DataSource): QueryRunner {
  if (treeStatements(dataSource).length === 0 || converting.has(queryRunner)) return queryRunner
  converting.add(queryRunner)
  const query = queryRunner.query.bind(queryRunner) as (...given: unknown[]) => Promise<never>
  queryRunner.query = (sql: string, parameters?: unknown[], ...rest: unknown[]) => {
    const statement = treeStatements(dataSource).find(({ start }) => sql.startsWith(start))
    const [converted, values] = statement?.convert(sql, parameters ?? []) ?? [sql, parameters]
    return query(converted, values, ...rest)
  }
  return queryRunner
}

function treeStatements(dataSource: DataSource): readonly TreeStatement[] {
  const { entityMetadatas } = dataSource
  const statements =
    statementsOf.get(entityMetadatas) ??
    entityMetadatas.flatMap((entity) => [
      ...closureLinks(entity, dataSource),
      ...pathMoves(entity, dataSource),
    ])
  statementsOf.set(entityMetadatas, statements)
  return statements
}

/** The links of a closure table: all parameters are keys, whole ones one after the other. */
function closureLinks(entity: EntityMetadata, { driver }: DataSource): TreeStatement[] {
  const table = entity.closureJunctionTable as EntityMetadata | undefined
  if (entity.treeType !== 'closure-table' || table === undefined) return []
  const columns = [...table.ancestorColumns, ...table.descendantColumns]
  const names = columns.map(({ databaseName }) => driver.escape(databaseName))
  const { primaryColumns } = entity
  const databaseValue = (value: unknown, i: number): unknown => {
    const column = primaryColumns[i % primaryColumns.length]
    return column ? driver.preparePersistentValue(value, column) : value
  }
  return [
    {
      start: `INSERT INTO ${escaped(table, driver)} (${names.join(', ')}) SELECT `,
      convert: (sql, parameters) => [sql, parameters.map(databaseValue)],
    },
  ]
}

/** A branch that moves: paths stand in the statement itself, and in its only parameter. */
function pathMoves(entity: EntityMetadata, { driver }: DataSource): TreeStatement[] {
  const column = entity.materializedPathColumn
  const paths = column?.transformer
  if (!column || !(paths instanceof PathTransformer)) return []
  return [
    {
      start: `UPDATE ${escaped(entity, driver)} SET ${driver.escape(column.databaseName)} = REPLACE(`,
      convert: (sql, parameters) => [
        sql.replaceAll(/'([^']*)'/g, (_, path: string) => `'${paths.to(path)}'`),
        parameters.map((path) => paths.to(path)),
      ],
    },
  ]
}

const escaped = ({ tablePath }: EntityMetadata, driver: DataSource['driver']): string =>
  tablePath
    .split('.')
    .map((part) => driver.escape(part))
    .join('.')
