import { IdError } from '@snoflax/core'
import { checkComparable, type SqlIdColumn } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import {
  type Belonging,
  dataSourceOf,
  idColumnFor,
  type PreparedColumn,
  pathOf,
  preparedOf,
} from '../columns/prepared.js'

/** A name in a query's FROM, as TypeORM knows it. */
interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
  /** Undefined for a subquery. */
  readonly tablePath?: string
}

/** A query builder. */
export interface Builder extends Belonging {
  readonly expressionMap: {
    readonly queryType: string
    readonly aliases: readonly Alias[]
    readonly mainAlias?: Alias
    readonly selects: readonly { readonly selection: string; readonly aliasName?: string }[]
    /** TypeORM 0.3 has it. */
    readonly nativeParameters?: ObjectLiteral
  }
  getQuery(): string
  getParameters(): ObjectLiteral
  createParameter(value: unknown): string
}

/** The entity behind each alias of a builder, also behind one of a bare table, as in TypeORM's own look-ups of relations. */
export function entitiesOf(builder: Builder): ReadonlyMap<string, EntityMetadata> {
  const { entityMetadatas } = dataSourceOf(builder)
  return new Map(
    builder.expressionMap.aliases.flatMap((alias): [string, EntityMetadata][] => {
      const { name, hasMetadata, tablePath } = alias
      const isOf = (one: EntityMetadata) => one.tablePath === tablePath || one.tableName === tablePath
      const metadata = hasMetadata ? alias.metadata : tablePath && entityMetadatas.find(isOf)
      return metadata ? [[name, metadata]] : []
    }),
  )
}

/** Finds the columns of a builder by their names in its SQL; undefined for other names. */
export type ColumnNamed = (parts: readonly string[]) => ColumnMetadata | undefined

export function columnsNamedIn(builder: Builder, sql: string): ColumnNamed {
  const { mainAlias, queryType } = builder.expressionMap
  const entities = entitiesOf(builder)
  const main = mainAlias?.hasMetadata && queryType !== 'select' ? mainAlias.metadata : undefined
  /** A subquery that is part of the text may have the same alias for something else. */
  const isOnce = (name: string) => {
    const alias = name.replace(/\W/g, '\\$&')
    const declared = `(?<!\\b(?:FROM|JOIN|INTO|UPDATE|ONLY))\\s["\`]?${alias}(?![\\w."\`]*[\\w.])`
    return (sql.match(new RegExp(declared, 'gi')) ?? []).length <= 1
  }
  return (parts) => {
    const [name = '', ...qualifiers] = [...parts].reverse()
    const [alias] = qualifiers
    if (alias === undefined) return main?.findColumnWithDatabaseName(name)
    const metadata = entities.get(alias) ?? (main?.tableName === alias ? main : undefined)
    const column = metadata?.findColumnWithDatabaseName(name)
    return column && isOnce(alias) ? column : undefined
  }
}

/** The columns that a name may mean: that of the builder's alias, else those of any entity. */
export function columnsCalled(
  parts: readonly string[],
  columnOf: ColumnNamed,
  builder: Builder,
): readonly ColumnMetadata[] {
  const [name = '', alias] = [...parts].reverse()
  const column = alias === undefined ? undefined : columnOf(parts)
  const isOwn = builder.expressionMap.aliases.some((one) => one.name === alias)
  if (column || isOwn) return column ? [column] : []
  return preparedOf(dataSourceOf(builder)).named.get(name.toLowerCase()) ?? []
}

/** The column for SqlIds. */
export const inSqlOf = (column: ColumnMetadata | undefined): SqlIdColumn | null | undefined =>
  column && (idColumnFor(column)?.inSql ?? null)

/**
 * @param isSet whether one is set to the other: PostgreSQL refuses to compare a uuid with text, but stores it as text.
 * @throws {IdError} for columns that are never equal, whichever of those that they may be are meant.
 */
export function checkEqual(
  some: readonly ColumnMetadata[],
  others: readonly ColumnMetadata[],
  dataSource: DataSource,
  isSet: boolean,
): void {
  const errors: unknown[] = []
  for (const one of some) {
    for (const other of others) {
      try {
        checkPair(one, other, dataSource, isSet)
        return
      } catch (error) {
        errors.push(error)
      }
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** @throws {IdError} for columns that are never equal: what they store has different forms. */
function checkPair(one: ColumnMetadata, other: ColumnMetadata, dataSource: DataSource, isSet: boolean): void {
  const [own, theirs] = [idColumnFor(one), idColumnFor(other)]
  if (!own?.storage.converts && !theirs?.storage.converts) return
  if (own && theirs) {
    checkComparable(own.inSql, theirs.inSql)
    return
  }
  const [idColumn, plain] = own ? [own, other] : [theirs as PreparedColumn, one]
  const { path, storage } = idColumn
  const type = dataSource.driver.normalizeType(plain)
  const isRefused = storage.database === 'postgres' && (!isSet || storage.name === 'bigint')
  if (isRefused || !/char|text|clob/i.test(type)) return
  throw new IdError(
    'INVALID_OPTION',
    `${path}: ${path} (${storage.family.name} as ${storage.name}) and ${pathOf(plain)} (${type}) are never equal in the database; ` +
      'declare both as id columns, such as FlaxIdColumn.plain()',
    { family: storage.family.name, path },
  )
}
