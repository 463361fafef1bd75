import type { IdFamily } from '@snoflax/core'
import type { DataSource, EntityMetadata, QueryRunner, ValueTransformer } from 'typeorm'
import { idColumnFor } from '../columns/prepared.js'

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

/** The parents' ids, which are encoded; the last id; and the wildcard of a condition. */
const PATH = /^((?:x[0-9a-f]+\.)*)(.+)\.(%?)$/

/**
 * Materialized paths have ids in hex. TypeORM puts ids into them as they are, and finds descendants by LIKE,
 * for which `_` is any character and, in SQLite and MySQL, small letters are large ones.
 */
class PathTransformer implements ValueTransformer {
  constructor(private readonly family: IdFamily<string>) {}

  to(path: unknown): unknown {
    const [, parents, id, wildcard] = (typeof path === 'string' && PATH.exec(path)) || []
    return this.family.is(id) ? `${parents}x${this.hex(id)}.${wildcard}` : path
  }

  from(path: unknown): unknown {
    return path
  }

  private hex(id: string): string {
    return Array.from(this.family.decode(id), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** Lets the paths of a tree with ids be those of a {@link PathTransformer}. */
export function encodePaths({ materializedPathColumn, treeParentRelation }: EntityMetadata): void {
  const [column] = treeParentRelation?.joinColumns ?? []
  const key = column && idColumnFor(column)
  if (!materializedPathColumn || !key) return
  materializedPathColumn.transformer = new PathTransformer(key.storage.family)
}
