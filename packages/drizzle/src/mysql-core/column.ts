import type { DatabaseValue } from '@snoflax/core'
import { type ColumnBaseConfig, type ColumnBuilderBaseConfig, entityKind } from 'drizzle-orm'
import {
  type AnyMySqlTable,
  MySqlColumn,
  MySqlColumnBuilder,
  MySqlDialect,
  type ReferenceConfig,
} from 'drizzle-orm/mysql-core'
import { type ColumnIds, IDS } from '../column-ids.js'
import { idsForColumn, type Target } from '../column-storage.js'
import { defaultsOf } from '../defaults.js'
import type { ColumnRequest } from '../options.js'
import { keepIdsInRelationalQueries } from '../relational-queries.js'
import { encodeValuesInSql } from '../values-in-sql.js'
import { MYSQL } from './dialect.js'
import { inJson } from './in-json.js'

/** The types of an id column, as Drizzle's builders carry them. */
export interface MySqlIdConfig<Name extends string, AnId extends string> {
  /** The column's name. */
  name: Name
  /** To Drizzle, ids are strings. */
  dataType: 'string'
  /** What tells an id column from others. */
  columnType: 'MySqlIdColumn'
  /** What rows and queries have. */
  data: AnId
  /** What goes to the driver. */
  driverParam: DatabaseValue
  /** None: the column is no enum. */
  enumValues: undefined
}

interface MySqlIdRuntimeConfig {
  readonly request: ColumnRequest
  target?: Target
}

/**
 * What an {@link idColumn} starts, and Drizzle builds the column from. Exported for its type.
 *
 * @example
 * is(snoId(), MySqlIdColumnBuilder) // true
 */
export class MySqlIdColumnBuilder<
  Config extends ColumnBuilderBaseConfig<'string', 'MySqlIdColumn'>,
> extends MySqlColumnBuilder<Config, MySqlIdRuntimeConfig> {
  static override readonly [entityKind]: string = 'SnoflaxMySqlIdColumnBuilder'

  constructor(name: Config['name'], request: ColumnRequest) {
    super(name, 'string', 'MySqlIdColumn')
    Object.assign(this.config, { request, hasDefault: request.role === 'generated' })
  }

  override references(ref: ReferenceConfig['ref'], actions?: ReferenceConfig['actions']): this {
    this.config.target = ref
    return super.references(ref, actions)
  }

  /** Called by Drizzle. */
  build(table: AnyMySqlTable): MySqlIdColumn<ColumnBaseConfig<'string', 'MySqlIdColumn'>> {
    encodeValuesInSql(MySqlDialect)
    keepIdsInRelationalQueries(
      MySqlDialect,
      ['buildRelationalQuery', 'buildRelationalQueryWithoutLateralSubqueries'],
      inJson,
    )
    return new MySqlIdColumn(table, this.config)
  }
}

/**
 * An id column of a table. Exported for its type, and to tell id columns from others.
 *
 * @example
 * const orders = mysqlTable('orders', { id: snoId().primaryKey() })
 * is(orders.id, MySqlIdColumn) // true
 */
export class MySqlIdColumn<Config extends ColumnBaseConfig<'string', 'MySqlIdColumn'>> extends MySqlColumn<
  Config,
  MySqlIdRuntimeConfig
> {
  static override readonly [entityKind]: string = 'SnoflaxMySqlIdColumn'

  readonly [IDS]: ColumnIds

  constructor(table: AnyMySqlTable, config: MySqlIdColumnBuilder<Config>['config']) {
    super(table, config)
    this[IDS] = idsForColumn(MYSQL.database, config.request, this, config.target)
    // Not assigned: a default that is an id is a getter, since a reference learns its form later.
    Object.defineProperties(
      this,
      Object.getOwnPropertyDescriptors(defaultsOf(this, this[IDS], config.request, MYSQL)),
    )
  }

  getSQLType(): string {
    return this[IDS].storage.column.sql.toLowerCase()
  }

  // Fields, not methods: Drizzle 1.0 looks for them on the instance.
  override mapToDriverValue = (id: unknown): unknown => this[IDS].toDatabase(id)

  override mapFromDriverValue = (value: unknown): Config['data'] => this[IDS].fromDatabase(value)
}
