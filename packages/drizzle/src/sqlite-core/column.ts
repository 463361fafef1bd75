import type { DatabaseValue } from '@snoflax/core'
import { type ColumnBaseConfig, type ColumnBuilderBaseConfig, entityKind } from 'drizzle-orm'
import {
  type AnySQLiteTable,
  type ReferenceConfig,
  SQLiteColumn,
  SQLiteColumnBuilder,
  SQLiteDialect,
} from 'drizzle-orm/sqlite-core'
import { type ColumnIds, IDS } from '../column-ids.js'
import { idsForColumn, type Target } from '../column-storage.js'
import { defaultsOf } from '../defaults.js'
import type { ColumnRequest } from '../options.js'
import { keepIdsInRelationalQueries } from '../relational-queries.js'
import { encodeValuesInSql } from '../values-in-sql.js'
import { SQLITE } from './dialect.js'
import { inJson } from './in-json.js'

/** The types of an id column, as Drizzle's builders carry them. */
export interface SQLiteIdConfig<Name extends string, AnId extends string> {
  /** The column's name. */
  name: Name
  /** To Drizzle, ids are strings. */
  dataType: 'string'
  /** What tells an id column from others. */
  columnType: 'SQLiteIdColumn'
  /** What rows and queries have. */
  data: AnId
  /** What goes to the driver. */
  driverParam: DatabaseValue
  /** None: the column is no enum. */
  enumValues: undefined
}

interface SQLiteIdRuntimeConfig {
  readonly request: ColumnRequest
  target?: Target
}

/**
 * What an {@link idColumn} starts, and Drizzle builds the column from. Exported for its type.
 *
 * @example
 * is(snoId(), SQLiteIdColumnBuilder) // true
 */
export class SQLiteIdColumnBuilder<
  Config extends ColumnBuilderBaseConfig<'string', 'SQLiteIdColumn'>,
> extends SQLiteColumnBuilder<Config, SQLiteIdRuntimeConfig> {
  static override readonly [entityKind]: string = 'SnoflaxSQLiteIdColumnBuilder'

  constructor(name: Config['name'], request: ColumnRequest) {
    super(name, 'string', 'SQLiteIdColumn')
    Object.assign(this.config, { request, hasDefault: request.role === 'generated' })
  }

  override references(ref: ReferenceConfig['ref'], actions?: ReferenceConfig['actions']): this {
    this.config.target = ref
    return super.references(ref, actions)
  }

  /** Called by Drizzle. */
  build(table: AnySQLiteTable): SQLiteIdColumn<ColumnBaseConfig<'string', 'SQLiteIdColumn'>> {
    encodeValuesInSql(SQLiteDialect)
    keepIdsInRelationalQueries(SQLiteDialect, ['buildRelationalQuery'], inJson)
    return new SQLiteIdColumn(table, this.config)
  }
}

/**
 * An id column of a table. Exported for its type, and to tell id columns from others.
 *
 * @example
 * const orders = sqliteTable('orders', { id: snoId().primaryKey() })
 * is(orders.id, SQLiteIdColumn) // true
 */
export class SQLiteIdColumn<Config extends ColumnBaseConfig<'string', 'SQLiteIdColumn'>> extends SQLiteColumn<
  Config,
  SQLiteIdRuntimeConfig
> {
  static override readonly [entityKind]: string = 'SnoflaxSQLiteIdColumn'

  readonly [IDS]: ColumnIds

  constructor(table: AnySQLiteTable, config: SQLiteIdColumnBuilder<Config>['config']) {
    super(table, config)
    this[IDS] = idsForColumn(SQLITE.database, config.request, this, config.target)
    // Not assigned: a default that is an id is a getter, since a reference learns its form later.
    Object.defineProperties(
      this,
      Object.getOwnPropertyDescriptors(defaultsOf(this, this[IDS], config.request, SQLITE)),
    )
  }

  getSQLType(): string {
    return this[IDS].storage.column.sql.toLowerCase()
  }

  // Fields, not methods: Drizzle 1.0 looks for them on the instance.
  override mapToDriverValue = (id: unknown): unknown => this[IDS].toDatabase(id)

  override mapFromDriverValue = (value: unknown): Config['data'] => this[IDS].fromDatabase(value)
}
