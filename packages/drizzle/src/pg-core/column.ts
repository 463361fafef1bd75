import { type DatabaseValue, IdError } from '@snoflax/core'
import { type ColumnBaseConfig, type ColumnBuilderBaseConfig, entityKind } from 'drizzle-orm'
import {
  type AnyPgTable,
  PgColumn,
  PgColumnBuilder,
  PgDialect,
  type ReferenceConfig,
} from 'drizzle-orm/pg-core'
import { type ColumnIds, IDS } from '../column-ids.js'
import { idsForColumn, type Target } from '../column-storage.js'
import { defaultsOf } from '../defaults.js'
import { hexOf } from '../hex.js'
import type { ColumnRequest } from '../options.js'
import { keepIdsInRelationalQueries } from '../relational-queries.js'
import { encodeValuesInSql } from '../values-in-sql.js'
import { POSTGRES } from './dialect.js'
import { inJson } from './in-json.js'

/** The types of an id column, as Drizzle's builders carry them. */
export interface PgIdConfig<Name extends string, AnId extends string> {
  /** The column's name. */
  name: Name
  /** To Drizzle, ids are strings. */
  dataType: 'string'
  /** What tells an id column from others. */
  columnType: 'PgIdColumn'
  /** What rows and queries have. */
  data: AnId
  /** What goes to the driver. */
  driverParam: DatabaseValue
  /** None: the column is no enum. */
  enumValues: undefined
}

interface PgIdRuntimeConfig {
  readonly request: ColumnRequest
  target?: Target
  /** Whether the column is the element of an array. */
  isElement?: boolean
}

/**
 * What an {@link idColumn} starts, and Drizzle builds the column from. Exported for its type.
 *
 * @example
 * is(snoId(), PgIdColumnBuilder) // true
 */
export class PgIdColumnBuilder<
  Config extends ColumnBuilderBaseConfig<'string', 'PgIdColumn'>,
> extends PgColumnBuilder<Config, PgIdRuntimeConfig> {
  static override readonly [entityKind]: string = 'SnoflaxPgIdColumnBuilder'

  constructor(name: Config['name'], request: ColumnRequest) {
    super(name, 'string', 'PgIdColumn')
    Object.assign(this.config, { request, hasDefault: request.role === 'generated' })
  }

  override references(ref: ReferenceConfig['ref'], actions?: ReferenceConfig['actions']): this {
    this.config.target = ref
    return super.references(ref, actions)
  }

  override array<Size extends number | undefined = undefined>(size?: Size) {
    const { family, role } = this.config.request
    if (role !== 'plain') {
      throw new IdError(
        'INVALID_OPTION',
        `${family.name}: a list of ids is neither generated nor a reference: use .plain().array()`,
        { family: family.name },
      )
    }
    this.config.isElement = true
    return super.array(size)
  }

  /** Called by Drizzle. */
  build(table: AnyPgTable): PgIdColumn<ColumnBaseConfig<'string', 'PgIdColumn'>> {
    encodeValuesInSql(PgDialect)
    keepIdsInRelationalQueries(PgDialect, ['buildRelationalQueryWithoutPK'], inJson)
    return new PgIdColumn(table, this.config)
  }
}

/**
 * An id column of a table. Exported for its type, and to tell id columns from others.
 *
 * @example
 * const orders = pgTable('orders', { id: snoId().primaryKey() })
 * is(orders.id, PgIdColumn) // true
 */
export class PgIdColumn<Config extends ColumnBaseConfig<'string', 'PgIdColumn'>> extends PgColumn<
  Config,
  PgIdRuntimeConfig
> {
  static override readonly [entityKind]: string = 'SnoflaxPgIdColumn'

  readonly [IDS]: ColumnIds

  constructor(table: AnyPgTable, config: PgIdColumnBuilder<Config>['config']) {
    super(table, config)
    this[IDS] = idsForColumn(POSTGRES.database, config.request, this, config.target)
    // Not assigned: a default that is an id is a getter, since a reference learns its form later.
    Object.defineProperties(
      this,
      Object.getOwnPropertyDescriptors(defaultsOf(this, this[IDS], config.request, POSTGRES)),
    )
  }

  getSQLType(): string {
    const { type, sql } = this[IDS].storage.column
    // A collation would have to stand behind the brackets.
    return this.config.isElement ? type : sql
  }

  // Fields, not methods: Drizzle 1.0 looks for them on the instance.
  override mapToDriverValue = (id: unknown): unknown => {
    const value = this[IDS].toDatabase(id)
    return this.config.isElement && value instanceof Uint8Array ? `\\x${hexOf(value)}` : value
  }

  override mapFromDriverValue = (value: unknown): Config['data'] => this[IDS].fromDatabase(value)
}
